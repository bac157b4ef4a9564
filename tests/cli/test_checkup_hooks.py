"""What hooks left, as doctor tells it."""

import shlex
import subprocess
import sys
import time

from skills2_nb.cli.checkup_hooks import YOUNG, hook_findings
from skills2_nb.contract import ledger
from skills2_nb.contract.home import elsewhere
from tests.evals.stops import job, session


def test_a_home_without_hooks_is_passed_over(home):
    assert list(hook_findings()) == []


def test_faults_jobs_and_the_newest_audit(home, tmp_path):
    folder = session()
    path = job(folder, "x", tmp_path)
    (home / "hooks.log").write_text("".join(f"2026-01-01 Stop: fault {n}\n" for n in range(5)))
    ledger.append(
        "audits", {"run": None, "skill": "a", "strict": {"score": 0.5, "verdict": "fail"}}
    )
    young = list(hook_findings())
    assert [(item.check, item.status) for item in young] == [("hooks", "warning"), ("audits", "ok")]
    assert "5 faults in" in young[0].message and "the newest: 2026-01-01 Stop: fault 4;" in (
        young[0].message
    )
    assert "1 on record, the newest: a fail 0.50" in young[1].message
    later = list(hook_findings(time.time() + YOUNG + 1))
    assert "1 answer was not audited to the end" in later[1].message
    assert path.name in later[1].message and str(path) in later[1].mend


def test_the_data_folders_of_plugins_are_looked_into(home, tmp_path):
    data = home.parent / ".claude" / "plugins" / "data"
    ours, anothers = data / "trial skill-inline", data / "another"
    with elsewhere(ours):
        folder = session()
        path = job(folder, "x", tmp_path)
        (folder / "stop-notes.json").write_text("{}")
    (ours / "hooks.log").write_text("2026-01-01T10:00:00Z Stop: ValueError (x.py:1)\n")
    anothers.mkdir()
    (anothers / "hooks.log").write_text("something else\n")
    (data / "a-file").write_text("")
    found = list(hook_findings(time.time() + YOUNG + 1))
    assert {item.check for item in found} == {"hooks of trial skill-inline"}
    assert [item.status for item in found] == ["warning", "warning"]
    assert f"1 fault in {ours / 'hooks.log'}" in found[0].message
    assert "1 answer was not audited" in found[1].message
    said, *words = shlex.split(found[1].mend)
    assert said == f"SKILLS2_HOME={ours}"
    assert words == ["skills2", "hooks", "after", "--again", str(path)]


def test_the_mend_of_a_job_that_stayed_mends_it(home, tmp_path):
    path = job(session(), "x", tmp_path)
    path.with_name(f"{path.name}.tries").write_bytes(b"..")
    (found,) = hook_findings(time.time() + YOUNG + 1)
    _, *words = shlex.split(found.mend)
    subprocess.run([sys.executable, "-m", "skills2_nb.cli.main", *words], check=True, timeout=60)
    assert not path.exists() and not list(hook_findings(time.time() + YOUNG + 1))


def test_what_cannot_be_read(home):
    (home / "hooks.log").mkdir(parents=True)
    (home / "ledger" / "audits.jsonl").mkdir(parents=True)
    told = list(hook_findings())
    assert [item.status for item in told] == ["warning"]


def test_doctor_has_them(home, skills2, bare):
    home.mkdir()
    (home / "hooks.log").write_text("2026-01-01 worker: TimeoutError\n")
    done = skills2("doctor")
    assert done.code == 0 and "1 fault in" in " ".join(done.out.split())
