"""What went wrong in a hook: one line a fault.

A fault is told with its kind, its place in the code and, of the system's own, what it says: never
with a word of a prompt or an answer.
"""

import time

from skills2_nb.hooks.system import PLAIN, PRIVATE_FILE, calls, make_folder, read, replace

NAME = "hooks.log"
#: A longer log is cut to its newest half.
MOST_BYTES = 256 * 1024


def fault(home: str, doing: str, error: BaseException) -> None:
    """Append a line; where even that fails there is nobody to tell.

    Args:
        home: the folder of the log.
        doing: the event, or the part of the work.
        error: what was raised.
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {doing}: {told(error)} ({place(error)})\n"
    try:
        make_folder(home)
        append(f"{home}/{NAME}", line.encode("ascii", "backslashreplace"))
    except (OSError, ValueError):
        return


def append(path: str, line: bytes) -> None:
    """Add a line to a log that does not grow beyond its bound.

    Raises:
        OSError: it cannot be written.
    """
    fd = calls.open(path, calls.O_WRONLY | calls.O_CREAT | calls.O_APPEND | PLAIN, PRIVATE_FILE)
    try:
        full = calls.fstat(fd).st_size + len(line) > MOST_BYTES
        if not full:
            calls.write(fd, line)
    finally:
        calls.close(fd)
    if full:
        kept = read(path, 2 * MOST_BYTES)[-MOST_BYTES // 2 :].partition(b"\n")[2]
        replace(path, kept + line)


def told(error: BaseException) -> str:
    """The kind of an error; of the system's, its words and the file too."""
    kind = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        named = f" {error.filename}" if isinstance(error.filename, str) else ""
        return f"{kind}: {error.strerror}{named}".replace("\n", " ")
    if isinstance(error, ImportError):
        return f"{kind}: {error.name}"
    return kind


def place(error: BaseException) -> str:
    """File and line of ours where an error came up."""
    trace, found = error.__traceback__, "nowhere"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        found = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
