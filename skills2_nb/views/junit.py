"""An evaluation as JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from skills2_nb.views import eval_grids as grids
from skills2_nb.views import evaluation as said
from skills2_nb.views.evaluation import AXES, Evaluation, Row
from skills2_nb.views.values import clean

#: What XML 1.0 has no way to say.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PROPERTIES = ("version", "digest", "runner", "profile", "threshold", "verdict", "pass_rate")


def document(results: Mapping[str, Any], journals: str = "") -> str:
    """A test suite a skill, a test case a try of a case.

    The order of elements and attributes is that of the schema that Jenkins and pytest hold to.

    Args:
        results: a results.json, or one skill of it.
        journals: the folder of the journals as the reader knows it.

    Returns:
        The same bytes for the same results.
    """
    root = Xml.Element("testsuites", name="skills2")
    suites = [_suite(each, journals) for each in said.skills(results)]
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.extend(suites)
    Xml.indent(root)
    told = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{told}\n'


def legal(text: object) -> str:
    """Text as XML can say it: control characters by their code, what it has no way to say as �."""
    return _ILLEGAL.sub("\ufffd", clean(str(text)))


def _suite(evaluation: Evaluation, journals: str) -> Xml.Element:
    rows = said.rows(evaluation)
    cases = [_case(evaluation, row, journals) for row in rows]
    if evaluation["verdict"] != "pass" and all(row.ok for row in rows):
        cases.append(_whole(evaluation))
    seconds = sum(row.case["seconds"] for row in rows)
    suite = Xml.Element(
        "testsuite",
        name=legal(evaluation["skill"]),
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors="0",
        skipped="0",
        time=f"{seconds:.3f}",
    )
    suite.append(_properties(evaluation))
    suite.extend(cases)
    return suite


def _whole(evaluation: Evaluation) -> Xml.Element:
    """The evaluation as a test of its own, where it is no pass though no case failed."""
    case = Xml.Element(
        "testcase", name="evaluation", time="0.000", classname=legal(evaluation["skill"])
    )
    told = [*evaluation["why"], said.summary(evaluation)]
    failure = Xml.SubElement(
        case, "failure", type=legal(evaluation["verdict"]), message=legal(told[0])
    )
    failure.text = legal("\n".join(told))
    return case


def _properties(evaluation: Evaluation) -> Xml.Element:
    told = {key: evaluation.get(key) for key in _PROPERTIES}
    told |= {axis: evaluation["axes"][axis] for axis in AXES}
    told |= {key: evaluation.get(key) for key in ("strict", "classic")}
    told["undiscriminating"] = ", ".join(evaluation.get("undiscriminating", ())) or None
    told["why"] = "; ".join(evaluation["why"]) or None
    made = Xml.Element("properties")
    for key, value in told.items():
        if value is not None:
            Xml.SubElement(made, "property", name=key, value=legal(value))
    return made


def _case(evaluation: Evaluation, row: Row, journals: str) -> Xml.Element:
    case = Xml.Element(
        "testcase",
        name=legal(row.name),
        time=f"{row.case['seconds']:.3f}",
        classname=legal(f"{evaluation['skill']}.{row.case['kind']}"),
    )
    if not row.ok:
        told = grids.faults(evaluation, row, journals)
        kind = f"{row.case['verdict']}" if row.case["verdict"] else "step"
        failure = Xml.SubElement(case, "failure", type=legal(kind), message=legal(told[0]))
        failure.text = legal("\n".join([row.case["label"], *told]).strip())
    Xml.SubElement(case, "system-out").text = legal(_out(evaluation, row))
    return case


def _out(evaluation: Evaluation, row: Row) -> str:
    judged = said.profile(evaluation, row.case)
    scores = [f"{axis} {judged[axis]:.2f}" for axis in AXES] if judged else []
    run = [f"run {row.case['run']}"] if row.case["run"] else []
    return ", ".join([f"verdict {row.expected}", *scores, *run])
