"""The process that judges is as it was, whatever a skill's code does."""

import os
from pathlib import Path

import pytest

from skills2_nb.evals.surroundings import guarded, unending


@pytest.mark.parametrize("within", [unending, guarded])
@pytest.mark.parametrize("status", [0, 1])
def test_what_would_end_the_process_raises_in_place_of_that(within, status):
    end = os._exit
    with pytest.raises(SystemExit, match=rf"os\._exit\({status}\) would end"), within():
        os._exit(status)
    assert os._exit is end


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no process")
def test_a_copy_of_the_process_ends_itself():
    with guarded():
        child = os.fork()
        if not child:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_folder_and_environment_are_put_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GONE", "here")
    monkeypatch.setenv("OTHER", "before")
    monkeypatch.delenv("NEW", raising=False)
    with pytest.raises(ValueError, match="no"), guarded():
        os.chdir("/")
        os.environ |= {"OTHER": "after", "NEW": "1"}
        del os.environ["GONE"]
        raise ValueError("no")
    assert Path.cwd() == tmp_path
    assert (os.environ["GONE"], os.environ["OTHER"], os.environ.get("NEW")) == (
        "here",
        "before",
        None,
    )


def test_a_folder_that_is_gone_is_no_error(tmp_path, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    done = []
    with guarded():
        place.rmdir()
        done.append("the step that removed it")
    with guarded():
        done.append("the next one, which begins in no folder at all")
    assert len(done) == 2
