"""A desk, and packages whose steps behave as badly as steps can."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from skills2_nb.library.catalog import Catalog
from skills2_nb.serve.desk import Desk
from skills2_nb.serve.pool import Pool
from skills2_nb.serve.replies import Reply
from skills2_nb.serve.sessions import Session
from skills2_nb.serve.surface import once
from tests.serve.packages import SUMS, write_package

T = TypeVar("T")


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """The folder that packages are written to."""
    return tmp_path / "skills"


@pytest.fixture
def package(skills: Path) -> Callable[..., Path]:
    """Write a package: `package("sums", SUMS, runtime="timeout = 1")`."""

    def make(name: str, code: str = SUMS, **settings: Any) -> Path:
        return write_package(skills, name, code, **settings)

    return make


async def no_audit(run: str, folder: Path) -> dict[str, Any]:
    raise AssertionError("nobody asked for an audit")


class Counter:
    """A desk that a test calls as a client of one session does."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.catalog = Catalog([root])
        self.pool = Pool()
        self.said: list[str] = []
        settings = {"judge": no_audit, "say": once(self.said.append), **settings}
        self.desk = Desk(self.catalog, self.pool, **settings)

    async def call(
        self, skill: str, verb: str, session: str | None = "one", **arguments: Any
    ) -> Reply:
        return await self.desk.answer(skill, verb, arguments, Session(session, "bridge"))


@pytest.fixture
def counter(skills: Path) -> Callable[..., Counter]:
    """A desk over the packages written so far."""
    return lambda **settings: Counter(skills, **settings)


@pytest.fixture
def with_counter(counter: Callable[..., Counter]) -> Iterator[Callable[..., Any]]:
    """`with_counter(work)`: `await work(counter)` in a loop, and every worker ended after."""

    def run(work: Callable[[Counter], Awaitable[T]], **settings: Any) -> T:
        async def whole() -> T:
            made = counter(**settings)
            try:
                return await work(made)
            finally:
                await made.pool.close()

        return asyncio.run(whole())

    yield run
