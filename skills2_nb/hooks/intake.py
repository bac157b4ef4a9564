"""A pipe that is read under a cap and a deadline.

A client may send nothing, may never close its end, and may send more than a pipe holds. So a read
never blocks: where nothing is there yet, a nap is taken. A thread that reads would cost a busy
machine two switches, and what was sent is there before the interpreter is.
"""

import time

from skills2_nb.hooks.system import calls

PIECE = 1 << 16
#: So many are taken after all that is wanted: some programs write without end.
MOST_PIECES = 1024
#: Seconds between two looks, at first and at most.
NAP, LONGEST_NAP = 0.0005, 0.01


class Intake:
    """What has come through a pipe so far.

    Attributes:
        ended: whether the other end was closed, or the pipe cannot be read.
        size: how many bytes came; those beyond the cap are read and dropped.
    """

    __slots__ = ("_fd", "_most", "_pieces", "ended", "size")

    def __init__(self, fd: int, most: int) -> None:
        self._fd, self._most, self._pieces = fd, most, [b""]
        self.ended, self.size = False, 0
        try:
            calls.set_blocking(fd, False)
        except (AttributeError, OSError):
            return  # then a read waits, and so does whoever wants to read

    def wait(self, seconds: float) -> bool:
        """Wait for a piece more, or for the end; whether either came in that time."""
        limit, nap = time.monotonic() + seconds, NAP
        while not self._take():
            if time.monotonic() >= limit:
                return False
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP)
        return True

    def _take(self) -> bool:
        try:
            piece = calls.read(self._fd, PIECE)
        except BlockingIOError:
            return False
        except OSError:
            piece = b""
        self.size += len(piece)
        self.ended = not piece
        if piece and self.size <= self._most:
            self._pieces.append(piece)
        return True

    @property
    def is_whole(self) -> bool:
        """Whether nothing was dropped."""
        return self.size <= self._most

    @property
    def is_braced(self) -> bool:
        """Whether the newest piece ends as an object does."""
        return self._pieces[-1][-64:].rstrip().endswith(b"}")

    def data(self) -> bytes:
        """The bytes so far."""
        self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    def drain(self) -> None:
        """Take what else is there, so nobody writes to a shut pipe, and leave it as it was."""
        try:
            for _ in range(MOST_PIECES):
                if self.ended or not self._take():
                    break
            calls.set_blocking(self._fd, True)
        except (AttributeError, OSError):
            return


def all_of(fd: int, most: int, seconds: float) -> "bytes | None":
    """All bytes up to the end of a pipe; None where it did not end in time, or sent too much."""
    intake, limit = Intake(fd, most), time.monotonic() + seconds
    while not intake.ended:
        if not intake.wait(limit - time.monotonic()):
            return None
    return intake.data() if intake.is_whole else None
