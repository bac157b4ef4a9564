"""What a plugin says of itself."""

from __future__ import annotations

from skills2_nb.convert.bundle_source import Source
from skills2_nb.convert.launcher import INSTALL

_HEAD = """# {name}

{description}
"""
_STEPS = """
## What it does

The plugin brings the skill `{skill}` and the tools of its steps. Each step is a checked function:
it refuses an input that does not fit, its invariants are tried on every result, and the result of
one step is handed to the next by name.

| tool | |
|---|---|
{rows}

`start_run` begins a run and gives the checklist, `end_run` takes the answer, `audit_run` judges the
run by its journal. When a prompt fits the skill, a hook gives Claude the checklist; when Claude has
answered, the run is audited, and what was found is told with the next prompt. {held}

## What is recorded, and where

Every call of a step is a line of a journal: its arguments, its result, which invariants held. The
prompt and the answer go with it. All of it stays on this machine, in the plugin's data folder
(below `~/.claude/plugins/data/`), which nobody else can read, and goes when the plugin is
uninstalled. Where skills2-nb has a home of its own (`~/.claude/skills2`), a mark is put there for
each prompt whose checklist the plugin told, so that no other hook tells it again; it holds no word
of the prompt.

## What it needs

- `python3`, and skills2-nb in a Python 3.11 or newer: `{install}`. `kit.py`
  looks for it in the Python that `SKILLS2_PYTHON` names, in `python3`, for `skills2` on the path,
  and in `venv/` of the data folder. Where it is missing, the tools are not there, and the prose of
  the skill works all the same.
- For the steps: Python {python} with {libraries}.
"""
_PROSE = """
## What it does

The plugin brings the skill `{skill}`. It is prose alone: there are no tools, and nothing is
recorded.
"""
_LICENSE = """
## License

{own}
"""
_OPEN = "Nothing is blocked."
_HELD = """From the first
step of a run to its end other tools are held back, but for those that only read or plan and those
that `allowed-tools` names; answers are never blocked."""
_HOOKS = "`hooks/` and `kit.py` are parts of skills2-nb, under the license in `hooks/LICENSE`."


def readme(source: Source, name: str, *, has_license: bool) -> bytes:
    """The README.md of a plugin."""
    own = "See `LICENSE`." if has_license else "The author has given none."
    if not source.has_steps:
        whole = _HEAD + _PROSE + _LICENSE
    else:
        whole, own = _HEAD + _STEPS + _LICENSE, f"{own} {_HOOKS}"
    runtime = source.manifest.runtime
    rows = "\n".join(f"| `{step.id}` | {_cell(step.summary)} |" for step in source.manifest.steps)
    return whole.format(
        name=name,
        description=source.description,
        skill=source.name,
        rows=rows,
        install=INSTALL,
        python=runtime.python,
        libraries=", ".join(sorted({*runtime.dependencies, "pydantic"})),
        own=own,
        held=_HELD if runtime.restrict_tools else _OPEN,
    ).encode("utf-8")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
