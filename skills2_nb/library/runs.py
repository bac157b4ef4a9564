"""The runs kept at home: found, counted, removed."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract import keys, ledger
from skills2_nb.contract.blobs import path as blob_path
from skills2_nb.contract.home import home
from skills2_nb.contract.journal import GENESIS, now, read
from skills2_nb.contract.snapshot import place_of
from skills2_nb.contract.state import RunState, fold
from skills2_nb.errors import JournalError, SetupError, UnknownRunError, UsageError

#: An open run that was written to within this many seconds is somebody's work.
BUSY_SECONDS = 3600
#: Where a canonical line names a blob: a big value, a table, the sources of a live kernel.
_BLOB = re.compile(rb'"(?:\$blob|\$table|live)":"([0-9a-f]{64})"')
#: The length of ``20260301-091522``, the start of a run's id.
_SECOND = 15
#: Where a canonical line names the key of its writer.
_KEY = re.compile(rb'"writer":"[a-z]+:([0-9a-f]{16})"')
_TS = re.compile(rb'"ts":"([^"]*)"')
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Entry:
    """One run as its journal's lines tell it, without any value.

    Attributes:
        started: UTC, ISO 8601; empty where the first line is no start.
        ended: whether the run was closed.
        ok: successful calls; ``failed`` and ``rejected`` likewise.
        count: whole lines of the journal.
        head: hash of the last whole line.
        faulty: whether a line is no record.
    """

    run: str
    path: Path
    skill: str = ""
    version: str = ""
    started: str = ""
    ended: bool = False
    answered: bool = False
    ok: int = 0
    failed: int = 0
    rejected: int = 0
    count: int = 0
    head: str = GENESIS
    faulty: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain values."""
        return {
            "run": self.run,
            "skill": self.skill,
            "version": self.version,
            "started": self.started,
            "ended": self.ended,
            "answered": self.answered,
            "ok": self.ok,
            "failed": self.failed,
            "rejected": self.rejected,
            "records": self.count,
            "whole": not self.faulty,
        }


@dataclass(frozen=True)
class Removal:
    """What is to go: runs, the blobs and keys no other run uses, and what lies beside.

    Attributes:
        runs: the entries, the oldest first.
        files: every file, journals included.
        bytes: their size together.
        busy: runs left out because somebody is at work in them.
    """

    runs: tuple[Entry, ...]
    files: tuple[Path, ...]
    bytes: int
    busy: tuple[Entry, ...] = ()


def journals() -> list[Path]:
    """Every journal, the newest run first."""
    folder = home() / "runs"
    if not folder.is_dir():
        return []
    days = [day for day in folder.iterdir() if _DAY.fullmatch(day.name) and day.is_dir()]
    found = [path for day in days for path in day.glob("*.jsonl") if path.is_file()]
    seconds = Counter(path.stem[:_SECOND] for path in found)
    return sorted(found, key=lambda path: _age(path, seconds), reverse=True)


def find(text: str) -> Path:
    """The journal of a run, by its id or the beginning of it.

    Raises:
        UnknownRunError: no run's id begins so.
        UsageError: several do.
    """
    found = [path for path in journals() if text and path.stem.startswith(text)]
    exact = [path for path in found if path.stem == text]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        some = ", ".join(path.stem for path in found[:3])
        raise UsageError(
            f"{len(found)} runs begin with {text!r} ({some}{', …' if len(found) > 3 else ''}); "
            "give more of the id"
        )
    raise UnknownRunError(
        f"there is no run {text[:80]!r} in {home()}; `skills2 runs list` shows those there are"
    )


def entry(path: Path) -> Entry:
    """Look through a journal; a damaged line is passed over and told.

    Raises:
        JournalError: the file cannot be read.
    """
    facts: dict[str, Any] = {"ok": 0, "failed": 0, "rejected": 0, "count": 0}
    for record in _records(path):
        if record is None:
            facts["faulty"] = True
            continue
        facts["count"] += 1
        facts["head"] = record["hash"]
        _note(facts, record)
    return Entry(path.stem, path, **facts)


def state(path: Path) -> RunState:
    """What the run of a journal has come to.

    Raises:
        JournalError: a line is no record, or lacks what its kind has to carry.
    """
    try:
        return fold(read(path))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise JournalError(
            f"the journal {path} holds a record that lacks what its kind carries ({error}); "
            f"see `skills2 runs verify {path.stem}`"
        ) from error


def listed(skill: str | None = None, limit: int | None = None) -> list[Entry]:
    """Runs, the newest first: those of a skill, at most ``limit`` of them."""
    found: list[Entry] = []
    for path in journals():
        if limit is not None and len(found) >= limit:
            break
        made = entry(path)
        if skill is None or made.skill == skill:
            found.append(made)
    return found


def newest(skill: str) -> Entry | None:
    """The newest run of a skill, if there is one."""
    return next(iter(listed(skill, 1)), None)


def older_than(entries: Iterable[Entry], days: float, at: str | None = None) -> list[Entry]:
    """The runs started more than ``days`` days before ``at`` (UTC, ISO 8601; now)."""
    moment = dt.datetime.fromisoformat(at or now())
    try:
        limit = f"{moment - dt.timedelta(days=days):%Y-%m-%dT%H:%M:%S.%fZ}"
    except OverflowError:
        return []
    return [item for item in entries if _began(item) < limit]


def beyond(entries: Iterable[Entry], keep: int) -> list[Entry]:
    """All but the newest ``keep`` runs."""
    return sorted(entries, key=lambda item: (_began(item), item.run), reverse=True)[keep:]


def removal(chosen: Iterable[Entry], *, spare_busy: bool = True) -> Removal:
    """What goes with the chosen runs; nothing is touched.

    Args:
        spare_busy: leave out open runs that were written to within the hour.
    """
    wanted = sorted(chosen, key=lambda item: (_began(item), item.run))
    busy = tuple(item for item in wanted if spare_busy and _busy(item))
    runs = tuple(item for item in wanted if item not in busy)
    gone = {item.path for item in runs}
    rest = [path for path in journals() if path not in gone]
    alone = sorted(_blobs(gone) - _blobs(rest))
    files = [file for item in runs for file in _beside(item)]
    files += [blob_path(sha) for sha in alone if blob_path(sha).is_file()]
    files += _keys(gone, rest)
    return Removal(runs, tuple(files), sum(file.stat().st_size for file in files), busy)


def remove(plan: Removal, why: str) -> None:
    """Remove what was planned. The ledger keeps each run's head, so that the gap is on record.

    Args:
        why: ``prune`` or ``erase``.

    Raises:
        SetupError: a file cannot be removed.
    """
    for item in plan.runs:
        facts = {"run": item.run, "skill": item.skill, "count": item.count, "head": item.head}
        ledger.append("erased", {**facts, "by": why})
    for file in plan.files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise SetupError(
                f"{file} cannot be removed ({error.strerror}); check its permissions"
            ) from error
    for day in {item.path.parent for item in plan.runs}:
        if not any(day.iterdir()):
            day.rmdir()


def blobs_of(path: Path) -> set[str]:
    """Digests of every blob that a journal leads to, through other blobs too."""
    return _blobs([path])


def _age(path: Path, seconds: Counter[str]) -> tuple[str, str, str]:
    """Ids tell the second of the start; where several share it, the first lines tell more."""
    second = path.stem[:_SECOND]
    return second, _first_ts(path) if seconds[second] > 1 else "", path.stem


def _first_ts(path: Path) -> str:
    with path.open("rb") as file:
        match = _TS.search(file.readline())
    return match[1].decode("ascii") if match else ""


def _began(item: Entry) -> str:
    """The start, from the id where the journal does not say it."""
    if item.started:
        return item.started
    digits = item.run
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[9:11]}:{digits[11:13]}"


def _busy(item: Entry) -> bool:
    if item.ended or item.faulty:
        return False
    return _age_of(item.path) < BUSY_SECONDS


def _beside(item: Entry) -> list[Path]:
    """The journal, the torn bytes kept beside it, its snapshot, and what was told of it."""
    pages = (home() / "pages" / f"{item.run}.{kind}" for kind in ("html", "txt"))
    beside = (item.path, item.path.with_suffix(".torn"), place_of(item.path), *pages)
    return [file for file in beside if file.is_file()]


def _blobs(paths: Iterable[Path]) -> set[str]:
    """Digests named in the files, and in the blobs those name."""
    seen: set[str] = set()
    fresh = {sha for path in paths for sha in _named(path)}
    while fresh:
        seen |= fresh
        fresh = {sha for each in fresh for sha in _named(blob_path(each))} - seen
    return seen


def _keys(gone: Iterable[Path], rest: Iterable[Path]) -> list[Path]:
    """Key files that no remaining run names: those of the runs that go, and any that is left over.

    A key is made a moment before the first record that names it, so a young one is spared.
    """
    folder = home() / keys.FOLDER
    named = {id_ for path in gone for id_ in _named(path, _KEY)}
    kept = {id_ for path in rest for id_ in _named(path, _KEY)}
    found = folder.iterdir() if folder.is_dir() else ()
    loose = [file for file in found if file.name not in kept]
    return sorted(file for file in loose if file.name in named or _age_of(file) > BUSY_SECONDS)


def _age_of(path: Path) -> float:
    """Seconds since a file was written to."""
    return dt.datetime.now(dt.UTC).timestamp() - path.stat().st_mtime


def _named(path: Path, pattern: re.Pattern[bytes] = _BLOB) -> set[str]:
    try:
        return {match.decode("ascii") for match in pattern.findall(path.read_bytes())}
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error}") from error


def _records(path: Path) -> Iterator[dict[str, Any] | None]:
    """Each line as a record; None for a line that is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error}") from error
    for line in data.split(b"\n")[:-1]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        whole = isinstance(record, dict) and isinstance(record.get("hash"), str)
        yield record if whole else None
    if not data.endswith(b"\n"):
        yield None


_COUNTED = {"step_ok": "ok", "step_failed": "failed", "rejected": "rejected"}


def _note(facts: dict[str, Any], record: dict[str, Any]) -> None:
    kind = record.get("kind")
    if kind in _COUNTED:
        facts[_COUNTED[kind]] += 1
    elif kind == "run_started":
        facts |= {
            "skill": str(record.get("skill", "")),
            "version": str(record.get("version", "")),
            "started": str(record.get("ts", "")),
        }
    elif kind == "run_ended":
        facts["ended"] = True
    elif kind == "answer":
        facts["answered"] = True
