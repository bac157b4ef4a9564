"""False answers to the sample log's months, each with the finding that names it."""

import pytest

GOOD = {
    "1998-03": (
        "Active users rose from 157 in 1998-02 to 211 in 1998-03, a growth rate of 34.4%. The "
        "identity closes: previous 157 + new 0 + resurrected 156 - churned 102 = implied 211. "
        "The quick ratio is 1.53, so the growth class is growing. The dominant flow is "
        "resurrected. The retention rate is 35.0%. The trend position is above. The decomposition "
        "form is cohort."
    ),
    "1997-03": (
        "Active users fell from 981 in 1997-02 to 948 in 1997-03, a growth rate of -3.4%. The "
        "identity closes: previous 981 + new 719 + resurrected 61 - churned 813 = implied 948. "
        "The quick ratio is 0.96, so the growth class is shrinking. The dominant flow is churned. "
        "The retention rate is 17.1%. The trend position is above. The decomposition form is "
        "rates."
    ),
}
TABLE = """

| {heads} |
|---|---|---|
| {cells} |
"""
X, U, GONE, D = "CONTRADICTED", "UNSUPPORTED", "OMITTED", "DIRECTION"

# month, what is changed in the good answer (old, new; one alone is added), and the findings
SWAPS = {
    "one number": ("1998-03", [("resurrected 156", "resurrected 165")], [X]),
    "digits turned": ("1998-03", [("churned 102", "churned 120")], [X]),
    "a number everywhere": ("1998-03", [("157", "175")], [X, U]),
    "a reported number everywhere": ("1998-03", [("211", "221")], [X, GONE, U]),
    "two swapped": (
        "1997-03",
        [("new 719 + resurrected 61", "new 61 + resurrected 719")],
        [X, X],
    ),
    "another field's number": ("1997-03", [("new 719", "new 657")], [X]),
    "a sum in place of its part": ("1997-03", [("new 719", "new 780")], [X]),
    "before and after swapped": (
        "1998-03",
        [("from 157 in 1998-02 to 211", "from 211 in 1998-02 to 157")],
        [D],
    ),
    "a rise called a fall": ("1998-03", [("rose", "fell")], [D]),
    "a fall called a rise": ("1997-03", [("fell", "climbed")], [D]),
    "wrong class": ("1998-03", [("class is growing", "class is surging")], [X]),
    "wrong flow": ("1997-03", [("flow is churned", "flow is new")], [X]),
    "wrong position": ("1997-03", [("position is above", "position is below")], [X]),
    "wrong form": ("1997-03", [("form is rates", "form is cohort")], [X]),
    "a label denied": ("1998-03", [("is growing", "is not growing")], [GONE]),
    "a label no longer true": ("1998-03", [("is above", "is no longer above")], [GONE]),
    "another period": ("1998-03", [("in 1998-03", "in 1998-04")], [U]),
    "the prose's example period": (
        "1998-03",
        [("1998-02", "1997-02"), ("1998-03", "1997-03")],
        [U, U],
    ),
    "a period from nowhere": ("1998-03", [("1998-03", "2019-07")], [U]),
    "sign dropped": ("1997-03", [("-3.4%", "3.4%"), ("fell", "went")], [X]),
    "sign turned": ("1997-03", [("-3.4%", "+3.4%")], [X]),
    "sign added": ("1998-03", [("34.4%", "-34.4%")], [X]),
    "wrong percent": ("1998-03", [("35.0%", "53.0%")], [X]),
    "percent a tenth off": ("1997-03", [("17.1%", "17.2%")], [X]),
    "a hundred times": ("1998-03", [("1.53", "153")], [X]),
    "wrong thousands": ("1998-03", [("resurrected 156", "resurrected 1.6K")], [X]),
    "two fields' figures swapped": (
        "1998-03",
        [
            ("The quick ratio is 1.53", "The retention rate is 1.53"),
            ("The retention rate is 35.0%", "The quick ratio is 35.0%"),
        ],
        [X, X],
    ),
    "a stale number": ("1998-03", [("previous 157", "previous 205")], [X]),
    "number in words": ("1998-03", [("new 0", "new five")], [GONE]),
    "ratio in words": ("1998-03", [("is 1.53", "is two and a half")], [GONE]),
    "rounded too far": ("1998-03", [("34.4%", "30%")], [X]),
    "code": ("1998-03", [("churned 102", "churned `120`")], [X]),
    "left out": ("1998-03", [("churned 102", "churned")], [GONE]),
    "left out and fenced": (
        "1998-03",
        [("churned 102", "churned"), "\n```\nchurned: 120\n```\n"],
        [GONE],
    ),
    "an invented comparison": ("1998-03", [" The industry average is 171."], [U]),
    "an invented month": ("1998-03", [" In 1998-01 there were 144 active users."], [U]),
    "taken back": ("1998-03", [" Actually churned was 99."], [X]),
    "bettered": ("1998-03", [" The quick ratio improved to 2.75 by the end."], [X]),
    "in a heading": ("1998-03", ["\n\n# Resurrected: 199\n"], [X]),
    "in a heading without a name": ("1998-03", ["\n\n# Active users: 231\n"], [U]),
    "in a table's row": ("1998-03", ["\n\n| what | n |\n|---|---|\n| churned | 112 |\n"], [X]),
    "in a table's column": (
        "1997-03",
        [TABLE.format(heads="new | resurrected | churned", cells="61 | 719 | 813")],
        [X, X],
    ),
    "in German": ("1998-03", [" Das Quick Ratio liegt bei 2,35."], [X]),
}


@pytest.mark.parametrize("name", SWAPS)
def test_a_false_answer_is_found_out(name, judged):
    month, changes, codes = SWAPS[name]
    answer = GOOD[month]
    for change in changes:
        old, new = change if isinstance(change, tuple) else ("", "")
        assert old in answer
        answer = answer.replace(old, new) if old else answer + change
    audit = judged(month, answer)
    found = [f for f in audit.strict.findings if f.code != "F1_LOW"]
    assert sorted(f.code for f in found) == sorted(codes), found
    assert audit.strict.verdict == ("unproven" if set(codes) == {U} else "fail")


@pytest.mark.parametrize("month", GOOD)
def test_the_answer_before_the_change_is_good(month, judged):
    assert judged(month, GOOD[month]).strict.findings == ()


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("nothing", ""),
        ("words alone", "Active users, new, resurrected, churned, quick ratio and trend rose."),
        ("hidden in a comment", f"<!-- {GOOD['1998-03']} -->\nAll is well."),
        ("hidden in an address", "[x](https://e.org/157/0/156/102/211/1.53/35.0/34.4) is all."),
        ("a heap of digits", "157 0 156 102 211 1.53 35.0% 34.4% growing resurrected above cohort"),
        ("the other month", GOOD["1997-03"]),
    ],
)
def test_an_answer_that_says_nothing_fails(name, answer, judged):
    audit = judged("1998-03", answer)
    assert audit.strict.verdict == "fail", name
    assert {f.code for f in audit.strict.findings} & {X, GONE}


# What a rule without the reader's sense cannot see. Each is named here so that whoever finds the
# rule can turn it round.
@pytest.mark.parametrize(
    ("month", "old", "new"),
    [
        ("1998-03", "rose from 157 in 1998-02 to 211", "fell from 211 in 1998-02 to 157"),
        ("1998-03", "The identity closes", "The identity does not close"),
        ("1997-03", "17.1%", "0.171%"),  # right where a field is kept in percent
        ("1998-03", "35.0%", "about 40%"),  # "about" allows half of the last digit's unit
        ("1997-03", "0.96", "1"),  # rounded as shown
        ("1998-03", "is cohort.", "is cohort. The spring campaign did it."),
        ("1998-03", "is cohort.", "is cohort. Resurrections tripled."),
        ("1998-03", "is cohort.", "is cohort. Adjusted, it is 2.1."),  # 211 / 102, by chance
    ],
)
def test_what_is_not_seen(month, old, new, judged):
    assert old in GOOD[month]
    assert judged(month, GOOD[month].replace(old, new)).strict.findings == ()
