"""What an upload holds."""

from dataclasses import replace
from pathlib import Path

import pytest

from skills2_nb.convert import bundle
from skills2_nb.convert.bundle import needs, upload
from skills2_nb.convert.bundle_source import MOST_BYTES, Source, source_of
from skills2_nb.errors import RefusedError
from skills2_nb.formats.package import check_lock
from tests.convert.bundles import write_notebook, write_prose


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return source_of(write_notebook(tmp_path_factory.mktemp("made")))


def test_the_steps_their_contract_and_the_kit_go_along(source: Source) -> None:
    made = upload(source)
    assert set(source.files) <= set(made.files)
    changed = {path for path in source.files if made.files[path] != source.files[path]}
    assert changed == {"SKILL.md", "runtime/__init__.py"}
    assert (made.name, made.notes, made.dropped) == ("trial-skill", (), ())


def test_its_lock_fits_it(source: Source, tmp_path: Path) -> None:
    folder = tmp_path / "trial-skill"
    for path, data in upload(source).files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    assert check_lock(folder).is_clean


def test_prose_alone_needs_no_kit(tmp_path: Path) -> None:
    assert sorted(upload(source_of(write_prose(tmp_path))).files) == ["SKILL.md"]


def test_hidden_files_are_named(tmp_path: Path) -> None:
    place = write_prose(tmp_path)
    (place / ".env").write_text("KEY=1")
    assert upload(source_of(place)).notes == ("Hidden files are never packaged: .env.",)


def test_the_kit_counts_among_the_bytes(source: Source) -> None:
    files = {**source.files, "assets/big": bytes(MOST_BYTES - 100_000)}
    with pytest.raises(RefusedError, match="with the part of the kit that goes along"):
        upload(replace(source, files=files))


IMPORTS = [
    ("from skills2_nb import step\nfrom skills2_nb.contract.run import Run", ""),
    (
        "from skills2_nb.convert.plan import plan_path\nimport skills2_nb.audit",
        "audit, skills2_nb.convert",
    ),
    ("    from skills2_nb.evals.play import play", "skills2_nb.evals"),
    ("# says skills2_nb.convert\nfrom skills2_nb.contracts import x", "skills2_nb.contracts"),
]


@pytest.mark.parametrize(("text", "said"), IMPORTS)
def test_steps_that_need_the_whole_kit_are_told(text: str, said: str, source: Source) -> None:
    files = {**source.files, "runtime/more.py": text.encode()}
    notes = upload(replace(source, files=files)).notes
    assert len(notes) == bool(said)
    assert all(f"{said}: where skills2-nb is not installed" in note for note in notes)


@pytest.mark.parametrize("limit", ["MCP_FILES", "MCP_BYTES"])
def test_what_mcp_would_not_carry_is_told(
    limit: str, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, limit, 10)
    (note,) = upload(source).notes
    assert "skills over MCP take" in note


def test_what_the_steps_need_is_said_once(source: Source) -> None:
    assert needs(source) == (
        "Python >=3.11 with pydantic. Where the skill has no MCP tools, its steps run from its "
        "folder: python runtime list"
    )
