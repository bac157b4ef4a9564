"""The table of attacks is the one of the tests."""

import re

from benchmarks import attacks


def test_columns_are_aligned() -> None:
    text = attacks.markdown(
        [("stubs", "Steps that return {}", "0.53 fail", "0.33 fail", "**A**, B")]
    )
    lines = text.splitlines()
    assert lines[0].split(" | ")[0].startswith("| attack")
    assert len({len(line) for line in lines}) == 1


def test_the_kept_table_has_every_attack_with_its_finding() -> None:
    kit = attacks._harness()
    found = {}
    for line in attacks.RESULTS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(attacks.HEAD):
            found[cells[0]] = cells
    assert set(kit.ATTACKS) <= set(found)
    for attack in kit.ATTACKS.values():
        _, says, classic, strict, codes = found[attack.id]
        assert says == attack.says
        assert classic.startswith(f"{attack.classic:.2f} ")
        assert not strict.endswith(" pass")
        assert not codes or re.search(r"\*\*" + attack.code + r"\*\*", codes) or "**" not in codes
