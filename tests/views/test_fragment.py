from dataclasses import dataclass, replace

import pytest

from skills2_nb.audit.finding import Finding
from skills2_nb.contract.state import Check
from skills2_nb.contract.trial import Trial
from skills2_nb.formats.problem import Problem
from skills2_nb.views import fragment
from skills2_nb.views.rows import arguments, expected

CHECKS = (Check("total_adds_up", True), Check("not_negative", False, "a total below nothing"))


@dataclass
class Export:
    folder: str
    written: tuple[str, ...]
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    checked: bool = False
    problems: tuple[Problem, ...] = ()


def every_fragment(run, cells, evil):
    """One fragment of each kind, told by the hostile text where it can be."""
    spec = run.skill.step("read_log")
    call = run.state.newest("tell") if run.state is not None else None
    problem = Problem("C401", "error", evil, 3, evil, 2, evil, evil)
    return {
        "audit": fragment.audit(run.audit, run.skill, run.state, cells=cells),
        "audit alone": fragment.audit(run.audit),
        "result": fragment.result(spec, {"owner": evil}, {evil: evil, "n": [evil]}, CHECKS),
        "problems": fragment.problems([problem], file="n.ipynb"),
        "explain": fragment.explain(evil, arguments(call, run.state) if call else ()),
        "expected": fragment.explain(spec.id, expected(run.skill, spec)),
        "trial": fragment.trial(Trial(False, evil, evil)),
        "exported": fragment.exported(Export(evil, (evil,), problems=(problem,))),
    }


def test_well_formed_accessible_and_at_home(any_run, cells, evil, read) -> None:
    for name, html in every_fragment(any_run, cells, evil).items():
        tree = read(html)
        (top,) = tree.children
        assert "s2v" in top.classes, name
        assert not {"script", "img", "link", "iframe", "a"} & {node.name for node in tree.all()}
        for node in tree.all():
            assert not any(key.startswith("on") for key in node.attributes), name
            assert not {"src", "href"} & set(node.attributes), name
        for table in tree.all("table"):
            assert table.all("caption")[0].text.strip(), name
            assert all(head.attributes.get("scope") for head in table.all("th")), name
        assert "http" not in html, name


def test_hostile_text_is_shown_as_text(hostile, cells, evil, read) -> None:
    for name, html in every_fragment(hostile, cells, evil).items():
        if name in ("expected", "audit alone"):
            continue
        assert "<script>alert(1)</script>" in read(html).text, name
        assert not set(html) & set("\x1b\u202e"), name


def test_audit_says_the_verdict_first(failing, cells, read) -> None:
    tree = read(fragment.audit(failing.audit, failing.skill, failing.state, cells=cells))
    badges = [node.text for node in tree.all("span") if "badge" in node.classes]
    scores = failing.audit.classic.score, failing.audit.strict.score
    assert badges[:2] == [f"✗ strict fail {scores[1]:.2f}", f"✗ classic fail {scores[0]:.2f}"]
    captions = [node.text for node in tree.all("caption")]
    assert captions[0] == "Scores"
    assert captions[-1] == "Steps"
    findings = tree.all("table")[1].text
    assert "STEP_FAILED" in findings
    assert "add_up cell 5" in findings
    assert "Mend: Call tell before the run ends" in findings


def test_scores_are_numbers_beside_their_bars(honest, read) -> None:
    tree = read(fragment.audit(honest.audit, honest.skill, honest.state))
    scores = tree.all("table")[0]
    coverage = next(row for row in scores.all("tr") if row.text.startswith("coverage"))
    assert [cell.text for cell in coverage.all("td")] == ["1.00", "1.00"]
    bars = [node for node in coverage.all("span") if "bar" in node.classes]
    assert [bar.attributes["aria-hidden"] for bar in bars] == ["true", "true"]
    assert bars[0].children[0].attributes["style"] == "width:100%"


def test_steps_say_their_status_in_words(failing, read) -> None:
    tree = read(fragment.audit(failing.audit, failing.skill, failing.state))
    rows = tree.all("table")[-1].all("tr")[1:]
    assert [row.children[2].text for row in rows] == [
        "✓ ok",
        "✗ failed",
        "– not due",
        "○ not called",
    ]


def test_nothing_found_no_table_of_findings(honest, read) -> None:
    captions = [n.text for n in read(fragment.audit(honest.audit)).all("caption")]
    assert captions == ["Scores"]


def test_result_shows_fields_invariants_and_inputs(honest, read) -> None:
    spec = honest.skill.step("add_up")
    call = honest.state.newest("add_up")
    inputs, output = spec.restore(call.args, call.output)
    tree = read(fragment.result(spec, inputs, output, CHECKS))
    result, parts, given = tree.all("table")[:3]
    assert result.all("caption")[0].text == "Result"
    assert [row.children[0].text for row in result.all("tr") if "total" in row.text] == ["total"]
    assert [cell.text for cell in parts.all("th")][:2] == ["row", "amount"]
    assert "Inputs" in given.text
    assert "3 rows × 1 column" in given.text
    assert [item.text for item in tree.all("li")] == [
        "✓ total_adds_up holds",
        "✗ not_negative does not hold: a total below nothing",
    ]


def test_result_that_is_one_value(honest, read) -> None:
    spec = honest.skill.step("tell")
    tree = read(fragment.result(spec, {}, 3))
    assert "result3" in tree.all("table")[0].text
    assert "none declared" in tree.text
    assert not tree.all("details")


def test_a_result_is_not_stored_by_being_shown(honest, home) -> None:
    spec = honest.skill.step("read_log")
    call = honest.state.newest("read_log")
    _, output = spec.restore(call.args, call.output)
    before = sorted((home / "blobs").iterdir())
    output.log.loc[0, "amount"] = 99
    fragment.result(spec, {}, output)
    assert sorted((home / "blobs").iterdir()) == before


@pytest.mark.parametrize(
    ("found", "caption", "place"),
    [
        (
            Problem("C401", "error", "n.ipynb", 3, "x", 2, "no", "so"),
            "n.ipynb: 1 error",
            "cell 3line 2",
        ),
        (Problem("C401", "note", "b.md", None, None, 7, "no"), "n.ipynb: 1 note", "b.mdline 7"),
    ],
)
def test_problems(found, caption: str, place: str, read) -> None:
    tree = read(fragment.problems([found], file="n.ipynb"))
    assert tree.all("caption")[0].text == caption
    assert tree.all("td")[0].text == place
    assert found.level in tree.all("th")[-1].text


def test_no_problems(read) -> None:
    assert "✓ no problems" in read(fragment.problems([])).text


def test_explain(honest, read) -> None:
    call = honest.state.newest("tell")
    tree = read(fragment.explain("tell", arguments(call, honest.state)))
    first = tree.all("tr")[1]
    assert [cell.text for cell in first.children] == [
        "total",
        "12",
        "add_up#/totalwhich came from read_log, inputs amounts, owner",
    ]


def test_trial_is_said_in_words_too(read) -> None:
    good, bad = (read(fragment.trial(Trial(ok, "add(1)", ""))) for ok in (True, False))
    assert "✓ holds add(1)" in good.text
    assert "✗ does not hold add(1)" in bad.text


def test_exported(read) -> None:
    done = Export("skills/x", ("SKILL.md",), ("a", "b"))
    assert "✓ skills/x: 1 file written, 2 unchanged" in read(fragment.exported(done)).text
    assert "out:" in read(fragment.exported(done, folder="out")).text


def test_same_values_same_bytes(any_run, cells, evil) -> None:
    assert every_fragment(any_run, cells, evil) == every_fragment(any_run, cells, evil)


def test_many_findings_are_folded(honest, read) -> None:
    audit = honest.audit
    found = tuple(Finding("STALE", "coverage", None, f"said {at}", "") for at in range(12))
    many = replace(audit, strict=replace(audit.strict, findings=found))
    tree = read(fragment.audit(many))
    captions = [node.text for node in tree.all("caption")]
    assert captions == ["Scores", "The first 8 of 12 findings", "4 more findings"]
    (folded,) = tree.all("details")
    assert "said 11" in folded.text
    assert "said 7" not in folded.text
