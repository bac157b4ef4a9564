"""The triggers' table: halves apart, from labels alone."""

import json
from collections import Counter
from pathlib import Path

from benchmarks import triggering
from skills2_nb.library.labelled import parse

ROWS = [
    {"skill": "one", "prompt": "count one thing", "should": True, "split": "tune"},
    {"skill": "one", "prompt": "no words of it", "should": True, "split": "tune"},
    {"skill": "one", "prompt": "count one thing", "should": False, "split": "held"},
]


def test_shares_are_told_of_each_half(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "one"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("# One\n")
    (folder / "skill.toml").write_text('[triggers]\nphrases = ["count one thing"]\n')
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text("\n".join(map(json.dumps, ROWS)))
    lines = triggering.markdown(prompts, tmp_path / "skills").splitlines()
    assert lines[0] == "| skill | tune: precision | tune: recall | held: precision | held: recall |"
    assert lines[2] == "| one | 1.00 (1/1) | 0.50 (1/2) | 0.00 (0/1) | - |"
    assert lines[3] == lines[2].replace("one", "all", 1)


def test_the_labelled_set_is_large_enough_and_halved() -> None:
    """Ten prompts of each kind a skill at least, and every one of them once."""
    labels = parse(triggering.PROMPTS.read_text(encoding="utf-8"), "prompts.jsonl")
    skills = {folder.name for folder in triggering.SKILLS.iterdir() if folder.is_dir()}
    kinds = Counter((label.skill, label.should) for label in labels)
    assert {name for name, _ in kinds} == skills
    assert min(kinds[name, should] for name in skills for should in (True, False)) >= 10
    halves = Counter((label.skill, label.should, label.split) for label in labels)
    for name, should in kinds:
        assert halves[name, should, "tune"] == halves[name, should, "held"]
    assert len({label.prompt for label in labels}) == len(labels)
