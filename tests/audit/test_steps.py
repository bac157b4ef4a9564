"""Each step as a page shows it."""

import importlib.util
from pathlib import Path

from skills2_nb.audit.steps import step_views
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)


def test_a_step_view_shows_all_that_a_page_needs(skill):
    run = kit.begin(skill)
    walk(run)
    view = step_views(skill, run.state)[1].to_dict()
    assert (view["step"], view["order"], view["status"]) == ("close_identity", 2, "ok")
    assert view["report"] == {"implied": 231}
    assert view["invariants"] == [{"name": "identity_closes", "ok": True, "message": None}]
    assert {a["name"]: a["origin"] for a in view["args"]}["churned"] == "load_flows#/churned"
    assert [a["status"] for a in view["attempts"]] == ["ok"]
