import tomllib

import pytest

from skills2_nb.errors import UnreadableError
from skills2_nb.formats.manifest import (
    AuditSettings,
    Manifest,
    RuntimeSettings,
    StepEntry,
    Triggers,
    dump,
    merge,
    parse_manifest,
    parse_tables,
    read_manifest,
)

FULL = Manifest(
    name="growth-accounting",
    version="1.2.3",
    triggers=Triggers(("why did actives move",), ("churn",), ("stock price",), 0.4),
    anchors=("quick ratio",),
    audit=AuditSettings("classic", 0.7, (0.5, 0.25, 0.25), 0.6),
    runtime=RuntimeSettings(">=3.12", ("pandas",), 5.5, 512, "digest", ("email",), True),
    steps=(
        StepEntry("load", 1, "runtime.steps:load"),
        StepEntry(
            "count",
            2.5,
            "runtime.steps:count_flows",
            required=False,
            requires=(),
            invariants=("runtime.validators:closes",),
            output="runtime.models:Flows",
            when="runtime.validators:is_monthly",
            effects=("files",),
            bind={"current": "load#/current"},
            report=("churned",),
            summary="Counts.",
            stub=True,
        ),
    ),
)


@pytest.mark.parametrize("manifest", [FULL, Manifest("a")], ids=["full", "least"])
def test_a_manifest_comes_back_from_its_text(manifest):
    text = dump(manifest)
    again, problems = parse_manifest(text)
    assert (again, problems) == (manifest, ())
    assert dump(again) == text


def test_the_defaults_are_those_of_the_design():
    manifest, problems = parse_manifest('schema = 1\n[skill]\nname = "a"\n')
    assert problems == ()
    assert (manifest.version, manifest.triggers.threshold) == ("0.1.0", 0.5)
    assert manifest.audit == AuditSettings("strict", 0.80, (0.40, 0.35, 0.25), 0.70)
    assert manifest.runtime == RuntimeSettings(">=3.11", (), 60, 2048, "full", (), False)


def test_requires_keeps_apart_nothing_said_and_nothing_needed():
    tables = tomllib.loads(dump(FULL))
    assert "requires" not in tables["steps"][0]
    assert tables["steps"][1]["requires"] == []


WRONG = {
    "toml": ("a = ", "M701", ""),
    "schema": ("schema = 2", "M703", "$.schema is 2"),
    "table": ("[audits]", "M702", "$.audits"),
    "key": ("[audit]\ntreshold = 0.8", "M702", "$.audit.treshold"),
    "no table": ("audit = 3", "M703", "$.audit is 3"),
    "profile": ('[audit]\nprofile = "lax"', "M703", "$.audit.profile"),
    "threshold": ("[audit]\nthreshold = 80", "M703", "$.audit.threshold is 80"),
    "nan": ("[audit]\nthreshold = nan", "M703", "$.audit.threshold"),
    "flag as number": ("[audit]\nf1_floor = true", "M703", "$.audit.f1_floor"),
    "weights": ("[audit]\nweights = [0.5, 0.5, 0.5]", "M703", "$.audit.weights"),
    "version": ('[skill]\nversion = "one"', "M703", "$.skill.version"),
    "name": ('[skill]\nname = "a/b"', "M703", "$.skill.name"),
    "phrases": ('[triggers]\nphrases = "a"', "M703", "$.triggers.phrases"),
    "empty phrase": ('[triggers]\nphrases = [""]', "M703", "$.triggers.phrases"),
    "timeout": ("[runtime]\ntimeout = 0", "M703", "$.runtime.timeout"),
    "memory": ("[runtime]\nmemory_mb = 2.5", "M703", "$.runtime.memory_mb"),
    "capture": ('[runtime]\ncapture = "some"', "M703", "$.runtime.capture"),
    "python": ('[runtime]\npython = "newest"', "M703", "$.runtime.python"),
    "step": ("[[steps]]\norder = 1", "M703", "$.steps[0].id is missing"),
    "address": (
        '[[steps]]\nid = "a"\norder = 1\nfn = "steps.a"',
        "M703",
        "$.steps[0].fn",
    ),
    "steps": ("steps = 1", "M703", "$.steps is 1"),
}


@pytest.mark.parametrize(("text", "code", "path"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named_by_its_path(text, code, path):
    _, problems = parse_tables(text, "skill.toml")
    assert code in [problem.code for problem in problems]
    assert any(path in problem.message for problem in problems)
    assert all(problem.mend and problem.file == "skill.toml" for problem in problems)


def test_a_typo_in_a_key_gets_the_key_meant():
    _, (problem,) = parse_tables("[audit]\ntreshold = 0.8", "skill.toml")
    assert "'threshold'" in problem.mend


def test_the_line_of_broken_toml_is_told():
    _, (problem,) = parse_tables("[skill]\nname = \n", "skill.toml")
    assert problem.line == 2


def test_hand_written_keys_win_one_by_one():
    tables, _ = parse_tables('[audit]\nthreshold = 0.9\n[triggers]\nnot = ["x"]', "cell")
    made = merge(FULL, tables)
    assert (made.audit.threshold, made.audit.profile) == (0.9, "classic")
    assert (made.triggers.not_, made.triggers.phrases) == (("x",), FULL.triggers.phrases)
    assert made.steps == FULL.steps


def test_a_folder_without_a_good_manifest_is_refused(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        read_manifest(tmp_path)
    (tmp_path / "skill.toml").write_text("[audit]\nthreshold = 9\n")
    with pytest.raises(UnreadableError, match=r"\$\.audit\.threshold"):
        read_manifest(tmp_path)
    (tmp_path / "skill.toml").write_bytes(b"\xff")
    with pytest.raises(UnreadableError, match="UTF-8"):
        read_manifest(tmp_path)
