"""Errors as one sentence and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

if TYPE_CHECKING:
    from skills2_nb.errors import RefusedError

GOOD, REFUSED, MISUSED, UNPROVEN, SETUP = 0, 1, 2, 3, 4
INTERRUPTED, PIPE_CLOSED = 130, 141
#: Libraries that an extra brings.
_EXTRAS = {
    "lab": "IPython ipywidgets jupyter_server jupyterlab nbconvert nbformat numpy pandas papermill",
    "agent": "dspy",
    "scale": "dask distributed duckdb",
}
_BASE = ("click", "fastmcp", "pydantic", "tomli_w", "yaml")
_FULL = {errno.ENOSPC, errno.EDQUOT}
_LINES = 2_000
#: Signals that would end the process on the spot, and leave its temporary folders behind.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class PipeClosed(Exception):
    """Whoever read our output has gone: ``| head`` had enough."""


class Ended(KeyboardInterrupt):
    """Somebody asked the process to end; as with Ctrl-C, what was begun is put away first.

    Attributes:
        code: the exit code, as a shell tells of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


def guarded(work: Callable[[], Any], *, debug: bool = False) -> int:
    """Do the work and give its exit code; an error is one sentence on stderr.

    Args:
        work: gives an exit code, or anything else for "good".
        debug: whether the traceback is shown before the sentence.
    """
    _fill_streams()
    _fit_streams()
    try:
        with _ending_softly():
            code = work()
        sys.stdout.flush()
    except (PipeClosed, BrokenPipeError):
        _forget_output()
        return PIPE_CLOSED
    except (click.Abort, KeyboardInterrupt) as error:
        ended = error.__cause__ or error  # click makes an Abort of it
        return ended.code if isinstance(ended, Ended) else INTERRUPTED
    except Exception as error:
        if debug:
            traceback.print_exc()
        sentence, code = told(error)
        say(sentence)
        _forget_unwritten()
    return code if isinstance(code, int) and not isinstance(code, bool) else GOOD


@contextlib.contextmanager
def _ending_softly() -> Iterator[None]:
    """While it is open, a signal that ends the process raises :class:`Ended` in its main thread.

    A handler that somebody set is left alone, and so is a command's own, set meanwhile.
    """
    here = os.getpid()

    def end(number: int, _: FrameType | None) -> NoReturn:
        if os.getpid() != here:  # a child that a step forked ends as it always did
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        signal.signal(number, signal.SIG_IGN)  # a second one must not break off the putting away
        raise Ended(number)

    is_main = threading.current_thread() is threading.main_thread()
    free = [n for n in _ENDING if is_main and signal.getsignal(n) is signal.SIG_DFL]
    for number in free:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in free:
            signal.signal(number, signal.SIG_DFL)


def say(sentence: str) -> None:
    """Put a line on stderr, where a reader of stdout is not disturbed."""
    click.echo(sentence, err=True)


def told(error: Exception) -> tuple[str, int]:
    """The sentence and the exit code of an error; a name in it never moves the cursor."""
    from skills2_nb.views.lines import clean

    sentence, code = _told(error)
    return clean(sentence), code


def _told(error: Exception) -> tuple[str, int]:
    from skills2_nb.errors import RefusedError, Skills2Error

    missing = _missing(error)
    if missing is not None:
        return _with_install(error, missing), SETUP
    if isinstance(error, click.ClickException):
        return _click_sentence(error), MISUSED
    if isinstance(error, RefusedError):
        return _refusal(error), error.exit_code
    if isinstance(error, Skills2Error):
        return _line(error), error.exit_code
    if isinstance(error, OSError):
        return _system_sentence(error), MISUSED if error.errno == errno.ENAMETOOLONG else SETUP
    kind = type(error).__name__
    return (
        f"skills2 met a fault of its own ({kind}: {_line(error)}). "
        "Mend: run the command again with --debug and report what it shows."
    ), SETUP


def install_line(library: str) -> str:
    """How to install what brings ``library``."""
    for extra, names in _EXTRAS.items():
        if library in names.split():
            return f"pip install 'skills2-nb[{extra}]'"
    return "pip install skills2-nb" if library in _BASE else f"pip install {library}"


def _missing(error: BaseException | None) -> str | None:
    """The library that was not there, if that is what the error comes from."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            library = error.name.partition(".")[0]
            return None if library in ("skills2_nb", "_skills2", "runtime") else library
        error = error.__cause__
    return None


def _with_install(error: Exception, library: str) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"The library {library!r} is not installed. Mend: {install_line(library)}"
    return f"{_line(error).rstrip('.')}. Mend: {install_line(library)}"


def _click_sentence(error: click.ClickException) -> str:
    """Click's message in one line, with the command it speaks of and where to read on."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    message = " ".join(error.format_message().split())
    message = message if message.endswith((".", "?", "!")) else f"{message}."
    ctx = getattr(error, "ctx", None)
    if ctx is None:
        return message
    return f"{ctx.command_path}: {message} See: {ctx.command_path} --help"


def _refusal(error: RefusedError) -> str:
    """The refusal; where several errors stand in the way, each on its own line before it."""
    errors = [problem for problem in error.problems if problem.level == "error"]
    if len(errors) < 2:
        return _line(error)
    return "\n".join([*(each.sentence() for each in errors), _line(error).partition(" First: ")[0]])


def _system_sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in _FULL:
        return f"{place}{reason}. Mend: free some space and try again."
    return f"{place}{reason}. Mend: check the path and its permissions, or choose another folder."


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _LINES else f"{text[:_LINES]}…"


def _fill_streams() -> None:
    """Open what was closed (``>&-``): else the next file, say a journal, would be taken for it."""
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(spare)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere())


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _fit_streams() -> None:
    """A terminal that cannot show a sign shows a question mark: never an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _forget_unwritten() -> None:
    """What stdout still holds and cannot write must not be tried again at the interpreter's end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _forget_output()


def _forget_output() -> None:
    """Point stdout at nothing, so that the flush at exit has nobody to fail at."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = _nowhere()
