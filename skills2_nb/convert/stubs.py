"""The cells that a transformed skill starts from."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tomli_w

from skills2_nb.formats.draft import Draft

SETUP = Draft("code", "from skills2_nb import case, step", ("setup",))
#: The tag of the cases that `demo --table` looks for.
TAG = "classic"
_WIDTH = 88
_NOTE = (
    "*For you, the author; cells tagged `skip` stay here.* Every `step` cell below is a stub: it "
    "runs, and proves nothing. To make a step of it, give it parameters and a return type, write "
    "its body, and delete the line `# skills2: stub`. What the last step returns as `readout` is "
    "the answer; until one does, the prose stands in. `%skills2 run` shows the score."
)
NOTE = Draft("markdown", _NOTE, ("skip",))


def stub_cell(step_id: str, says: str) -> Draft:
    """The step cell of one step: it can be called, gives an empty result, and says it is a stub.

    Args:
        step_id: the function's name.
        says: the prose line, which becomes the docstring.
    """
    lines = [
        "@step",
        f"def {step_id}() -> dict:",
        *_docstring(says),
        "    # skills2: stub",
        "    return {}",
    ]
    return Draft("code", "\n".join(lines), ("step",))


def manifest_cell(
    phrases: Sequence[str], keywords: Sequence[str], against: Sequence[str], anchors: Sequence[str]
) -> Draft:
    """The manifest cell: what opens the skill, what speaks against it, what an answer mentions."""
    tables: dict[str, dict[str, Any]] = {
        "triggers": {"phrases": list(phrases), "keywords": list(keywords), "not": list(against)},
        "anchors": {"terms": list(anchors)},
    }
    return Draft("raw", tomli_w.dumps(tables).strip("\n"), ("manifest",))


def cases_cell(prompts: Iterable[str]) -> Draft:
    """The cases cell: one case a prompt, each of which expects a run that passes."""
    calls = []
    for number, prompt in enumerate(prompts, 1):
        keys: Mapping[str, Any] = {
            "id": f"{TAG}-{number}",
            "tags": [TAG],
            "expected_audit": "pass",
        }
        told = [f"    {_literal(prompt)},", *(f"    {k}={_literal(v)}," for k, v in keys.items())]
        calls.append("\n".join(["case(", *told, ")"]))
    return Draft("code", "\n\n".join(calls), ("cases",))


def _docstring(says: str) -> list[str]:
    """A prose line as a docstring: its first sentence, which tools show, then the rest in lines."""
    shown = "".join(c if c.isprintable() else " " for c in says)
    first, _, rest = " ".join(shown.split()).partition(". ")
    if not rest:
        return [f'    """{_quoted(_ended(first))}"""']
    below = [f"    {_quoted(line)}" for line in textwrap.wrap(_ended(rest), _WIDTH - 4)]
    return [f'    """{_quoted(first)}.', "", *below, '    """']


def _ended(text: str) -> str:
    """A text with a sign at its end."""
    return text if text.endswith((".", "!", "?", ":", ")", "…")) else f"{text}."


def _quoted(text: str) -> str:
    """A text as it may stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _literal(value: Any) -> str:
    """A text, or a list of texts, as Python writes it in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
