import pytest

from skills2_nb.views.rows import (
    Argument,
    arguments,
    expected,
    field_of,
    fields,
    figures,
    rows,
    strangers,
)


def by_id(run):
    return {row.id: row for row in rows(run.skill, run.state, run.audit.steps)}


def test_an_honest_run(honest) -> None:
    made = by_id(honest)
    assert [row.number for row in made.values()] == [1, 2, 3, 4]
    assert {id_: row.status for id_, row in made.items()} == {
        "read_log": "ok",
        "add_up": "ok",
        "sample": "not due",
        "tell": "ok",
    }
    added = made["add_up"]
    assert (added.passed, added.declared) == (2, ("total_adds_up", "not_negative"))
    assert added.figures == (("total", 12), ("mean", 4.0))
    assert added.error is None
    assert added.us is not None


def test_a_failing_run(failing) -> None:
    made = by_id(failing)
    assert (made["add_up"].status, made["add_up"].attempts) == ("failed", 2)
    assert "DataFrame is wanted" in made["add_up"].error
    assert made["add_up"].figures == ()
    assert (made["tell"].status, made["tell"].us) == ("not called", None)
    assert [call.step for call in strangers(failing.skill, failing.state)] == ["no_such_step"]


def test_a_stale_step_names_what_changed(stale) -> None:
    told = by_id(stale)["tell"]
    assert told.status == "stale"
    assert set(told.stale_sources) == {"add_up#/total", "add_up#/mean"}


def test_the_audit_knows_what_was_owed(stale) -> None:
    assert by_id(stale)["sample"].status == "not called"
    assert {row.id: row.status for row in rows(stale.skill, stale.state)}["sample"] == "not due"


def test_no_run(honest) -> None:
    made = rows(honest.skill, None)
    assert {row.status for row in made} == {"not called"}
    assert strangers(honest.skill, None) == ()


def test_arguments_lead_back_to_the_run_s_inputs(honest) -> None:
    call = honest.state.newest("tell")
    total, mean, owner = arguments(call, honest.state)
    assert (total.name, total.source) == ("total", "add_up#/total")
    assert (total.value, total.by) == (12, "name")
    assert total.origin == "add_up"
    assert total.via == ("read_log#/log", "inputs#/amounts", "inputs#/owner")
    assert total.behind == "read_log, inputs amounts, owner"
    assert (mean.source, owner.source) == ("add_up#/mean", "read_log#/owner")
    assert arguments(call)[0].via == ()


def test_arguments_before_a_call(honest) -> None:
    skill = honest.skill
    told = {a.name: a.told for id_ in skill.ids for a in expected(skill, skill.step(id_))}
    assert told["amounts"] == "the run's input 'amounts'"
    assert told["log"] == "read_log#/log"
    assert not any(a.known for a in expected(skill, skill.step("tell")))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("literal", "given by the caller"),
        ("default", "the default"),
        ("a#/b", "a#/b"),
        ("a#", "a, the whole result"),
    ],
)
def test_sources_in_words(source: str, told: str) -> None:
    assert Argument("x", source, 1).told == told


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        ("a#/b", ("a", "b")),
        ("a#/b/3", ("a", "b")),
        ("a#/x~1y~0z", ("a", "x/y~z")),
        ("a#", ("a", "")),
        ("prompt", ("prompt", "")),
    ],
)
def test_field_of(reference: str, place: tuple[str, str]) -> None:
    assert field_of(reference) == place


def test_fields_of_what_is_no_mapping() -> None:
    assert fields(3) == (("result", 3),)
    assert fields({"$table": "x", "rows": 1}) == (("result", {"$table": "x", "rows": 1}),)
    assert fields({"a": 1}) == (("a", 1),)


def test_figures_fall_back_to_short_scalars() -> None:
    output = {"text": "x" * 90, "a": 1, "b": True, "c": "word", "d": 2}
    assert figures(output, ()) == (("a", 1), ("b", True), ("c", "word"))
    assert figures(output, ("d", "a")) == (("d", 2), ("a", 1))
    assert figures({"text": "x" * 90}, ()) == (("text", "x" * 90),)


def test_a_step_that_was_judged_is_not_asked_again_whether_it_was_owed(honest, monkeypatch) -> None:
    def gone(*_):
        raise ValueError("the value that its guard reads is erased")

    monkeypatch.setattr(type(honest.skill), "owes", gone)
    assert len(rows(honest.skill, honest.state, honest.audit.steps)) == len(honest.skill.steps)
    with pytest.raises(ValueError, match="erased"):
        rows(honest.skill, honest.state)
