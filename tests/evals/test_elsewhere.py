"""Two hooks in one session: who has no run leaves the judging to who has one."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.contract.home import elsewhere, home
from skills2_nb.evals.elsewhere import ran_elsewhere
from skills2_nb.evals.stop_event import read_event
from skills2_nb.evals.stopped import settle
from skills2_nb.hooks import stops
from skills2_nb.hooks.event import parsed
from skills2_nb.hooks.home import Home
from tests.evals.small_skill import packaged
from tests.evals.stops import SKILL, job, run, session

GOOD = "Adding up gives a total of 91."


def plugins_home() -> Path:
    return Path.home() / ".claude" / "plugins" / "data" / "trial-inline"


def kits_home() -> Path:
    return Path.home() / ".claude" / "skills2"


@pytest.mark.parametrize(("ours", "theirs"), [(kits_home, plugins_home), (plugins_home, kits_home)])
def test_a_run_in_the_other_home_is_judged_there(
    ours: Callable[[], Path],
    theirs: Callable[[], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = packaged(tmp_path)
    monkeypatch.setenv("SKILLS2_HOME", str(ours()))
    with elsewhere(theirs()):
        run(session(skills=()), package)
    event = read_event(job(session(), GOOD, package.parents[1]))
    assert ran_elsewhere(event) == {SKILL}
    assert settle(event).briefs == []
    with elsewhere(theirs()):
        done = settle(read_event(job(session(skills=()), GOOD, package.parents[1])))
    assert [item.title for item in done.briefs] == ["trial-skill: pass, score 1.00, evidence L2."]
    assert home() == ours()


@pytest.mark.parametrize(
    ("moved", "place"),
    [({}, ".claude/skills2"), ({"CLAUDE_CONFIG_DIR": "config"}, ".claude/skills2"),
     ({"SKILLS2_HOME": "kept"}, "kept"), ({"SKILLS2_HOME": "k", "CLAUDE_CONFIG_DIR": "c"}, "k")],
)  # fmt: skip
def test_the_kits_home_as_the_plugins_hook_saw_it(
    moved: dict[str, str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin's worker has its own `SKILLS2_HOME`; where the kit's is, the job says."""
    package, kits = packaged(tmp_path), Path.home() / place
    monkeypatch.delenv("SKILLS2_HOME")
    for name, value in moved.items():
        monkeypatch.setenv(name, str(Path.home() / value))
    with elsewhere(kits):
        run(session(skills=()), package)
    hook = Home("advise", str(tmp_path), str(plugins_home()))
    assert hook.neighbour == str(kits)
    monkeypatch.setenv("SKILLS2_HOME", hook.path)
    folder = session()
    event = json.loads(job(folder, GOOD, package.parents[1]).read_text())["event"]
    stop = parsed(json.dumps(event).encode())
    path = stops._job(hook, stop, str(folder)) if stop is not None else None
    assert path is not None and ran_elsewhere(read_event(Path(path))) == {SKILL}


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", None])
def test_a_job_that_names_no_neighbour(
    variable: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packaged(tmp_path)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "config"))
    with elsewhere(kits_home()):
        run(session(skills=()), package)
    monkeypatch.setenv("SKILLS2_HOME", str(plugins_home()))
    assert ran_elsewhere(read_event(job(session(), GOOD, package.parents[1]))) == {SKILL}


def test_a_run_of_an_earlier_prompt_or_another_session_does_not_count(tmp_path: Path) -> None:
    package = packaged(tmp_path)
    with elsewhere(plugins_home()):
        run(session(prompt_id="earlier"), package, prompt_id="earlier")
        run(session(id="another"), package, id="another")
    folder = session()
    late = (folder / "prompt.json").stat().st_mtime + 60
    os.utime(folder / "prompt.json", (late, late))
    event = read_event(job(folder, GOOD, package.parents[1]))
    assert ran_elsewhere(event) == frozenset()
    (told,) = settle(event).briefs
    assert "no run" in told.title


def test_where_there_is_no_other_home(tmp_path: Path) -> None:
    event = read_event(job(session(), GOOD, tmp_path))
    assert ran_elsewhere(event) == frozenset()
