"""What results.json says of one case: its steps with their calls in time."""

from skills2_nb.audit.auditor import Basis, audit_journal
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.step import step
from skills2_nb.evals.result import Result


def positive(total):
    return total > 0


@step(invariants=[positive])
def add(values: list[int]) -> dict[str, int]:
    """Add them up."""
    if not values:
        raise ValueError("there is nothing to add")
    return {"total": sum(values)}


@step(requires=add)
def tell(total: int) -> dict[str, str]:
    """Say it."""
    return {"readout": f"It is {total}."}


@step(requires=tell)
def send(readout: str) -> dict[str, str]:
    """Send it."""
    return {"sent": readout}


SKILL = Skill.collect({"add": add, "tell": tell, "send": send}, "sums")


def test_steps_with_their_calls_in_time():
    run = Run.start(SKILL, {"values": [1, 2]}, prompt="How much?", vouched="case")
    for values in ([], [3, 4]):
        try:
            run.call("add", {"values": values})
        except Exception as error:
            assert not values, error
    run.call("tell")
    run.call("add", {"values": [5]})
    run.end(answer="It is 7.")
    run.close()
    audit = audit_journal(Basis(SKILL, "# Sums", ("sum",)), run.path)
    steps = Result("one", "run", audit=audit).to_dict()["steps"]
    assert [(each["id"], each["status"]) for each in steps] == [
        ("add", "ok"),
        ("tell", "stale"),
        ("send", "missing"),
    ]
    first, second, third = steps
    assert [call["status"] for call in first["calls"]] == ["failed", "ok", "ok"]
    assert first["us"] == sum(call["us"] for call in first["calls"]) > 0
    assert (first["passed"], first["invariants"]) == (1, 1)
    order = [call["seq"] for call in (*first["calls"], *second["calls"])]
    assert sorted(order) == [order[0], order[1], order[3], order[2]]
    assert (third["us"], third["calls"]) == (0, [])


def test_no_audit_no_steps():
    assert Result("one", "step").to_dict()["steps"] == []
