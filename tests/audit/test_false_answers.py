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
    "a number denied": ("1998-03", [("ratio is 1.53", "ratio isn't 1.53")], [GONE]),
    "a number struck out": ("1998-03", [("ratio is 1.53", "ratio is ~~1.53~~ high")], [GONE]),
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
    # numbers in other dress
    "words": ("1998-03", [" Two hundred and forty customers were active."], [U]),
    "percent in words": ("1998-03", [" Churn fell by twelve percent."], [U]),
    "German words": ("1998-03", [" Am Ende waren zweihundertvierzig aktiv."], [U]),
    "beside its name in words": ("1998-03", [" Churned was ninety."], [X]),
    "nobody": ("1998-03", [" Nobody churned."], [X]),
    "niemand": ("1998-03", [" Niemand churned."], [X]),
    "footnote": ("1998-03", ["[^1]\n\n[^1]: The churned figure is really 99."], [X]),
    "square brackets": ("1998-03", [" Churned [90] was small."], [X]),
    "round brackets": ("1998-03", [" Churned (90) was small."], [X]),
    "link's words": ("1998-03", [" See [churned 90](https://example.org)."], [X]),
    "a number that is linked": ("1998-03", [" [240 users](https://example.org/240) came."], [U]),
    "clock": ("1998-03", [" Churned: 0:90."], [X, U]),
    "other digits": ("1998-03", [" Churned is \u0669\u0660."], [X]),
    "zero width": ("1998-03", [" Churned is 9\u200b0."], [X]),
    "formula": ("1998-03", [" $churned = 90$"], [X]),
    "JSON": ("1998-03", [' {"churned": 90, "quick_ratio": 2.4}'], [X, X]),
    "HTML": ("1998-03", [" <b>churned</b> 90"], [X]),
    "an HTML table": ("1998-03", ["<tr><td>churned</td><td>90</td></tr>"], [X]),
    "raised in HTML": ("1998-03", [" Churned is <sup>90</sup>."], [X]),
    "emphasis within": ("1998-03", [" Churned: 9**0**."], [X]),
    "a comma moved": ("1998-03", [" Churned: 1,02."], [X]),
    "a power": ("1998-03", [" Churned: 9e1."], [X]),
    "a transposed table": (
        "1998-03",
        ["\n\n| | 1998-02 | 1998-03 |\n|---|---|---|\n| churned | 88 | 90 |\n"],
        [X, U],
    ),
    "a third column": (
        "1998-03",
        ["\n\n| what | unit | n |\n|---|---|---|\n| churned | users | 90 |\n"],
        [X],
    ),
    "two names": ("1998-03", [" Implied is 211 but the current count is 215."], [X]),
    "YAML": ("1998-03", ["\n\nchurned: 90\nquick_ratio: 2.4\n"], [X, X]),
    "four thousand": ("1998-03", [" That makes 4,000 customers."], [U]),
    "4K": ("1998-03", [" That makes 4K customers."], [U]),
    "one thousand in German": ("1998-03", [" Das sind 1.000 Kunden."], [U]),
    # a table shifted by a row, values swapped by an "and"
    "shifted rows": (
        "1998-03",
        ["\n\n| what | n |\n|---|---|\n| new | 156 |\n| resurrected | 102 |\n| churned | 211 |\n"],
        [X, X, X],
    ),
    "swapped by and": ("1998-03", [" 156 churned and 102 were resurrected."], [X]),
    "swapped in bold": ("1998-03", [" **churned**: 156. **resurrected**: 102."], [X, X]),
    "swapped in a list": ("1998-03", ["\n- resurrected: 102\n- churned: 156\n"], [X, X]),
    # both the true and a false value
    "not but": ("1998-03", [" It is not 211 but 240."], [X]),
    "not but beside its name": ("1998-03", [" In truth not 102 but 90 churned."], [X]),
    "nicht sondern": ("1998-03", [" Es sind nicht 211, sondern 240."], [X]),
    "a slash": ("1998-03", [" Quick ratio: 1.53 / 2.10."], [X]),
    "or adjusted": ("1998-03", [" The quick ratio is 1.53 (or 2.10 adjusted)."], [X]),
    "a range": ("1998-03", [" The quick ratio lies between 1.53 and 2.75."], [X]),
    "restated": ("1998-03", [" Restated, the retention rate is 53.0%."], [X]),
    "hedged": ("1998-03", [" Churned may well be 90."], [X]),
    # signs and units
    "sign of a part": ("1998-03", [("resurrected 156 -", "resurrected -156 -")], [X]),
    "points for percent": ("1998-03", [("34.4%", "34.4 percentage points")], [GONE, U]),
    "points from nowhere": ("1998-03", [" The retention rate won 7 percentage points."], [U]),
    "per mille": ("1998-03", [("35.0%", "35.0\u2030")], [X]),
    "ten times": ("1998-03", [("34.4%", "344%")], [X]),
    "a decline of the growth": ("1998-03", [("a growth rate of 34.4%", "a decline of 34.4%")], [D]),
    "shrank by the growth": ("1998-03", [" So the base shrank by 34.4%."], [D]),
    "grew by the decline": ("1997-03", [" So the base grew by 3.4%."], [D]),
    "Anstieg um": ("1997-03", [" Das ist ein Anstieg um 3,4 %."], [D]),
    # labels
    "a second label": ("1998-03", ["\n\n## Growth class: surging\n"], [X]),
    "a label in a table": (
        "1998-03",
        ["\n\n| what | value |\n|---|---|\n| growth class | surging |\n"],
        [X],
    ),
    "has become": ("1998-03", [" The growth class has become surging."], [X]),
    "small capitals": ("1998-03", [" GROWTH CLASS: SURGING."], [X]),
    "rather than": ("1998-03", [" The dominant flow is new rather than resurrected."], [X]),
    "every label": ("1998-03", [" Growth class: shrinking, steady, growing, surging."], [X]),
    "hardly": ("1998-03", [("is above", "is hardly above")], [GONE]),
    # what was not reported
    "the complement": ("1998-03", [" The churn rate is 35.0%."], [X]),
    "a rate beside it": ("1998-03", [" The resurrection rate is 17.1%."], [X]),
    "a sum": ("1998-03", [" 157 + 156 - 102 = 221."], [U]),
    "a quotient": ("1998-03", [" (0 + 156) / 102 = 1.78."], [U]),
    "another year": ("1998-03", [" A year earlier, in March 1997, there were 948."], [U]),
    "money": ("1998-03", [" Revenue was $45,000."], [U]),
}


@pytest.mark.parametrize("name", SWAPS)
def test_a_false_answer_is_found_out(name, judged, sound):
    month, changes, codes = SWAPS[name]
    answer = GOOD[month]
    for change in changes:
        old, new = change if isinstance(change, tuple) else ("", "")
        assert old in answer
        answer = answer.replace(old, new) if old else answer + change
    audit = judged(month, answer)
    found = [f for f in audit.strict.findings if f.code != "F1_LOW"]
    assert sorted(f.code for f in found) == sorted(codes), found
    assert audit.strict.verdict == (sound if set(codes) == {U} else "fail")


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
        (
            "true and false values of each name",
            "Active users. Identity: previous 157, 175, 151; new 0, 5, 9; resurrected 156, 165; "
            "churned 102, 120, 201; implied 211, 121; current count 211, 112; quick ratio 1.53, "
            "3.51; retention rate 35.0%, 53.0%; growth rate 34.4%, 43.4%; growth class growing; "
            "dominant flow resurrected; trend position above; decomposition form cohort.",
        ),
        (
            "each number there is",
            "new resurrected churned quick ratio growth rate " + " ".join(map(str, range(400))),
        ),
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
        # sizes told in words that are no numbers
        ("1998-03", "is cohort.", "is cohort. Active users doubled."),
        ("1998-03", "is cohort.", "is cohort. Three quarters of them churned."),
        ("1998-03", "is cohort.", "is cohort. No resurrected customers were seen."),  # "no new ..."
        # the true values in another order: what belongs to what is grammar
        ("1998-03", "is cohort.", "is cohort. Resurrected and churned: 102 and 156, respectively."),
        ("1998-03", "is cohort.", "is cohort. 157 + 156 - 211 = 102."),
        ("1998-03", "is cohort.", "is cohort. In January 1998 they were 157."),
        # a difference has no sign of its own
        ("1998-03", "is cohort.", "is cohort. The net change was -54."),
        # a bound need not be a tight one
        ("1998-03", "is cohort.", "is cohort. Over 200 churned."),
        # a label without its field's name, or beside the true one
        ("1998-03", "is cohort.", "is cohort. Against the trend, it is below."),
        ("1998-03", "is cohort.", "is cohort. Its growth class borders on surging."),
        # a clause that takes the next one back
        ("1998-03", "The quick ratio is 1.53", "It is false that the quick ratio is 1.53"),
        ("1998-03", "is cohort.", "is cohort. All of these figures are wrong."),
        # code shows, it does not claim; letters and raised digits are no numbers
        ("1998-03", "is cohort.", "is cohort. `churned = 90`"),
        ("1998-03", "is cohort.", "is cohort. Churned is XC."),
        ("1998-03", "is cohort.", "is cohort. Churned\u2079\u2070"),
    ],
)
def test_what_is_not_seen(month, old, new, judged):
    assert old in GOOD[month]
    assert judged(month, GOOD[month].replace(old, new)).strict.findings == ()
