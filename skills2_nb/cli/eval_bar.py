"""A line on the terminal: how far each skill is."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from types import TracebackType

import click

from skills2_nb.evals.progress import newest
from skills2_nb.evals.suite import Job

_ERASE = "\r\x1b[K"
#: Columns where the terminal does not say.
_PLAIN = 80


class Bar:
    """One line on stderr while skills are evaluated; silent where stderr is no terminal.

    Args:
        jobs: what is executed.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._open = {job.name: job for job in jobs}
        self._count = len(jobs)
        self._said = ""
        self._is_seen = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._said:
            click.echo(_ERASE, err=True, nl=False)

    def ended(self, job: Job) -> None:
        """A skill is done."""
        self._open.pop(job.name, None)

    def line(self) -> str:
        """``2/5 done; growth-accounting 4/13, cohort-retention stubs``."""
        parts = [
            f"{job.name} {at}"
            for job in self._open.values()
            if job.progress is not None and (at := newest(job.progress))
        ]
        return "; ".join(
            [
                f"{self._count - len(self._open)}/{self._count} done",
                *filter(None, [", ".join(parts)]),
            ]
        )

    def tell(self) -> None:
        """Write the line again where it has changed."""
        if not self._is_seen:
            return
        line = self.line()
        if line != self._said:
            click.echo(f"{_ERASE}{line[: _columns() - 1]}", err=True, nl=False)
            self._said = line


def _columns() -> int:
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or _PLAIN
    return _PLAIN
