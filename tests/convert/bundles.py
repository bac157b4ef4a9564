"""Skills to package, for any test of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CELLS, notebook_dict

#: What pydantic consists of: an environment that holds these holds nothing of the kit.
PYDANTIC = (
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions.py",
    "typing_inspection",
)


def write_notebook(folder: Path) -> Path:
    """A notebook of two steps."""
    notebook = folder / "notebooks" / "trial-skill.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(json.dumps(notebook_dict(CELLS)), encoding="utf-8")
    return notebook


def write_prose(folder: Path, front: str = "", name: str = "weekly") -> Path:
    """A skill of prose alone."""
    place = folder / name
    place.mkdir(parents=True)
    front = front or f"name: {name}\ndescription: Counts the week. Use when counting."
    (place / "SKILL.md").write_text(f"---\n{front}\n---\n\n# Weekly\n\nText.\n", encoding="utf-8")
    return place


def pydantic_alone(folder: Path) -> Path:
    """A folder for the path of a Python that has pydantic and nothing else."""
    import pydantic

    site = Path(pydantic.__file__).parents[1]
    folder.mkdir()
    for name in PYDANTIC:
        if not (site / name).exists():
            pytest.skip(f"{name} does not lie beside pydantic")
        (folder / name).symlink_to(site / name)
    return folder


def bare(*words: object, path: Path, home: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A Python without site packages, with this path alone."""
    return subprocess.run(
        [sys.executable, "-S", *map(str, words)],
        env={"PYTHONPATH": str(path), "SKILLS2_HOME": str(home), "PATH": os.environ["PATH"]},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
