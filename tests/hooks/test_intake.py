"""Pipes that say little, much, or nothing, and never end."""

import os
import threading
import time
from collections.abc import Iterator

import pytest

from skills2_nb.hooks.intake import Intake, all_of

MANY = 10_000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            continue


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_000])
def test_all_that_comes_is_had(pipe: tuple[int, int], size: int) -> None:
    def write() -> None:
        with os.fdopen(pipe[1], "wb") as file:
            file.write(b"x" * size)

    thread = threading.Thread(target=write)
    thread.start()
    assert all_of(pipe[0], 2_000_000, 30) == b"x" * size
    thread.join()


def test_too_much_is_read_and_dropped(pipe: tuple[int, int]) -> None:
    def write() -> None:
        with os.fdopen(pipe[1], "wb") as file:
            for _ in range(MANY):
                file.write(b"x" * 100)

    thread = threading.Thread(target=write)
    thread.start()
    intake = Intake(pipe[0], 1000)
    while not intake.ended:
        assert intake.wait(30)
    thread.join()
    assert (intake.size, intake.is_whole) == (100 * MANY, False)
    assert len(intake.data()) <= 1000


def test_no_end_is_not_waited_for(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"half")
    began = time.monotonic()
    assert all_of(pipe[0], 1000, 0.05) is None
    assert time.monotonic() - began < 20


def test_a_pipe_that_is_none_is_at_its_end() -> None:
    assert all_of(10_000, 1000, 5) == b""
