"""What a gate prints."""

from skills2_nb.views.gating import table, text

CHANGE = {
    "level": "fail",
    "about": "case march",
    "message": "case march no longer holds: the verdict is fail, not pass",
    "before": "holds",
    "after": "does not hold",
}
TRIALS = {
    "now": {"passes": 14, "trials": 16, "rate": 0.875, "low": 0.64, "high": 0.965},
    "before": None,
    "pairs": 4,
    "p": 0.0625,
    "rate": 0.8,
}


def decided(*changes, word="fail", exact=3, trials=None):
    return {
        "skill": "trial-skill",
        "decision": word,
        "version": "0.2.0",
        "before": "0.1.0",
        "exact": exact,
        "trials": trials,
        "reasons": [],
        "changes": list(changes),
    }


def test_a_change_is_a_row_and_a_sentence():
    note = {**CHANGE, "level": "note", "about": "case may", "message": "case may is new"}
    told = text({"decision": "fail", "skills": [decided(CHANGE, note)]})
    assert told.startswith("trial-skill 0.2.0 (baseline 0.1.0): fail\n")
    rows = [line for line in told.splitlines() if line.lstrip().startswith(("✗", "·"))]
    assert rows[0].split() == ["✗", "case", "march", "holds", "does", "not", "hold"]
    assert rows[1].split()[:3] == ["·", "case", "may"]
    assert "  Why:\n    case march no longer holds: the verdict is fail, not pass.\n" in told
    assert "  Also:\n    case may is new.\n" in told
    assert told.endswith("fail: 1 skill compared with the baseline.\n")


def test_how_the_cases_were_compared_is_said():
    one = decided(word="pass")
    assert "3 cases: deterministic, one trial, no interval." in text(
        {"decision": "pass", "skills": [one]}
    )
    many = text({"decision": "pass", "skills": [decided(word="pass", exact=0, trials=TRIALS)]})
    said = " ".join(many.split())
    assert "14 of 16 trials hold: 0.88, 95% interval 0.64 to 0.96 (Wilson)" in said
    assert "paired sign-flip test over 4 cases: p = 0.062." in said
    none = decided(word="inconclusive", exact=0)
    assert "No case was played." in text({"decision": "inconclusive", "skills": [none]})


def test_lines_fit_whatever_the_names_are():
    long = {**CHANGE, "about": "step " + "x" * 90, "before": "y" * 90, "after": "z" * 90}
    for width in (40, 60, 80, 120):
        for line in table(decided(long), width=width).splitlines():
            assert len(line) <= width


def test_what_a_screen_would_obey_is_shown_by_its_code():
    wild = {**CHANGE, "about": "case \x1b[31mred", "message": "case \x1b[31mred was removed"}
    told = text({"decision": "fail", "skills": [decided(wild)]})
    assert "\x1b" not in told and r"\x1b[31mred" in told
    assert "\x1b[" in text({"decision": "fail", "skills": [decided(CHANGE)]}, color=True)


def test_nothing_changed_is_no_table():
    assert table(decided()) == ""
