"""A program run behind a wall.

What it reads and writes, whom it speaks to, what it takes and how much it says is bounded.

Two walls. **bubblewrap**, where it is there and works (Linux with user namespaces): the kernel
shows the program a read-only file system, no network and no other process. **hooks**, elsewhere
on POSIX: the program is Python, and audit hooks refuse what Python does; native code is held by
resource limits alone. Behind bubblewrap a Python program has the hooks too, since only they can
tell what was tried. Where neither stands nothing is run.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

Ended = Literal["exit", "timeout", "memory", "output", "killed", "no wall"]
Kind = Literal["bubblewrap", "hooks"]

EVERYWHERE = (Path("/"),)
_INSIDE = Path(__file__).with_name("inside.py")
_OUT_OF_MEMORY, _NO_WALL = 81, 82  # of inside.py, which is not for import: it needs POSIX
_MB = 1024 * 1024
_STDERR = 64 * 1024
_CHUNK = 64 * 1024
#: Seconds for the kernel to clear away what was killed.
_LAST = 2.0
#: What a program needs to find itself; nothing else of the environment is handed on.
_KEPT = (
    *("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "VIRTUAL_ENV", "CONDA_PREFIX", "SYSTEMROOT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONUTF8", "PYTHONIOENCODING"),
)
#: One thread a library: many reserve address space by the processor.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
#: What an interpreter needs where not everything may be read.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc")
#: A place in memory that bubblewrap gives each program for itself: libraries keep caches there.
_MEMORY = Path("/dev/shm")
_SCRATCH = f"{_MEMORY}/scratch"
_CACHES = ("MPLCONFIGDIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


@dataclass(frozen=True)
class Wall:
    """What a program may do.

    Attributes:
        read: folders and files it may read; beside them always the interpreter and its libraries.
        write: folders in which it may change files; the first is its place for temporary ones.
        hide: folders that Python code of it may not read, wherever else it may.
        network: whether it may open sockets.
        memory_mb: megabytes it may fill.
        seconds: how long it may take.
        output_bytes: how much it may say on stdout; of stderr the first 64 KiB are kept.
    """

    read: tuple[Path, ...] = EVERYWHERE
    write: tuple[Path, ...] = ()
    hide: tuple[Path, ...] = ()
    network: bool = False
    memory_mb: int = 2048
    seconds: float = 60.0
    output_bytes: int = 16 * _MB


@dataclass(frozen=True)
class Outcome:
    """How a program behind a wall ended.

    Attributes:
        ended: ``exit``, or the bound it ran into; ``killed`` by a signal; ``no wall``: it was not
            run, and ``stderr`` says why.
        returncode: its exit code; None where it did not end by itself.
        wall: which wall stood.
    """

    ended: Ended
    returncode: int | None
    stdout: bytes
    stderr: bytes
    wall: Kind | None


def run(
    argv: Sequence[str],
    given: bytes,
    wall: Wall,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a command behind bubblewrap; no shell reads it.

    Args:
        argv: the program and its arguments.
        given: its stdin.
        cwd: its working folder; left out, this process's.
        env: what its environment holds beside what it needs to start.
    """
    if _bubblewrap() is None:
        return _unbuilt("bubblewrap is not here or not allowed, and hooks hold Python alone")
    start = [sys.executable, "-I", "-S", str(_INSIDE), _settings(wall, guarded=False)]
    return _held([*start, *argv], given, wall, cwd, env, "bubblewrap")


def run_python(
    module: str,
    given: bytes,
    wall: Wall,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Outcome:
    """Run a module's ``main()`` in a new interpreter, behind hooks and, where it is, bubblewrap.

    Args:
        module: a module that the interpreter finds; the rest as in :func:`run`.
        meanwhile: is called once while the interpreter starts; the program's time counts from
            its return. What it raises ends the program.
    """
    kind = standing()
    if kind is None:
        return _unbuilt("this system has neither bubblewrap nor resource limits")
    if kind == "hooks" and wall.read != EVERYWHERE:
        return _unbuilt("hooks do not bound what is read, and bubblewrap is not here")
    start = [sys.executable, "-P", "-B", str(_INSIDE), _settings(wall, guarded=True), module]
    return _held(start, given, wall, cwd, env, kind, meanwhile)


def bounded(
    argv: Sequence[str],
    given: bytes,
    wall: Wall,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a command with no wall: time and output alone have bounds. The rest as in :func:`run`."""
    return _held(list(argv), given, wall, cwd, env, None)


def standing() -> Kind | None:
    """The wall that a Python program gets here; None where there is none."""
    if _bubblewrap() is not None:
        return "bubblewrap"
    return "hooks" if os.name == "posix" else None


@functools.cache
def _bubblewrap() -> str | None:
    """Where bubblewrap is, if it can build a wall; tried once a process."""
    found = shutil.which("bwrap") if sys.platform == "linux" else None
    if found is None:
        return None
    trial = [*_wrapped(found, Wall(), Path("/")), sys.executable, "-I", "-S", "-c", ""]
    try:
        done = subprocess.run(
            trial,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(Wall(), {}, None),
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if done.returncode == 0 else None


def _wrapped(program: str, wall: Wall, cwd: Path) -> list[str]:
    """The command line of bubblewrap, up to the program that it runs."""
    everywhere = wall.read == EVERYWHERE
    places = [*_SYSTEM, sys.prefix, sys.base_prefix, _kit(), *map(str, wall.read)]
    own = ["--dev", "/dev", "--proc", "/proc"]
    shown = [*_bound(["/"]), *own, *_bound(_in_memory())] if everywhere else [*own, *_bound(places)]
    return [
        program,
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(["--share-net"] if wall.network else []),
        *shown,
        *("--dir", _SCRATCH),
        *(word for place in wall.write for word in ("--bind", str(place), str(place))),
        *("--chdir", str(cwd), "--"),
    ]


def _bound(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        yield from ("--ro-bind-try", place, place)


def _in_memory() -> Iterator[str]:
    """What lies in the system's place in memory, of which bubblewrap makes a new one."""
    with contextlib.suppress(OSError):
        yield from (str(place) for place in _MEMORY.iterdir() if str(place) != _SCRATCH)


def _settings(wall: Wall, *, guarded: bool) -> str:
    """What ``inside.py`` is told. Time is counted a processor: threads count each."""
    write = [str(place.resolve()) for place in wall.write]
    if _bubblewrap() is not None:
        write.append(_SCRATCH)
    hidden = [str(place.resolve()) for place in wall.hide]
    guard = {"write": write, "network": wall.network, "hidden": hidden}
    return json.dumps(
        {
            "memory": wall.memory_mb * _MB,
            "cpu": math.ceil(wall.seconds + 1) * (os.cpu_count() or 1),
            "file": wall.memory_mb * _MB if write else 0,
            "guard": guard if guarded else None,
        }
    )


def _environment(wall: Wall, more: Mapping[str, str], kind: Kind | None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept |= {name: text for name, text in os.environ.items() if name.startswith("LC_")}
    kit = _kit()
    # An installed kit is found without help; its folder must not come before the standard library.
    ours = [] if Path(kit).name in ("site-packages", "dist-packages") else [kit]
    kept["PYTHONPATH"] = os.pathsep.join([*ours, *filter(None, [kept.get("PYTHONPATH")])])
    kept |= {"PYTHONHASHSEED": "random", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "2"}
    kept |= dict.fromkeys(_THREADS, "1")
    if wall.write:
        kept["TMPDIR"] = str(wall.write[0])
    if kind == "bubblewrap":
        kept |= dict.fromkeys(_CACHES, _SCRATCH)
    return kept | dict(more)


def _kit() -> str:
    return str(Path(__file__).resolve().parents[2])


def _held(
    argv: list[str],
    given: bytes,
    wall: Wall,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    kind: Kind | None,
    meanwhile: Callable[[], object] | None = None,
) -> Outcome:
    place = Path.cwd() if cwd is None else cwd
    program = _bubblewrap()
    front = _wrapped(program, wall, place) if kind == "bubblewrap" and program else []
    try:
        process = subprocess.Popen(
            [*front, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=place,
            env=_environment(wall, env or {}, kind),
            start_new_session=True,
        )
    except OSError as error:
        return _unbuilt(str(error))
    try:
        exchange = _Exchange(process, given, wall)
        if meanwhile is not None:
            exchange.hand_over()
            meanwhile()
        stopped = exchange.to_the_end()
    finally:
        _end(process, kind)
    ended, code = (stopped, None) if stopped is not None else _verdict(process.returncode)
    stood = None if ended == "no wall" else kind
    return Outcome(ended, code, bytes(exchange.stdout), bytes(exchange.stderr), stood)


def _verdict(code: int) -> tuple[Ended, int | None]:
    if code in (_OUT_OF_MEMORY, _NO_WALL):
        return ("memory" if code == _OUT_OF_MEMORY else "no wall"), None
    by = -code if code < 0 else code - 128  # bubblewrap tells of a signal as shells do
    if by == signal.SIGXCPU:
        return "timeout", None
    return ("killed", None) if code < 0 or by > 0 else ("exit", code)


def _unbuilt(why: str) -> Outcome:
    return Outcome("no wall", None, b"", why.encode(), None)


def _end(process: subprocess.Popen[bytes], kind: Kind | None) -> None:
    """Kill whatever is left of the program, and let its pipes go."""
    if kind == "bubblewrap" and process.poll() is None:
        _end_first(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LAST)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError):
        cast("IO[bytes]", pipe).close()


def _end_first(pid: int) -> None:
    """Kill what bubblewrap waits for: it comes back when every process behind the wall is gone.

    Killed itself, it would leave that to the kernel, which takes its time.
    """
    with contextlib.suppress(OSError, ValueError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        for child in children.split():
            os.kill(int(child), signal.SIGKILL)


class _Exchange:
    """Both sides of a program's talk, within bounds."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes, wall: Wall) -> None:
        self._process = process
        self._wall = wall
        self._left = memoryview(given)
        self._until = 0.0
        self.stdout = bytearray()
        self.stderr = bytearray()

    def hand_over(self) -> None:
        """Give the program as much as its pipe takes at once, and the end of it if that is all."""
        stream = cast("IO[bytes]", self._process.stdin)
        os.set_blocking(stream.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while not self._write(stream):
                pass
            _close(stream)

    def to_the_end(self) -> Literal["timeout", "output"] | None:
        """Talk until the program has ended; the bound that was hit, if one was."""
        self._until = time.monotonic() + self._wall.seconds
        with selectors.DefaultSelector() as pipes:
            for pipe, event in (
                (self._process.stdin, selectors.EVENT_WRITE),
                (self._process.stdout, selectors.EVENT_READ),
                (self._process.stderr, selectors.EVENT_READ),
            ):
                stream = cast("IO[bytes]", pipe)
                if not stream.closed:
                    os.set_blocking(stream.fileno(), False)
                    pipes.register(stream, event)
            while pipes.get_map():
                ready = pipes.select(max(0.0, min(self._until - time.monotonic(), 0.5)))
                for key, _ in ready:
                    self._pass(cast("IO[bytes]", key.fileobj), pipes)
                if len(self.stdout) > self._wall.output_bytes:
                    del self.stdout[self._wall.output_bytes :]
                    return "output"
                if time.monotonic() >= self._until:
                    return "timeout"
                if not ready and self._process.poll() is not None:
                    return None  # what it left behind holds the pipes
        try:
            self._process.wait(max(0.0, self._until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return "timeout"
        return None

    def _pass(self, stream: IO[bytes], pipes: selectors.BaseSelector) -> None:
        if stream is self._process.stdin:
            done = self._write(stream)
        else:
            data = os.read(stream.fileno(), _CHUNK)
            done = not data
            if stream is self._process.stdout:
                self.stdout += data
            else:
                self.stderr += data[: _STDERR - len(self.stderr)]
        if done:
            pipes.unregister(stream)
            _close(stream)

    def _write(self, stream: IO[bytes]) -> bool:
        """Hand over what the pipe takes; whether that was all of it."""
        try:
            sent = os.write(stream.fileno(), self._left[:_CHUNK])
        except BrokenPipeError:
            return True
        self._left = self._left[sent:]
        return not self._left
