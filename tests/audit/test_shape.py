"""What each kind of record carries."""

import json

import pytest

from skills2_nb.audit import shape
from skills2_nb.audit.shape import is_plain_success, misshapen
from skills2_nb.contract.journal import KINDS


@pytest.fixture
def records(honest):
    honest.note("seen")
    return [json.loads(line) for line in honest.path.read_text().splitlines()]


def test_every_kind_has_its_keys():
    assert set(shape._CARRIES) == KINDS


def test_what_is_written_has_its_shape(records):
    assert [misshapen(record, at) for at, record in enumerate(records, 1)] == [None] * len(records)


def test_no_key_may_be_left_out(records):
    for at, record in enumerate(records, 1):
        for key in shape._CARRIES[record["kind"]]:
            left = {name: value for name, value in record.items() if name != key}
            assert f"has no {key!r}" in misshapen(left, at), record["kind"]


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("run_started", "inputs", []),
        ("run_started", "prompt", 5),
        ("run_started", "vouched", "king"),
        ("run_started", "digest", 5),
        ("step_ok", "step", 5),
        ("step_ok", "args", [1]),
        ("step_ok", "bound", []),
        ("step_ok", "bound", {"period": 1}),
        ("step_ok", "bound", {"period": {"seq": 1}}),
        ("step_ok", "bound", {"period": {"from": "a#/b", "seq": "1"}}),
        ("step_ok", "invariants", {}),
        ("step_ok", "invariants", [1]),
        ("step_ok", "invariants", [{"name": "a", "ok": "yes"}]),
        ("step_ok", "us", -5),
        ("run_ended", "by", None),
        ("run_ended", "count", True),
        ("answer", "text", None),
        ("note", "text", 1),
    ],
)
def test_no_key_may_hold_another_kind_of_value(records, kind, key, value):
    at = next(at for at, record in enumerate(records, 1) if record["kind"] == kind)
    changed = {**records[at - 1], key: value}
    assert f"holds a {key!r}" in misshapen(changed, at)
    assert not is_plain_success(changed)


def test_a_plain_success_is_told_at_a_glance(records):
    glances = [is_plain_success(record) for record in records]
    assert glances == [record["kind"] == "step_ok" for record in records]
    assert any(glances)


@pytest.mark.parametrize("key", ["step", "args", "bound", "output", "invariants", "us", "seq"])
def test_nothing_that_lacks_a_key_is_a_plain_success(records, key):
    (plain, *_) = (record for record in records if is_plain_success(record))
    assert not is_plain_success({name: item for name, item in plain.items() if name != key})


@pytest.mark.parametrize(
    ("key", "value"),
    [("args", {"a": {"$blob": "0" * 64, "bytes": 9}}), ("output", {"$blob": "0" * 64, "bytes": 9})],
)
def test_what_may_lie_aside_is_no_plain_success(records, key, value):
    (plain, *_) = (record for record in records if is_plain_success(record))
    assert not is_plain_success(plain | {key: value})


@pytest.mark.parametrize("seq", [None, "3", 3.0, True])
def test_a_number_that_is_none_is_told(records, seq):
    assert "'seq'" in misshapen(records[2] | {"seq": seq}, 3)


def test_a_run_starts_once_and_first(records):
    assert "a second time" in misshapen(records[0], 2)
    assert "does not start" in misshapen(records[1], 1)
