"""What the notebook of evals shows."""

import json
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.errors import PackageError, UnreadableError, UsageError
from skills2_nb.lab import evaluating
from skills2_nb.lab.evaluating import Report, evaluated
from tests.conftest import CELLS

MIME = "application/vnd.skills2.audit+json"
PARTS = (
    "verdict", "axes", "cases", "failures", "timeline", "distribution", "against", "versions",
    "audit",
)  # fmt: skip


@pytest.fixture
def package(skill_notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`skills/trial-skill`, and we stand beside it."""
    monkeypatch.chdir(tmp_path)
    return export(skill_notebook, tmp_path / "skills").folder


def data(shown: Any) -> dict[str, Any]:
    made = shown._repr_mimebundle_()
    return made[0] if isinstance(made, tuple) else made


def test_every_part_has_every_form(package):
    report = evaluated("trial-skill", runner="null")
    assert report.told["verdict"] == "fail"
    shown = {part: data(getattr(report, part)()) for part in PARTS}
    for part in PARTS[:-1]:
        assert {"text/plain", "text/markdown", "text/html"} <= shown[part].keys(), part
    assert shown["audit"][MIME] == json.loads(json.dumps(report.told))
    assert "case-1" in shown["failures"]["text/plain"]
    assert "Mend:" in shown["failures"]["text/markdown"]
    assert "There is no baseline" in shown["against"]["text/plain"]
    assert "stubs" in shown["versions"]["text/plain"]


def test_a_skill_that_holds_has_no_failures_and_its_journals_are_kept(package, tmp_path):
    report = evaluated("trial-skill", out="kept", only="case:case-1")
    assert report.told["verdict"] == "pass"
    assert report.told["left_out"] == ["add-1", "case-2"]
    assert data(report.failures())["text/plain"] == "Every case holds."
    (case,) = report.told["cases"]
    assert list(Path(report.journals).glob(f"*/{case['run']}.jsonl"))
    assert report.journals == (tmp_path / "kept" / "home" / "runs").as_posix()


def test_a_baseline_is_compared_where_there_is_one(package, tmp_path):
    before = evaluated("trial-skill", only="case:case-1", runner="null").told
    (package / "evals" / "baseline.json").write_text(json.dumps(before), "utf-8")
    report = evaluated("trial-skill", only="case:case-1")
    assert "better" in data(report.against())["text/plain"]
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**before, "skill": "other"}), "utf-8")
    report = evaluated("trial-skill", only="case:case-1", baseline=str(other))
    assert "knows nothing of trial-skill" in data(report.against())["text/plain"]


def test_a_name_is_found_from_the_folder_of_the_notebook(package, tmp_path, monkeypatch):
    below = tmp_path / "notebooks" / "evals"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert evaluating._sought("trial-skill").path == package
    with pytest.raises(UsageError, match="there is no skill 'absent'"):
        evaluating._sought("absent")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"skill": ""}, UsageError, "no skill is named"),
        ({"runner": "human"}, UsageError, "there is no runner 'human'"),
        ({"threshold": "high"}, UsageError, "the threshold is 'high'"),
        ({"only": "tag:absent"}, UsageError, "no case has the tag"),
        ({"runner": "replay"}, UsageError, "needs the folder of an earlier eval"),
        ({"runner": "replay", "recorded": "absent"}, UnreadableError, "there is no such file"),
        ({"baseline": "absent.json"}, UnreadableError, "there is no such file"),
        ({"baseline": "skills/trial-skill/SKILL.md"}, UsageError, "is neither a baseline"),
    ],
)
def test_a_wrong_parameter_is_told_in_one_sentence(package, given, error, said):
    with pytest.raises(error, match=said):
        evaluated(**{"skill": "trial-skill", "only": "case:add-1", **given})


def test_prints_are_kept_apart_and_code_that_exits_does_not_end_the_notebook(
    make_notebook, tmp_path, capsys
):
    cells = [(role, f"{text}\nprint('hello')" if role == "setup" else text) for role, text in CELLS]
    folder = export(make_notebook(cells), tmp_path / "skills", verify=False).folder
    report = evaluated(str(folder), only="case:add-1")
    assert "hello" in report.printed
    assert "hello" not in capsys.readouterr().out
    module = folder / "runtime" / "skill.py"
    module.write_text(module.read_text("utf-8") + "\nraise SystemExit(0)\n", "utf-8")
    with pytest.raises(PackageError, match=r"does not import: .*SystemExit: 0"):
        evaluated(str(folder))


def test_without_widgets_the_same_is_shown_as_html(package, monkeypatch):
    import builtins

    real = builtins.__import__

    def bare(name: str, *rest: Any) -> Any:
        if name == "ipywidgets":
            raise ModuleNotFoundError("No module named 'ipywidgets'", name="ipywidgets")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", bare)
    monkeypatch.delitem(__import__("sys").modules, "skills2_nb.views.widgets", raising=False)
    monkeypatch.delattr("skills2_nb.views.widgets", raising=False)
    report = Report(evaluated("trial-skill", only="case:case-1").told, Path("x"))
    assert "text/html" in data(report.verdict())
    assert "application/vnd.jupyter.widget-view+json" not in data(report.cases())
