"""The numbers of a package's code, by its text."""

from pathlib import Path

import pytest

from skills2_nb.audit.constants import constants_in, constants_of


def test_the_constants_of_a_module() -> None:
    assert constants_of(f"LIMIT = 1.5\nx = [-3, 'text', 1j, True, {10**400}]\n") == (1.5, 3.0)


CODE = [
    (b"LIMIT = 4\nraise SystemExit(7)\n", (4.0, 7.0)),  # read, not run
    (b"LIMIT = \n", ()),
    (b"\xff\xfe", ()),
    (b"x = " + b"(" * 5_000 + b")" * 5_000, ()),
    (b"x = " + b"-" * 100_000 + b"1", ()),
]


@pytest.mark.parametrize(("code", "found"), CODE)
def test_the_constants_of_a_package(code: bytes, found: tuple[float, ...], tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "skill.py").write_bytes(code)
    assert constants_in(tmp_path) == found


def test_a_package_without_code(tmp_path: Path) -> None:
    assert constants_in(tmp_path) == ()
