"""The judging process, kept whole from a skill's code."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def unending() -> Iterator[None]:
    """Nothing in it ends the process without a word.

    ``os._exit(0)`` would end whoever judges with the exit code of success, so it raises
    ``SystemExit``, as ``sys.exit`` does. A copy of the process may end itself.
    """
    end, process = os._exit, os.getpid()

    def refused(status: int) -> None:
        if os.getpid() != process:
            end(status)
        raise SystemExit(f"os._exit({status}) would end the process that judges it")

    setattr(os, "_exit", refused)  # noqa: B010
    try:
        yield
    finally:
        setattr(os, "_exit", end)  # noqa: B010


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """The same, and working folder and environment are as before when it is left."""
    environ, folder = dict(os.environ), _folder()
    with unending():
        try:
            yield
        finally:
            _restore(environ, folder)


def _folder() -> str | None:
    """The working folder; None where it is gone, so that nobody can go back to it."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return None


def _restore(environ: dict[str, str], folder: str | None) -> None:
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    for name, value in environ.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    if folder is not None:
        with contextlib.suppress(OSError):
            os.chdir(folder)
