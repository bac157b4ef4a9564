"""What the hooks take for a trip, and whose."""

import sys
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.sandbox.guard import Guard, RefusedError


@pytest.mark.parametrize(
    ("event", "args", "deed"),
    [
        ("open", ("/x", "r", 0), None),
        ("open", ("/x", "w", 0o1101), "writes /x"),
        ("open", (b"/x", None, 2), "writes /x"),
        ("open", (3, "w", 0o1101), None),
        ("open", ("/dev/null", "w", 0o1), None),
        ("os.remove", ("/x", -1), "removes /x"),
        ("os.rename", ("/may/a", "/x", -1, -1), "renames /x"),
        ("os.rename", ("/may/a", "/may/b", -1, -1), None),
        ("os.rename", ("/x", "/may/b", -1, -1), "renames /x"),
        ("os.symlink", ("/x", "/may/b", -1), None),
        ("os.link", ("/x", "/may/b", -1, -1), "makes /x"),
        ("os.mkdir", ("/maybe", 0o777, -1), "makes /maybe"),
        ("os.mkdir", ("/may/../x", 0o777, -1), "makes /may/../x"),
        ("os.listdir", ("/",), None),
        ("socket.__new__", (None, 2, 1, 0), "opens a socket"),
        ("socket.__new__", (None, 1, 1, 0), None),
        ("socket.connect", (None, "/x"), "opens a socket"),
        ("socket.gethostname", (), None),
        ("subprocess.Popen", ("true", ["true"], None, None), "starts a process"),
        ("os.fork", (), "starts a process"),
        ("import", ("x", None, None, None, None), None),
    ],
)
def test_events(event: str, args: tuple[Any, ...], deed: str | None) -> None:
    guard = Guard(write=("/may",))
    if deed is None:
        guard._hear(event, args)
        assert guard.trips == []
    else:
        with pytest.raises(RefusedError, match="behind the wall nothing"):
            guard._hear(event, args)
        assert [(trip.deed, trip.library) for trip in guard.trips] == [(deed, False)]


def test_a_network_that_is_allowed() -> None:
    guard = Guard(network=True)
    guard._hear("socket.connect", (None, ("127.0.0.1", 80)))
    assert guard.trips == []


@pytest.mark.parametrize("event", ["open", "os.listdir", "os.scandir"])
def test_what_is_hidden_is_not_read(event: str, tmp_path: Path) -> None:
    hidden, link = tmp_path / "runs", tmp_path / "link"
    link.symlink_to(hidden)
    guard = Guard(hidden=(str(hidden),))
    for place in (hidden / "day", link, f"{tmp_path}/x/../runs"):
        with pytest.raises(RefusedError):
            guard._hear(event, (str(place), "r", 0))
    for free in (tmp_path / "runs2", tmp_path, 3, None):
        guard._hear(event, (free, "r", 0))
    with guard.shown():
        guard._hear(event, (str(hidden), "r", 0))
    assert {trip.deed for trip in guard.trips} == {"reads the records of runs"}
    assert len(guard.trips) == 3


def test_what_a_library_does_of_its_own_is_known_as_such(tmp_path: Path) -> None:
    guard = Guard()
    names = {"hear": guard._hear}
    text = "def go():\n    try: hear('os.fork', ())\n    except OSError: pass\n"
    for place in ("site-packages/lib/a.py", "mine/a.py"):
        exec(compile(text, str(tmp_path / place), "exec"), names)
        names["go"]()  # type: ignore[operator]
    assert [trip.library for trip in guard.trips] == [True, False]


def test_the_standard_library_is_whose_it_serves() -> None:
    import tempfile

    guard = Guard()
    code = compile("hear('os.mkdir', ('/tmp/abc', 0))", tempfile.__file__, "exec")
    with pytest.raises(RefusedError):
        exec(code, {"hear": guard._hear})
    assert guard.trips[0].deed == "makes a temporary file" and not guard.trips[0].library
    assert "skills2_nb.sandbox.guard" in sys.modules
