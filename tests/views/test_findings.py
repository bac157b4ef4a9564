import dataclasses

from skills2_nb.audit.finding import Finding
from skills2_nb.views.findings import grouped


def found(code: str, *, counts: bool = True, step: str | None = None) -> Finding:
    return Finding(code, "coverage", step, "said", "mend", counts)


def with_findings(shown, strict, classic=()):
    audit = shown.audit
    return dataclasses.replace(
        audit,
        strict=dataclasses.replace(audit.strict, findings=tuple(strict)),
        classic=dataclasses.replace(audit.classic, findings=tuple(classic)),
    )


def test_one_group_a_code_each_finding_once(honest) -> None:
    one, two, note = found("STALE", step="a"), found("STALE", step="b"), found("N", counts=False)
    groups = grouped(with_findings(honest, [note, one, two], [one]))
    assert [group.code for group in groups] == ["STALE", "N"]
    assert groups[0].findings == (one, two)
    assert [group.where for group in groups] == ["", ", note"]


def test_what_classic_alone_has_is_said(honest) -> None:
    (group,) = grouped(with_findings(honest, [], [found("ORDER", counts=False)]))
    assert (group.profiles, group.where) == (("classic",), ", classic only, note")


def test_nothing_found(honest) -> None:
    assert grouped(with_findings(honest, [])) == ()
