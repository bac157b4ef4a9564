"""JUnit XML: what readers of it accept, and what a person can act on."""

import re
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.views import junit
from tests.views.suites import ALL, BAD, GOOD, HOSTILE, run, skill, suite

#: What the schema that Jenkins publishes has room for, of what is used: children and attributes.
SCHEMA = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name", "tests", "failures", "errors", "skipped", "time"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": ({"failure", "system-out"}, {"name", "time", "classname"}),
    "failure": (set(), {"type", "message"}),
    "system-out": (set(), set()),
}


def parsed(results, journals=""):
    return Xml.fromstring(junit.document(results, journals).encode())


@pytest.mark.parametrize("results", ALL.values(), ids=ALL)
def test_it_is_what_the_schema_has_room_for(results):
    root = parsed(results)
    assert root.tag == "testsuites"
    for node in root.iter():
        children, attributes = SCHEMA[node.tag]
        assert {child.tag for child in node} <= children
        assert set(node.attrib) <= attributes
        if "time" in node.attrib:
            assert re.fullmatch(r"\d+\.\d{3}", node.get("time"))


def test_counts_are_those_of_the_cases():
    root = parsed(BAD)
    sums, steps = root
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "3", "0")
    assert (sums.get("name"), sums.get("tests"), sums.get("failures")) == ("sums", "4", "2")
    assert sums.get("time") == "4.504"
    names = [case.get("name") for case in sums.iter("testcase")]
    assert names == ["add-1", "month (trial 1)", "month (trial 2)", "quarter"]
    assert [case.get("classname") for case in steps.iter("testcase")] == [
        "steps-only.step",
        "steps-only",
    ]


def test_what_is_no_pass_without_a_failed_case_fails_all_the_same():
    case = parsed(BAD)[1].findall("testcase")[-1]
    failure = case.find("failure")
    assert (case.get("name"), failure.get("type")) == ("evaluation", "unproven")
    assert failure.get("message") == "there is no run case, so nothing is shown"
    assert not list(parsed(GOOD).iter("failure"))


def test_a_failure_says_what_where_mend_and_journal():
    (case,) = [
        each for each in parsed(BAD, "runs").iter("testcase") if each.get("name") == "quarter"
    ]
    failure = case.find("failure")
    assert failure.get("message") == "the verdict is fail, not pass"
    assert failure.get("type") == "fail"
    assert failure.text.splitlines() == [
        "What of quarter?",
        "the verdict is fail, not pass",
        "the answer lacks 4.2",
        "CONTRADICTED: the answer says 5. Mend: Say 4.",
        *[
            f"STEP_MISSING: add: step_missing happened here. Mend: Call step {at}."
            for at in range(5)
        ],
        "and 3 more findings",
        "Journal: runs/2026-01-02/20260102-030405-0123abcd.jsonl",
    ]
    assert "score 0.41" in case.find("system-out").text


def test_scores_are_properties():
    told = {each.get("name"): each.get("value") for each in parsed(GOOD).iter("property")}
    assert told["score"] == "0.91"
    assert told["strict"] == "0.91"
    assert told["verdict"] == "pass"
    assert "undiscriminating" not in told
    bad = [(each.get("name"), each.get("value")) for each in parsed(BAD).iter("property")]
    assert ("undiscriminating", "month") in bad
    assert ("why", "there is no run case, so nothing is shown") in bad


def test_what_xml_cannot_say_is_replaced():
    text = junit.document(HOSTILE)
    assert not set(text) & set("\x00\x1b\ufffe\ud800")
    assert "<script" not in text
    assert "\\x1b[31m" in parsed(HOSTILE)[0].get("name")


@given(st.text())
def test_any_text_gets_through(said):
    results = suite("fail", skill("s", [run(said, wrong=[said])], why=[said]))
    (suite_,) = parsed(results)
    (case,) = suite_.iter("testcase")
    assert case.find("failure") is not None
    assert junit.document(results) == junit.document(results)
