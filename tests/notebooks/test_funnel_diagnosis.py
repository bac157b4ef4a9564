"""The funnel-diagnosis notebook: figures counted a second way, and what it refuses."""

import csv
import inspect
import json
import runpy
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from skills2_nb.contract.invariants import check
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

pytest.importorskip("pandas", reason="funnel diagnosis stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "funnel-diagnosis.ipynb"
FOLDER = NOTEBOOK.parent / NOTEBOOK.stem
LOG = FOLDER / "assets" / "signup_log.csv"
STAGES = ["visit", "signup", "activate", "purchase"]
COLUMNS = {"user_column": "user_id", "time_column": "time", "stage_column": "stage"}
ALWAYS = ["read_events", "follow_users", "count_stages", "compute_conversion", "find_worst_stage"]
BY = ["decompose_drop", "locate_segment", "weigh_segment"]
Outputs = dict[str, Any]


@pytest.fixture(scope="module")
def module() -> ModuleType:
    made = ModuleType("funnel_diagnosis_under_test")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if {"setup", "helper", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), made.__dict__)
    return made


def asked(before: str, after: str, segment: str = "channel", **more: Any) -> dict[str, Any]:
    base = {"path": str(LOG), **COLUMNS, "segment_column": segment, "stages": STAGES}
    return {**base, "window_days": 14, "grain": "month", "before": before, "after": after, **more}


@pytest.fixture
def run_of(module: ModuleType) -> Callable[[dict[str, Any]], Outputs]:
    """Run all steps by binding; gives the outputs by step."""
    skill = Skill.collect(vars(module), "funnel-diagnosis")

    def run(inputs: dict[str, Any]) -> Outputs:
        walked = walk(Run.start(skill, inputs=inputs))
        assert walked.error is None, walked.error
        return walked.outputs

    return run


# --- the log ---------------------------------------------------------------------------------


def test_the_script_writes_the_log_to_the_byte(tmp_path):
    made = tmp_path / "again.csv"
    runpy.run_path(str(FOLDER / "scripts" / "make_log.py"))["main"](str(made))
    assert made.read_bytes() == LOG.read_bytes()


def test_prose_and_readme_say_that_the_log_is_synthetic():
    readme = (FOLDER / "assets" / "README.md").read_text(encoding="utf-8")
    script = (FOLDER / "scripts" / "make_log.py").read_text(encoding="utf-8")
    assert "synthetic" in readme and "seed 42" in readme and "SEED = 42" in script
    assert "The sample log is synthetic" in NOTEBOOK.read_text(encoding="utf-8")


# --- the same figures, by a state machine over the sorted rows and exact fractions ------------


def second_count(column: str, month: str, stages: list[str], days: int) -> dict[str, list[int]]:
    """By segment, the users who entered in a month and reached each stage."""
    with LOG.open(encoding="utf-8", newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: row["time"])
    users: dict[str, tuple[datetime, str, int]] = {}
    for row in rows:
        at = datetime.fromisoformat(row["time"])
        if row["user_id"] not in users:
            if row["stage"] == stages[0]:
                users[row["user_id"]] = (at, row[column], 1)
            continue
        entry, segment, reached = users[row["user_id"]]
        if row["stage"] in stages[reached : reached + 1] and at <= entry + timedelta(days=days):
            users[row["user_id"]] = (entry, segment, reached + 1)
    found: dict[str, list[int]] = {}
    for entry, segment, reached in users.values():
        if f"{entry:%Y-%m}" == month:
            counts = found.setdefault(segment, [0] * len(stages))
            for place in range(reached):
                counts[place] += 1
    return found


def total(found: dict[str, list[int]]) -> list[int]:
    return [sum(column) for column in zip(*found.values(), strict=True)]


@pytest.mark.parametrize("column", ["channel", "device"])
@pytest.mark.parametrize(
    ("before", "after", "days"),
    [
        ("2025-02", "2025-03", 14),
        ("2025-03", "2025-04", 14),
        ("2025-04", "2025-05", 14),
        ("2025-03", "2025-05", 3),
    ],
)
def test_the_whole_chain_agrees_with_the_second_count(column, before, after, days, run_of):
    outputs = run_of(asked(before, after, column, window_days=days))
    told = {name: value for output in outputs.values() for name, value in output}
    was, now = (second_count(column, month, STAGES, days) for month in (before, after))
    assert (told["counts_before"], told["counts_after"]) == (total(was), total(now))
    changes = [
        Fraction(total(now)[at], total(now)[at - 1]) - Fraction(total(was)[at], total(was)[at - 1])
        for at in (1, 2, 3)
    ]
    place = 1 + changes.index(min(changes))
    assert (told["worst_place"], told["worst_stage"]) == (place, STAGES[place])
    assert told["change_points"] == pytest.approx(float(100 * min(changes)), abs=1e-3)
    if "decompose_drop" not in outputs:
        return
    bases = [total(each)[place - 1] for each in (was, now)]
    rate_effect = Fraction(0)
    for segment in was.keys() | now.keys():
        shares = [
            Fraction(each[segment][place - 1], base)
            for each, base in zip((was, now), bases, strict=True)
        ]
        rates = [Fraction(each[segment][place], each[segment][place - 1]) for each in (was, now)]
        rate_effect += (rates[1] - rates[0]) * sum(shares) / 2
    assert told["rate_points"] == pytest.approx(float(100 * rate_effect), abs=1e-3)
    assert told["mix_points"] == pytest.approx(float(100 * (min(changes) - rate_effect)), abs=1e-3)


def test_each_planted_story_is_found(run_of):
    quiet = run_of(asked("2025-02", "2025-03"))
    assert list(quiet) == [*ALWAYS, "weigh_drop", "write_readout"]
    assert quiet["weigh_drop"].drop_verdict == "within chance"
    campaign = run_of(asked("2025-03", "2025-04"))
    assert list(campaign) == [*ALWAYS, "weigh_drop", "decompose_drop", "write_readout"]
    assert campaign["decompose_drop"].drop_kind == "reversal"
    broken = run_of(asked("2025-04", "2025-05", "device"))
    assert list(broken) == [*ALWAYS, "weigh_drop", *BY, "write_readout"]
    assert broken["find_worst_stage"].worst_stage == "activate"
    assert broken["locate_segment"].worst_segment == "android"
    assert broken["weigh_segment"].segment_verdict == "clear"


def test_the_figures_of_the_prose():
    was, now = (second_count("channel", month, STAGES, 14) for month in ("2025-03", "2025-04"))
    rates = {
        name: tuple(f"{each[name][1] / each[name][0]:.1%}" for each in (was, now)) for name in was
    }
    assert rates == {
        "search": ("51.8%", "52.9%"),
        "referral": ("64.5%", "67.3%"),
        "paid": ("20.4%", "26.5%"),
    }
    assert (was["paid"][0], now["paid"][0]) == (98, 344)


# --- the checks ------------------------------------------------------------------------------

WRONG: dict[str, dict[str, Any]] = {
    "columns_as_asked": {"segment_column": "channel"},
    "counts_match_log": {"segment_count": 4},
    "log_is_in_order": {"log": "reverse"},
    "rows_are_the_files": {"other_events": 113},
    "end_is_given_or_last_event": {"last_observed": "2025-06-16"},
    "everybody_walked_again": {"people": "drop"},
    "entered_are_counted": {"entered_after": 601},
    "stages_recounted": {"counts_after": [600, 234, 99, 43]},
    "everybody_is_at_the_entry": {"counts_before": [601, 241, 154, 63]},
    "nobody_joins_later": {"counts_before": [600, 241, 63, 154]},
    "rates_lead_back": {"step_rates_before": [0.4, 0.6, 0.4]},
    "conversion_is_the_product": {"conversion_after": 0.0817},
    "no_stage_is_worse": {"worst_stage": "purchase"},
    "rates_are_of_that_stage": {"rate_after": 0.409},
    "drop_interval_reaches": {"drop_high": -1.0},
    "drop_verdict_follows": {"drop_verdict": "within chance"},
    "segments_recounted": {"segments": "drop"},
    "books_close": {"mix_points": 0.18},
    "effects_by_what_might_have_been": {"rate_points": -21.0},
    "segments_add_up": {"rate_points": -21.0},
    "kind_follows_effects": {"drop_kind": "mix shift"},
    "no_segment_pulls_more": {"worst_segment": "web"},
    "its_rates_lead_back": {"segment_rate_after": 0.27},
    "segment_interval_reaches": {"segment_low": -80.0},
    "segment_verdict_follows": {"segment_verdict": "small base"},
    "readout_carries_funnel": {"readout": "The conversion fell from 10.5% to 7.2%."},
    "readout_carries_drop": {"readout": "The worst stage is purchase."},
    "readout_carries_split": {"readout": "The drop kind is mix shift."},
    "readout_adds_no_figure": {"readout": "It cost 7 campaigns."},
}


@pytest.fixture(scope="module")
def recorded(module: ModuleType) -> list[tuple[Any, dict[str, Any], Any]]:
    """Each step of the May run by device: spec, arguments and output."""
    pool = asked("2025-04", "2025-05", "device")
    made: list[tuple[Any, dict[str, Any], Any]] = []
    for spec in Skill.collect(vars(module), "funnel-diagnosis").steps:
        args = {}
        for parameter in inspect.signature(spec.fn, eval_str=True).parameters.values():
            words = str(parameter.annotation).replace("'", ".").replace(" ", ".").split(".")
            whole = [out for _, _, out in made if type(out).__name__ in words]
            args[parameter.name] = whole[0] if whole else pool.get(parameter.name)
        output = spec.fn(**args)
        pool |= dict(output)
        made.append((spec, args, output))
    return made


def test_the_table_of_wrong_outputs_names_every_invariant(recorded):
    assert set(WRONG) == {item.name for spec, _, _ in recorded for item in spec.invariants}


@pytest.mark.parametrize("invariant", WRONG)
def test_a_wrong_output_is_caught(invariant, recorded):
    spec, args, output = next(
        entry for entry in recorded if invariant in {i.name for i in entry[0].invariants}
    )
    assert [each.name for each in check(spec.invariants, args, output) if not each.ok] == []
    changed = {"drop": slice(None, -1), "reverse": slice(None, None, -1)}
    update = {
        name: getattr(output, name).iloc[changed[value]].reset_index(drop=True)
        if name in ("log", "people", "segments")
        else value
        for name, value in WRONG[invariant].items()
    }
    wrong = output.model_copy(update=update)
    assert invariant in {each.name for each in check(spec.invariants, args, wrong) if not each.ok}


# --- logs that are small, odd or unreadable -------------------------------------------------

HEAD = "u,t,e,s\n"
SMALL = {"user_column": "u", "time_column": "t", "stage_column": "e", "segment_column": "s"}


def small_log(users: dict[str, list[str]]) -> str:
    """A log of stages per user, an hour apart, from the first of a month on."""
    rows = [
        f"{user},{user[:7]}-01T{hour:02d}:00,{stage},{'b' if user.endswith('b') else 'a'}"
        for user, stages in users.items()
        for hour, stage in enumerate(stages)
    ]
    return HEAD + "\n".join([*rows, "x,2024-03-20,help,a"]) + "\n"


ONE = {
    "2024-01-1a": ["v", "s", "p"],
    "2024-01-2a": ["v", "p", "s"],
    "2024-01-3b": ["v", "p"],
    "2024-02-1a": ["s", "v", "v", "s"],
    "2024-02-2b": ["v", "s", "p", "p"],
}


def test_order_and_skips_are_counted(run_of, write_log):
    path = str(write_log(small_log(ONE)))
    outputs = run_of(asked("2024-01", "2024-02", path=path, stages=["v", "s", "p"], **SMALL))
    assert outputs["count_stages"].counts_before == [3, 2, 1]
    assert outputs["count_stages"].counts_after == [2, 2, 1]
    followed = outputs["follow_users"]
    assert (followed.skipped_users, followed.disordered_users) == (1, 1)
    assert outputs["find_worst_stage"].change_points == 0
    assert "No rate fell" in outputs["write_readout"].readout


def test_a_small_base_ends_the_search(run_of, write_log):
    text = small_log({**ONE, "2024-02-2b": ["v"], "2024-02-3b": ["v"]})
    path = str(write_log(text))
    outputs = run_of(asked("2024-01", "2024-02", path=path, stages=["v", "s"], **SMALL))
    assert outputs["weigh_drop"].drop_verdict == "small base"
    assert "decompose_drop" not in outputs


def test_a_segment_that_is_new_is_all_mix(module, recorded):
    import pandas as pd

    rows = [("before", "a", 2)] * 6 + [("before", "a", 1)] * 4
    rows += [("after", "a", 2)] * 6 + [("after", "a", 1)] * 4 + [("after", "b", 1)] * 5
    people = pd.DataFrame(rows, columns=["period", "segment", "reached"])
    made = module.decompose_drop(people, 1, -20.0)
    assert (made.mix_points, made.rate_points, made.drop_kind) == (-20.0, 0.0, "reversal")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as a table .* Save the log as CSV"),
        (HEAD, "has column names but no events. Export the log again"),
        ("u,t,e\na,2024-01-01,v\n", "no column 's' for the segment. Its columns are: u, t, e"),
        (HEAD + "a,2024-01-01,v,\n", "1 rows have no segment in column 's'"),
        (HEAD + "a,1.2.2024,v,x\n", "is '1.2.2024' in data row 1. Write times like 2025-03-31"),
        (HEAD + "a,2024-01-01T10:00+01:00,v,x\n", "times with a time zone, .* drop the zone"),
        (HEAD + "a,2024-01-01,w,x\n", "No event has the stage 'v'. The log's stages are: w"),
        (
            HEAD + "".join(f"a{n},2024-01-01,{'vs'[n % 2]},x{n}\n" for n in range(13)),
            "'s' has 13 different values, .* at most 12",
        ),
    ],
)
def test_a_log_that_cannot_be_followed_says_why(text, sentence, module, write_log):
    with pytest.raises(ValueError, match=sentence):
        module.read_events(str(write_log(text)), "u", "t", "e", "s", ["v", "s"])


@pytest.mark.parametrize("stages", [["visit"], ["visit", "visit"], []])
def test_stages_that_are_no_funnel_are_refused(stages, module):
    with pytest.raises(ValueError, match="takes two stages or more, each once"):
        module.read_events(str(LOG), "user_id", "time", "stage", "device", stages)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"before": "2025-05", "after": "2025-04"}, "does not come before .* Swap them"),
        ({"before": "2025-01"}, "Nobody enters the funnel in 2025-01: entries run from 2025-02"),
        ({"after": "2025-06"}, "observed until 2025-06-15, .* up to 2025-07-14. Choose"),
        ({"window_days": 16}, "has 16 days, up to 2025-06-16"),
        ({"window_days": 0}, "A window of 0 days is none"),
        ({"after": "May 2025"}, "'May 2025' is not a month. Write it like 2025-03"),
    ],
)
def test_periods_that_cannot_be_compared_are_refused(change, sentence, module, recorded):
    _, args, _ = recorded[1]
    with pytest.raises(ValueError, match=sentence):
        module.follow_users(**{**args, **change})


def test_a_stage_that_nobody_reached_is_refused(module):
    with pytest.raises(ValueError, match="Nobody reached 'b' in one of the periods"):
        module.compute_conversion([9, 0, 0], [9, 5, 1], ["a", "b", "c"])
