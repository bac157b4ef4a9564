import re

import pytest

from skills2_nb.views import markdown


def summary(run, cells=None):
    return markdown.audit(run.audit, run.skill, run.state, cells=cells)


def test_every_table_is_even(any_run, cells) -> None:
    text = summary(any_run, cells)
    assert text.endswith("\n")
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) >= 2
    for block in tables:
        bars = [len(re.findall(r"(?<!\\)\|", line)) for line in block.strip().splitlines()]
        assert len(set(bars)) == 1


def test_verdict_scores_findings(failing, cells) -> None:
    text = summary(failing, cells)
    assert re.match(r"\*\*✗ strict fail 0\.\d\d · ✗ classic fail 0\.\d\d\*\* \(sums, run ", text)
    assert re.search(r"\| coverage \| 0\.\d\d \| 0\.\d\d \|", text)
    assert "| STEP\\_FAILED | add\\_up (cell 5) | " in text
    assert "*Mend:* Call tell before the run ends" in text
    assert "| 4 | tell | ○ not called | – | 0/1 |" in text


def test_nothing_found(honest) -> None:
    text = summary(honest)
    assert text.startswith("**? strict unproven 1.00 · ✓ classic pass 1.00** (sums, run ")
    assert "Not checked (strict): replay; strength.\n" in text
    assert "finding" not in text
    assert "| verdict |" in text
    assert "| # | step |" not in markdown.audit(honest.audit)


def test_hostile_text_stays_text(hostile) -> None:
    text = summary(hostile)
    assert not re.search(r"(?<!\\)<", text)
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b", r"a\|b"),
        ("<b>", r"\<b\>"),
        ("*x* `y` [z](w)", r"\*x\* \`y\` \[z\](w)"),
        ("a\nb", "a b"),
        ("&lt;", r"\&lt;"),
        ("back\\slash", r"back\\slash"),
    ],
)
def test_plain(text: str, safe: str) -> None:
    assert markdown.plain(text) == safe
