"""A file that a call may have written for itself."""

import datetime as dt
from pathlib import Path

import pytest

from skills2_nb.audit.written import Written
from skills2_nb.contract.call import Call

SHA = {"sha256": "0", "bytes": 1}


def at(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


@pytest.mark.parametrize(
    ("started", "ended", "known", "is_told"),
    [
        (-9.0, -5.0, True, False),  # it was read, and touched after the call
        (-9.0, -5.0, False, True),  # nobody had read it
        (-5.0, 1.0, True, True),  # it was written while the call ran
        (5.0, 9.0, False, False),  # it lay there before the run
    ],
)
def test_when_it_was_written(
    tmp_path: Path, started: float, ended: float, known: bool, is_told: bool
) -> None:
    file = tmp_path / "memo.txt"
    file.write_text("7")
    now, path = file.stat().st_ctime, str(file)
    us = int((ended - started) * 1e6)
    call = Call(1, at(now + ended), "add", "ok", {}, {}, 7, (), None, None, us, {path: SHA})
    written = Written(frozenset([path] if known else []), now + started, f"{tmp_path}/package/")
    assert written.by(call, [path]) == (path if is_told else None)
    assert Written(frozenset(), 0.0, f"{tmp_path}/").by(call, [path]) is None


def test_what_is_gone_or_has_no_date_is_not_told() -> None:
    call = Call(1, "?", "add", "ok", {}, {}, 7, (), None, None, 1)
    assert Written(frozenset(), 0.0, "None/").by(call, ["/no/such/file"]) is None
