"""A zip of which every byte follows from the files in it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

#: The earliest time that a zip can tell.
_TIME = (1980, 1, 1, 0, 0, 0)
_PLAIN, _RUNS = 0o100644, 0o100755
_UNIX = 3


def archive(files: Mapping[str, bytes], top: str) -> bytes:
    """The files below one folder: sorted, with one time, one owner and fixed modes.

    They are stored, not deflated: libraries that deflate differ from machine to machine, and the
    same skill has to give the same bytes on each.

    Args:
        top: the folder's name.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{path}", _TIME)
            entry.create_system = _UNIX
            runs = files[path].startswith(b"#!")
            entry.external_attr = (_RUNS if runs else _PLAIN) << 16
            out.writestr(entry, files[path])
    return made.getvalue()


def is_ours(data: bytes, top: str) -> bool:
    """Whether bytes are a zip that :func:`archive` made of a skill of that name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as there:
            entries = there.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False
    names = {entry.filename for entry in entries}
    return f"{top}/SKILL.md" in names and all(entry.date_time == _TIME for entry in entries)
