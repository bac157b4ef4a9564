"""Same files, same zip."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.convert.bundle_zip import archive, is_ours

FILES = {"b/größe.txt": b"x", "SKILL.md": b"# A\n", "scripts/run.sh": b"#!/bin/sh\n"}


def test_entries_are_sorted_with_one_time_and_fixed_modes() -> None:
    with zipfile.ZipFile(io.BytesIO(archive(FILES, "a"))) as there:
        entries = there.infolist()
        assert there.testzip() is None
    assert [entry.filename for entry in entries] == [f"a/{path}" for path in sorted(FILES)]
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    modes = {entry.filename: entry.external_attr >> 16 for entry in entries}
    assert modes == {
        "a/SKILL.md": 0o100644,
        "a/b/größe.txt": 0o100644,
        "a/scripts/run.sh": 0o100755,
    }
    assert all(entry.create_system == 3 and not entry.is_dir() for entry in entries)


@given(st.dictionaries(st.sampled_from(["a", "b/c", "ä", "d.py"]), st.binary(max_size=50)))
def test_the_order_of_the_files_changes_nothing(files: dict[str, bytes]) -> None:
    turned = dict(reversed(list(files.items())))
    data = archive(files, "x")
    assert data == archive(turned, "x")
    with zipfile.ZipFile(io.BytesIO(data)) as there:
        assert {n.removeprefix("x/"): there.read(n) for n in there.namelist()} == files


def other_time() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        out.writestr("a/SKILL.md", "x")
    return made.getvalue()


OTHERS = [b"", b"PK", b"text", other_time(), archive({"x": b""}, "a"), archive(FILES, "b")]


@pytest.mark.parametrize("data", OTHERS)
def test_what_others_made_is_known(data: bytes) -> None:
    assert not is_ours(data, "a")
    assert is_ours(archive(FILES, "a"), "a")
