"""Old records go, young ones stay, and nothing else is touched."""

import os
import time

from skills2_nb.evals.pruning import DAY, prune
from tests.evals.stops import session


def aged(path, days):
    at = time.time() - days * DAY
    os.utime(path, (at, at))


def test_calls_go_after_a_day_and_sessions_after_thirty(home, tmp_path):
    calls = home / "calls"
    calls.mkdir(parents=True)
    for name, days in (("young", 0.5), ("old", 2)):
        (calls / name).write_text("{}")
        aged(calls / name, days)
    quiet, busy, kept = session(id="quiet"), session(id="busy"), tmp_path / "kept"
    for folder in (quiet, busy):
        aged(folder / "prompt.json", 31)
        aged(folder, 31)
    (busy / "told").write_text("")
    aged(busy, 31)
    kept.mkdir()
    (kept / "file").write_text("x")
    (quiet / "link").symlink_to(kept)
    os.utime(quiet / "link", (0, 0), follow_symlinks=False)
    aged(quiet, 31)
    (home / "sessions" / "not-a-session").mkdir()
    aged(home / "sessions" / "not-a-session", 99)
    (home / "sessions" / ("0" * 16)).symlink_to(kept)
    assert prune() == 2
    assert [path.name for path in calls.iterdir()] == ["young"]
    assert not quiet.exists() and busy.exists() and (kept / "file").exists()
    assert (home / "sessions" / "not-a-session").exists()


def test_a_home_without_hooks(home):
    assert prune() == 0
    home.mkdir()
    (home / "calls").write_text("a file")
    assert prune() == 0
