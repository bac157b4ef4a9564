"""A live kernel's skill from what its runs keep."""

import json

import pytest

from skills2_nb.contract import blobs
from skills2_nb.contract.state import RunState
from skills2_nb.errors import JournalError, PackageError
from skills2_nb.evals.live_skill import live_skill
from tests.conftest import ADD, SETUP


def test_the_cells_as_they_ran():
    live = blobs.put(b'{"cells":[%s,%s]}' % tuple(repr_json(text) for text in (ADD, SETUP)))
    skill = live_skill(RunState(skill="a", version="2.0.0", live=live))
    assert (skill.name, skill.version, skill.ids, skill.live) == ("a", "2.0.0", ("add",), live)


def repr_json(text):
    return json.dumps(text).encode()


@pytest.mark.parametrize("data", [b"", b"[]", b'{"cells": 5}', b'{"cells": ["1 +"]}'])
def test_cells_that_cannot_be_run(data):
    with pytest.raises(PackageError):
        live_skill(RunState(skill="a", live=blobs.put(data)))


def test_cells_that_are_gone():
    with pytest.raises(PackageError, match="no live kernel"):
        live_skill(RunState(skill="a"))
    with pytest.raises((PackageError, JournalError)):
        live_skill(RunState(skill="a", live="0" * 64))
