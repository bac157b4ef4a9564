import re

import pytest

from skills2_nb.contract.trial import Trial
from skills2_nb.views import terminal
from skills2_nb.views.rows import arguments, expected
from skills2_nb.views.values import shown

ESCAPE = re.compile(r"\x1b\[\d+m")


@pytest.mark.parametrize("width", [40, 48, 60, 80, 120])
def test_no_line_is_wider_than_asked(any_run, cells, width: int) -> None:
    text = terminal.report(any_run.audit, any_run.skill, any_run.state, cells=cells, width=width)
    assert text.endswith("\n")
    assert max(map(len, text.splitlines())) <= width
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_color_only_when_asked_and_nothing_but_color(any_run) -> None:
    args = (any_run.audit, any_run.skill, any_run.state)
    plain, colored = terminal.report(*args), terminal.report(*args, color=True)
    assert "\x1b" not in plain
    assert ESCAPE.search(colored)
    assert ESCAPE.sub("", colored) == plain


def test_honest_report(honest) -> None:
    text = terminal.report(honest.audit, honest.skill, honest.state)
    head = text.splitlines()
    assert head[0] == "strict UNPROVEN 1.00 · classic PASS 1.00"
    assert head[1] == f"sums 0.1.0, run {honest.audit.run}, evidence {honest.audit.level}"
    assert re.search(r"2  add_up +ok +[<\d.]+ m?s +2/2  total 12, mean 4\.0", text)
    assert re.search(r"3  sample +not due", text)
    assert re.search(r"coverage +1\.00 +1\.00", text)
    told = " ".join(text.split())
    assert told.endswith("not checked (strict): replay; strength")


def test_failing_report_names_cell_code_and_mend(failing, cells) -> None:
    text = terminal.report(failing.audit, failing.skill, failing.state, cells=cells)
    assert "  STEP_FAILED (coverage)\n    [cell 5] add_up was called" in text
    assert "    Mend: Call tell before the run ends" in text
    assert re.search(r"ORDER_REJECTED \(coverage, note\)", text)
    assert re.search(r"2  add_up +failed +-", text)
    assert re.search(r"4  tell +not called +- +0/1", text)


def test_findings_stand_in_the_order_of_their_weight(failing) -> None:
    text = terminal.findings(failing.audit)
    assert text.index("STEP_FAILED") < text.index("UNSUPPORTED") < text.index("ORDER_REJECTED")


def test_stale_steps_say_what_changed(stale) -> None:
    text = terminal.report(stale.audit, stale.skill, stale.state, width=120)
    assert re.search(r"tell +stale .*changed since: add_up\n", text)


def test_without_a_run(honest) -> None:
    text = terminal.report(honest.audit)
    assert "#  step" not in text
    assert "coverage" in text


def test_hostile_text_cannot_steer_the_terminal(hostile) -> None:
    text = terminal.report(hostile.audit, hostile.skill, hostile.state)
    assert not set(text) & set("\x1b\u202e\r\x00")
    assert "\\x1b[31m" in text.replace("\n    ", "")


def test_long_step_ids_leave_room(honest) -> None:
    from dataclasses import replace

    from skills2_nb.views.rows import rows

    row = replace(rows(honest.skill, honest.state)[1], id="a" * 90)
    assert max(map(len, terminal.steps([row]).splitlines())) <= 80
    assert "…" in terminal.steps([row])
    assert terminal.steps([]) == "The skill has no steps.\n"


def test_explain_a_call(honest) -> None:
    call = honest.state.newest("tell")
    text = terminal.explain("tell", arguments(call, honest.state))
    assert text.splitlines()[:3] == [
        "tell",
        "  total <- add_up#/total = 12",
        "           which came from read_log, inputs amounts, owner",
    ]


def test_explain_before_a_call(honest) -> None:
    skill = honest.skill
    text = terminal.explain("add_up", expected(skill, skill.step("add_up")))
    assert text == "add_up\n  log <- read_log#/log\n"
    assert terminal.explain("x", ()) == "x\n  takes no arguments\n"


@pytest.mark.parametrize(
    ("done", "text"),
    [
        (Trial(True, "add(1)", ""), "✓ add(1)\n"),
        (Trial(False, "add(1)", "it gives 2"), "✗ add(1): it gives 2\n"),
    ],
)
def test_trial(done: Trial, text: str) -> None:
    assert terminal.trial(done) == text


def test_trial_wraps_under_its_label() -> None:
    lines = terminal.trial(Trial(False, "add(1)", "long " * 30), width=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert all(line.startswith("  ") for line in lines[1:])


def test_result(honest) -> None:
    call = honest.state.newest("add_up")
    spec = honest.skill.step("add_up")
    text = terminal.result(spec, shown(call.output), call.invariants)
    assert text.startswith("add_up\n  total  12\n  mean   4.0\n")
    assert text.endswith("  ✓ total_adds_up holds\n  ✓ not_negative holds\n")


def test_a_finding_hangs_below_its_first_line(failing) -> None:
    told = terminal.findings(failing.audit, width=60).splitlines()
    starts = [len(line) - len(line.lstrip()) for line in told[1:]]
    assert set(starts) == {2, 4, 6, 8}
    assert all(line.startswith(" " * 6 + "Mend: ") for line in told if "Mend: " in line)
