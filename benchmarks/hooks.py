"""P1: what a hook costs Claude Code at a prompt, and at a step's call."""

from __future__ import annotations

import gc
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import skills2_nb
from benchmarks.table import Row
from benchmarks.timing import Contender, Sample, measure
from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.library.index_bytes import Entries, Listed, index_bytes

MAIN = str(Path(skills2_nb.__file__).parent / "hooks" / "main.py")
MOST, LATE = 1.3, 0.2
ROUNDS, CROWDED_ROUNDS, BURNERS = 80, 40, 8
SKILLS = (0, 40, 500)
LEDGER_LINES = 10_000
FLOOR = ("-I", "-S", "-c", "pass")
USUAL = "import json, sys; json.load(sys.stdin)"
PROMPT = (
    "Here is the export of last week. Our paying customers fell although the campaign brought in "
    "more sign-ups than before; why did that happen, who left, and is it the season or the price? "
    "Give me the numbers by month with one sentence each, I have a meeting at ten."
)
CHECKLIST = "\n".join(f"{at}. step_{at}: gives what the next step needs" for at in range(1, 12))
#: One skill is called for; the phrases of the others have words of the prompt too.
CALLED_FOR = "paying customers fell"

_ids = itertools.count()


def event(name: str, **fields: object) -> bytes:
    """What a client sends, with ids that nobody had before."""
    facts = {
        "session_id": f"bench-{os.getpid()}",
        "transcript_path": "/home/somebody/.claude/projects/work/0f3c7b5e.jsonl",
        "cwd": "/home/somebody/work",
        "permission_mode": "default",
        "hook_event_name": name,
        "prompt_id": f"prompt-{next(_ids)}",
    }
    return json.dumps(facts | fields).encode()


def prompt() -> bytes:
    """A user asks something."""
    return event("UserPromptSubmit", prompt=PROMPT)


def use() -> bytes:
    """The model calls a step."""
    given = {"opening": 12_345, "refs": {"churned": "count_flows#/churned"}}
    return event(
        "PreToolUse",
        tool_name="mcp__skills2__skill-0__step_3",
        tool_input=given,
        tool_use_id=f"toolu_{next(_ids)}",
    )


def home_of(folder: Path, skills: int) -> Path:
    """A home with an index of so many skills, and a long ledger."""
    home = folder / f"home-{skills}"
    for part in ("index", "ledger"):
        (home / part).mkdir(parents=True)
    line = json.dumps({"ts": "2026-11-30T10:00:00.000000Z", "run": "x" * 24, "head": "0" * 64})
    (home / "ledger" / "audits.jsonl").write_text(f"{line}\n" * LEDGER_LINES, encoding="ascii")
    made = [_skill(folder / "skills", number) for number in range(skills)]
    if made:
        (home / "index" / "triggers.tsv").write_bytes(index_bytes(made))
    return home


def _skill(folder: Path, number: int) -> Listed:
    name, chance = f"skill-{number}", random.Random(number)  # the same words in every run
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "SKILL.md").write_text(f"---\nname: {name}\n---\n", encoding="utf-8")
    own = [f"word{at}" for at in range(600)]
    shared = [*PROMPT.lower().replace(",", "").split(), *own]
    phrases = [" ".join(chance.sample(shared, 4)) for _ in range(5)]
    entries = Entries(
        tuple(rule.entry(text) for text in [*phrases, *([] if number else [CALLED_FOR])]),
        tuple(rule.entry(word) for word in chance.sample(own, 4)),
        (),
    )
    return Listed(name, "", str(place), 0.5, False, entries, CHECKLIST)


def process(home: Path, words: tuple[str, ...], sent: Callable[[], bytes]) -> Callable[[], bytes]:
    """One start of an interpreter with an event on its stdin; gives what it printed."""
    environment = {**os.environ, "SKILLS2_HOME": str(home)}

    def run() -> bytes:
        done = subprocess.run(
            [sys.executable, *words], input=sent(), capture_output=True, env=environment, check=True
        )
        return done.stdout

    return run


def rows(folder: Path) -> list[Row]:
    """Whole processes, all in one measurement; then those of a crowded machine."""
    floor = Contender("floor: python -I -S -c pass", process(folder, FLOOR, prompt))
    usual = Contender(f"python -c '{USUAL}'", process(folder, ("-c", USUAL), prompt))
    hook = ("-I", "-S", MAIN, "advise")
    homes = {skills: home_of(folder, skills) for skills in SKILLS}
    ours = [
        (f"hook, {told}, {skills} skills", process(home, hook, sent))
        for told, sent in (("prompt", prompt), ("step's call", use))
        for skills, home in homes.items()
    ]
    assert b"step_11" in ours[2][1](), "the skill was not told: the wrong thing would be timed"
    contenders = [*(Contender(name, run) for name, run in ours), floor, usual]
    gc.freeze()  # a collection before each of a thousand samples would take longer than they do
    try:
        *mine, bare, peer = measure(contenders, ROUNDS)
        crowded = _crowded(process(homes[SKILLS[-1]], hook, prompt), floor)
    finally:
        gc.unfreeze()
    return [*(_row(sample, bare, peer) for sample in mine), crowded]


def _row(sample: Sample, floor: Sample, peer: Sample) -> Row:
    at, bare = _p95(sample), _p95(floor)
    word = "met" if at / bare <= MOST else "**missed**"
    goal = (
        f"at most {MOST:g} times the floor, p50 and p95, with {LEDGER_LINES:,} ledger lines; "
        f"p95 {at * 1e3:.1f} ms to {bare * 1e3:.1f} ms: {at / bare:.2f} of {MOST:g}, {word}"
    )
    named = Sample("skills2", sample.times)
    return Row("P1", sample.name, goal, (named, floor, peer), {"floor": MOST})


def _crowded(run: Callable[[], bytes], floor: Contender) -> Row:
    with burning(BURNERS):
        mine, bare = measure([Contender("skills2", run), floor], CROWDED_ROUNDS)
    late = sum(time > LATE for time in mine.times)
    floor_late = sum(time > LATE for time in bare.times)
    goal = (
        f"none over {LATE * 1e3:.0f} ms: {late} of {CROWDED_ROUNDS}, the floor {floor_late}; "
        f"p95 {_p95(mine) * 1e3:.0f} ms to {_p95(bare) * 1e3:.0f} ms"
    )
    name = f"hook, prompt, {SKILLS[-1]} skills, {BURNERS} busy processes"
    return Row("P1", name, goal, (mine, bare))


def _p95(sample: Sample) -> float:
    return statistics.quantiles(sample.times, n=20, method="inclusive")[-1]


@contextmanager
def burning(count: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    code = "import time; end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    words = [sys.executable, "-I", "-S", "-c", code]
    started = [subprocess.Popen(words) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
