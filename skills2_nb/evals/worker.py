"""The process that a stopped session starts.

One works on a session at a time. A job goes when it is done; one that stays, a line in the log
of the hooks, or both, tell that something went wrong, and ``doctor`` finds them. A job whose
worker died is taken up once by the session's next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from skills2_nb.contract.descriptor import BINARY
from skills2_nb.contract.home import PRIVATE_FILE, elsewhere, home
from skills2_nb.contract.lock import locked
from skills2_nb.errors import JournalError, SetupError, UnreadableError
from skills2_nb.evals import session_text
from skills2_nb.evals.pruning import prune
from skills2_nb.evals.stop_event import is_job, place_of, read_event
from skills2_nb.hooks import log

#: Seconds that a job may take, the import of a package and the replay included.
SECONDS = 120.0
#: Seconds after which a job of the session that nobody took is taken for one whose worker died.
STALE = 15.0
#: How often a job is begun at most: by its own worker, and by one more.
MOST_TRIES = 2
LOCK, TRIES = "worker.lock", ".tries"


class Interrupted(KeyboardInterrupt):
    """Somebody at a keyboard had enough; a bare ``KeyboardInterrupt`` is a package's own."""


def work(job: Path, seconds: float = SECONDS) -> None:
    """Do a job, and those of its session that were left over.

    Args:
        seconds: what each may take.

    Raises:
        UsageError: the file does not lie in a session's folder of this home.
    """
    own = place_of(job)
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_interruptible())
            stack.enter_context(elsewhere(home()))  # a package may change the environment
            with _bounded(own, seconds):
                stack.enter_context(_alone(own.parent))
            for path in [*_left_over(own), own]:
                if path.is_file():
                    with _bounded(path, seconds):
                        _done(path)
    except OSError as error:
        _trace(own, "worker", error)


def again(job: Path, seconds: float = SECONDS) -> None:
    """Do a job by hand, however often it was begun before.

    Args:
        seconds: what it may take.

    Raises:
        UsageError: the file does not lie in a session's folder of this home.
        UnreadableError: there is no such file.
        SetupError: it stays.
    """
    own = place_of(job)
    if not own.is_file():
        raise UnreadableError(f"{own} is not there: its answer was audited, or it was deleted.")
    _tries(own).unlink(missing_ok=True)
    work(own, seconds)
    if own.is_file():
        raise SetupError(
            f"the answer of {own} is not audited to the end; the last line of "
            f"{_home(own) / log.NAME} says why: mend that, or delete the job"
        )


def _done(job: Path) -> None:
    """Do one job; it stays where the machine stood in the way, or where it cannot be read."""
    if not _begun(job):
        return
    try:
        event = read_event(job)
        if event.cwd is not None:
            with contextlib.suppress(OSError):
                os.chdir(event.cwd)
        from skills2_nb.evals.stopped import settle

        settled = settle(event)
        for doing, error in settled.faults:
            _trace(job, f"worker, {doing}", error)
        session_text.put(event.folder, settled.briefs, event.prompt_id)
        stays = any(_is_machine(error) for _, error in settled.faults)
    except Exception as error:
        _trace(job, f"worker, {job.name}", error)
        stays = isinstance(error, UnreadableError) or _is_machine(error)
    prune()
    if not stays:
        job.unlink(missing_ok=True)
        _tries(job).unlink(missing_ok=True)


def _begun(job: Path) -> bool:
    """Count a try; false where there were enough."""
    tries = _tries(job)
    with contextlib.suppress(FileNotFoundError):
        if tries.stat().st_size >= MOST_TRIES:
            return False
    fd = os.open(tries, os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY, PRIVATE_FILE)
    try:
        os.write(fd, b".")
    finally:
        os.close(fd)
    return True


def _tries(job: Path) -> Path:
    return job.with_name(f"{job.name}{TRIES}")


def _left_over(own: Path) -> list[Path]:
    """The session's other jobs whose workers are not coming any more, the oldest first.

    A young one may still be weighed by the hook that made it.
    """
    found = []
    for path in own.parent.glob("stop-*.json"):
        with contextlib.suppress(OSError):
            made = path.lstat().st_mtime
            if path != own and is_job(path) and time.time() - made > STALE:
                found.append((made, path))
    return [path for _, path in sorted(found)]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other worker is at work on the session."""
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | BINARY, PRIVATE_FILE)
    try:
        with locked(fd):
            yield
    finally:
        os.close(fd)


@contextmanager
def _bounded(job: Path, seconds: float) -> Iterator[None]:
    """End the process, and all that it started, when the time is over.

    Code that never comes back to Python is ended by the system's own alarm, a little later.
    """
    timer = threading.Timer(seconds, _give_up, (job, seconds))
    timer.daemon = True
    timer.start()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + 5)
    try:
        yield
    finally:
        timer.cancel()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def _give_up(job: Path, seconds: float) -> None:
    _trace(job, f"worker, {job.name}, given up after {seconds:g} s", TimeoutError())
    if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(4)


def _is_machine(error: BaseException) -> bool:
    """Whether the machine stood in the way: another try may go well."""
    if isinstance(error, (OSError, SetupError, ImportError)):
        return True
    if not isinstance(error, JournalError):
        return False
    return isinstance(error.__cause__, OSError) or "disk is full" in error.message


def _trace(job: Path, doing: str, error: BaseException) -> None:
    """A line in the log of the hooks: the kind of the error and its place, no word of a prompt."""
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    log.fault(str(_home(job)), doing, cause)


def _home(job: Path) -> Path:
    """The home that a job lies in, whatever a package has made of the environment since."""
    return job.parents[2]


@contextmanager
def _interruptible() -> Iterator[None]:
    """While it is open, Ctrl-C is told apart from what a package raises."""

    def interrupt(*_: object) -> NoReturn:
        raise Interrupted

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
