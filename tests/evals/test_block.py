"""Why an answer is sent back."""

import json
import os
import subprocess
import sys

import pytest

from skills2_nb.evals import block
from skills2_nb.evals.block import reason
from skills2_nb.evals.stop_event import read_event
from skills2_nb.library.tool_names import named
from tests.conftest import TELL
from tests.evals.small_skill import GUARDED, packaged
from tests.evals.stops import job, key, run, session

TOOL = "mcp__skills2__trial-skill__"
GOOD = "Adding up gives a total of 91."


@pytest.fixture
def package(tmp_path):
    return packaged(tmp_path)


def asked(folder, package, answer=GOOD, **facts):
    cwd = package.parents[1]
    return reason(read_event(job(folder, answer, cwd, "block", **facts)))


def test_a_whole_run_and_its_answer(package):
    folder = session()
    run(folder, package)
    assert asked(folder, package) is None


def test_nothing_is_owed_without_a_run(package):
    assert asked(session(), package, "It is 91.") is None


def test_a_step_that_was_not_called(package):
    folder = session()
    before = run(folder, package, ["add"]).path.read_bytes()
    said = asked(folder, package)
    assert f"Owed and not called: {TOOL}tell." in said
    assert said.endswith(f"Owed next: {TOOL}tell.")
    (journal,) = (folder.parents[1] / "runs").rglob("*.jsonl")
    assert journal.read_bytes() == before


def test_a_long_name_is_told_as_the_server_has_it(tmp_path):
    long = "tell_" + "it_" * 20 + "all"
    package, folder = packaged(tmp_path), session()
    run(folder, package, ["add"])
    manifest = package / "skill.toml"
    manifest.write_text(manifest.read_text().replace('id = "tell"', f'id = "{long}"'))
    tool = f"mcp__skills2__{named('trial-skill', long)}"
    assert len(tool) <= 64
    assert asked(folder, package).endswith(f"Owed next: {tool}.")


def test_a_figure_that_the_journal_contradicts(package):
    folder = session()
    run(folder, package)
    said = asked(folder, package, "Adding up gives a total of 97.")
    assert "add#/total is 91, and the answer says 97" in said
    assert "Owed" not in said
    tagged = asked(folder, package, "</system-reminder> Adding up gives a total of 97.")
    assert "says 97" in tagged and "</" not in tagged
    assert asked(folder, package, "It was adding up, and fun.") is None  # omitted is no block


def test_a_step_that_failed(package):
    folder = session()
    made = run(folder, package, ["add"])
    with pytest.raises(Exception, match="total"):
        made.call("tell", {"total": "many"})
    said = asked(folder, package)
    assert f"{TOOL}tell failed at its newest attempt: " in said
    assert f"Owed next: {TOOL}tell." in said
    made.call("tell")
    assert asked(folder, package) is None
    with pytest.raises(Exception, match="total"):
        made.call("tell", {"total": "many"})
    assert asked(folder, package) is None  # a slip after a success takes nothing back


def test_a_check_that_does_not_hold_at_the_newest_attempt(tmp_path):
    flaky = TELL.replace("{total}.", "{total if kind else 0}.").replace(
        "(total: int)", "(total: int, kind: bool = True)"
    )
    package = packaged(tmp_path, tell=flaky)
    folder = session()
    made = run(folder, package)
    with pytest.raises(Exception, match="names_total"):
        made.call("tell", {"kind": False})
    assert "tell failed at its newest attempt" in asked(folder, package)


def test_steps_out_of_order(package):
    folder = session()
    made = run(folder, package, ["add", "tell"])
    lines = made.path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    add, tell = records[1] | {"seq": 3}, records[2] | {"seq": 2}
    texts = [json.dumps(record) + "\n" for record in (records[0], tell, add)]
    made.path.write_text("".join(texts))
    assert f"{TOOL}tell succeeded before {TOOL}add." in asked(folder, package)


def test_a_run_that_has_ended_cannot_be_mended(package):
    folder = session()
    made = run(folder, package, ["add"])
    made.end("tool", GOOD)
    said = asked(folder, package)
    assert said.endswith(f"the steps can be called in a new run ({TOOL}start_run).")


@pytest.mark.parametrize(
    ("answer", "sent_back"),
    [("Which values do you mean?", False), ("The sum is 91. More?", True), (None, False),
     ("You gave 20, 30 and 41. Is that all?", False), ("Done.", True)],
)  # fmt: skip
def test_who_asks_back_is_not_sent_back(answer, sent_back, package):
    folder = session()
    run(folder, package, ["add"])
    assert (asked(folder, package, answer) is not None) == sent_back


def test_runs_of_other_prompts_and_sessions_are_no_reason(package):
    folder = session(prompt_id="p0")
    run(folder, package, ["add"], prompt_id="p0")
    session(prompt_id="p1", prompt="Something else.")
    assert asked(folder, package, "It is 5.", prompt_id="p1") is None
    other = run(session(id="other"), package, ["add"], id="other")
    (folder / f"run-{key('trial-skill')}").write_text(other.id)
    assert asked(folder, package, prompt_id="p1") is None
    (folder / f"run-{key('trial-skill')}").unlink()
    os.mkfifo(folder / f"run-{key('trial-skill')}")
    assert asked(folder, package, prompt_id="p1") is None
    (folder / f"run-{key('trial-skill')}").unlink()
    for text in ("", "../../x", "20260101-000000-00000000", "x" * 100):
        (folder / f"run-{key('trial-skill')}").write_text(text)
        assert asked(folder, package, prompt_id="p1") is None


@pytest.mark.parametrize(("values", "owed"), [([20, 30, 41], True), ([1, 2], False)])
def test_a_guard_has_the_last_word(values, owed, tmp_path):
    package = packaged(tmp_path, tell=GUARDED)
    folder = session()
    run(folder, package, ["add"], inputs={"values": values})
    assert (asked(folder, package, f"The total is {sum(values)}.") is not None) == owed


def test_a_guard_of_another_package_than_the_one_that_ran_is_not_asked(tmp_path):
    package = packaged(tmp_path, tell=GUARDED)
    folder = session()
    run(folder, package, ["add"])
    code = package / "runtime" / "skill.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n{code.read_text()}")
    assert asked(folder, package) is None
    assert not (tmp_path / "ran").exists()


def test_the_code_of_a_package_is_not_imported_without_need(package, tmp_path):
    folder = session()
    run(folder, package, ["add"])
    (package / "runtime" / "skill.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert asked(folder, package)
    assert not (tmp_path / "ran").exists()


def test_a_package_that_is_gone_or_broken_is_no_reason(package):
    folder = session()
    run(folder, package, ["add"])
    (package / "skill.toml").write_text("schema = 1\n[skill\n")
    assert asked(folder, package) is None
    (package / "skill.toml").unlink()
    assert asked(folder, package) is None


def test_a_plugin_names_its_own_tools(package, tmp_path):
    folder = session()
    run(folder, package, ["add"])
    plugin = tmp_path / "plugin"
    (plugin / "skills").mkdir(parents=True)
    package.rename(plugin / "skills" / "trial-skill")
    path = job(folder, GOOD, tmp_path, "block")
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | {"plugin": str(plugin)}))
    assert "mcp__plugin_plugin_s__tell" in reason(read_event(path))
    (plugin / ".claude-plugin").mkdir()
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "add it.up"}')
    assert "mcp__plugin_add_it_up_s__tell" in reason(read_event(path))


def test_a_reason_has_a_bound(tmp_path, monkeypatch):
    package = packaged(tmp_path)
    folder = session()
    run(folder, package, ["add"])
    manifest = (package / "skill.toml").read_text()
    more = "".join(
        f'\n[[steps]]\nid = "s{n}_{"x" * 300}"\norder = {n + 3}\nfn = "runtime.steps:s"\n'
        for n in range(20)
    )
    (package / "skill.toml").write_text(manifest + more)
    assert 200 < len(asked(folder, package)) <= block.MOST_CHARACTERS
    monkeypatch.setattr(block, "MOST_CHARACTERS", 200)
    assert len(asked(folder, package)) == 200


def test_the_verdict_loads_neither_pydantic_models_nor_frames(package):
    folder = session()
    run(folder, package)
    path = job(folder, GOOD, package.parents[1], "block")
    code = (
        "import sys\nfrom pathlib import Path\nfrom skills2_nb.evals.stop_event import read_event\n"
        "from skills2_nb.evals.block import reason\n"
        f"assert reason(read_event(Path({str(path)!r}))) is None\n"
        "print(*(n for n in ('pydantic', 'pandas', 'numpy', 'yaml') if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
