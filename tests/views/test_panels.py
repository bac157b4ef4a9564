"""The parts of an evaluation in every form, made of a real evaluation too."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.evals.evaluation import evaluate, suite
from skills2_nb.views import eval_page, panels
from skills2_nb.views.render import AUDIT_MIMETYPE
from tests.conftest import ADD, CASES, FRONT, MANIFEST, PROSE, SETUP, TELL
from tests.views.suites import ALL, BAD, GOOD

FORMS = {"text/plain", "text/markdown", "text/html", AUDIT_MIMETYPE}
SUMS = BAD["skills"][0]
PARTS = {
    "gauge": panels.gauge,
    "axes": panels.axes,
    "cases": panels.cases,
    "distribution": panels.distribution,
    "timelines": panels.timelines,
    "report": panels.report,
    "timeline": lambda each: panels.timeline(each["cases"][-1]),
}
SKILLS = [each for results in ALL.values() for each in results["skills"]]


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("each", SKILLS, ids=lambda each: each["verdict"])
def test_every_part_has_every_form(make, each, read):
    data, _ = make(each)._repr_mimebundle_()
    assert set(data) == FORMS
    assert json.loads(json.dumps(data[AUDIT_MIMETYPE]))
    assert data["text/markdown"].strip() and data["text/plain"].strip()
    names = {node.name for node in read(data["text/html"]).all()}
    assert not {"script", "img", "iframe"} & names


def test_what_is_left_where_styles_are_taken_away_still_has_the_figures(read):
    tree = read(panels.report(SUMS, GOOD).data["text/html"])
    styles = "".join(node.text for node in tree.all("style"))
    text = tree.text.replace(styles, "")
    for told in ("✗ fail", "0.61 median score", "score, threshold 0.80", "✗ does not hold"):
        assert told in text


def test_json_of_the_report_is_the_evaluation_and_of_the_gauge_its_verdict():
    assert panels.report(SUMS).data[AUDIT_MIMETYPE] == SUMS
    told = panels.gauge(SUMS).data[AUDIT_MIMETYPE]
    assert (told["verdict"], told["axes"]) == ("fail", SUMS["axes"])
    assert "cases" not in told


def test_only_failures_are_unfolded(read):
    tree = read(panels.report(SUMS).data["text/html"])
    opened = [node.all("summary")[0].text for node in tree.all("details")]
    assert opened == ["✗ add-1", "✗ quarter", "3 more findings"]


def test_a_real_evaluation_in_every_form(make_notebook: Callable[..., Path], tmp_path, read):
    steps = "## Steps\n\n1. `add`: Add up.\n2. `tell`: Say it."
    cells = [("front", FRONT), ("prose", PROSE), ("prose", steps), ("manifest", MANIFEST)]
    cells += [("setup", SETUP), ("step", ADD), ("step", TELL), ("cases", CASES)]
    folder = export(make_notebook(cells), tmp_path / "skills", force=True).folder
    results = json.loads(json.dumps(suite([evaluate(folder, tmp_path / "place")], "0.1.0")))
    (each,) = results["skills"]
    made_up = GOOD["skills"][0]
    assert set(made_up) <= set(each)
    for case in each["cases"]:
        assert set(made_up["cases"][0]) <= set(case)
    run = next(case for case in each["cases"] if case["steps"])
    assert set(run["steps"][0]) == set(made_up["cases"][1]["steps"][0])
    assert [step["id"] for step in run["steps"]] == ["add", "tell"]
    assert all(call["us"] > 0 for step in run["steps"] for call in step["calls"])
    for make in PARTS.values():
        assert set(make(each).data) == FORMS
    page = read(eval_page.page(results).removeprefix("<!DOCTYPE html>\n")).text
    assert "v1, the prose alone" in page and "✓ pass" in page
