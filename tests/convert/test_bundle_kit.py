"""The part of the kit that goes along stands in where no kit is installed."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from skills2_nb.convert import bundle_kit
from skills2_nb.convert.bundle import upload
from skills2_nb.convert.bundle_kit import INIT, MAIN, VENDOR, carried, without
from skills2_nb.convert.bundle_place import as_file
from skills2_nb.convert.bundle_source import source_of
from skills2_nb.convert.exporter import export
from skills2_nb.convert.importer import bring
from skills2_nb.errors import SetupError
from tests.convert.bundles import bare, pydantic_alone, write_notebook


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    return as_file(upload(source_of(write_notebook(folder))), folder / "dist").path


@pytest.fixture
def unzipped(packed: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(packed) as there:
        there.extractall(tmp_path / "empty")
    return tmp_path / "empty" / "trial-skill"


def test_the_steps_run_in_order_with_pydantic_alone(unzipped: Path, tmp_path: Path) -> None:
    path, home = pydantic_alone(tmp_path / "pydantic"), tmp_path / "h"
    settings = {"path": path, "home": home, "cwd": unzipped}
    probe = "import importlib.util as u; print(u.find_spec('skills2_nb'), u.find_spec('yaml'))"
    assert bare("-c", probe, **settings).stdout == "None None\n"
    whole = bare("runtime", "run", '{"values": [20, 30, 41]}', **settings)
    assert whole.returncode == 0, whole.stderr
    told = json.loads(whole.stdout)
    assert told["steps"]["add"] == {"total": 91, "count": 3}
    assert told["answer"] == "Adding up gives a total of 91."
    begun = json.loads(bare("-m", "runtime", "start", '{"values": [1]}', **settings).stdout)
    early = bare("runtime", "call", begun["run"], "tell", **settings)
    assert (early.returncode, json.loads(early.stdout)["error"]["missing"]) == (1, ["add"])
    for step, then in (("add", ["tell"]), ("tell", [])):
        done = json.loads(bare("runtime", "call", begun["run"], step, **settings).stdout)
        assert done["next"] == then
    ended = json.loads(bare("runtime", "end", begun["run"], "It is 1.", **settings).stdout)
    assert ended["missing"] == []
    assert len(list(home.rglob("runs/*/*.jsonl"))) == 2


def test_it_is_found_from_any_folder_and_any_way_in(unzipped: Path, tmp_path: Path) -> None:
    path = pydantic_alone(tmp_path / "pydantic")
    settings = {"path": path, "home": tmp_path / "h", "cwd": tmp_path}
    done = bare(unzipped / "runtime", "list", **settings)
    assert [item["step"] for item in json.loads(done.stdout)["steps"]] == ["add", "tell"]
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); import runtime.steps as s; print(s.add([1]))"
    )
    assert bare("-c", probe, unzipped, **settings).stdout == "total=1 count=1\n"


def test_an_installed_kit_comes_first(unzipped: Path, tmp_path: Path) -> None:
    probe = (
        "import sys, runpy; sys.argv = ['runtime', 'list']\n"
        "try: runpy.run_path('runtime', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "import skills2_nb; print(skills2_nb.__file__, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=unzipped, capture_output=True, text=True, check=True
    )
    import skills2_nb

    assert done.stderr.strip() == skills2_nb.__file__


def test_without_pydantic_one_sentence_says_so(unzipped: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    done = bare("runtime", "list", path=tmp_path / "none", home=tmp_path / "h", cwd=unzipped)
    assert done.returncode == 4
    assert done.stderr == "the steps need pydantic, and it is not here; pip install pydantic\n"


def test_an_import_leaves_it_behind_and_exports_the_same(unzipped: Path, tmp_path: Path) -> None:
    before = {p: (unzipped / p).read_bytes() for p in _paths(unzipped)}
    brought = bring(unzipped, tmp_path / "again" / "trial-skill.ipynb")
    assert brought.files == ()
    assert [p.code for p in brought.problems if p.level != "note"] == []
    again = export(brought.notebook, tmp_path / "skills").folder
    after = {p: (again / p).read_bytes() for p in _paths(again)}
    ours = {p for p in before if p.startswith(VENDOR)} | {MAIN}
    assert set(before) - set(after) == ours
    assert {p for p in after if before.get(p) != after[p]} == {INIT, "export.lock"}


def test_an_upload_of_an_upload_is_the_same(packed: Path, unzipped: Path, tmp_path: Path) -> None:
    again = as_file(upload(source_of(unzipped)), tmp_path / "again").path
    assert again.read_bytes() == packed.read_bytes()


def test_files_of_others_with_these_names_stay() -> None:
    files = {MAIN: b"print(1)\n", f"{VENDOR}a.py": b"", INIT: b"x = 1\n"}
    assert without(files) == files
    made = {**carried("a"), "SKILL.md": b""}
    assert without(made) == {"SKILL.md": b""}
    assert without({**made, INIT: b"x = 1\n"}) == {"SKILL.md": b"", INIT: b"x = 1\n"}


def test_all_that_it_imports_goes_along() -> None:
    import skills2_nb

    folder = Path(skills2_nb.__file__).parent / "contract"
    taken = {path.removeprefix(f"{VENDOR}contract/") for path in carried("a")}
    assert {path.name for path in folder.glob("*.py")} <= taken
    assert carried("a")[f"{VENDOR}LICENSE"].strip().startswith(b"Apache License")


def test_a_kit_without_its_license_hands_nothing_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def read_text(self, name: str) -> None:
            return None

    monkeypatch.setattr(bundle_kit, "distribution", lambda name: Nothing())
    with pytest.raises(SetupError, match="install it anew"):
        carried("a")


def _paths(folder: Path) -> list[str]:
    return sorted(
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    )
