"""Answers in English and German with the status of every figure."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skills2_nb.audit.anchoring import anchor, term_share
from skills2_nb.audit.sources import (
    constant_sources,
    input_sources,
    report_field,
    result_sources,
    text_sources,
)

FLOWS = {
    "period": "1998-03",
    "previous": 157,
    "new": 0,
    "resurrected": 156,
    "churned": 102,
    "current": 211,
    "revenue": 1234567.89,
    "net_change": -46,
    "weekly": [48, 51, 57, 55],
}
RATIOS = {"quick_ratio": 156 / 102, "churn_rate": 0.1667}
CHOICE = {"dominant_flow": "resurrected", "identity_closes": True}
CHOICE_SCHEMA = {"properties": {"dominant_flow": {"enum": ["new", "resurrected", "churned"]}}}
FIELDS = (
    report_field("flows", "current", FLOWS, {}),
    report_field("flows", "new", FLOWS, {}),
    report_field("ratios", "quick_ratio", RATIOS, {}),
    report_field("choice", "dominant_flow", CHOICE, CHOICE_SCHEMA),
)
SOURCES = (
    *result_sources("flows", FLOWS, {}),
    *result_sources("ratios", RATIOS, {}),
    *result_sources("choice", CHOICE, CHOICE_SCHEMA),
    *input_sources({"path": "orders_2400.csv", "min_orders": 25}),
    *text_sources("Why did actives move in March 1998? Our goal is 300.", "prompt", "prompt"),
    *text_sources("A quick ratio below 4 is slow, as in May 2003.", "body", "constant"),
    *constant_sources([0.05]),
)
HONEST = "Current MAU is 211, new 0; the quick ratio is 1.53 and the dominant flow is resurrected. "


def judged(answer, fields=FIELDS, sources=SOURCES):
    return anchor(answer, fields, sources, names=("cohort-90-retention",))


def statuses(answer, **options):
    return {value.text: value.status for value in judged(answer, **options).values}


R, T, D, P, C = "reported", "traced", "derived", "prompt", "constant"
U, X = "unsupported", "contradicted"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # one value in many dresses
        ("Revenue was 1,234,567.89.", {"1,234,567.89": T}),
        ("Revenue was $1,234,568.", {"$1,234,568": T}),
        ("Der Umsatz betrug 1.234.567,89 €.", {"1.234.567,89": T}),
        ("Umsatz: 1 234 567,89 EUR", {"1 234 567,89": T}),
        ("Umsatz: 1'234'568 CHF", {"1'234'568": T}),
        ("Revenue of 1.23M", {"1.23M": T}),
        ("Revenue of $1.2 million", {"$1.2 million": T}),
        ("Umsatz von 1,2 Mio. Euro", {"1,2 Mio.": T}),
        ("rund 1,2 Mio. €", {"1,2 Mio.": T}),
        ("Revenue of 1,235K", {"1,235K": T}),
        ("about 1,230,000 in revenue", {"1,230,000": T}),
        ("1,230,000 in revenue", {"1,230,000": U}),
        ("Revenue was 1.24M", {"1.24M": U}),
        ("Revenue was 1234567.9", {"1234567.9": T}),
        ("Revenue was 1234567.8", {"1234567.8": U}),
        # rounding and percent
        ("The churn rate is 16.7%.", {"16.7%": T}),
        ("The churn rate is 16.67 %.", {"16.67 %": T}),
        ("Die Abwanderungsquote liegt bei 16,7 %.", {"16,7 %": T}),
        ("Die Quote liegt bei 17 Prozent.", {"17 Prozent": T}),
        ("a churn rate of 0.167", {"0.167": T}),
        ("a churn rate of .17", {".17": T}),
        ("The churn rate is 16.8%.", {"16.8%": X}),
        ("Churn runs at 17 per cent.", {"17 per cent": T}),
        ("The quick ratio is 1.5.", {"1.5": R}),
        ("The quick ratio is 1.529.", {"1.529": R}),
        ("Das Quick-Ratio liegt bei 1,53.", {"1,53": R}),
        ("The quick ratio is 1.52.", {"1.52": X}),
        ("The quick ratio is 2.", {"2": R}),
        # signs
        ("The net change was −46.", {"−46": T}),
        ("The net change was -46.", {"-46": T}),
        ("Actives fell by 46.", {"46": T}),
        ("Die Zahl ist um 46 gesunken.", {"46": T}),
        ("Resurrected +156, churned −102.", {"+156": T, "−102": T}),
        ("157 + 0 + 156 − 102 = 211", {"157": T, "0": T, "156": T, "102": T, "211": R}),
        ("157+156-102=211", {"157": T, "156": T, "102": T, "211": R}),
        ("The net change was 46 users up.", {"46": U}),
        # separators in doubt: either reading may match
        ("Weekly peak 57,0 and low 48.0", {"57,0": T, "48.0": T}),
        ("2.357 Kunden", {"2.357": U}),
        ("102,157 then", {"102": T, "157": T}),
        ("157, 156 and 102", {"157": T, "156": T, "102": T}),
        # dates and periods are no numbers
        ("In March 1998 ...", {"March 1998": T}),
        ("Im März 1998 ...", {"März 1998": T}),
        ("Mar '98 ...", {"Mar '98": T}),
        ("1998-03 ...", {"1998-03": T}),
        ("03/1998 ...", {"03/1998": T}),
        ("In 1998 ...", {"1998": T}),
        ("Q1 1998 ...", {"Q1 1998": T}),
        ("from 1 March 1998 to 31 March 1998", {"1 March 1998": D, "31 March 1998": D}),
        ("vom 1. März 1998 bis 31.03.1998", {"1. März 1998": D, "31.03.1998": D}),
        ("March 1998 against February 1998", {"March 1998": T, "February 1998": D}),
        ("March 1998 against March 1997", {"March 1998": T, "March 1997": D}),
        ("In February 1998 ...", {"February 1998": U}),  # the run's own month is not said
        ("In June 2004 ...", {"June 2004": U}),
        ("Stand: 17.06.2004, 14:30 Uhr", {"17.06.2004": U}),
        ("In 2004 ...", {"2004": U}),
        # what is no figure at all
        ("1. First\n2. Second\n3) Third\n", {}),
        ("## 2. Results\n\n- (1) one\n", {}),
        ("In step 5 of 10, see table 3 and section 4.2.", {}),
        ("Schritt 3 von 4: fertig.", {}),
        ("The 1st, 2nd and 23rd time, in the 1990s.", {}),
        ("am 3. Tag und im 2. Monat", {}),
        ("All 4 steps ran; 10 of 10 steps.", {}),
        ("See https://example.org/a/999?x=12 and [this](https://e.org/77).", {}),
        ("Run `df.head(999)` from /data/v12/orders_999.csv", {}),
        ("```\nx = 999\n```\n", {}),
        ("cohort-90-retention v1.2.3 on Python 3.11", {}),
        ("As noted [1], [^2] and #123 say.", {}),
        ("ISO-8601, GPT-4, B2B, H2 and 2FA", {}),
        ("at 12:30 and 09:05:11", {}),
        # sources that are no results
        ("Below the goal of 300.", {"300": P}),
        ("with at least 25 orders", {"25": P}),
        ("orders_2400 was read", {}),
        ("below the threshold of 4", {"4": C}),
        ("alpha = 0.05, i.e. 5 %", {"0.05": C, "5 %": C}),
        # from nowhere
        ("There were 1185 of them.", {"1185": U}),
        ("Es waren 1.185 Kunden.", {"1.185": U}),
        ("and 37% came back", {"37%": U}),
        ("The weekly figures were 48, 51, 57 and 55.", {"48": T, "51": T, "57": T, "55": T}),
        # a difference, ratio or change of report fields proves nothing and is no fault
        ("In March 1998, unlike May 2003", {"March 1998": T, "May 2003": C}),
        ("In May 2003 ...", {"May 2003": U}),  # an example in place of the run's own month
        ("In April 2003 ...", {"April 2003": U}),  # beside an example of the prose alone
        ("That is 209.47 more.", {"209.47": U}),  # a count less a rate is no difference
        ("`211` of them", {"211": R}),
        ("**211** and *1.53* quick ratio", {"211": R, "1.53": R}),
        ("| current | 211 |", {"211": R}),
    ],
)
def test_every_figure_has_its_status(answer, expected):
    found = statuses(answer)
    assert found == expected, judged(answer).findings


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (HONEST, {"current", "new", "quick_ratio", "dominant_flow"}),
        (
            "Aktuell (current): 211. New: 0. Quick Ratio: 1,53. Dominant flow: resurrected.",
            {"current", "new", "quick_ratio", "dominant_flow"},
        ),
        ("There were no new customers; 211 are current.", {"current", "new"}),
        ("211 actives, none of them new.", {"current", "new"}),
        ("0 problems were found. 211 actives.", {"current"}),
        ("Zero new, 211 current.", {"current", "new"}),
        ("The identity closes; quick ratio and dominant flow were computed.", set()),
        (
            "The quick ratio is `1.53`, resurrected being the dominant flow.",
            {"quick_ratio", "dominant_flow"},
        ),
        (
            "new 0, resurrected 156, churned 102; dominant flow resurrected.",
            {"new", "dominant_flow"},
        ),
        ("Resurrection led: **resurrected** customers made the month.", {"dominant_flow"}),
        (
            "| period | new | quick ratio | dominant flow |\n|---|---|---|---|\n"
            "| 1998-03 | 0 | 1.53 | resurrected |\n",
            {"new", "quick_ratio", "dominant_flow"},
        ),
        (
            "| metric | value |\n|:--|--:|\n| New | 0 |\n| Quick ratio | 1.5 |\n"
            "| Dominant flow | Resurrected |\n| Current | 211 |\n",
            {"current", "new", "quick_ratio", "dominant_flow"},
        ),
        ("quick ratio\n: 1.53", {"quick_ratio"}),
        ("```\ncurrent 211\nquick_ratio 1.53\n```", {"current", "quick_ratio"}),
        ("1.53", {"quick_ratio"}),
        ("1.5", set()),
        ("The quick ratio stands at about 1.5.", {"quick_ratio"}),
    ],
)
def test_report_fields_are_found(answer, found):
    result = judged(answer)
    omitted = {
        f.message.partition(" ")[0].rpartition("/")[2]
        for f in result.findings
        if f.code in ("OMITTED", "CONTRADICTED")
    }
    assert {"current", "new", "quick_ratio", "dominant_flow"} - omitted == found
    assert result.recall == len(found) / 4


@pytest.mark.parametrize(
    ("answer", "contradicted"),
    [
        # another value stands beside the name
        ("Quick ratio is 4.20.", ["quick_ratio"]),
        ("The quick ratio came out at 4.2.", ["quick_ratio"]),
        ("Quick ratio: 4,2", ["quick_ratio"]),
        ("**Quick ratio:** 4.2", ["quick_ratio"]),
        ("Quick ratio (4.2)", ["quick_ratio"]),
        ("a 4.2 quick ratio", ["quick_ratio"]),
        ("| quick ratio | 4.2 |", ["quick_ratio"]),
        ("Current MAU is 999.", ["current"]),
        ("999 current users.", ["current"]),
        ("Das Quick-Ratio beträgt 4,2.", ["quick_ratio"]),
        ("The quick ratio for the whole period was 4.2.", ["quick_ratio"]),
        ("New: 17, current: 211.", ["new"]),
        ("Current: 211. Later we say current is 999.", ["current"]),
        ("The quick ratio is 211.", ["quick_ratio"]),
        ("The dominant flow is new.", ["dominant_flow"]),
        ("Dominant flow: churned", ["dominant_flow"]),
        ("The dominant flow was churned, not new.", ["dominant_flow"]),
        ("new 0, resurrected 156, churned 102, dominant flow churned", ["dominant_flow"]),
        ("| metric | value |\n|--|--|\n| Quick ratio | 4.2 |\n", ["quick_ratio"]),
        ("| period | quick ratio |\n|--|--|\n| 1998-03 | 4.2 |\n", ["quick_ratio"]),
        # the true value, or none, stands there
        (HONEST, []),
        ("The quick ratio rose from 1.2 to 1.53.", []),
        ("The quick ratio is 1.53, below the threshold of 4.", []),
        ("A quick ratio below 4 is slow; here it is 1.53.", []),
        ("The quick ratio fell; churned 102.", []),
        ("Compared to previous, 102 churned.", []),
        ("Current actives are up 34% to 211.", []),
        ("Current (211) against previous (157).", []),
        ("211 current, 157 previous, 156 resurrected, 102 churned, 0 new", []),
        ("resurrected 156 churned 102 current 211 previous 157", []),
        ("The current 12-month window is closed.", []),
        ("In the current period, 102 churned.", []),
        ("New and resurrected together are 156.", []),
        ("new 0, resurrected 156, churned 102; dominant flow resurrected", []),
        ("The dominant flow is resurrected, not new.", []),
        ("Resurrected is the dominant flow; new is nil.", []),
        ("Quick ratio 1.53 (new 0 + resurrected 156, over churned 102)", []),
        ("Das Quick-Ratio liegt bei 1,53 und damit unter 4.", []),
        ("Every new idea needs 3 weeks.", []),
        ("Of 157 previous actives 102 churned (65%); current: 211.", []),
        ("The quick ratio is (0 + 156) / 102 = 1.53.", []),
    ],
)
def test_contradictions(answer, contradicted):
    result = judged(answer)
    found = [f for f in result.findings if f.code == "CONTRADICTED"]
    names = [f.message.partition(" ")[0].rpartition("/")[2] for f in found]
    assert names == contradicted, (found, result.values)


@pytest.mark.parametrize(
    ("answer", "contradicted"),
    [
        ("The current of 157 old and 156 resurrected less 102 is 211. ", []),
        ("The quick ratio of 156 to 102 is about 1.53. ", []),
        ("Die quick ratio aus 156 und 102 ergibt 1,53. ", []),
        ("The quick ratio of 4.2 is high. ", ["4.2"]),
        ("The quick ratio of 4.2 is 3.9. ", ["4.2"]),
    ],
)
def test_what_a_name_is_taken_of_is_not_its_value(answer, contradicted):
    result = judged(HONEST.replace("Current MAU is 211, ", "").replace("quick", "other") + answer)
    found = [each.text for each in result.values if each.status == "contradicted"]
    assert found == contradicted, result.values


def test_swapped_values_are_contradicted():
    fields = tuple(report_field("flows", name, FLOWS, {}) for name in ("resurrected", "churned"))
    result = judged("156 churned, 102 resurrected", fields)
    assert [f.code for f in result.findings] == ["CONTRADICTED", "CONTRADICTED"]
    assert result.recall == 1.0  # the numbers are there, and the verdict fails on the claims


def test_a_contradiction_names_field_value_and_place():
    (found,) = [
        f
        for f in judged("All is well.\nThe quick ratio is 4.20 now.").findings
        if f.code == "CONTRADICTED"
    ]
    assert found.message == (
        "ratios#/quick_ratio is 1.52941, and the answer says 4.20 "
        "(line 2, column 20: “The quick ratio is 4.20 now.”)"
    )
    assert found.step == "ratios"
    assert "1.52941" in found.mend


def test_an_omission_names_field_and_value():
    (found,) = judged("Current 211, new 0, quick ratio 1.53").findings
    assert (found.code, found.step) == ("OMITTED", "choice")
    assert "dominant_flow is resurrected" in found.message
    assert found.mend == "Add the sentence: dominant flow is resurrected."


def test_an_omission_says_where_the_name_stands():
    answer = "Current 211, new 0.\nThe quick ratio was computed; dominant flow resurrected."
    (found,) = judged(answer).findings
    assert found.message == (
        "ratios#/quick_ratio is 1.52941, and the answer does not say so (beside the words “quick "
        "ratio”); its name stands in line 2, column 5: “The quick ratio was computed; dominant "
        "flow …”"
    )


def test_a_figure_from_nowhere_has_its_place():
    found = [f for f in judged(HONEST + "\nAnd 1185.").findings if f.code == "UNSUPPORTED"]
    assert [f.message for f in found] == [
        "1185 comes from no result, input, prompt or prose (line 2, column 5: “And 1185.”)"
    ]


def test_spans_are_those_of_the_answer():
    answer = "Im **März 1998**: 211 aktive (`current`), Quick Ratio 1,53 – neu 0 (new)."
    for value in judged(answer).values:
        assert answer[value.start : value.end] == value.text


def test_values_name_their_sources():
    sources = {value.text: value.source for value in judged(HONEST + "Goal 300, 102.").values}
    assert sources == {
        "211": "flows#/current",
        "0": "flows#/new",
        "1.53": "ratios#/quick_ratio",
        "resurrected": "choice#/dominant_flow",
        "300": "prompt",
        "102": "flows#/churned",
    }


@pytest.mark.parametrize(
    ("answer", "recall", "precision"),
    [
        (HONEST, 1.0, 1.0),
        (HONEST + "Also 1185 and 1186.", 1.0, 4 / 6),
        ("The words alone: current, new, quick ratio, dominant flow.", 0.0, 1.0),
        ("", 0.0, 1.0),
    ],
)
def test_f1_counts_both_ways(answer, recall, precision):
    result = judged(answer)
    assert (result.recall, result.precision) == (recall, pytest.approx(precision))
    expected = 2 * recall * precision / (recall + precision) if recall else 0.0
    assert result.f1 == pytest.approx(expected)


def test_no_report_field_gives_no_recall():
    assert judged("Current 211.", fields=()).f1 == 0.0


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("33 fewer", D),  # 1178 - 1145
        ("down 2.8 %", D),
        ("0.97 times", D),
        ("34 fewer", U),
        ("down 3.8 %", U),
    ],
)
def test_a_difference_of_report_fields_is_neutral(answer, status):
    output = {"previous": 1178, "current": 1145}
    fields = tuple(report_field("s", name, output, {}) for name in output)
    result = judged("previous 1178, current 1145: " + answer, fields)
    assert [v.status for v in result.values] == [R, R, status]
    assert result.precision == (1.0 if status == D else 2 / 3)


def test_no_answer_yet_accuses_nobody():
    result = anchor(None, FIELDS, SOURCES, ("growth",))
    assert (result.f1, result.terms, result.findings) == (0.0, 0.0, ())


# --- other kinds of report fields --------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "answer", "recall"),
    [
        (True, "The identity closes.", 1.0),
        (True, "Identity closes: yes", 1.0),
        (True, "Nothing was looked at.", 0.0),
        (True, "The identity closes: no", 0.0),
        (False, "It is false that the identity closes.", 1.0),
        (False, "Identity closes: false", 1.0),
        (False, "The identity closes.", 0.0),
    ],
)
def test_truth_values(value, answer, recall):
    field = report_field("s", "identity_closes", {"identity_closes": value}, {})
    assert judged(answer, (field,)).recall == recall


@pytest.mark.parametrize(
    ("answer", "recall"),
    [("It was March 1998.", 1.0), ("It was 1998-03.", 1.0), ("It was May 2001.", 0.0), ("", 0.0)],
)
def test_a_period_is_reported_in_any_form(answer, recall):
    assert judged(answer, (report_field("s", "period", FLOWS, {}),)).recall == recall


def test_a_period_is_contradicted_beside_its_name():
    result = judged("Period: April 2001", (report_field("s", "period", FLOWS, {}),))
    assert [f.code for f in result.findings] == ["CONTRADICTED"]


def test_none_has_nothing_to_carry_and_no_number():
    field = report_field("s", "quick_ratio", {"quick_ratio": None}, {})
    other = report_field("flows", "current", FLOWS, {})
    assert judged("current 211, quick ratio undefined", (field, other)).recall == 1.0
    codes = [f.code for f in judged("current 211, quick ratio 1.78", (field, other)).findings]
    assert codes == ["CONTRADICTED"]


def test_a_list_is_found_when_every_element_is():
    field = report_field("flows", "weekly", FLOWS, {})
    assert judged("48, 51, 57 and 55", (field,)).recall == 1.0
    result = judged("48, 51 and 57", (field,))
    assert result.recall == 0.0
    assert "55" in result.findings[0].message


def test_a_long_list_or_table_is_named_as_not_checked():
    fields = (
        report_field("s", "many", {"many": list(range(25))}, {}),
        report_field("s", "table", {"table": {"$table": "0" * 64, "rows": 3}}, {}),
    )
    result = judged("nothing", fields)
    assert len(result.not_checked) == 2
    assert [f.code for f in result.findings] == ["REPORT_UNFIT", "REPORT_UNFIT"]


def test_a_long_list_gives_no_sources():
    long, short = list(range(1000, 1025)), list(range(1000, 1024))
    for values, status in ((long, U), (short, T)):
        sources = result_sources("s", {"ids": values}, {})
        assert statuses("number 1005", fields=(), sources=sources) == {"1005": status}


def test_a_readout_does_not_prove_its_own_numbers():
    output = {"readout": "There were 1185 of them."}
    sources = result_sources("s", output, {})
    assert statuses(output["readout"], fields=(), sources=sources) == {"1185": U}


def test_reported_prose_may_be_said_in_other_words():
    output = {"readout": "Actives rose to 211 in March 1998, a quick ratio of 1.53, which is slow."}
    field = report_field("s", "readout", output, {})
    assert judged("So: " + output["readout"], (field,)).recall == 1.0
    assert judged("In March 1998: 211 actives, quick ratio 1.53", (field,)).recall == 1.0
    assert judged("In March 1998: 211 actives", (field,)).recall == 0.0


def test_a_generic_name_is_called_by_its_step():
    field = report_field("compute_quick_ratio", "value", {"value": 1.5294}, {})
    codes = [f.code for f in judged("The quick ratio is 4.2", (field,), ()).findings]
    assert codes == ["CONTRADICTED"]


def test_a_title_is_a_name_too():
    schema = {"properties": {"new": {"title": "Neue Kunden"}}}
    field = report_field("flows", "new", FLOWS, schema)
    assert judged("Neue Kunden: 0", (field,)).recall == 1.0


# --- laws --------------------------------------------------------------------------------------


def english(value, places):
    return f"{value:,.{places}f}"


def german(value, places):
    return english(value, places).translate(str.maketrans(",.", ".,"))


def plain(value, places):
    return f"{value:.{places}f}"


def swiss(value, places):
    return english(value, places).replace(",", "’")


def thin(value, places):
    return english(value, places).replace(",", "\u202f")


def minus(value, places):
    return plain(value, places).replace("-", "\u2212")


@given(
    value=st.floats(-1e7, 1e7).filter(lambda v: abs(v) >= 100),
    places=st.integers(0, 4),
    dress=st.sampled_from([english, german, plain, swiss, thin, minus]),
    around=st.sampled_from(
        ["The total is {}.", "Summe: {} Euro", "**{}**", "({})", "| total | {} |", "{}", "ist {},"]
    ),
)
def test_every_dress_of_a_report_value_is_found(value, places, dress, around):
    field = report_field("s", "total", {"total": value}, {})
    result = judged(around.format(dress(value, places)), (field,), ())
    assert result.f1 == 1.0, result


@given(
    share=st.floats(0.1, 0.99),
    places=st.integers(0, 2),
    dress=st.sampled_from([english, german]),
    unit=st.sampled_from(["%", " %", "\u00a0%", " percent", " Prozent"]),
)
def test_every_percentage_of_a_share_is_found(share, places, dress, unit):
    field = report_field("s", "churn_share", {"churn_share": share}, {})
    result = judged(f"The churn share is {dress(share * 100, places)}{unit}.", (field,), ())
    assert result.f1 == 1.0, result


@given(number=st.integers(200, 10**7), dress=st.sampled_from([english, german, plain]))
def test_a_number_from_nowhere_is_unsupported(number, dress):
    text = dress(number, 0)
    known = {157, 156, 102, 211, 300, 2400, 1998}
    assume(number not in known and not {int(p) for p in re.findall(r"\d+", text)} & known)
    assume(number not in (1529, 2003))  # 1.529 is the quick ratio
    (value,) = judged(f"We counted {text} boxes.").values
    assert value.status == U
    assert value.text == text


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("We counted 4,000 boxes.", U),  # not the 4 of the prose
        ("We counted 4.000 boxes.", U),
        ("We counted 4K boxes.", U),
        ("We counted 4 boxes.", C),
        ("We counted 25% boxes.", U),  # 25 orders are no percentage
        ("We counted 211% boxes.", U),
        ("We counted 153% boxes.", R),
    ],
)
def test_thousands_are_no_constant_of_one_digit(answer, status):
    assert list(statuses(answer).values()) == [status]


def test_a_whole_float_may_be_shown_to_three_places():
    field = report_field("s", "ratio", {"ratio": 4.0}, {})
    assert judged("Das Verhältnis (ratio) ist 4,000.", (field,), ()).recall == 1.0


@given(st.text(max_size=300))
def test_any_text_is_judged(text):
    result = judged(text)
    assert 0 <= result.f1 <= 1
    assert all(text[v.start : v.end] == v.text for v in result.values)


# --- terms -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "terms", "share"),
    [
        ("The Quick  Ratio", ("quick ratio",), 1.0),
        ("the **quick** ratio of `load`", ("quick ratio", "load"), 1.0),
        ("the quick ratio", ("quick ratio", "identity"), 0.5),
        ("anything", (), 0.0),
    ],
)
def test_term_share(answer, terms, share):
    assert term_share(answer, terms)[0] == share
