"""References, scripts and assets back where they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skills2_nb.convert.back import Back
from skills2_nb.convert.plan import Plan
from skills2_nb.convert.prose_back import restored
from skills2_nb.convert.shelf import Shelf
from skills2_nb.formats.roles import Assignment


def carry(back: Back, path: str, folder: Mapping[str, bytes], raw: bytes) -> None:
    """Put an edited file into the cell or the file it came from.

    Args:
        folder: the files of the notebook's folder, by relative path.
        raw: the edited file as it lies on the disk; where ours has carriage returns, they stay.
    """
    data = back.there[path]
    cells = [
        a
        for a in back.plan.assignments
        if a.role.has_file and f"{a.role.feeds}{a.target}" == path and a.text
    ]
    if not cells and path not in folder:
        back.leave(path, "it is an image attached to a cell", "paste the new image into that cell")
        return
    if back.both_moved(path):
        ours = back.plan.files.get(path)
        verdict = back.settle("conflict", path, path, _shown(ours), _shown(data))
        if verdict != "take":
            back.carried.append(path)
            return
    if not cells:
        back.writes[path] = raw if b"\r" in folder[path] else data
        back.carried.append(path)
        return
    text = back.text(path)
    if text is not None:
        _into_cells(back, path, text.strip("\n"), cells, folder)


def _shown(data: bytes | None) -> str | None:
    """A file's content to be looked at."""
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return f"({len(data)} bytes that are no text)"


def _into_cells(
    back: Back, path: str, text: str, cells: Sequence[Assignment], folder: Mapping[str, bytes]
) -> None:
    """Find the one cell whose part of the file changed, and write it."""
    up, shelf = "../" * path.count("/"), Shelf(folder, "", "")
    made = [shelf.attach(a, up) if a.cell.kind == "markdown" else a.text for a in cells]
    gap = "\n\n" if path.endswith(".md") else "\n"
    at = _changed(made, text, gap)
    if at is None:
        numbers = ", ".join(str(a.cell.number) for a in cells)
        back.leave(
            path, f"it is made from cells {numbers}, and more than one of them changed",
            "make the edit in those cells",
        )  # fmt: skip
        return
    before = gap.join([*made[:at], ""])
    after = gap.join(["", *made[at + 1 :]])
    part = text[len(before) : len(text) - len(after)].strip("\n")
    if not part.strip():
        back.leave(path, "nothing is left of it", "delete its cell")
        return
    cell = cells[at]
    back.board.write(
        back.board.slot(cell.cell.number), restored(cell, made[at], part, shelf, up), path
    )
    back.carried.append(path)
    promised = (before + part + after + "\n").encode("utf-8")
    back.promises.append(lambda plan: _lacking(plan, path, promised))


def _changed(made: Sequence[str], text: str, gap: str) -> int | None:
    """The index of the one part that is not in the text as it was made."""
    for at in range(len(made)):
        before, after = gap.join([*made[:at], ""]), gap.join(["", *made[at + 1 :]])
        fits = text.startswith(before) and text.endswith(after)
        if fits and len(before) + len(after) <= len(text):
            return at
    return None


def _lacking(plan: Plan, path: str, promised: bytes) -> str:
    """A file that the new notebook does not make as it was promised."""
    return "" if plan.files.get(path) == promised else f"{path} cannot be kept as it is"
