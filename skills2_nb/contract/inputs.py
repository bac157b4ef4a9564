"""The values a run starts from, made fit to record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import plain


def run_inputs(given: Mapping[str, Any] | None, folders: Iterable[Path] = ()) -> dict[str, Any]:
    """Run inputs as plain values; a relative path to a file that exists is made absolute.

    Args:
        given: the inputs by name.
        folders: where a relative path is sought, in order: the caller's folder, the package.
    """
    places = [Path(folder) for folder in folders]
    return {name: _located(name, plain(item), places) for name, item in (given or {}).items()}


def _located(name: str, value: Any, folders: list[Path]) -> Any:
    if not isinstance(value, str) or not _may_be_path(name, value):
        return value
    for folder in folders:
        place = folder / value
        if place.is_file():
            return place.resolve().as_posix()
    return value


def _may_be_path(name: str, value: str) -> bool:
    """Text that names a file: by the input's name, or by a separator or an ending of its own."""
    if "\n" in value or "\0" in value or not 0 < len(value) < 1024:
        return False
    named = name in ("path", "file") or name.endswith(("_path", "_file"))
    return named or "/" in value or bool(Path(value).suffix)
