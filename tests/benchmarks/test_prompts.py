"""The labelled prompts have the shape that a fair measurement needs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LEAST = 10  # prompts of either label, for each skill


def rows() -> list[dict[str, Any]]:
    text = (ROOT / "benchmarks" / "prompts.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_line_has_the_keys_in_their_order_and_valid_values() -> None:
    for row in rows():
        assert list(row) == ["skill", "prompt", "should", "split"]
        assert isinstance(row["prompt"], str)
        assert row["prompt"]
        assert row["prompt"] == row["prompt"].strip()
        assert isinstance(row["should"], bool)
        assert row["split"] in {"tune", "held"}


def test_the_skills_are_the_folders() -> None:
    folders = {path.parent.name for path in (ROOT / "skills").glob("*/SKILL.md")}
    assert len(folders) == 6
    assert {row["skill"] for row in rows()} == folders


def test_every_skill_has_enough_of_both_labels_and_half_of_each_is_held_out() -> None:
    counts = Counter((row["skill"], row["should"], row["split"]) for row in rows())
    for skill in {row["skill"] for row in rows()}:
        for should in (True, False):
            tune, held = counts[skill, should, "tune"], counts[skill, should, "held"]
            assert tune + held >= LEAST, (skill, should)
            assert tune == held, (skill, should)


def test_no_prompt_stands_there_twice() -> None:
    seen = Counter(" ".join(row["prompt"].casefold().split()) for row in rows())
    assert [prompt for prompt, times in seen.items() if times > 1] == []
