"""What has to be in order on a machine."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from skills2_nb.cli.guard import install_line
from skills2_nb.contract.home import folder, home
from skills2_nb.contract.loader import load
from skills2_nb.contract.lock import locked
from skills2_nb.convert.exporter import default_folder, export, maker
from skills2_nb.errors import Skills2Error
from skills2_nb.formats.manifest import read_manifest
from skills2_nb.library.catalog import Catalog
from skills2_nb.library.discovery import is_package, listed, places
from skills2_nb.serve.surface import Surface

Status = Literal["ok", "note", "warning", "bad"]
OLDEST = (3, 11)
#: Free bytes below which a run with tables may not fit.
ROOM = 100_000_000
#: Distribution and module of what the kit cannot do without.
BASE = {
    "click": "click",
    "pydantic": "pydantic",
    "pyyaml": "yaml",
    "tomli-w": "tomli_w",
    "fastmcp": "fastmcp",
}
#: Distribution and module of what extras bring.
EXTRAS = {"jupyterlab": "jupyterlab", "nbconvert": "nbconvert", "pandas": "pandas"}
_NETWORK = ("nfs", "cifs", "smb", "sshfs", "afs", "9p", "ceph", "lustre", "glusterfs", "webdav")


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        check: what was looked at, in a word or two.
        status: ``bad`` is the only one that fails the checkup.
        message: what was seen, one sentence.
        mend: what to do about it; empty where nothing is to do.
    """

    check: str
    status: Status
    message: str
    mend: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        return asdict(self)


def checkup(cwd: Path) -> Iterator[Finding]:
    """Look at everything, one finding after the other; whatever goes wrong is a finding."""
    yield _python()
    yield from _libraries()
    yield from _home()
    yield from _skills(cwd)
    yield from _surface(cwd)
    yield from _exports(cwd)


def filesystem(path: Path, mounts: str) -> str:
    """The type of the file system a path lies on.

    Args:
        path: absolute.
        mounts: lines ``device place type ...``, as Linux lists them.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        _, place, found, *_ = [*line.split(), "", "", ""]
        place = place.replace("\\040", " ")
        if place and path.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, found
    return kind


def _python() -> Finding:
    said = f"Python {'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}"
    if sys.version_info[:2] >= OLDEST:
        return Finding("Python", "ok", said)
    return Finding("Python", "bad", said, "install Python 3.11 or later")


def _libraries() -> Iterator[Finding]:
    here = [f"{name} {_version(name)}" for name in ("skills2-nb", *BASE) if _version(name)]
    yield Finding("libraries", "ok", ", ".join(here))
    for name, module in BASE.items():
        if find_spec(module) is None:
            yield Finding("libraries", "bad", f"{name} is missing", install_line(module))
    there = [f"{name} {_version(name)}" for name in EXTRAS if _version(name)]
    absent = [name for name, module in EXTRAS.items() if find_spec(module) is None]
    if there:
        yield Finding("extras", "ok", ", ".join(there))
    if absent:
        said = f"{', '.join(absent)} not installed: for notebooks and tables"
        yield Finding("extras", "note", said, install_line(EXTRAS[absent[0]]))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _home() -> Iterator[Finding]:
    try:
        place = folder()
        with tempfile.NamedTemporaryFile(dir=place, prefix=".doctor-") as file:
            file.write(b"x")
            file.flush()
            yield Finding("home", "ok", f"{place} can be written")
            yield _locks(file.fileno())
        yield from _room(place)
    except OSError as error:
        yield Finding(
            "home",
            "bad",
            f"{home()} cannot be written: {error.strerror or error}",
            "change its permissions, or set SKILLS2_HOME to another folder",
        )


def _locks(fd: int) -> Finding:
    try:
        with locked(fd):
            return Finding("locks", "ok", "files there can be locked")
    except OSError as error:
        return Finding(
            "locks",
            "bad",
            f"files there cannot be locked: {error.strerror or error}",
            "set SKILLS2_HOME to a folder on a local disk",
        )


def _room(place: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(place).free
    if free < ROOM:
        said = f"{free // 1_000_000} MB are free at {place}"
        yield Finding("home", "warning", said, "free some space, or: skills2 runs prune --keep 100")
    mounts = Path("/proc/mounts")
    kind = filesystem(place.resolve(), mounts.read_text()) if mounts.is_file() else ""
    if any(word in kind for word in _NETWORK):
        yield Finding(
            "home",
            "warning",
            f"{place} lies on a network file system ({kind}), where locks may not hold",
            "set SKILLS2_HOME to a folder on a local disk",
        )


def _skills(cwd: Path) -> Iterator[Finding]:
    found = listed(cwd)
    if not found:
        yield Finding("skills", "note", "none found from here", "skills2 new weekly-numbers")
    for target in found:
        yield _tried(target.name, target.path)


def _tried(name: str, path: Path) -> Finding:
    try:
        if not read_manifest(path).steps:
            return Finding(f"skill {name}", "ok", "prose alone, no steps")
        return Finding(f"skill {name}", "ok", f"loads, {len(load(path).steps)} steps")
    except Skills2Error as error:
        missing = error.__cause__
        if isinstance(missing, ModuleNotFoundError) and missing.name:
            return Finding(f"skill {name}", "bad", error.message, install_line(missing.name))
        return Finding(f"skill {name}", "bad", error.message, "export its notebook again")
    except Exception as error:
        return Finding(f"skill {name}", "bad", f"does not load: {error}", "look at its code")


def _surface(cwd: Path) -> Iterator[Finding]:
    """What the tools of the skills found from here take of a model's context."""
    catalog = Catalog(places(cwd))
    if not catalog.cards:
        return
    surface = Surface(catalog, lazy=False, scripts=False, say=lambda sentence: None)
    surface.change(set())
    said = f"`skills2 serve` lists {len(surface.listed)} tools"
    if surface.lazy:
        said += ", which stand for all steps"
    tokens = f"{surface.tokens:,}"
    yield Finding("MCP tools", "note", f"{said}: about {tokens} tokens (characters / 4)")


def _exports(cwd: Path) -> Iterator[Finding]:
    """Notebooks whose package is there and not what they would export to now."""
    for path in [*sorted((cwd / "notebooks").glob("*.ipynb")), *sorted(cwd.glob("*.ipynb"))]:
        shown, check = path.relative_to(cwd).as_posix(), f"export {path.stem}"
        try:
            done = export(path, check=True)
        except Skills2Error as error:
            if path.parent != cwd or is_package(default_folder(path) / path.stem):
                yield Finding(check, "warning", error.message, f"skills2 lint {shown}")
            continue
        if maker(done.folder) not in ("", path.name):
            continue  # another notebook's package: exporting this one is no mend of it
        if done.is_current:
            yield Finding(check, "ok", "the package is what the notebook makes")
        elif is_package(done.folder):
            said = "the package is not what the notebook makes"
            yield Finding(check, "warning", said, f"skills2 export {shown}")
