"""The triggers' table: halves apart, from labels alone."""

import json
from pathlib import Path

from benchmarks import triggering

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
