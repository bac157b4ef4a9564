"""The values a run starts from, made fit to record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.canonical import plain
from skills2_nb.contract.spec import Parameter


def run_inputs(given: Mapping[str, Any] | None, folders: Iterable[Path] = ()) -> dict[str, Any]:
    """Run inputs as plain values; a relative path to a file that exists is made absolute.

    Args:
        given: the inputs by name.
        folders: where a relative path is sought, in order: the caller's folder, the package.
    """
    places = [Path(folder) for folder in folders]
    return {name: _located(name, plain(item), places) for name, item in (given or {}).items()}


def typed(texts: Mapping[str, str], parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Inputs given as text, as a command line gives them, in the type that a step wants.

    Text is read as JSON where it is JSON, unless a parameter of that name takes the text and not
    the JSON value: ``period=1997`` stays text for ``period: str``.

    Args:
        texts: the texts by name.
        parameters: of every step.
    """
    by_name: dict[str, list[Parameter]] = {}
    for parameter in parameters:
        by_name.setdefault(parameter.name, []).append(parameter)
    return {name: _read(text, by_name.get(name, [])) for name, text in texts.items()}


def _read(text: str, parameters: list[Parameter]) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    wants_text = any(p.fits(text) and not p.fits(value) for p in parameters)
    return text if wants_text else value


def _refuse(word: str) -> Any:
    """``NaN`` and ``Infinity`` on a command line are words, as in a name."""
    raise ValueError(word)


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
