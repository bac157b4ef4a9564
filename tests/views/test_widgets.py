"""Widgets: one message with every form, and links that need no kernel."""

import pytest

ipywidgets = pytest.importorskip("ipywidgets")

from skills2_nb.views import panels, widgets  # noqa: E402
from skills2_nb.views.evaluation import FILTERS  # noqa: E402
from skills2_nb.views.render import AUDIT_MIMETYPE  # noqa: E402
from tests.views.suites import BAD, EMPTY, GOOD, HOSTILE, skill, small  # noqa: E402

VIEW = "application/vnd.jupyter.widget-view+json"
SUMS, STEPS = BAD["skills"]
MAKERS = [widgets.gauge, widgets.axes, widgets.cases, widgets.timelines, widgets.distribution]
SKILLS = [SUMS, STEPS, GOOD["skills"][0], HOSTILE["skills"][0], skill("none", [])]


def inside(widget):
    """A widget and all that stands in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def only(panel, kind):
    (found,) = [each for each in inside(panel) if isinstance(each, kind)]
    return found


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("each", SKILLS, ids=lambda each: each["verdict"])
def test_one_message_has_every_form(make, each):
    data = make(each)._repr_mimebundle_()
    assert set(data) == {VIEW, "text/plain", "text/markdown", "text/html", AUDIT_MIMETYPE}
    assert data["text/plain"] != repr(make(each))


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_only_the_controls_that_every_front_end_has(make):
    for widget in inside(make(SUMS)):
        state = widget.get_state()
        assert state["_model_module"] == "@jupyter-widgets/controls"
        assert state["_view_module"] == "@jupyter-widgets/controls"


def test_filter_and_drill_down_are_links_of_the_browser():
    panel = widgets.cases(SUMS, "runs")
    buttons, dropdown = only(panel, ipywidgets.ToggleButtons), only(panel, ipywidgets.Dropdown)
    tables, pages = [each for each in inside(panel) if isinstance(each, ipywidgets.Stack)]
    counts = (4, 2, 2, 2)
    expected = [f"{name} ({count})" for name, count in zip(FILTERS, counts, strict=True)]
    assert list(buttons.options) == expected
    assert [table.value.count("<tr") - 1 for table in tables.children] == list(counts)
    assert len(pages.children) == len(dropdown.options) == 4
    for control, stack in ((buttons, tables), (dropdown, pages)):
        assert stack.kept.source == (control, "index")
        assert stack.kept.target == (stack, "selected_index")
        assert stack.kept.get_state()["_model_name"] == "LinkModel"
        assert stack.selected_index == 0 == control.index


def test_what_does_not_hold_comes_first_in_the_list():
    panel = widgets.cases(SUMS)
    assert [name.split(" ", 1)[1] for name in only(panel, ipywidgets.Dropdown).options] == [
        "✗ add-1",
        "✗ quarter",
        "✓ month (trial 1)",
        "✓ month (trial 2)",
    ]


def test_a_kernel_answers_the_field_of_words():
    panel = widgets.cases(SUMS)
    field = only(panel, ipywidgets.Text)
    assert "kernel" in field.placeholder
    tables = next(each for each in inside(panel) if isinstance(each, ipywidgets.Stack))
    whole = [table.value for table in tables.children]
    field.value = "lacks 4.2"
    assert [table.value.count("<tr") for table in tables.children] == [2, 2, 0, 0]
    assert "Cases: none." in tables.children[2].value
    field.value = ""
    assert [table.value for table in tables.children] == whole


def test_filters_without_a_case_are_left_out():
    buttons = only(widgets.cases(GOOD["skills"][0]), ipywidgets.ToggleButtons)
    assert list(buttons.options) == ["all (3)", "hold (3)"]


def test_timeline_of_a_case_of_one_run_and_of_many():
    assert "add" in widgets.timeline(SUMS["cases"][1]).children[0].value
    assert "No run called a step" in widgets.timelines(STEPS).children[0].value
    many = widgets.timelines(SUMS)
    stack = only(many, ipywidgets.Stack)
    assert len(stack.children) == 3
    assert stack.kept.source == (only(many, ipywidgets.Dropdown), "index")


def test_same_figures_as_the_static_parts():
    for make, static in ((widgets.gauge, panels.gauge), (widgets.axes, panels.axes)):
        assert make(SUMS).children[0].value == static(SUMS).data["text/html"]
    assert widgets.report(SUMS, GOOD).data == panels.report(SUMS, GOOD).data


def test_hostile_text_is_text(read):
    for make in MAKERS:
        for widget in inside(make(HOSTILE["skills"][0])):
            if isinstance(widget, ipywidgets.HTML):
                assert not {"script", "img"} & {node.name for node in read(widget.value).all()}
    assert not EMPTY["skills"]
    assert widgets.cases(skill("s", [small("a")])).children
