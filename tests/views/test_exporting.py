from dataclasses import dataclass, field

from skills2_nb.formats.problem import Problem
from skills2_nb.views import exporting


@dataclass
class Export:
    folder: str = "skills/sums"
    written: tuple[str, ...] = ("SKILL.md", "skill.toml")
    unchanged: tuple[str, ...] = ("export.lock",)
    removed: tuple[str, ...] = ("old.py",)
    edited: tuple[str, ...] = ()
    checked: bool = False
    problems: tuple[Problem, ...] = field(default=())


def problem(level: str = "error", message: str = "wrong " * 30) -> Problem:
    return Problem("C401", level, "n.ipynb", 3, "ab12", 2, message, "mend it")


def test_problems() -> None:
    text = exporting.problems([problem(), problem("warning", "odd")], width=60)
    lines = text.splitlines()
    assert lines[0] == "n.ipynb: cell 3 (id ab12), line 2: C401 error"
    assert lines[-1] == "1 error, 1 warning"
    assert "    Mend: mend it" in lines
    assert max(map(len, lines)) <= 60
    assert exporting.problems([]) == "no problems\n"


def test_exported() -> None:
    assert exporting.exported(Export()) == (
        "skills/sums: 2 files written, 1 removed, 1 unchanged\n"
        "  wrote SKILL.md\n  wrote skill.toml\n  removed old.py\n"
    )
    assert exporting.exported(Export(written=(), removed=()), folder="out") == (
        "out: 0 files written, 1 unchanged\n"
    )


def test_exported_with_check_says_what_would_be() -> None:
    assert exporting.exported(Export(edited=("a.md",), checked=True)) == (
        "skills/sums: 2 files to write, 1 to remove, 1 edited since, 1 unchanged\n"
        "  to write SKILL.md\n  to write skill.toml\n  to remove old.py\n  edited since a.md\n"
    )
