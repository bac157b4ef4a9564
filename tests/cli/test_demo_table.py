"""`demo`'s tables: one at a time, kept between two marks, and nothing worked out in vain."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skills2_nb.cli import demo_table, specimen
from skills2_nb.cli.main import main


@pytest.fixture
def ask(skill_notebook: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`skills2 demo ...` on the small skill of the tests."""
    monkeypatch.chdir(skill_notebook.parent.parent)
    monkeypatch.setattr(specimen, "SKILLS", ("trial-skill",))

    def asked(*words: str) -> Any:
        return CliRunner().invoke(main, ["demo", *words], standalone_mode=True)

    return asked


def test_the_table_in_every_form(ask, tmp_path: Path, home: Path):
    readme = tmp_path / "README.md"
    readme.write_text("# Mine\n\n<!-- table: table -->\nold\n<!-- end -->\n\nAfter.\n")
    done = ask("--table", "--json", "--into", str(readme), "--html", str(tmp_path / "t.html"))
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    assert [(r["version"], round(r["classic"], 2)) for r in rows][::2] == [
        ("v1", 0.25),
        ("contract", 1.0),
    ]
    kept = readme.read_text()
    assert kept.startswith("# Mine\n\n<!-- table: table -->\n| skill |")
    assert kept.endswith("<!-- end -->\n\nAfter.\n")
    assert "old" not in kept
    assert "0.25" in (tmp_path / "t.html").read_text()
    assert not (home / "runs").exists()  # nothing of it is left behind


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--rows", "--symptoms"], "--rows and --symptoms are two tables"),
        (["--markdown"], "--markdown and --into go with --table"),
        (["--symptoms"], "no notebook"),
    ],
)
def test_what_does_not_go_together(ask, words, says, monkeypatch):
    monkeypatch.setattr(
        demo_table, "_exported", lambda *_: (_ for _ in ()).throw(AssertionError("no notebook"))
    )
    done = ask(*words)
    assert done.exit_code != 0
    assert says in done.stderr + str(done.exception)


def test_a_file_without_a_place_is_refused_before_the_work(ask, tmp_path: Path, monkeypatch):
    readme = tmp_path / "README.md"
    readme.write_text("# Mine\n")
    monkeypatch.setattr(demo_table, "_exported", lambda *_: pytest.fail("worked in vain"))
    done = ask("--table", "--into", str(readme))
    assert done.exit_code == 2
    assert "has no place for the table; write the lines <!-- table: table -->" in done.stderr
    assert readme.read_text() == "# Mine\n"
