"""The small skill of `tests/conftest.py`, changed on purpose and evaluated once a change."""

import json
import tempfile
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import elsewhere
from skills2_nb.convert.exporter import export
from skills2_nb.evals.baseline import kept
from skills2_nb.evals.evaluation import Settings, evaluate, suite
from skills2_nb.evals.kept import Kept
from tests.conftest import ADD, CASES, CELLS, MANIFEST, PROSE, TELL, notebook_dict

STEPS = "## Steps\n\n1. `add`: Add up.\n2. `tell`: Say it."
#: The second step with a guard: it is owed where the total is over 50.
GUARDED = TELL.replace("@step(", "@step(when=is_big, ").replace(
    "class Report", "def is_big(total):\n    return total > 50\n\n\nclass Report"
)
VERSION = '[skill]\nversion = "{}"\n\n'
_DONE: dict[str, dict[str, Any]] = {}


def cells(
    *, cases: str = CASES, add: str = ADD, tell: str = TELL, manifest: str = MANIFEST
) -> list[tuple[str, str]]:
    """The cells of the small skill, some of them others."""
    instead = {ADD: add, TELL: tell, CASES: cases, MANIFEST: manifest, PROSE: f"{PROSE}\n\n{STEPS}"}
    found = [(role, instead.get(source, source)) for role, source in CELLS]
    return [(role, source) for role, source in found if source]


def packaged(place: Path, **changes: str) -> Path:
    """The package of the small skill below ``place/skills``."""
    path = place / "notebooks" / "trial-skill.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook_dict(cells(**changes))), encoding="utf-8")
    return export(path, place / "skills", force=True, verify=False).folder


def evaluated(changes: dict[str, str] | None = None, **settings: Any) -> dict[str, Any]:
    """results.json of the small skill, as a value of one's own."""
    given = {"versions": False, **settings}
    key = json.dumps([changes, given], sort_keys=True)
    if key not in _DONE:
        with tempfile.TemporaryDirectory() as folder, elsewhere(Path(folder) / "home"):
            package = packaged(Path(folder), **(changes or {}))
            made = evaluate(package, Path(folder) / "place", Settings(**given))
            _DONE[key] = suite([made], "0.1.0")
    return json.loads(json.dumps(_DONE[key]))


def known(changes: dict[str, str] | None = None, **settings: Any) -> Kept:
    """The same as a gate knows it."""
    return kept(evaluated(changes, **settings)["skills"][0])
