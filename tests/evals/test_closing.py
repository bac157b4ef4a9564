"""A run's last records, written beside whoever else writes."""

import pytest

from skills2_nb.audit import ledger
from skills2_nb.audit.integrity import inspect
from skills2_nb.contract.journal import read
from skills2_nb.errors import JournalError, RunEndedError
from skills2_nb.evals.closing import Closing
from tests.evals.small_skill import packaged
from tests.evals.stops import ASKED, run, session


@pytest.fixture
def made(tmp_path):
    return run(session(), packaged(tmp_path))


def kinds(path):
    return [record["kind"] for record in read(path)]


def test_an_end_and_an_answer(made):
    with Closing(made.path) as closing:
        assert closing.note("seen") and closing.end() and closing.answer("It is 91.", ASKED)
    assert kinds(made.path)[-3:] == ["note", "run_ended", "answer"]
    *_, end, answer = read(made.path)
    assert (end["by"], end["count"], end["writer"][:7]) == ("stop", end["seq"] - 1, "worker:")
    assert (answer["text"], answer["prompt_id"]) == ("It is 91.", ASKED)
    whole = inspect(made.path, earlier=ledger.sound(made.id))
    assert (whole.holds, whole.held, whole.findings) == (True, ("L0", "L1", "L2"), ())


def test_what_is_there_is_not_written_again(made):
    for _ in range(2):
        with Closing(made.path) as closing:
            closing.note("seen"), closing.end(), closing.answer("It  is\n91.", None)
    assert kinds(made.path)[-3:] == ["note", "run_ended", "answer"]
    with Closing(made.path) as closing:
        assert not closing.answer("It is 91. ", ASKED)
        assert closing.answer("It is 92.", ASKED) and closing.answer("It is 91.", ASKED)


def test_a_step_after_the_answer_wants_it_again(tmp_path):
    made = run(session(), packaged(tmp_path), ["add"])
    with Closing(made.path) as closing:
        closing.answer("It is 91.", ASKED)
        made.call("tell")
        assert closing.answer("It is 91.", ASKED)


def test_a_server_that_is_still_at_work_is_told(made):
    with Closing(made.path) as closing:
        made.call("tell")
        assert closing.end()
        with pytest.raises(RunEndedError):
            made.call("tell")
        assert closing.answer("It is 91.", ASKED)
    assert kinds(made.path)[-4:] == ["step_ok", "run_ended", "rejected", "answer"]
    assert inspect(made.path, earlier=ledger.sound(made.id)).holds


def test_a_torn_journal_is_healed(made):
    made.path.write_bytes(made.path.read_bytes() + b'{"v":1,"run":"20')
    with Closing(made.path) as closing:
        closing.end()
    assert kinds(made.path)[-2:] == ["healed", "run_ended"]


def test_a_changed_journal_takes_nothing_more(made):
    whole = made.path.read_bytes()
    made.path.write_bytes(whole.replace(b'"seq":3', b'"seq":9'))
    changed = made.path.read_bytes()
    with Closing(made.path) as closing, pytest.raises(JournalError):
        closing.end()
    assert changed != whole and made.path.read_bytes() == changed
