"""The table of codes."""

import ast
import re
import string
from pathlib import Path

import pytest

import skills2_nb.audit.finding as module
from skills2_nb.audit.auditor import STRICT_ONLY
from skills2_nb.audit.finding import CODES, finding, listed

FOLDER = Path(module.__file__).parent


@pytest.mark.parametrize(("code", "rule"), CODES.items())
def test_every_code_says_what_and_what_to_do(code, rule):
    assert re.fullmatch(r"[A-Z][A-Z0-9_]+", code)
    assert rule.axis in ("coverage", "consistency", "anchoring", "integrity")
    assert rule.says.endswith(".")
    assert rule.mend.endswith(".")
    names = {name for _, name, _, _ in string.Formatter().parse(rule.mend) if name}
    made = finding(code, "here", **dict.fromkeys(names - {"step"}, "x"), step="s")
    assert "{" not in made.mend or "refs=" in made.mend
    assert list(made.to_dict()) == ["code", "axis", "step", "message", "mend"]


def test_every_code_is_used_and_every_used_code_is_known():
    words = {
        word
        for path in FOLDER.glob("*.py")
        if path.name != "finding.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", node.value)
    }
    assert set(CODES) <= words
    assert {word for word in words if "_" in word} <= set(CODES)
    assert set(CODES) >= STRICT_ONLY


def test_a_note_vetoes_nothing():
    assert finding("STALE", "m", step="s", sources="x").vetoes
    assert not finding("STALE", "m", step="s", sources="x", note=True).vetoes
    assert not finding("UNSUPPORTED", "m", text="5").vetoes


@pytest.mark.parametrize(
    ("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ("abc", "a, b and c")]
)
def test_listed(items, text):
    assert listed(items) == text
