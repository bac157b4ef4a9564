"""A notebook with its package, edited and pulled."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from skills2_nb.convert.back import choices
from skills2_nb.convert.exporter import export
from skills2_nb.convert.pull import Done, Pull, carry_out, look


@dataclass
class Desk:
    """``notebooks/<stem>.ipynb`` and the package made of it."""

    notebook: Path

    def __post_init__(self) -> None:
        self.folder = export(self.notebook, verify=False).folder

    def edit(self, path: str, old: str, new: str) -> None:
        """Put other text into a file of the package."""
        file = self.folder / path
        text = file.read_bytes().decode("utf-8")
        assert old in text, f"{path} has no {old!r}"
        file.write_bytes(text.replace(old, new, 1).encode("utf-8"))

    def edit_cell(self, old: str, new: str) -> None:
        """Put other text into the notebook."""
        text = self.notebook.read_text(encoding="utf-8")
        old, new = (json.dumps(part, ensure_ascii=False)[1:-1] for part in (old, new))
        assert old in text, f"no cell has {old!r}"
        self.notebook.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")

    def look(self, *take: str, files: bool = False) -> Pull:
        """What a pull would do."""
        return look(self.folder, self.notebook, choices(take), files=files)

    def pull(self, *take: str, files: bool = False) -> tuple[Pull, Done]:
        """Pull, and hold that the next export and the next pull have nothing to do."""
        planned = self.look(*take, files=files)
        done = carry_out(planned)
        if planned.refreshes:
            assert export(self.notebook, verify=False, check=True).is_current
            again = self.look()
            assert again.is_clean and not again.changes
        return planned, done

    def cells(self) -> list[dict]:
        """The notebook's cells as they lie on disk, each source as one text."""
        raw = json.loads(self.notebook.read_text(encoding="utf-8"))["cells"]
        return [{**cell, "source": "".join(cell["source"])} for cell in raw]

    def changed(self, work: Callable[[], object]) -> dict[int, tuple[str, str]]:
        """Source before and after of every cell that some work changed, by number."""
        before = self.cells()
        work()
        after = self.cells()
        assert len(before) == len(after)
        return {
            number: (one["source"], other["source"])
            for number, (one, other) in enumerate(zip(before, after, strict=True), 1)
            if one != other
        }
