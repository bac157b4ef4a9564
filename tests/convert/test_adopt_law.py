"""Laws of adopting, over random small notebooks."""

import contextlib
import io
import json
import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.convert.adopt import propose, refused
from skills2_nb.errors import RefusedError

HEAD = "LIMIT = 3\nNAMES = ['a', 'b']\nimport math\n"
#: Statements that each read only what those before them may have bound; all start from `n`, `xs`.
LINES = [
    "n = {a}",
    "n += {b}",
    "n = n * 2",
    "xs = [{a}, {b}, n]",
    "xs.append(n)",
    "xs = [x + LIMIT for x in xs if x > {a}]",
    "total = sum(xs)",
    "share = round(n / (abs(n) + {b} + 1), 2)",
    "d = {{'n': n, 'half': n / 2}}\nd['more'] = {a}",
    "for x in xs:\n    n = n + x  # adds up",
    "if n > {a}:\n    n = n - 1.5\nelse:\n    n = n + 1",
    'text = f"""\n  {{n}}\n"""',
    "print(n, xs)",
    "assert n == n",
    "n = bump(n)",
    "n, xs = both(n, xs)",
    "res = stats(xs)\nprint(res['count'])",
    "res = stats(xs + [n])\nlow = res['low']",
    "shrink(xs)",
    "n = glob()",
    "k = len(xs); n = n + k",
    "point = Point(n)\nn = point.twice()",
    "pair = (n, xs)\nn = pair[0]",
    "def later(v={a}):\n    return v + LIMIT\nn = n + later()",
]
TAIL = """def bump(v, by=1):
    # one more
    return v + by

def both(v, rest):
    return v + 1, [r for r in rest if r != v]

def stats(values):
    return {'count': len(values), 'low': min(values, default=0)}

def shrink(values):
    values.reverse()

def glob():
    return n + LIMIT

class Point:
    def __init__(self, v):
        self.v = v

    def twice(self):
        return self.v * 2
"""
numbers = st.integers(-3, 9)
lines = st.builds(
    lambda line, a, b: line.format(a=a, b=b), st.sampled_from(LINES), numbers, numbers
)
cells = st.lists(st.lists(lines, min_size=1, max_size=4).map("\n".join), min_size=1, max_size=5)


def notebook(codes):
    made = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": code.splitlines(keepends=True),
        }
        for number, code in enumerate(codes)
    ]
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def said(text, skip_cases=True):
    """What the code cells print, run in one namespace; the kind of an error ends it."""
    out, space = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(out):
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code" and "cases" not in cell["metadata"].get("tags", ()):
                try:
                    exec("".join(cell["source"]), space)
                except Exception as error:
                    return f"{out.getvalue()}{type(error).__name__}"
    kept = {name: space.get(name) for name in ("n", "xs", "total", "share", "text", "k")}
    return f"{out.getvalue()}{kept!r}"


def words(line):
    return re.findall(r"\w+", line)


def holds(line, text):
    """Whether a line stands in a text, or one that says all its words in their order."""
    if line.strip() in text:
        return True
    wanted = words(line)
    for other in text.split("\n"):
        rest = iter(words(other))
        if all(word in rest for word in wanted):
            return True
    return False


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(cells)
def test_nothing_is_lost_and_all_runs_as_before(codes):
    first = f"{HEAD}\nn, xs = 1, [1, 2]"
    text = json.dumps(notebook([first, TAIL, *codes, "print(n, xs)"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.ipynb"
        path.write_text(text, encoding="utf-8")
        try:
            proposal = propose(path)
        except RefusedError as error:
            assert "\n" not in str(error)
            return
        assert proposal.accepted([]) == text
        after = proposal.accepted(change.key for change in proposal.changes)
        assert refused(after, path) == ()
    made = "\n".join("".join(cell["source"]) for cell in json.loads(after)["cells"])
    lost = [line for code in codes for line in code.split("\n") if not holds(line, made)]
    assert lost == []
    was = said(text)
    if not was.endswith("Error"):
        assert said(after) == was
