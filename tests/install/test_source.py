"""Packages that are fit to be installed, and those that are not."""

import shutil

import pytest

from skills2_nb.contract.loader import package_digest
from skills2_nb.convert.exporter import export
from skills2_nb.errors import RefusedError, UsageError
from skills2_nb.install.source import source_of
from skills2_nb.library.discovery import Target


def read(folder, **settings):
    return source_of(Target(folder.name, "package", folder), **settings)


def test_a_notebook_gives_the_bytes_of_its_export(skill_notebook, tmp_path):
    source = source_of(Target("trial-skill", "notebook", skill_notebook))
    folder = export(skill_notebook, tmp_path / "skills").folder
    assert source.files == read(folder).files
    assert source.digest == package_digest(folder)
    assert (source.name, source.folder) == ("trial-skill", None)


def test_caches_stay_behind(package):
    was = read(package).files
    (package / "runtime/__pycache__").mkdir()
    (package / "runtime/__pycache__/x.pyc").write_text("x")
    (package / ".DS_Store").write_text("x")
    assert read(package).files == was


def replaced(name, old, new):
    def change(folder):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
        (folder / "export.lock").unlink()

    return change


def named(name):
    def change(folder):
        replaced("skill.toml", 'name = "weekly-numbers"', "")(folder)
        text = (folder / "SKILL.md").read_text()
        (folder / "SKILL.md").write_text(text.replace("name: weekly-numbers", f"name: {name}"))

    return change


def edited(folder):
    (folder / "SKILL.md").write_text((folder / "SKILL.md").read_text() + "x")


LONG = "weekly-numbers-of-everything-there-is-in-the-whole-world"
FAULTS = [
    (edited, r"SKILL\.md changed since the export"),
    (replaced("SKILL.md", "description:", "about:"), "no description"),
    (named("../out"), "name of a folder"),
    (replaced("skill.toml", 'name = "weekly-numbers"', 'name = "../out"'), "has errors"),
    (replaced("skill.toml", 'name = "weekly-numbers"', f'name = "{LONG}"'), "clients allow 64"),
    (replaced("skill.toml", 'version = "', 'version = 7 #"'), "has errors"),
]


@pytest.mark.parametrize(("change", "why"), FAULTS)
def test_what_is_not_fit_is_refused_with_its_mend(change, why, package):
    change(package)
    with pytest.raises(RefusedError, match=why):
        read(package)


def test_force_takes_what_was_edited(package):
    edited(package)
    assert read(package, force=True).files["SKILL.md"].endswith(b"x")


def test_a_link_that_leaves_the_package_is_refused(package, tmp_path):
    (tmp_path / "secret").write_text("x")
    (package / "references").mkdir()
    (package / "references/x.md").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leaves the package"):
        read(package)
    shutil.copy(tmp_path / "secret", package / "references/here.md")
    (package / "references/x.md").unlink()
    (package / "references/x.md").symlink_to("here.md")
    assert read(package).files["references/x.md"] == b"x"
