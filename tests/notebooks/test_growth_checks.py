"""The checks of growth-accounting: each can fail, and no wrong figure slips through."""

import inspect
from pathlib import Path
from typing import Any, get_args

import pytest

from skills2_nb.contract.invariants import check
from skills2_nb.contract.skill import Skill

pytest.importorskip("pandas", reason="growth accounting stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "growth-accounting.ipynb"
LOG = NOTEBOOK.parent / NOTEBOOK.stem / "assets" / "cdnow_sample.csv"
STEPS = [
    "define_active_user", "count_flows", "pick_decomposition_form",
    "compute_single_period_identity", "compute_quick_ratio", "classify_growth",
    "find_dominant_flow", "compute_rates", "compare_with_trend", "write_readout",
]  # fmt: skip

WRONG = {
    "columns_as_asked": {"user_column": "date"},
    "definition_names_grain": {"grain": "week"},
    "counts_match_log": {"event_count": 6918},
    "dates_span_log": {"last_date": "1998-07-01"},
    "periods_as_asked": {"previous_period": "1998-01"},
    "actives_recounted": {"new": 156, "resurrected": 0},
    "everyone_has_one_place": {"churned": 103},
    "form_follows_data": {"decomposition_form": "rates"},
    "reason_gives_figures": {"form_reason": "rates: 158 users were active before and 0 arrived"},
    "identity_closes": {"implied": 229},
    "residual_is_the_gap": {"residual": 1},
    "gained_is_new_and_resurrected": {"gained": 155},
    "ratio_times_lost_is_gained": {"quick_ratio": 1.54},
    "class_matches_cuts": {"growth_class": "steady"},
    "cuts_hold_ratio": {"cut_high": 1.5},
    "dominant_is_largest": {"dominant_flow": "churned"},
    "total_is_all_moves": {"total_flow": 259},
    "stay_or_leave": {"retention_rate": 0.6497, "churn_rate": 0.3503},
    "growth_leads_to_current": {"growth_rate": -0.3439},
    "dormant_who_returned": {"resurrection_rate": None},
    "earlier_recounted": {"earlier_counts": [176, 205, 183, 149, 158]},
    "window_is_whole": {"earlier_counts": [205, 183, 149, 157]},
    "position_follows_counts": {"trend_position": "below"},
    "readout_carries_flows": {"readout": "Active users rose."},
    "readout_carries_findings": {"readout": "The dominant flow is new."},
    "readout_adds_no_figure": {"readout": "Active users rose by 54 thanks to 3 campaigns."},
}


@pytest.fixture
def recorded(skill: Skill) -> dict[str, tuple[Any, dict[str, Any], Any]]:
    """Each step of the March 1998 run: spec, arguments and output."""
    pool: dict[str, Any] = {"path": str(LOG), "user_column": "customer_id"}
    pool |= {"date_column": "date", "grain": "month", "period": "1998-03"}
    made: dict[str, tuple[Any, dict[str, Any], Any]] = {}
    for spec in skill.steps:
        args = {}
        for parameter in inspect.signature(spec.fn, eval_str=True).parameters.values():
            whole = [out for _, _, out in made.values() if type(out) is parameter.annotation]
            name = {"latest": "current_mau"}.get(parameter.name, parameter.name)
            args[parameter.name] = whole[0] if whole else pool[name]
        output = spec.fn(**args)
        pool |= dict(output)
        made[spec.id] = (spec, args, output)
    return made


def failed(spec: Any, args: dict[str, Any], output: Any) -> set[str]:
    return {each.name for each in check(spec.invariants, args, output) if not each.ok}


def test_the_table_of_wrong_outputs_names_every_invariant(skill):
    assert set(WRONG) == {item.name for spec in skill.steps for item in spec.invariants}


@pytest.mark.parametrize("invariant", WRONG)
def test_a_wrong_output_is_caught(invariant, recorded):
    spec, args, output = next(
        entry for entry in recorded.values() if invariant in {i.name for i in entry[0].invariants}
    )
    assert failed(spec, args, output) == set()
    wrong = output.model_copy(update=WRONG[invariant])
    assert invariant in failed(spec, args, wrong)


def mutants(field: Any, value: Any) -> list[Any]:
    """Other values of the field's own type."""
    labels = [x for x in get_args(field.annotation) if isinstance(x, str)]
    if labels:
        return [label for label in labels if label != value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value, round(value * 1.1)]
    if isinstance(value, float):
        empty = [None] if type(None) in get_args(field.annotation) else []
        return [value + 1, value - 1, -value, value * 1.1, *empty]
    if isinstance(value, list):
        return [value[1:], value[::-1], [*value, value[-1]]]
    return []


@pytest.mark.parametrize("step", STEPS)
def test_no_wrong_figure_or_label_slips_through(step, recorded):
    spec, args, output = recorded[step]
    slipped = [
        (name, wrong)
        for name, field in type(output).model_fields.items()
        for wrong in mutants(field, getattr(output, name))
        if wrong != getattr(output, name)
        and not failed(spec, args, output.model_copy(update={name: wrong}))
    ]
    assert slipped == []


@pytest.mark.parametrize("change", ["drop", "double", "reorder"])
def test_a_log_with_other_rows_is_caught(change, recorded):
    import pandas as pd

    spec, args, output = recorded["define_active_user"]
    log = {
        "drop": output.log.iloc[:-1],
        "double": pd.concat([output.log, output.log.tail(1)], ignore_index=True),
        "reorder": output.log.iloc[::-1].reset_index(drop=True),
    }[change]
    assert failed(spec, args, output.model_copy(update={"log": log}))


def test_swapped_flows_are_caught(recorded):
    spec, args, output = recorded["count_flows"]
    for one, other in [("new", "resurrected"), ("prev_mau", "current_mau"), ("new", "churned")]:
        values = {one: getattr(output, other), other: getattr(output, one)}
        assert failed(spec, args, output.model_copy(update=values)), (one, other)


@pytest.mark.parametrize(
    ("old", "new"),
    [("157", "158"), ("1.53", "1.63"), ("growing", "surging"), ("34.4%", "-34.4%"), ("211", "21")],
)
def test_a_readout_with_another_figure_is_caught(old, new, recorded):
    spec, args, output = recorded["write_readout"]
    assert old in output.readout
    wrong = output.model_copy(update={"readout": output.readout.replace(old, new)})
    assert failed(spec, args, wrong)
