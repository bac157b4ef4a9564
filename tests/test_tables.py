"""The tables of README.md and docs/worth.md are what the skills come to when they are run."""

from pathlib import Path

import pytest

from skills2_nb.cli.specimen import SKILLS
from skills2_nb.evals.result import Result
from skills2_nb.evals.standings import case_rows, table
from skills2_nb.evals.versions import arms_of
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.package import read_package
from skills2_nb.views import standings

pytest.importorskip("pandas", reason="the skills of the tables stand on pandas")

ROOT = Path(__file__).parents[1]
HEADS = 2  # of a pipe table
#: What the figures of an honest answer are, where its prose gives none that it may name.
RESULTS = {"reported", "traced", "prompt"}
KNOWN = {"experiment-readout": RESULTS, "metric-anomaly": RESULTS}


def kept(path: str, kind: str) -> list[str]:
    """The lines of a table as a file keeps it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    inside = text.partition(f"<!-- table: {kind} -->\n")[2].partition("<!-- end -->")[0]
    return [line for line in inside.splitlines() if line.startswith("|")]


def made(rows: list[dict[str, object]]) -> list[str]:
    return [line for line in standings.markdown(rows).splitlines() if line.startswith("|")]


def agrees(result: Result, case: RunCase, known: set[str]) -> None:
    """As an eval judges it: what a run leaves open of an invariant, the skill's cases settle.

    Args:
        result: what came of a case of the contract.
        case: the same as its author wrote it.
        known: what the figures of an honest answer of the skill may be.
    """
    assert result.wrong == () and result.audit is not None, result.case
    strict = result.audit.strict
    if result.expected == "pass":
        assert [item.code for item in strict.findings] == [], result.case
        assert (strict.score, strict.verdict) == (1.0, "pass"), result.case
        classic = result.audit.classic
        assert (classic.score, classic.verdict) == (1.0, "pass"), result.case
        assert {value.status for value in result.audit.values} <= known, result.case
    else:
        assert strict.verdict == result.expected, result.case
        found = {item.code for item in strict.findings}
        assert case.expect["findings"] and set(case.expect["findings"]) <= found, result.case


@pytest.mark.timeout(400)
@pytest.mark.parametrize("skill", SKILLS)
def test_a_skill_in_three_versions(skill: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    arms = arms_of(ROOT / "skills" / skill, tmp_path / "stubs")
    rows = table(skill, arms)
    assert [(row["version"], round(row["classic"], 2)) for row in rows] == [
        ("v1", 0.25),
        ("stubs", 0.53),
        ("contract", 1.00),
    ]
    assert (rows[2]["strict"], rows[2]["pass_rate"]) == (1.0, 1.0)
    cases = {case.id: case for case in read_package(ROOT / "skills" / skill).cases}
    for result in next(arm for arm in arms if arm.version == "contract").runs:
        case = cases[result.case]
        assert isinstance(case, RunCase)
        agrees(result, case, KNOWN.get(skill, RESULTS | {"constant"}))
    assert made(rows)[HEADS:] == [
        line for line in kept("README.md", "table") if f"| {skill} |" in line
    ]
    single = case_rows(skill, arms)
    assert len(single) == (24 if skill == SKILLS[0] else 6)
    assert {row["version"] for row in single} == {
        "v1",
        "contract" if skill == SKILLS[0] else "stubs",
    }
    assert made(single)[HEADS:] == [
        line for line in kept("docs/worth.md", "rows") if f"| {skill} |" in line
    ]


def test_the_tables_are_whole():
    assert len(kept("README.md", "table")) == HEADS + 15
    assert len(kept("docs/worth.md", "rows")) == HEADS + 48
    assert len(kept("README.md", "symptoms")) == HEADS + 7


def test_every_skill_is_played_here_or_by_its_own_test():
    """tests/notebooks/test_skill_author.py plays the one that is in no table."""
    there = {path.parent.name for path in (ROOT / "skills").glob("*/skill.toml")}
    assert there == {*SKILLS, "skill-author"}
