"""P9b: the audit of one run of ten steps, beside the process that runs them again."""

from __future__ import annotations

import os
import statistics
from pathlib import Path

from benchmarks.attacks import ROOT
from benchmarks.table import Row, duration
from benchmarks.timing import Contender, Sample, measure
from skills2_nb.audit.replay import replay
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.contract.state import fold
from skills2_nb.evals.proof import judge, prove
from skills2_nb.library.discovery import Target

GOAL = "at most 150 ms beyond the process that runs the steps again"
#: Seconds that an audit may take beyond the replay.
MOST = 0.150
ROUNDS = 9
PACKAGE = ROOT / "skills" / "growth-accounting"
INPUTS = {
    "path": "assets/cdnow_sample.csv",
    "user_column": "customer_id",
    "date_column": "date",
    "grain": "month",
    "period": "1998-03",
}


def beyond(whole: Sample, part: Sample) -> tuple[float, ...]:
    """What the one takes more than the other, round by round."""
    return tuple(mine - theirs for mine, theirs in zip(whole.times, part.times, strict=True))


def rows(folder: Path) -> list[Row]:
    """Measure in `folder`, which is thrown away afterwards; the floor is the process alone."""
    os.environ["SKILLS2_HOME"] = str(folder / "home-judging")
    proof = prove(Target(PACKAGE.name, "package", PACKAGE), INPUTS, prompt="Are we growing?")
    basis, run = proof.basis, str(proof.run)
    state = fold(read(find(run)))
    samples = measure(
        [
            Contender("skills2: evals.proof.judge", lambda: judge(basis, run)),
            Contender("floor: the steps run again alone", lambda: replay(basis.skill, state)),
        ],
        ROUNDS,
    )
    more = statistics.median(beyond(*samples))
    told = f"{duration(more)} here, {'met' if more <= MOST else '**missed**'}"
    return [Row("P9b", "audit of one run of ten steps", f"{GOAL}; {told}", samples)]
