"""The ledger: lines from any thread, and what is no line passed over."""

import json
import threading

import pytest

from skills2_nb.contract import ledger
from skills2_nb.errors import JournalError


def test_lines_from_many_threads_stay_whole(home):
    threads = [
        threading.Thread(target=ledger.append, args=("trial", {"n": n, "text": "ü" * 500}))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [json.loads(line) for line in ledger.place("trial").read_text().splitlines()]
    assert sorted(line["n"] for line in lines) == list(range(20))
    assert all(line["ts"].endswith("Z") for line in lines)


def test_a_ledger_that_cannot_be_written(home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the home should be")
    with pytest.raises(JournalError, match="cannot be written"):
        ledger.append("trial", {})
