"""What each attack on a run scores in both profiles, and how it is known."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from skills2_nb.audit.profile import Audit, Profile

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("attacks.md")
INTRO = """# Attacks

`make bench ARGS="--write attacks"` makes this table from `tests/audit/attacks.py`: each row is
built on growth-accounting and the sample log, and audited. **Bold** is the finding that the row's
test asks for; after it stand the others that count. An attack that `classic` passes is what
`strict` is there for.
"""
HEAD = ("attack", "what is done", "classic", "strict", "findings")


def rows(folder: Path) -> list[tuple[str, ...]]:
    """The honest runs and every attack, audited.

    Args:
        folder: an empty one, thrown away afterwards.
    """
    kit = _harness()
    stage = kit.Stage(folder)
    found = []
    for period, path in {period: stage.honest(period) for period in kit.QUESTIONS}.items():
        audit = kit.judge(kit.Made(stage.basis, path, home=stage.home))
        found.append(_row("honest", f"every step in order, {period}", audit))
    for attack in kit.ATTACKS.values():
        audit = kit.judge(attack.make(stage))
        found.append(_row(attack.id, attack.says, audit, attack.code))
    return found


def markdown(found: Sequence[tuple[str, ...]]) -> str:
    """The rows as a table, columns aligned."""
    lines = [HEAD, *found]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in lines
    )


def _row(id_: str, says: str, audit: Audit, code: str | None = None) -> tuple[str, ...]:
    return (id_, says, _told(audit.classic), _told(audit.strict), _codes(audit, code))


def _told(profile: Profile) -> str:
    return f"{profile.score:.2f} {profile.verdict}"


def _codes(audit: Audit, code: str | None) -> str:
    named: Iterable[str] = dict.fromkeys(f.code for f in audit.strict.findings if f.counts)
    ranked = sorted(named, key=lambda name: name != code)
    return ", ".join(f"**{name}**" if name == code else name for name in ranked)


def _harness() -> Any:
    """The attacks of the tests, which are no package."""
    path = ROOT / "tests" / "audit" / "attacks.py"
    spec = importlib.util.spec_from_file_location("attacks", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["attacks"] = module
    spec.loader.exec_module(module)
    return module
