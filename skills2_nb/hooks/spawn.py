"""A process of the kit, started by a hook.

It has a session of its own, so a signal to the client's group does not reach it, and its standard
streams lead nowhere, so the client sees the end of the hook's. ``subprocess`` would cost as much
time as the whole hook, and is used only where the system has no ``posix_spawn`` of that kind.
"""

import sys

from skills2_nb.hooks.intake import all_of
from skills2_nb.hooks.system import calls

#: A verdict is a few sentences.
MOST_BYTES = 256 * 1024
#: It said what there was to say, or that a check said no.
GOOD = (0, 1)
NOWHERE = "/dev/null"
_SIGKILL = 9


def detached(words: "list[str]", more: "dict[str, str]") -> None:
    """Start this interpreter with some words and wait for nothing.

    Args:
        words: what follows the interpreter.
        more: variables beside those of this process.

    Raises:
        OSError: it cannot be started.
    """
    try:
        _spawned(words, more, None)
    except (AttributeError, NotImplementedError):
        _popen(words, more, None)


def asked(words: "list[str]", more: "dict[str, str]", seconds: float) -> bytes:
    """What it prints.

    One that is late is killed with all that it started.

    Raises:
        TimeoutError: it is not done in time, or prints without end.
        ChildProcessError: it ends with a fault.
        OSError: it cannot be started.
    """
    try:
        read, process = _piped(words, more)
    except (AttributeError, NotImplementedError):
        return _popen(words, more, seconds)
    said = all_of(read, MOST_BYTES, seconds)
    if said is None:
        calls.kill(-process, _SIGKILL)
    status = calls.waitpid(process, 0)[1]
    code = calls.WEXITSTATUS(status) if calls.WIFEXITED(status) else -calls.WTERMSIG(status)
    return _good(said, code)


def _good(said: "bytes | None", status: int) -> bytes:
    """What a process that did well has printed; None stands for one that was late."""
    if said is None:
        raise TimeoutError(0, "it was late")
    if status not in GOOD:
        raise ChildProcessError(0, f"it ended with {status}")
    return said


def _piped(words: "list[str]", more: "dict[str, str]") -> "tuple[int, int]":
    """The end of a pipe that a new process writes to, and its id."""
    read, write = calls.pipe()
    try:
        return read, _spawned(words, more, write)
    except BaseException:
        calls.close(read)
        raise
    finally:
        calls.close(write)


def _spawned(words: "list[str]", more: "dict[str, str]", stdout: "int | None") -> int:
    """The id of a new process, whose group has the same."""
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (calls.POSIX_SPAWN_OPEN, 0, NOWHERE, calls.O_RDONLY, 0),
        (calls.POSIX_SPAWN_OPEN, 1, NOWHERE, calls.O_WRONLY, 0)
        if stdout is None
        else (calls.POSIX_SPAWN_DUP2, stdout, 1),
        (calls.POSIX_SPAWN_OPEN, 2, NOWHERE, calls.O_WRONLY, 0),
    ]
    environment: dict[bytes, bytes | str] = {**calls.environ}
    environment.update({name.encode(): text for name, text in more.items()})
    argv = [sys.executable, *words]
    return calls.posix_spawn(sys.executable, argv, environment, file_actions=actions, setsid=True)


def _popen(words: "list[str]", more: "dict[str, str]", seconds: "float | None") -> bytes:
    """The same by ``subprocess``; without seconds nothing is waited for."""
    import os
    import subprocess

    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    flags |= getattr(subprocess, "DETACHED_PROCESS", 0)
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if seconds is None else subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **more},
        creationflags=flags,
        start_new_session=True,
    )
    if seconds is None:
        process.returncode = 0  # nobody waits for it
        return b""
    said: bytes | None
    try:
        said = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        calls.kill(-process.pid if hasattr(calls, "killpg") else process.pid, _SIGKILL)
        with process:  # its end of the pipe is shut, and it is waited for
            said = None
    return _good(said, process.returncode)
