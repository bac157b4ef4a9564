"""Pull: edits of a package back into its notebook."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skills2_nb.contract import home
from skills2_nb.convert import cases_back, cells_back, files_back, manifest_back, prose_back
from skills2_nb.convert.back import Back, Choices, Conflict, Left
from skills2_nb.convert.board import Board, Slot
from skills2_nb.convert.exporter import Export, export, maker
from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.module import header, made_from
from skills2_nb.convert.plan import SKILL, Plan, plan
from skills2_nb.errors import RefusedError, Skills2Error, UnreadableError, UsageError
from skills2_nb.formats.files import cannot_write, over_lf, read_bytes, sha256, write_atomic
from skills2_nb.formats.notebook import parse_notebook
from skills2_nb.formats.package import LOCK, OTHERS, listing, parse_lock
from skills2_nb.formats.paths import clashes, is_safe_path, shown
from skills2_nb.formats.problem import Problem

_BOM = "\ufeff".encode()
_FOLDERS = ("references/", "scripts/", "assets/")
#: Files that cells hold even where no export has written them yet.
_HELD = (SKILL, cases_back.CASES)
_GENERATED = {
    "schemas.json": "edit the annotations in runtime/skill.py",
    "runtime/__init__.py": "edit runtime/skill.py",
    "runtime/steps.py": "edit runtime/skill.py",
    "runtime/validators.py": "edit runtime/skill.py",
    "runtime/models.py": "edit runtime/skill.py",
}


@dataclass(frozen=True)
class Pull:
    """What a pull would do; :func:`carry_out` does it.

    Attributes:
        folder: the package.
        notebook: its notebook.
        name: the skill's name.
        edited: files of the package that are neither what export wrote nor what it would write.
        carried: those of them whose edits go back.
        slots: the cells that change, in the order they will stand.
        writes: files of the notebook's folder that change, by relative path.
        conflicts: parts that differ on both sides and are to be decided.
        left: edits that no cell can hold.
        extra: files of the package that no export wrote; ``files`` takes them along.
        before: the notebook's bytes as they are.
        after: the notebook's bytes as they will be.
        plan: what the new notebook makes.
        seen: the package's files that were looked at, text over LF.
    """

    folder: Path
    notebook: Path
    name: str
    edited: tuple[str, ...]
    carried: tuple[str, ...]
    slots: tuple[Slot, ...]
    writes: Mapping[str, bytes]
    conflicts: tuple[Conflict, ...]
    left: tuple[Left, ...]
    extra: tuple[str, ...]
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    plan: Plan = field(repr=False)
    seen: Mapping[str, bytes] = field(repr=False)

    @property
    def changes(self) -> bool:
        """Whether the notebook or its folder will change."""
        return self.before != self.after or bool(self.writes)

    @property
    def is_clean(self) -> bool:
        """Whether the package holds no edit that the notebook lacks."""
        return not (self.edited or self.conflicts or self.left)

    @property
    def refreshes(self) -> bool:
        """Whether the package can be written anew without losing an edit."""
        stays = self.left or self.plan.blocking or self.plan.name != self.folder.name
        return bool(self.edited or self.writes) and not stays

    @property
    def findings(self) -> tuple[Problem, ...]:
        """What ``lint`` will say of the notebook, notes aside."""
        return tuple(problem for problem in self.plan.problems if problem.level != "note")


def look(
    folder: Path, notebook: Path, sides: Choices | None = None, *, files: bool = False
) -> Pull:
    """See what of a package's edits goes back into its notebook, and how; nothing is written.

    Nothing is run either. A file counts as edited if it is neither what its lock says nor what
    the notebook makes now.

    Args:
        folder: the package, with its export.lock.
        notebook: the notebook it was made from.
        sides: what the user decided about conflicts.
        files: whether files that no export wrote go into the notebook's folder.

    Raises:
        UnreadableError: the notebook is none, or of another nbformat than 4.
        UsageError: the package was made from another notebook, or ``sides`` names no conflict.
        RefusedError: an edit is of a kind that no cell gives back as it is.
    """
    before = read_bytes(notebook)
    now = _plan(before, notebook)
    if now.notebook.raw.get("nbformat") != 4:
        raise UnreadableError(f"{notebook} is of nbformat 3; save it in Jupyter, then pull.")
    said = maker(folder)
    if now.name != folder.name and said and said != made_from(f"{header(now.notebook.name)}\n"):
        raise UsageError(
            f"{notebook} makes the skill {now.name!r}, and {folder} was made from {said}; name "
            "that one with --notebook FILE"
        )
    there = _there(folder)
    lock = parse_lock(_text(folder / LOCK))
    back = Back(now, Board(now), there, lock, sides or Choices())
    edited = tuple(_edited(back))
    _carry(back, edited, folder, before)
    known = {*lock, *now.files, *edited}
    extra = tuple(path for path in there if path not in known)
    if files:
        back.writes |= {path: read_bytes(folder / path) for path in _takeable(back, extra)}
    unknown = set(back.sides.by_label) - back.used
    if unknown:
        raise UsageError(
            f"--take names {', '.join(sorted(unknown))}, and there is no such conflict; "
            f"there is {', '.join(conflict.label for conflict in back.conflicts) or 'none at all'}"
        )
    return _pull(folder, notebook, back, edited, extra, before)


@dataclass(frozen=True)
class Done:
    """What a pull did.

    Attributes:
        export: what was written of the package; None where it stays as it is.
        backup: the notebook as it was; None where it did not change.
    """

    export: Export | None
    backup: Path | None


def carry_out(pull: Pull) -> Done:
    """Write the notebook and its folder, then the package anew; nothing is run.

    The package is written only where no edit is left in it that the notebook lacks, and the
    notebook has no error that stops an export. ``schemas.json`` then goes if the code changed.

    Raises:
        RefusedError: there are conflicts, or notebook or package changed in the meantime.
        SetupError: a place is not writable or the disk is full; the notebook and its folder are as
            before.
    """
    if pull.conflicts:
        raise RefusedError(
            f"{pull.notebook.name}: {len(pull.conflicts)} conflicts are to be decided; nothing was "
            "written. Say --take package or --take notebook."
        )
    backup = _backup(pull) if pull.after != pull.before else None
    with _or_as_before(pull):
        for path, data in pull.writes.items():
            _write(folder_of(pull.notebook) / path, data)
        if pull.after != pull.before:
            write_atomic(pull.notebook, pull.after, last=lambda: _still(pull))
        if not pull.refreshes:
            return Done(None, backup)
        if _there(pull.folder) != pull.seen:
            raise RefusedError(
                f"{pull.folder} was edited in the meantime; nothing was changed. Pull again."
            )
        return Done(export(pull.notebook, pull.folder.parent, verify=False, force=True), backup)


def _write(target: Path, data: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(target.parent, error) from None
    write_atomic(target, data)


@contextlib.contextmanager
def _or_as_before(pull: Pull) -> Iterator[None]:
    """The notebook, its folder and the package, or none of them: what fails takes all back."""
    places = [folder_of(pull.notebook) / path for path in pull.writes]
    before = {place: read_bytes(place) if os.path.lexists(place) else None for place in places}
    try:
        yield
    except BaseException:  # an interrupt too
        with contextlib.suppress(OSError, Skills2Error):
            if pull.after != pull.before and read_bytes(pull.notebook) == pull.after:
                write_atomic(pull.notebook, pull.before)
        for place, data in before.items():
            with contextlib.suppress(OSError, Skills2Error):
                place.unlink(missing_ok=True) if data is None else write_atomic(place, data)
        raise


def _backup(pull: Pull) -> Path:
    """Keep the notebook as it is: one copy a notebook, in the home of the runs."""
    whose = sha256(str(pull.notebook.resolve()).encode())[:8]
    try:
        path = home.folder("before-pull") / f"{pull.notebook.stem}-{whose}.ipynb"
    except OSError as error:
        raise cannot_write(home.home(), error) from None
    write_atomic(path, pull.before, mode=home.PRIVATE_FILE)
    return path


def _still(pull: Pull) -> None:
    """Refuse where somebody wrote the notebook since it was read."""
    if read_bytes(pull.notebook) != pull.before:
        raise RefusedError(
            f"{pull.notebook} was saved in the meantime; it was not changed. Pull again."
        )


def _listed(folder: Path) -> list[str]:
    """The package's own files; what a link leads to is none of them."""
    here = (path for path in listing(folder) if path not in OTHERS)
    return [path for path in here if not (folder / path).is_symlink()]


def _there(folder: Path) -> dict[str, bytes]:
    """The package's own files, text over LF."""
    return {path: over_lf(read_bytes(folder / path)) for path in _listed(folder)}


def _text(path: Path) -> str:
    return over_lf(read_bytes(path)).decode("utf-8", errors="replace")


def _plan(data: bytes, notebook: Path, more: Mapping[str, bytes] | None = None) -> Plan:
    files, problems = read_folder(folder_of(notebook))
    return plan(parse_notebook(data, notebook), {**files, **(more or {})}, problems)


def _edited(back: Back) -> Iterator[str]:
    """Files that are neither what export wrote nor what it would write."""
    for path, data in back.there.items():
        ours = back.plan.files.get(path)
        known = path in back.lock or path in _HELD
        if (
            (known or ours is not None)
            and not back.is_base(path, data)
            and data != over_lf(ours or b"")
        ):
            yield path
    for path in sorted(back.lock):
        if path not in back.there and path in back.plan.files:
            yield path


def _carry(back: Back, edited: tuple[str, ...], folder: Path, before: bytes) -> None:
    """Hand each edited file to what can put it back."""
    local = read_folder(folder_of(back.plan.notebook.path))[0]
    steps = back.plan.steps
    if SKILL in edited and SKILL in back.there and not _is_blank(back, SKILL):
        cells_back.carry(back)
        steps = _plan(_data(back, before), back.plan.notebook.path).steps
    for path in edited:
        if _is_gone(back, path):
            continue
        if path == prose_back.PROSE:
            prose_back.carry(back, read_bytes(folder / path))
        elif path == cases_back.CASES:
            cases_back.carry(back, steps)
        elif path == manifest_back.MANIFEST:
            manifest_back.carry(back)
        elif path in _GENERATED:
            back.leave(path, "it is generated", _GENERATED[path])
        elif path != SKILL and path in back.plan.files:
            files_back.carry(back, path, local, read_bytes(folder / path))
        elif path != SKILL:
            back.leave(path, "the notebook no longer makes it", "delete it, if it is not wanted")


def _is_gone(back: Back, path: str) -> bool:
    """Whether a file, or all that it said of cells, is gone; noted where it is."""
    if path not in back.there:
        back.leave(path, "it is gone from the package, and export writes it again",
                   "take it out of the notebook or its folder")  # fmt: skip
    elif path in (SKILL, prose_back.PROSE) and _is_blank(back, path):
        back.leave(path, "nothing is left in it, and every cell of it would be skipped",
                   "put its text back, or tag the cells `skip` in the notebook")  # fmt: skip
    else:
        return False
    return True


def _is_blank(back: Back, path: str) -> bool:
    """Whether an edit emptied a file, which says nothing of any cell."""
    return not back.there[path].strip(b" \t\n\xef\xbb\xbf")


def _takeable(back: Back, extra: tuple[str, ...]) -> list[str]:
    """New files that the notebook's folder can have; the others are noted."""
    made: list[str] = []
    for path in (path for path in extra if path.startswith(_FOLDERS)):
        if is_safe_path(path) and not list(clashes({*back.plan.files, *made, path})):
            made.append(path)
        else:
            back.leave(shown(path), "not every system can have a file of that name beside the "
                       "others", "give it another name")  # fmt: skip
    return made


def _data(back: Back, before: bytes) -> bytes:
    """The notebook's new bytes."""
    return (_BOM if before.startswith(_BOM) else b"") + back.board.text().encode("utf-8")


def _pull(
    folder: Path,
    notebook: Path,
    back: Back,
    edited: tuple[str, ...],
    extra: tuple[str, ...],
    before: bytes,
) -> Pull:
    after = _data(back, before) if back.board.changed else before
    later = _plan(after, notebook, back.writes)
    lacking = [said for promise in back.promises if (said := promise(later))]
    if lacking and not back.conflicts:
        raise RefusedError(
            f"{lacking[0]}: exported again, the notebook would say something else; nothing was "
            "written. Make that edit in the notebook."
        )
    return Pull(
        folder=folder,
        notebook=notebook,
        name=back.plan.name,
        edited=edited,
        carried=tuple(back.carried),
        slots=back.board.changed,
        writes=dict(sorted(back.writes.items())),
        conflicts=tuple(back.conflicts),
        left=tuple(back.left),
        extra=extra,
        before=before,
        after=after,
        plan=later,
        seen=back.there,
    )
