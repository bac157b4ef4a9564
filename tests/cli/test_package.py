"""`skills2 package`: what is told, what is refused, what is left alone."""

import json
import zipfile
from pathlib import Path

import pytest

from skills2_nb.hooks.triggers import matched
from tests.cli.conftest import NAME
from tests.convert.bundles import write_notebook, write_prose


def entries(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as there:
        return there.namelist()


def test_a_file_to_upload(desk, skills2):
    done = skills2("package", NAME)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Wrote dist/{NAME}.skill ({NAME} 0.1.0; ")
    names = entries(desk / "dist" / f"{NAME}.skill")
    assert {f"{NAME}/SKILL.md", f"{NAME}/runtime/steps.py"} <= set(names)
    assert all(name.startswith(f"{NAME}/") for name in names)
    assert skills2("package", NAME).out.startswith("Up to date: ")


def test_a_notebook_its_package_and_its_name_give_the_same_bytes(desk, skills2):
    told = [
        skills2("package", word, "-o", f"out{at}", "--json").json
        for at, word in enumerate(
            [NAME, f"{NAME}.ipynb", f"skills/{NAME}", f"skills/{NAME}/SKILL.md"]
        )
    ]
    assert len({item["sha256"] for item in told}) == 1
    assert {key: told[0][key] for key in ("skill", "version", "format", "changed")} == {
        "skill": NAME,
        "version": "0.1.0",
        "format": "skill",
        "changed": True,
    }
    assert told[0]["bytes"] == (desk / told[0]["path"]).stat().st_size


def test_prose_alone_is_packaged_and_its_lost_keys_are_told(bare, skills2):
    front = "name: weekly\ndescription: Counts.\ncontext: fork\nversion: '1'"
    write_prose(bare, front)
    done = skills2("package", "weekly")
    assert done.code == 0
    assert done.out.split("\n")[:2] == [
        "note: context is left out of the upload: Claude Code alone reads it; the skill runs in "
        "the conversation itself there.",
        "warning: version is left out of the upload: the specification has no such key; write it "
        "below metadata, if a reader needs it.",
    ]
    found = skills2("package", "weekly", "--json").json
    assert [(item["code"], item["level"]) for item in found["dropped"]] == [
        ("F323", "note"),
        ("F322", "warning"),
    ]
    assert entries(bare / "dist" / "weekly.skill") == ["weekly/SKILL.md"]


def test_a_plugin_whose_index_finds_it(desk, skills2):
    (desk / "L").write_text("MIT\n")
    done = skills2("package", NAME, "--format", "plugin", "--author", "Ana", "--license", "L")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"Try it: claude --plugin-dir dist/{NAME}\n")
    index = desk / "dist" / NAME / "hooks" / "index"
    (told,) = matched(str(index), "weekly numbers: how did the week go?", str(desk))
    assert told.name == NAME
    assert f"mcp__plugin_{NAME}_s__" in told.checklist
    found = skills2("package", NAME, "--format", "plugin", "-o", "b", "--json").json
    assert (found["sha256"], len(found["notes"])) == (None, 2)
    other = skills2("package", NAME, "--format", "plugin", "--name", "other", "--json").json
    manifest = json.loads((desk / other["path"] / ".claude-plugin/plugin.json").read_text())
    assert manifest["name"] == "other"


def test_a_plugin_is_the_same_wherever_it_is_made(desk, skills2):
    for place in ("one", "deeper/two"):
        assert skills2("package", NAME, "--format", "plugin", "-o", place).code == 0
    one, two = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()}
                for f in (desk / "one", desk / "deeper/two"))  # fmt: skip
    assert one == two


def test_a_plugins_name_that_leaves_no_room_for_a_tool_comes_with_one_that_does(desk, skills2):
    words = ("package", NAME, "--format", "plugin", "--name")
    done = skills2(*words, "a" * 33)
    assert done.code == 1
    assert "clients allow 64" in done.err
    assert done.err.partition("--name ")[2].partition(",")[0] == "a" * 32
    assert skills2(*words, "a" * 32).code == 0


def test_a_name_of_64_characters_is_uploaded(bare, skills2):
    name = "a" * 64
    write_prose(bare, name=name)
    assert skills2("package", name).code == 0
    assert (bare / "dist" / f"{name}.skill").is_file()


def edited(desk):
    path = desk / "skills" / NAME / "SKILL.md"
    path.write_text(path.read_text() + "\nMore.\n")


def foreign(desk):
    (desk / "dist").mkdir()
    (desk / "dist" / f"{NAME}.skill").write_text("mine")


def linked(desk):
    (desk / "skills" / NAME / "assets").mkdir(exist_ok=True)
    (desk / "skills" / NAME / "assets" / "a").symlink_to("/etc/hostname")


def in_the_way(desk):
    (desk / "dist").write_text("x")


WRONG = [
    (edited, "", 1, "changed since the export"),
    (foreign, "", 1, "did not make it"),
    (linked, "--force", 1, "a link that leaves the skill"),
    (in_the_way, "", 4, "a file stands where a folder must be"),
    (None, "--author A", 2, "belong to --format plugin"),
    (None, "--format plugin --author <x>", 2, "no `Name <mail>`"),
    (None, "--format plugin --license none.txt", 2, "there is no such file"),
    (None, "--format plugin --license /dev/zero", 2, "is no plain file"),
    (None, f"-o skills/{NAME}", 2, "lies in the skill itself"),
    (None, f"-o skills/{NAME}/x/../dist", 2, "lies in the skill itself"),
    (None, f"--format plugin -o skills/{NAME}", 2, "lies in the skill itself"),
    (None, "--format plugin --name A_B", 2, "lower-case words and hyphens"),
    (None, "--format tar", 2, "is not one of"),
]


@pytest.mark.parametrize(("make", "words", "code", "said"), WRONG)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(
    make, words, code, said, desk, skills2
):
    if make is not None:
        make(desk)
    before = sorted(desk.rglob("*"))
    done = skills2("package", NAME, *words.split())
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert done.err.count("\n") <= 2
    assert sorted(desk.rglob("*")) == before


def test_the_folder_of_a_notebook_is_the_skill_itself(bare, skills2):
    notebook = write_notebook(bare)
    done = skills2("package", notebook, "-o", notebook.with_suffix("") / "dist")
    assert (done.code, "lies in the skill itself" in done.err) == (2, True)
    assert not notebook.with_suffix("").exists()


@pytest.mark.parametrize("make", [edited, foreign])
def test_force_goes_on(make, desk, skills2):
    make(desk)
    assert skills2("package", NAME, "--force").code == 0


@pytest.mark.parametrize("word", ["nothing", "dist", "."])
def test_a_word_that_means_no_skill(word, desk, skills2):
    (desk / "dist").mkdir()
    done = skills2("package", word)
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_a_notebook_with_errors_is_not_packaged(desk, skills2):
    path = desk / f"{NAME}.ipynb"
    raw = json.loads(path.read_text())
    for cell in raw["cells"]:
        if "step" in cell["metadata"].get("tags", []):
            cell["source"] = ["import\n"]
    path.write_text(json.dumps(raw))
    done = skills2("package", path.name)
    assert done.code == 1
    assert not (desk / "dist").exists()


def test_the_example_of_the_page_runs(bare, skills2):
    assert skills2("new", NAME).code == 0
    for words in ([], ["--format", "plugin"]):
        assert skills2("package", f"{NAME}.ipynb", *words).code == 0
    assert sorted(path.name for path in Path("dist").iterdir()) == [NAME, f"{NAME}.skill"]
    page = (Path(__file__).resolve().parents[2] / "docs" / "packaging.md").read_text()
    for line in (f"skills2 package {NAME}.ipynb ", f"skills2 new {NAME}\n"):
        assert line in page
    from skills2_nb.contract.alone import USAGE

    assert USAGE.partition("INPUTS and")[0] in page
