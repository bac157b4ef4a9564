"""Make the synthetic experiments in `assets/`: one seed each, the same bytes every time.

python scripts/make_data.py             writes into the folder `assets` beside `scripts`
python scripts/make_data.py FOLDER      writes into FOLDER
"""

import random
import sys
from pathlib import Path

# Per file: seed, users, share of treatment, conversion rate of control and of treatment.
TESTS = {
    "one_page_checkout.csv": (5, 9000, 0.5, 0.080, 0.111),
    "search_ranking.csv": (36, 9000, 0.5, 0.080, 0.080),
    "free_shipping_banner.csv": (9, 4400, 0.5, 0.080, 0.088),
    "shorter_footer.csv": (2, 11000, 0.2, 0.100, 0.101),
}
LOST_NON_CONVERTERS = 0.12  # of treatment in search_ranking.csv: the page broke before it logged
CROSSOVERS = 12  # users of shorter_footer.csv who were seen in both arms
REPEATS = 25  # rows of shorter_footer.csv that were exported twice


def rows_of(name):
    """The rows of one test, in the order of the users."""
    seed, users, share, control_rate, treatment_rate = TESTS[name]
    draw = random.Random(seed).random
    for number in range(1, users + 1):
        treated = draw() < share
        converted = draw() < (treatment_rate if treated else control_rate)
        lost = draw() < LOST_NON_CONVERTERS and treated and not converted
        if not (lost and name == "search_ranking.csv"):
            yield f"u{number:05d}", "treatment" if treated else "control", int(converted)


def with_faults(rows):
    """Some users seen in the other arm as well, and some rows twice."""
    other = {"control": "treatment", "treatment": "control"}
    step = len(rows) // (CROSSOVERS + REPEATS)
    marked = rows[::step][: CROSSOVERS + REPEATS]
    crossed = [(user, other[arm], converted) for user, arm, converted in marked[:CROSSOVERS]]
    return sorted(rows + crossed + marked[CROSSOVERS:])


def make(folder):
    """Write every file of `TESTS` into the folder."""
    for name in TESTS:
        rows = list(rows_of(name))
        if name == "shorter_footer.csv":
            rows = with_faults(rows)
        lines = ["user,arm,converted", *(f"{user},{arm},{done}" for user, arm, done in rows)]
        (folder / name).write_bytes(("\n".join(lines) + "\n").encode("ascii"))


if __name__ == "__main__":
    beside = Path(__file__).resolve().parents[1] / "assets"
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else beside)
