"""export of odd notebooks: the same bytes as of the clean one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.formats.package import check_lock

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from skills2_nb.cli.main import main; main()"]


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def clean(skill_notebook, tmp_path):
    """The files of the clean notebook's package, made elsewhere."""
    return files(export(skill_notebook, tmp_path / "clean", verify=False).folder)


def of_json(change, **style):
    def spoil(path):
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw = change(raw) or raw
        path.write_text(json.dumps(raw, **style), encoding="utf-8")

    return spoil


def each(change):
    return of_json(lambda raw: [change(n, c) for n, c in enumerate(raw["cells"])] and None)


def as_nbformat_3(raw):
    cells = []
    for old in raw["cells"]:
        cell = {key: old[key] for key in ("cell_type", "metadata")}
        if old["cell_type"] == "code":
            cell |= {
                "input": old["source"],
                "language": "python",
                "outputs": [],
                "prompt_number": 1,
            }
        else:
            cell |= {"source": old["source"]}
        cells.append(cell)
    sheets = [{"cells": cells[:3], "metadata": {}}, {"cells": cells[3:], "metadata": {}}]
    return {"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}


ODD = [None, True, -1, 1.5e300, "x\ud800", [], [[]], {}, {"a": [None, {"b": float("nan")}]}]
DEEP = json.loads("[" * 200 + "]" * 200)


def foreign(number, cell):
    metadata = {f"odd-{n}": value for n, value in enumerate([*ODD, DEEP])}
    cell["metadata"] |= {**metadata, "slideshow": ODD[number % 9], "jupyter": ODD[-number]}
    cell["attachments"] = [None, {}][number % 2]
    cell["cell_extra"] = ODD


def outputs(number, cell):
    if cell["cell_type"] == "code":
        cell |= {"outputs": [None, "x", {"data": ODD}], "execution_count": "seven"}


ACCEPTED = {
    "nbformat 3": of_json(as_nbformat_3),
    "nbformat 4.4": of_json(
        lambda r: r.update(nbformat_minor=4, cells=[{**c, "id": None} for c in r["cells"]])
    ),
    "nbformat 4.99": of_json(lambda r: r.update(nbformat_minor=99)),
    "BOM": lambda p: p.write_bytes(b"\xef\xbb\xbf" + p.read_bytes()),
    "CRLF file": lambda p: p.write_bytes(p.read_bytes().replace(b"\n", b"\r\n")),
    "CR file": lambda p: p.write_bytes(p.read_bytes().replace(b"\n", b"\r")),
    "one line": of_json(lambda r: r),
    "escapes": of_json(lambda r: r, ensure_ascii=True, indent="\t"),
    "missing ids": each(lambda n, c: c.pop("id")),
    "duplicate ids": each(lambda n, c: c.update(id="same")),
    "odd ids": each(lambda n, c: c.update(id=ODD[n])),
    "sources as one text": each(lambda n, c: c.update(source="".join(c["source"]))),
    "no metadata": of_json(lambda r: r.pop("metadata") and None),
    "null metadata": of_json(lambda r: r.update(metadata=None)),
    "odd notebook metadata": of_json(
        lambda r: r.update(metadata={"kernelspec": [], "language_info": 5, "widgets": ODD})
    ),
    "odd kernelspec": of_json(
        lambda r: r.update(metadata={"kernelspec": {"name": None, "language": 7}})
    ),
    "foreign cell metadata": each(foreign),
    "foreign keys": of_json(lambda r: r.update(signature=ODD, worksheets=7)),
    "odd outputs": each(outputs),
    "long integers in outputs": lambda p: p.write_bytes(
        p.read_bytes().replace(b'"outputs": []', b'"outputs": [%s]' % (b"9" * 10_000))
    ),
    "tags of others": each(
        lambda n, c: c["metadata"].update(tags=[*c["metadata"].get("tags", []), "remove-cell"])
    ),
    "a tag twice": each(lambda n, c: c["metadata"].update(tags=c["metadata"].get("tags", []) * 2)),
    "empty cells": of_json(
        lambda r: r["cells"].extend(
            {"cell_type": kind, "metadata": {}, "source": text}
            for kind in ("code", "markdown", "raw")
            for text in ("", [], "\n\n")
        )
    ),
    "scratch cells": of_json(
        lambda r: r["cells"].append(
            {"cell_type": "code", "metadata": {}, "source": "%%skills2 audit\nThe total is 3."}
        )
    ),
}


@pytest.mark.parametrize("spoil", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted_with_the_same_bytes(skill_notebook, clean, skills2, spoil):
    spoil(skill_notebook)
    done = skills2("export", "--no-verify", skill_notebook)
    assert (done.code, done.err) == (0, "")
    assert files(skill_notebook.parents[1] / "skills/trial-skill") == clean
    assert skills2("lint", skill_notebook).code == 0


def test_no_front_matter_is_a_warning_and_the_stem_is_the_name(skill_notebook, clean, skills2):
    of_json(lambda raw: raw["cells"].pop(0) and None)(skill_notebook)
    assert skills2("lint", skill_notebook).code == 0
    (told,) = skills2("lint", "--json", skill_notebook).json["findings"]
    assert (told["code"], told["level"]) == ("F301", "warning")
    assert skills2("export", "--no-verify", skill_notebook).code == 0
    made = files(skill_notebook.parents[1] / "skills/trial-skill")
    assert made[Path("runtime/skill.py")] == clean[Path("runtime/skill.py")]


def test_a_hundred_megabytes_of_outputs(skill_notebook, clean, skills2):
    """Read in a process that may not have more than six times that in memory."""
    line = json.dumps("x" * 999 + "\n") + ","
    big = line * 100_000 + '"."'
    text = skill_notebook.read_text(encoding="utf-8")
    start = '"outputs": [{"output_type": "stream", "name": "stdout", "text": ['
    text = text.replace('"outputs": []', f"{start}{big}]}}]", 1)
    skill_notebook.write_text(text, encoding="utf-8")
    assert skill_notebook.stat().st_size > 100_000_000
    limit = [*COMMAND]
    if sys.platform == "linux":
        limit[2] = (
            "import resource; resource.setrlimit(resource.RLIMIT_DATA, (700_000_000,) * 2); "
            + COMMAND[2]
        )
    done = subprocess.run(
        [*limit, "export", "--no-verify", skill_notebook],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert files(skill_notebook.parents[1] / "skills/trial-skill") == clean


def test_two_thousand_cells(make_notebook, skills2):
    cells = [("front", "---\nname: trial-skill\ndescription: Adds much.\n---")]
    cells += [("setup", "from skills2_nb import step")]
    for n in range(666):
        cells += [
            ("prose", f"## Part {n}\n\nIt adds **{n}**."),
            ("setup", f"def helper_{n}(x: int) -> int:\n    return x + {n}"),
            ("step", f"@step\ndef step_{n}(a{n}: int) -> int:\n    return helper_{n}(a{n})"),
        ]
    path = make_notebook(cells)
    assert skills2("export", path).code == 0
    folder = path.parents[1] / "skills/trial-skill"
    assert check_lock(folder).is_clean
    assert len(json.loads((folder / "schemas.json").read_text())["steps"]) == 666


def test_two_exports_at_once(skill_notebook, clean):
    """Real processes, one of a notebook that changes under the other."""
    folder = skill_notebook.parents[1] / "skills/trial-skill"
    command = [*COMMAND, "export", "--no-verify", skill_notebook]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert files(folder) == clean
    assert [path.name for path in folder.parent.iterdir()] == ["trial-skill"]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_an_export_killed_thirty_times_ends_in_a_whole_package(skill_notebook, clean, tmp_path):
    """Children that loaded the kit already are killed at random moments of their export."""
    other = tmp_path / "other.json"
    shutil.copyfile(skill_notebook, other)
    of_json(lambda r: r["cells"][1]["source"].append("\n\nAnd more.") and None)(other)
    script = f"""
import os, random, shutil, signal, sys, time
from pathlib import Path
from skills2_nb.convert.exporter import export
from skills2_nb.formats.package import check_lock

notebook, versions = Path({str(skill_notebook)!r}), [{str(other)!r}, {str(tmp_path / "first")!r}]
shutil.copyfile(notebook, versions[1])
folder = export(notebook, verify=False).folder
(folder / "mine.txt").write_text("mine")
dice = random.Random()
killed = 0
for turn in range(30):
    shutil.copyfile(versions[turn % 2], notebook)
    child = os.fork()
    if not child:
        export(notebook, verify=False)
        os._exit(0)
    time.sleep(dice.uniform(0.001, 0.03))
    os.kill(child, signal.SIGKILL)
    killed += os.waitpid(child, 0)[1] != 0
    if turn % 3 == 2:
        shutil.copyfile(versions[(turn + 1) % 2], notebook)
        export(notebook, verify=False)
        state = check_lock(folder)
        assert not state.edited and not state.missing and state.extra == ("mine.txt",), state
shutil.copyfile(versions[1], notebook)
export(notebook, verify=False)
print(killed)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0
    folder = skill_notebook.parents[1] / "skills/trial-skill"
    assert files(folder) == {**clean, Path("mine.txt"): b"mine"}
    assert [path.name for path in folder.parent.iterdir()] == ["trial-skill"]
