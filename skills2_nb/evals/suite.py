"""Notebooks of evals executed by papermill: its one door.

Each skill has a process of its own, forked with papermill's imports done, and in it a kernel of
the interpreter that runs this: never whatever a kernel spec of the machine points at. What ends
such a process ends no other skill's.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

from skills2_nb.errors import SetupError
from skills2_nb.evals.executed import SETUP, UNPROVEN, Executed, last_begun, read
from skills2_nb.formats.files import cannot_write

#: What an evaluation leaves of its notebook, and of its kernel's own words.
NOTEBOOK, LOG = "eval.ipynb", "kernel.log"
_UNDERWAY = ".eval.part.ipynb"
_IS_LINUX = sys.platform.startswith("linux")
_POLL, _GRACE = 0.2, 10.0
#: A socket's name has 107 bytes at most on Linux, and ours add a few.
_LONGEST = 90


@dataclass(frozen=True)
class Job:
    """One skill to evaluate.

    Attributes:
        name: what messages call it.
        notebook: the notebook to execute.
        folder: where it goes when executed; it is there.
        parameters: what is written into it.
        progress: a file that its kernel may write to.
        timeout: seconds that a cell may take; None = any.
        python: the interpreter of its kernel.
    """

    name: str
    notebook: Path
    folder: Path
    parameters: Mapping[str, Any] = field(default_factory=dict)
    progress: Path | None = None
    timeout: int | None = None
    python: str = sys.executable


def check_installed() -> None:
    """See that papermill and a kernel are there.

    Raises:
        SetupError: one is not; the message has the install line.
    """
    lost = [name for name in ("papermill", "ipykernel") if importlib.util.find_spec(name) is None]
    if lost:
        raise SetupError(
            f"an eval needs {' and '.join(lost)}, which the base install does not have. Mend: "
            "pip install 'skills2-nb[lab]'"
        )


def executed(
    jobs: Sequence[Job], at_once: int = 1, waiting: Callable[[], None] | None = None
) -> Iterator[tuple[Job, Executed]]:
    """Execute the notebooks, each in a process of its own, and judge each as it ends.

    When the caller stops, or is interrupted, what is under way is ended with its kernels.

    Args:
        at_once: how many at a time.
        waiting: called now and then meanwhile.

    Raises:
        SetupError: papermill or ipykernel is missing.
    """
    check_installed()
    _warm()
    queue, running = list(jobs), dict[Connection, tuple[Job, Any]]()
    try:
        while queue or running:
            while queue and len(running) < max(at_once, 1):
                job = queue.pop(0)
                ear, process = _begun(job)
                running[ear] = (job, process)
            heard: list[Any] = wait(list(running), _POLL)
            for ear in heard:
                job, process = running.pop(ear)
                yield job, _ended(job, ear, process)
            if waiting is not None:
                waiting()
    finally:
        _stop([process for _, process in running.values()])
        for job, _ in running.values():
            _put_away(job)


def _begun(job: Job) -> tuple[Connection, Any]:
    """A process that executes the job, and where its last word is heard."""
    context: Any = multiprocessing.get_context("fork" if _IS_LINUX else "spawn")
    ear, mouth = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(job, mouth), name=f"eval {job.name}")
    with warnings.catch_warnings():
        # Python warns of a fork beside threads; a child that only starts a kernel takes no lock.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    mouth.close()
    return ear, process


def _ended(job: Job, ear: Connection, process: Any) -> Executed:
    """What the job has come to, by its last word and its notebook."""
    try:
        word = ear.recv()
    except EOFError:  # the process went without one
        word = None
    ear.close()
    process.join()
    raw = _put_away(job)
    if word is None:
        code = process.exitcode or 0
        how = _signal(-code) if code < 0 else f"exit code {code}"
        return Executed(UNPROVEN, (f"the process that ran the notebook was ended ({how})",))
    return judged(word, raw, job)


def judged(word: Mapping[str, Any], raw: Mapping[str, Any] | None, job: Job) -> Executed:
    """The verdict by what papermill said and what the notebook shows.

    Args:
        word: ``{"kind", "message"}`` of what papermill raised; an empty ``kind`` is nothing.
        raw: the executed notebook, None where there is none.
    """
    kind, message = word["kind"], word["message"]
    if kind in ("OSError", "SetupError"):
        return Executed(SETUP, (message,))
    if kind in ("NoSuchKernel", "KernelNotStarted"):
        return Executed(SETUP, (f"no kernel could be started: {message}",))
    if raw is None:
        return Executed(UNPROVEN, (f"papermill executed nothing ({kind}: {message})",))
    if kind == "DeadKernelError":
        return Executed(UNPROVEN, (f"the kernel died while it was at {last_begun(raw)}",))
    if kind == "CellTimeoutError":
        said = f"{last_begun(raw)} took longer than {job.timeout} s"
        return Executed(UNPROVEN, (f"{said}; allow more with --timeout",))
    told = read(raw, runner=job.parameters.get("runner"))
    for key in ("profile", "threshold", "trials"):
        asked = job.parameters.get(key)
        seen = None if told.evaluation is None else told.evaluation.get(key)
        if told.evaluation is not None and asked is not None and seen != asked:
            said = f"the notebook's audit has {key} {seen!r}, and {asked!r} was asked for"
            return Executed(UNPROVEN, (said,))
    if kind not in ("", "PapermillExecutionError") or (kind and told.is_green):
        return Executed(UNPROVEN, (f"papermill broke off ({kind}: {message})",))
    return told


def _work(job: Job, mouth: Connection) -> None:
    """In the process: execute the notebook and say what was raised."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us, once, by SIGTERM
    signal.signal(signal.SIGTERM, _leave)
    try:
        with tempfile.TemporaryDirectory(prefix="s2-") as place:
            _settle(job, place)
            _papermill(job)
        word = {"kind": "", "message": ""}
    except BaseException as error:  # whatever it is, the parent has to hear of it
        word = _word(error, job)
    mouth.send(word)
    mouth.close()


def _leave(number: int, _: Any) -> NoReturn:
    """Asked to end: unwind, so that the kernel is ended first; once is enough."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _settle(job: Job, place: str) -> None:
    """The surroundings of the kernel: its own folders, its words in a file."""
    os.environ["JUPYTER_RUNTIME_DIR"] = place
    os.environ["IPYTHONDIR"] = str(Path(place) / "ipython")
    if job.progress is not None:
        from skills2_nb.evals.progress import VARIABLE

        os.environ[VARIABLE] = str(job.progress)
    log = os.open(job.folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)


def _papermill(job: Job) -> None:
    import papermill

    papermill.execute_notebook(
        str(job.notebook),
        str(job.folder / _UNDERWAY),
        parameters=dict(job.parameters),
        kernel_name="python3",
        language="python",
        progress_bar=False,
        execution_timeout=job.timeout,
        kernel_manager_class=_manager(job.python),
        shutdown_kernel="immediate",
        extra_arguments=[
            "--InteractiveShell.system_raise_on_error=True",  # else `!false` goes by unseen
            "--HistoryManager.enabled=False",
        ],
    )


@functools.cache
def _manager(python: str) -> Any:
    """A manager whose kernels are those of an interpreter, spoken to without ports on Linux."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]

    class Own(AsyncKernelManager):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings, **_spoken_to())

        @property
        def kernel_spec(self) -> Any:
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

    return Own


def _spoken_to() -> dict[str, str]:
    """Sockets by name in the process's own folder, where a path may be long enough for that.

    Ports are given out before they are bound, so that two processes may be given the same one.
    """
    place = os.environ["JUPYTER_RUNTIME_DIR"]
    file = {"connection_file": f"{place}/kernel.json"}
    if not _IS_LINUX or len(place) > _LONGEST:
        return file
    return {**file, "transport": "ipc", "ip": f"{place}/kernel"}


def _word(error: BaseException, job: Job) -> dict[str, str]:
    kind, message = type(error).__name__, " ".join(str(error).split())
    if isinstance(error, OSError) and error.errno:  # nbclient's own time-out is one without
        place = Path(str(error.filename)) if error.filename else job.folder
        return {"kind": "OSError", "message": str(cannot_write(place, error))}
    if kind == "RuntimeError" and "Kernel d" in message:  # it "died before replying", or "didn't"
        return {"kind": "KernelNotStarted", "message": f"{message} ({_last_words(job)})"}
    return {"kind": kind, "message": message}


def _last_words(job: Job) -> str:
    """The last line that the kernel wrote, which says why it did not start."""
    with contextlib.suppress(OSError):
        lines = (job.folder / LOG).read_text("utf-8", "replace").split("\n")
        told = [line.strip() for line in lines if line.strip()]
        if told:
            return told[-1][:200]
    return f"{job.python} said nothing"


def _put_away(job: Job) -> Mapping[str, Any] | None:
    """Give the executed notebook its name and read it; a torn one is removed."""
    part, log = job.folder / _UNDERWAY, job.folder / LOG
    with contextlib.suppress(OSError):
        if not log.stat().st_size:
            log.unlink()
    try:
        raw: Mapping[str, Any] = json.loads(part.read_bytes())
        part.replace(job.folder / NOTEBOOK)
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            part.unlink()
        return None
    return raw


def _stop(processes: Sequence[Any]) -> None:
    """End our own processes; each ends its kernel first, and who does not is killed."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE)
        if process.is_alive():
            process.kill()
            process.join()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@functools.cache
def _warm() -> None:
    """Import here, once, what every process would import again."""
    import papermill.execute  # noqa: F401
