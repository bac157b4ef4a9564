"""A package imported in a fresh interpreter."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.convert.plan import SKILL, Plan
from skills2_nb.convert.steps import Step
from skills2_nb.errors import SetupError
from skills2_nb.formats.files import cannot_write, sha256
from skills2_nb.formats.json_text import storable
from skills2_nb.formats.problem import Problem, found

TIMEOUT = 120.0
#: Settings of a shell that would change or stop the interpreter started here.
_UNWANTED = ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONOPTIMIZE", "PYTHONWARNINGS", "PYTHONHOME")
_STEP = re.compile(r"(?:step|invariant) '(\w+)'")


def verify(plan: Plan, timeout: float = TIMEOUT) -> tuple[bytes | None, Problem | None]:
    """The bytes of schemas.json, or what keeps the package from being imported.

    State that only the notebook's kernel had shows here. The import is given no input and its
    output is dropped.

    Args:
        plan: a plan with steps.
        timeout: seconds the import may take.

    Raises:
        SetupError: no place to stage the package, or no interpreter.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="skills2-") as stage:
            told = _told(plan, Path(stage), timeout)
    except OSError as error:
        raise cannot_write(Path(tempfile.gettempdir()), error) from None
    if "error" in told:
        return None, _problem(plan, told["error"])
    steps = _finite(told["steps"])
    why = storable(steps)
    if why:
        fault = {"type": "Schema", "message": f"the schema of a step: {why}"}
        return None, _problem(plan, fault)
    return schemas(plan, steps), None


def schemas(plan: Plan, steps: Mapping[str, Any]) -> bytes:
    """schemas.json: the steps' schemas and the digest of the code they belong to."""
    value = {"of": sha256(plan.files[SKILL]), "steps": steps}
    return (json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n").encode("utf-8")


def _finite(value: Any) -> Any:
    """A schema without the members JSON has no number for, such as a default of infinity."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items() if not _is_endless(v)}
    if isinstance(value, list):
        return [_finite(item) for item in value if not _is_endless(item)]
    return value


def _is_endless(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def belongs(data: bytes, plan: Plan) -> bool:
    """Whether a schemas.json belongs to the code of a plan."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("of") == sha256(plan.files.get(SKILL, b""))


def _told(plan: Plan, stage: Path, timeout: float) -> dict[str, Any]:
    folder, out = stage / plan.name, stage / "told.json"
    for path, data in plan.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    command = [sys.executable, "-P", "-m", "skills2_nb.convert.probe", str(folder), str(out)]
    try:
        with (stage / "output").open("wb") as output:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=stage,
                env=_environment(stage),
                timeout=timeout,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return {"error": {"type": "Timeout", "message": f"it takes longer than {timeout:g} s"}}
    except FileNotFoundError:
        raise SetupError(f"there is no interpreter at {sys.executable!r}.") from None
    return _read(out, stage / "output")


def _read(out: Path, output: Path) -> dict[str, Any]:
    try:
        value = json.loads(out.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it said nothing"
        return {"error": {"type": "Exit", "message": f"the interpreter ended early: {last}"}}
    return value if isinstance(value, dict) else {}


def _environment(stage: Path) -> dict[str, str]:
    root = Path(__file__).resolve().parents[2]
    # An installed kit is found without help; its folder must not come before the standard library.
    ours = [] if root.name in ("site-packages", "dist-packages") else [str(root)]
    kept = {key: value for key, value in os.environ.items() if key not in _UNWANTED}
    paths = [*ours, *filter(None, [os.environ.get("PYTHONPATH")])]
    return kept | {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "SKILLS2_HOME": str(stage / "home"),
    }


def _problem(plan: Plan, error: Mapping[str, Any]) -> Problem:
    line = error.get("line")
    place = plan.module.where(line) if isinstance(line, int) else None
    origin, at = place if place else (None, None)
    step = _step_of(plan, error["message"])
    if origin is None and step is not None:
        return step.code.assignment.problem(
            "X901", _sentence(error), "correct it, then export again", line=step.line
        )
    return found(
        "X901",
        _sentence(error),
        _mend(error),
        file=plan.notebook.name,
        cell=origin.cell if origin else None,
        cell_id=origin.cell_id if origin else None,
        line=at,
    )


def _step_of(plan: Plan, message: str) -> Step | None:
    match = _STEP.search(message)
    return next((step for step in plan.steps if match and step.id == match.group(1)), None)


def _sentence(error: Mapping[str, Any]) -> str:
    first = str(error["message"]).strip().split("\n", 1)[0]
    kind = error["type"]
    shown = (
        first if kind in ("Timeout", "Exit", "DefinitionError", "Schema") else f"{kind}: {first}"
    )
    return f"in a fresh interpreter the package fails: {shown}"


def _mend(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    if kind == "ModuleNotFoundError" and error.get("name"):
        return f"install {error['name']!r}, or export with --no-verify"
    if kind == "NameError":
        return "define or import the name in an exported cell"
    if kind == "Timeout":
        return "move slow work into a step, or export with --no-verify"
    return "correct it, then export again; restart the kernel and run all cells to see it"
