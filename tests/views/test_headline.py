"""Both verdicts in one line."""

from dataclasses import replace

import pytest

from skills2_nb.views import headline


def test_classic_comes_first(honest):
    assert headline.plain(honest.audit) == "classic pass 1.00 · strict unproven 1.00"


@pytest.mark.parametrize(
    ("unchecked", "begins"),
    [
        (("replay", "strength"), "These two checks are not made by this version, "),
        (("integrity", "replay", "strength"), "Replay and strength are not made by this "),
        (("replay",), "This check is not made by this version, "),
        (("integrity", "strength"), "Strength is not made by this version, "),
    ],
)
def test_the_reason_names_the_checks(honest, unchecked, begins):
    told = headline.reason(_unchecked(honest.audit, unchecked))
    assert told.startswith(begins)
    assert told.endswith("so strict cannot say pass; the exit code goes by classic.")


@pytest.mark.parametrize("unchecked", [(), ("integrity",)])
def test_no_reason_where_strict_can_say_pass(honest, unchecked):
    assert headline.reason(_unchecked(honest.audit, unchecked)) is None


def _unchecked(audit, checks):
    return replace(audit, strict=replace(audit.strict, not_checked=checks))
