"""The kit's commands as a Jupyter server's agents call them."""

import importlib
import inspect
import json
from importlib.metadata import entry_points

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.lab import toolbox


@pytest.fixture
def here(skill_notebook, monkeypatch):
    monkeypatch.chdir(skill_notebook.parent.parent)
    export(skill_notebook)
    return skill_notebook


@pytest.mark.parametrize("address", toolbox.TOOLS)
def test_every_address_leads_to_a_function_an_agent_can_read(address):
    module, _, name = address.partition(":")
    function = getattr(importlib.import_module(module), name)
    assert inspect.getdoc(function)
    assert all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values())


def test_the_entry_point_leads_to_the_list():
    (found,) = entry_points(group="jupyter_server_mcp.tools", name="skills2") or [None]
    if found is None:
        pytest.skip("the kit was installed before it had the entry point")
    assert found.load() == toolbox.TOOLS


def test_a_notebook_is_checked_exported_run_and_audited(here):
    assert toolbox.lint_skill_notebook(str(here)) == {"findings": []}
    (made,) = toolbox.export_skill_notebook(str(here))["packages"]
    assert made["current"]
    assert [row["skill"] for row in toolbox.list_skills()["skills"]] == ["trial-skill"]
    assert [step["id"] for step in toolbox.show_skill("trial-skill")["steps"]] == ["add", "tell"]
    for inputs in ({"values": [1, 2]}, json.dumps({"values": [1, 2]})):
        done = toolbox.run_skill("trial-skill", inputs)
        assert done["steps"]["add"]["total"] == 3
    assert toolbox.run_skill("trial-skill")["steps"]["add"]["total"] == 91
    judged = toolbox.audit_skill_run(done["run"], "The total is 4.")
    assert judged["audit"]["strict"]["verdict"] == "fail"
    assert toolbox.audit_skill_run(done["run"])["run"] == done["run"]


@pytest.mark.parametrize("word", ["none-such", "--help", "-h"])
def test_what_cannot_be_done_is_the_commands_own_sentence(word, here):
    with pytest.raises(toolbox.ToolError, match="there is no skill"):
        toolbox.run_skill(word)
