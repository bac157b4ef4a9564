"""nbconvert: the package as a zip, the same as export writes."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export


def convert(notebook: Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("nbconvert", reason="nbconvert comes with Jupyter")
    return subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "skill", str(notebook)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_zip_holds_what_export_writes(skill_notebook: Path, tmp_path: Path) -> None:
    folder = export(skill_notebook, tmp_path / "skills", verify=False).folder
    done = convert(skill_notebook)
    assert done.returncode == 0, done.stderr
    data = skill_notebook.with_suffix(".zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    written = {
        f"trial-skill/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert packed == written
    convert(skill_notebook)
    assert skill_notebook.with_suffix(".zip").read_bytes() == data


def test_errors_are_named_and_nothing_is_written(make_notebook: Callable[..., Path]) -> None:
    notebook = make_notebook([("step", "x = ("), ("prose", "# Title")])
    done = convert(notebook)
    assert done.returncode != 0
    assert "cell 1" in done.stderr
    assert not notebook.with_suffix(".zip").exists()
