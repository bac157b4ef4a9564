"""How far an evaluation in another process has come."""

import pytest

from skills2_nb.evals import progress


def test_what_is_told_in_one_process_is_read_in_another(tmp_path, monkeypatch):
    path = tmp_path / "told.jsonl"
    monkeypatch.setenv(progress.VARIABLE, str(path))
    told = progress.teller(7)
    assert told is not None and progress.newest(path) == ""
    seen = []
    for version, case in [("contract", "a"), ("contract", "b"), ("v1", "a"), ("stubs", "a")]:
        told(version, case)
        seen.append(progress.newest(path))
    assert seen == ["1/7", "2/7", "prose", "stubs"]


def test_nobody_waits(monkeypatch):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    assert progress.teller(1) is None


@pytest.mark.parametrize("text", ["", "{", "\n"])
def test_a_line_that_is_not_whole_yet_says_nothing(tmp_path, text):
    (tmp_path / "told.jsonl").write_text(text, "utf-8")
    assert progress.newest(tmp_path / "told.jsonl") == ""


def test_a_place_that_cannot_be_written_stops_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "absent" / "told.jsonl"))
    told = progress.teller(1)
    assert told is not None
    told("contract", "a")
    assert progress.newest(tmp_path / "absent" / "told.jsonl") == ""
