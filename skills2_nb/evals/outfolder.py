"""The folder that an eval writes into.

::

    results.json              every skill, its cases, the tables
    report.html               the same for a reader, without a network
    junit.xml                 the same for a CI
    <skill>/eval.ipynb        the executed notebook
    <skill>/home/             the runs, as a home of the kit
    <skill>/package/          the package of a notebook, which its runs read
    <skill>/kernel.log        what the kernel said that no cell shows, if anything
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.errors import UsageError
from skills2_nb.evals.evaluation import Settings
from skills2_nb.evals.executed import MISUSED, REFUSED, Executed
from skills2_nb.evals.replayed import HOME, RECORDED, RESULTS
from skills2_nb.evals.suite import LOG, NOTEBOOK
from skills2_nb.formats.files import cannot_write, write_atomic

REPORT, JUNIT = "report.html", "junit.xml"
#: It says whose folder this is, and keeps it out of a repository.
_MARK, _MARKED = ".gitignore", b"# skills2 eval\n*\n"
_PACKAGE = "package"


def prepare(out: Path, *, keep: bool = False) -> None:
    """Make the folder ready; results of an earlier eval go, so that none is taken for this one's.

    Args:
        keep: leave the earlier results, for they are what is judged anew.

    Raises:
        UsageError: something else is in it, or it is no folder.
        SetupError: it cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder; name another one with --out")
    try:
        if out.is_dir() and any(out.iterdir()) and not _is_ours(out):
            raise UsageError(
                f"{out} is not empty and no eval has made it; name another folder with --out"
            )
        out.mkdir(parents=True, exist_ok=True)
        for name in () if keep else (RESULTS, RECORDED, REPORT, JUNIT):
            (out / name).unlink(missing_ok=True)
        if keep and (out / RESULTS).is_file() and not (out / RECORDED).exists():
            write_atomic(out / RECORDED, (out / RESULTS).read_bytes())
    except OSError as error:
        raise cannot_write(out, error) from None
    write_atomic(out / _MARK, _MARKED)


def folder_of(out: Path, name: str, *, keep: bool = False) -> Path:
    """The folder of one skill, without what an earlier eval left there.

    Args:
        keep: leave the records, for they are what is judged anew.

    Raises:
        SetupError: it cannot be written.
    """
    folder = out / name
    try:
        folder.mkdir(exist_ok=True)
        for each in (NOTEBOOK, LOG):
            (folder / each).unlink(missing_ok=True)
        for each in () if keep else (HOME, _PACKAGE):
            if (folder / each).is_dir():
                shutil.rmtree(folder / each)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return folder


def write(out: Path, results: Mapping[str, Any]) -> None:
    """Write results.json, whole or not at all.

    Raises:
        SetupError: it cannot be written.
    """
    text = json.dumps(results, indent=2, ensure_ascii=False)
    write_atomic(out / RESULTS, f"{text}\n".encode())


def skill_of(name: str, done: Executed, settings: Settings) -> dict[str, Any]:
    """One skill of results.json; one that could not be evaluated stands there too, and why.

    Args:
        name: of its folder in this one.
        done: what its notebook came to.
        settings: what was asked for.
    """
    told = dict(done.evaluation) if done.evaluation is not None else _blank(name, done, settings)
    return {**told, "code": done.code, "journals": f"{name}/{HOME}/runs"}


def _blank(name: str, done: Executed, settings: Settings) -> dict[str, Any]:
    return {
        "skill": name,
        "version": "",
        "digest": None,
        "runner": settings.runner,
        "profile": settings.profile or "strict",
        "threshold": settings.threshold,
        "trials": settings.trials,
        "versions": settings.versions,
        "verdict": "fail" if done.code in (REFUSED, MISUSED) else "unproven",
        "why": list(done.why),
        "pass_rate": 0.0,
        "classic": None,
        "strict": None,
        "axes": dict.fromkeys(("score", "coverage", "consistency", "anchoring")),
        "undiscriminating": [],
        "cases": [],
        "rows": [],
        "case_rows": [],
        "unmade": "",
        "left_out": [],
    }


def _is_ours(out: Path) -> bool:
    try:
        return (out / _MARK).read_bytes() == _MARKED
    except OSError:
        return False
