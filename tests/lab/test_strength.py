"""%skills2 strength, on live steps."""

import os

import pytest

from skills2_nb.errors import Skills2Error
from skills2_nb.lab.session import open_session
from skills2_nb.lab.verbs import Memory, perform
from skills2_nb.library import runs


@pytest.fixture
def kernel(skill_notebook, load_notebook, home, monkeypatch):
    """`kernel("strength")`: what the magic shows, the notebook's cells having been run."""
    monkeypatch.chdir(skill_notebook.parent)
    namespace = vars(load_notebook(skill_notebook))
    memory = Memory()

    def call(*words):
        session = open_session(namespace, os.fspath(skill_notebook))
        return perform(list(words), session, memory)

    return call


def test_without_a_run_the_cases_are_asked(kernel):
    shown = kernel("strength")
    assert set(shown) == {"text/plain", "text/markdown", "text/html"}
    assert "2 of 2 invariants effective, 1 of 1 report field checked" in shown["text/plain"]
    assert ": case " in shown["text/plain"]
    assert runs.journals() == []


def test_after_a_run_the_run_is_asked(kernel):
    kernel("run")
    shown = kernel("strength")
    assert f": run {runs.newest('trial-skill').run}." in shown["text/plain"]
    assert "total_is_sum" in shown["text/plain"]


def test_one_step(kernel):
    shown = kernel("strength", "tell")["text/plain"]
    assert "names_total" in shown and "total_is_sum" not in shown


def test_a_step_that_does_not_exist(kernel):
    with pytest.raises(Skills2Error, match="no step 'nobody'"):
        kernel("strength", "nobody")
