from skills2_nb.contract.trial import Trial
from skills2_nb.views import render
from skills2_nb.views.rows import expected


class Export:
    folder, checked = "x", False
    written = unchanged = removed = edited = problems = ()


def test_audit_in_every_form(any_run, cells) -> None:
    bundle = render.audit(any_run.audit, any_run.skill, any_run.state, cells=cells)
    data, metadata = bundle._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "text/markdown", render.AUDIT_MIMETYPE}
    assert set(data[render.AUDIT_MIMETYPE]) == {"classic", "strict"}
    assert metadata == {}
    assert str(bundle) == data["text/plain"]
    classic, strict = any_run.audit.classic, any_run.audit.strict
    verdict = f"classic {classic.verdict} {classic.score:.2f}"
    assert data["text/plain"].startswith(f"strict {strict.verdict.upper()} {strict.score:.2f}")
    assert f"{verdict}</span>" in data["text/html"]
    assert verdict in data["text/markdown"].splitlines()[0]


def test_what_is_handed_out_is_a_copy(honest) -> None:
    bundle = render.audit(honest.audit)
    bundle._repr_mimebundle_()[0].clear()
    assert "text/html" in bundle._repr_mimebundle_()[0]


def test_every_other_thing_as_text_and_html(honest) -> None:
    skill = honest.skill
    spec = skill.step("add_up")
    bundles = [
        render.result(spec, {"log": 1}, {"total": 3}),
        render.problems([], file="n.ipynb"),
        render.explain(spec.id, expected(skill, spec)),
        render.trial(Trial(True, "add(1)", "")),
        render.exported(Export),
    ]
    for bundle in bundles:
        assert set(bundle.data) == {"text/plain", "text/html"}
        assert type(bundle.data["text/html"]) is str
        assert str(bundle).strip()
