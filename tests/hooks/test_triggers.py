"""Which prompts call for a skill."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import skills2_nb
from skills2_nb.formats.manifest import Triggers
from skills2_nb.hooks import triggers as index
from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.library.index_bytes import Listed, entries_of, index_bytes
from skills2_nb.library.triggered import explained, told_names

# Words that are one stem, and words that are none of each other's.
SAME = [
    ("drop", "drops", "dropped", "dropping"),
    ("move", "moves", "moved", "moving"),
    ("cohort", "cohorts", "Cohorts", "COHORT"),
    ("fall", "falls", "fell", "falling", "fallen"),
    ("funnel", "funel", "funnels"),
    ("category", "categories"),
    ("crash", "crashes", "crashed"),
    ("rise", "rose", "rising"),
    ("churn", "churned", "churning"),
    ("identify", "identified", "identifies"),
    ("control", "controlled", "controls"),
    ("café", "cafe\u0301", "CAFÉ"),
    ("\uff2d\uff21\uff35", "mau", "MAU"),
    ("ﬁnal", "final"),
    ("sign\u00adup", "signup"),
]
OTHER = [
    ("drücken", "drucken"),
    ("schön", "schon"),
    ("bus", "bu"),
    ("speed", "spe"),
    ("ring", "r"),
    ("red", "r"),
    ("analysis", "analysi"),
    ("für", "fur"),
]


@pytest.mark.parametrize("forms", SAME, ids=lambda forms: forms[0])
def test_forms_of_one_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({tuple(rule.words(form)) for form in forms}) == 1, [*map(rule.words, forms)]


@pytest.mark.parametrize("words", OTHER, ids=lambda words: words[0])
def test_other_words_have_other_stems(words: tuple[str, str]) -> None:
    assert rule.stem(words[0]) != rule.stem(words[1])


# Text; its stems.
CUT = [
    ("Why did our MAU fall?", ["mau", "fal"]),
    ("A/B test", ["b", "test"]),
    ("Simpson's paradox", ["simpson", "paradox"]),
    ("skills2_lint, SKILL.md; 1.00", ["skills2", "lint", "skil", "md", "1", "00"]),
    ("", []),
    ("?!… — \0\n\t🙂", []),
    ("the of and", []),
    ("流失率", ["流", "失", "率"]),
    ("почему упал отток", ["почему", "упал", "отток"]),
    ("Übergänge prüfen", ["übergänge", "prüfen"]),
    ("\ud800x", ["x"]),
]


@pytest.mark.parametrize(("text", "stems"), CUT, ids=lambda item: repr(item)[:24])
def test_words(text: str, stems: list[str]) -> None:
    assert rule.words(text) == stems


def test_a_long_prompt_is_read_at_both_ends() -> None:
    filler = "lorem " * 200_000
    assert "mau" in rule.words(f"MAU {filler}")
    assert "mau" in rule.words(f"{filler} MAU")
    assert "mau" not in rule.words(f"{filler} MAU {filler}")


# Entry; prompt; whether it occurs.
OCCURS = [
    ("quick ratio", "our quick ratio", True),
    ("quick ratio", "the quick and the dirty ratio", True),
    ("quick ratio", "quick look at one more odd ratio", False),
    ("quick ratio", "ratio, quick", False),
    ("quick ratio", "quick", False),
    ("why did MAU fall", "MAU falls", True),
    ("drop", "it dropped", True),
    ("growth on growth", "growth", False),
    ("growth on growth", "growth, growth", True),
    ("the quick", "quick", True),
    ("MAU | active users", "active users", True),
    ("MAU | active users", "users, active", False),
    ("MAU | active users + fell | dropped", "what dropped is our MAU", True),
    ("MAU | active users + fell | dropped", "our MAU and WAU", False),
    ("MAU + fell", f"MAU {'x ' * 10} fell", True),
    ("MAU + fell", f"MAU {'x ' * 11} fell", False),
    ("MAU + fell + why", "why MAU fell", False),
    ("MAU | the + fell", "MAU fell", True),
    ("users | visitors + users | left", "the users", False),
    ("users | visitors + users | left", "users left", True),
    ("active users + users | left", "active users", False),
    ("a1 + a1 | b1 + c1", "a1 c1", False),
    ("a1 + a1 | b1 + c1", "a1 b1 c1", True),
    ("A+B|C", "a+b|c", True),
    ("a |  b + c", "c b", True),
]


@pytest.mark.parametrize(("entry", "prompt", "holds"), OCCURS)
def test_an_entry_occurs_in_order_and_close_together(entry: str, prompt: str, holds: bool) -> None:
    assert rule.occurs(rule.places(rule.words(prompt)), rule.entry(entry)) is holds


def listed(name: str, folder: Path | str = "", root: str = "", **table: Any) -> Listed:
    triggers = Triggers(
        phrases=tuple(table.get("phrases", ())),
        keywords=tuple(table.get("keywords", ())),
        not_=tuple(table.get("nots", ())),
    )
    return Listed(
        name, root, str(folder), table.get("threshold", 0.5), table.get("restrict", False),
        entries_of(name, triggers), f"text of {name}", tuple(table.get("allowed", ())),
    )  # fmt: skip


# Triggers; prompt; score, or None where a `not` entry occurs.
SCORES = [
    ({"phrases": ["why did active users move"]}, "why did active users move?", 1.0),
    ({"phrases": ["why did active users move"]}, "active users", 1 / 3),
    ({"phrases": ["why did active users move"]}, "users moved, the active ones", 0.5),
    ({"phrases": ["why did active users move"]}, "users", 0.0),
    ({"phrases": ["quick ratio"]}, "ratio: quick", 0.0),
    ({"phrases": ["one two three four five six"]}, f"one two {'x ' * 12} three four", 1 / 6),
    ({"keywords": ["MAU"]}, "mau", 0.25),
    ({"keywords": ["MAU", "churn"]}, "MAU and churn", 0.5),
    ({"keywords": ["retention", "retention rate"]}, "retention rate", 0.25),
    ({"keywords": ["MAU", "mau"]}, "MAU", 0.25),
    ({"keywords": ["MAU | WAU", "churn"]}, "MAU and WAU", 0.25),
    ({"keywords": ["MAU | WAU", "WAU | DAU"]}, "WAU", 0.25),
    ({"keywords": ["MAU | WAU", "WAU | DAU"]}, "MAU and WAU", 0.25),
    ({"keywords": ["MAU | WAU", "churn + rate"]}, "WAU: the rate of churn", 0.5),
    ({"phrases": ["MAU | WAU + fell | dropped + why"]}, "why MAU fell", 0.0),
    ({"phrases": ["one + two + three"]}, "one two", 0.0),
    ({"phrases": ["MAU + fell"], "nots": ["MAU | WAU + forecast"]}, "MAU fell: forecast it", None),
    ({"phrases": ["MAU + fell"], "nots": ["MAU | WAU + forecast"]}, "weather forecast", 0.0),
    ({"keywords": [f"w{n}" for n in range(9)]}, "w0 w1 w2 w3 w4 w5 w6 w7 w8", 1.0),
    ({"phrases": ["active users fell"], "keywords": ["churn"]}, "active users churn", 0.583333),
    ({"phrases": ["MAU fell"], "nots": ["revenue forecast"]}, "MAU fell; revenue forecast", None),
    ({"phrases": ["MAU fell"], "nots": ["revenue forecast"]}, "MAU fell, revenue too", 1.0),
    ({}, "why did MAU fall", 0.0),
    ({}, "do odd-skill now", 1.0),
]


@pytest.mark.parametrize(("table", "prompt", "score"), SCORES)
def test_score(table: dict[str, Any], prompt: str, score: float | None) -> None:
    skill = listed("odd-skill", **table)
    stems = rule.places(rule.words(prompt))
    assert rule.denied(stems, skill.entries.negatives) is (score is None)
    if score is not None:
        found = rule.score(stems, skill.entries.phrases, skill.entries.keywords)
        assert found == pytest.approx(score, abs=1e-6)


def write(folder: Path, *skills: Listed) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / index.FILE).write_bytes(index_bytes(skills))
    return str(folder)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "SKILL.md").write_text("x")
    return folder


def told(folder: str, prompt: str, cwd: str = "/") -> list[tuple[str, float]]:
    return [(item.name, item.score) for item in index.matched(folder, prompt, cwd)]


def test_at_most_three_are_told_the_best_first_and_ties_by_name(
    tmp_path: Path, package: Path
) -> None:
    skills = [listed(name, package, keywords=["MAU", "churn"]) for name in "fedcb"]
    best = listed("zz", package, phrases=["MAU churn"])
    place = write(tmp_path / "index", *skills, best)
    assert told(place, "MAU, churn") == [("zz", 1.0), ("b", 0.5), ("c", 0.5)]
    (first, *_) = index.matched(place, "MAU, churn", "/")
    assert (first.checklist, first.restrict, first.allowed) == ("text of zz", False, ())


def test_restrict_and_allowed_travel(tmp_path: Path, package: Path) -> None:
    skill = listed("a", package, keywords=["x"], restrict=True, allowed=["Bash(git *)", "Read"])
    found = index.named(write(tmp_path / "index", skill), "a", "/")
    assert found is not None
    assert (found.restrict, found.allowed) == (True, ("Bash(git *)", "Read"))


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.51, 1.0])
def test_the_threshold_is_the_skills_own(tmp_path: Path, package: Path, threshold: float) -> None:
    skill = listed("a", package, keywords=["MAU", "churn"], threshold=threshold)
    place = write(tmp_path / "index", skill, listed("b", package, keywords=["x"]))
    assert [name for name, _ in told(place, "MAU and churn")] == (["a"] if threshold <= 0.5 else [])
    assert told(place, "nothing of it") == []


# The skill's root below the folder; the session's folder; whether it is told.
ROOTS = [
    ("", "/", True),
    ("", "", True),
    ("p", "p", True),
    ("p", "p/deep/er", True),
    ("p", "q", False),
    ("p", "pp", False),
    ("p", "", False),
    ("p", "gone", False),
    ("p", "link", True),
    ("p", "p/", True),
]


@pytest.mark.parametrize(("root", "cwd", "holds"), ROOTS)
def test_a_projects_skill_is_told_in_the_project(
    tmp_path: Path, package: Path, root: str, cwd: str, holds: bool
) -> None:
    for name in ("p/deep/er", "q", "pp"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "p")
    skill = listed("a", package, str(tmp_path / root) if root else "", phrases=["MAU fell"])
    place = write(tmp_path / "index", skill)
    here = f"{tmp_path}/{cwd}" if cwd and cwd != "/" else cwd
    assert bool(told(place, "MAU fell", here)) is holds
    assert (index.named(place, "a", here) is not None) is holds


def test_the_nearest_copy_of_a_skill_counts(tmp_path: Path, package: Path) -> None:
    inner = tmp_path / "p" / "inner"
    inner.mkdir(parents=True)
    copies = [
        listed("a", package, root, phrases=[phrase])
        for root, phrase in [
            ("", "users own"),
            (str(tmp_path / "p"), "outer one"),
            (str(inner), "inner one"),
        ]
    ]
    place = write(tmp_path / "index", *copies)
    prompt = "users own, outer one, inner one"
    for cwd, phrase in [("/", "users own"), (inner.parent, "outer one"), (inner, "inner one")]:
        assert told(place, prompt, str(cwd)) == [("a", 1.0)]
        assert told(place, phrase, str(cwd)) == [("a", 1.0)]
    assert told(place, "users own", str(inner)) == []


def test_a_skill_whose_folder_is_gone_is_not_told(tmp_path: Path, package: Path) -> None:
    place = write(tmp_path / "index", listed("a", package, phrases=["MAU fell"]))
    assert told(place, "MAU fell")
    (package / "SKILL.md").unlink()
    assert told(place, "MAU fell") == []
    assert index.named(place, "a", "/") is None


def test_a_plugins_folder_is_seen_from_its_index(tmp_path: Path) -> None:
    (tmp_path / "skills" / "a").mkdir(parents=True)
    (tmp_path / "skills" / "a" / "SKILL.md").write_text("x")
    skill = listed("a", "../../skills/a", phrases=["MAU fell"])
    assert told(write(tmp_path / "hooks" / "index", skill), "MAU fell") == [("a", 1.0)]


@pytest.mark.parametrize("name", ["", "b", "a\tb", "a\n", "=a", "\ud800", "a" * 10_000])
def test_a_name_that_is_none(tmp_path: Path, package: Path, name: str) -> None:
    assert index.named(write(tmp_path / "index", listed("a", package)), name, "/") is None


def _cut(data: bytes) -> list[bytes]:
    return [
        b"", b"\n", data[:50], data[: index.HEAD], data[:-1], data + b"x", data[: len(data) // 2],
        data.replace(b"#skills2 2", b"#skills2 0"), data.replace(b"#skills2", b"#another"),
        b"\0" * len(data), data[: index.HEAD] + b"\n" * (len(data) - index.HEAD),
        data[: index.HEAD] + b"\xff" * (len(data) - index.HEAD),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(12))
def test_a_broken_index_holds_no_skill(tmp_path: Path, package: Path, number: int) -> None:
    place = write(tmp_path / "index", listed("a", package, phrases=["MAU fell"]))
    path = tmp_path / "index" / index.FILE
    path.write_bytes(_cut(path.read_bytes())[number])
    assert index.matched(place, "MAU fell", "/") == []
    assert index.named(place, "a", "/") is None


def test_no_index_at_all(tmp_path: Path) -> None:
    for place in (tmp_path / "none", "", "\0"):
        assert index.matched(str(place), "MAU fell", "/") == []
    (tmp_path / index.FILE).mkdir()
    assert index.matched(str(tmp_path), "MAU fell", "/") == []


WORDS = ["mau", "churn", "users", "fell", "quick", "ratio", "the", "retention rate", "é", "流失"]
SIGNS = ["|", "+", "| |", "+ +"]
TEXTS = st.lists(st.sampled_from([*WORDS, *SIGNS]), min_size=1, max_size=7).map(" ".join)
TABLES = st.fixed_dictionaries(
    {
        "phrases": st.lists(TEXTS, max_size=4),
        "keywords": st.lists(TEXTS, max_size=4),
        "nots": st.lists(TEXTS, max_size=1),
        "threshold": st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    }
)
PROMPTS = st.one_of(st.text(max_size=200), st.lists(TEXTS, max_size=6).map(" ".join))
LAW = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAW
@given(tables=st.lists(TABLES, max_size=8), prompt=PROMPTS, order=st.randoms())
def test_laws_of_matching(
    tmp_path: Path, package: Path, tables: list[dict[str, Any]], prompt: str, order: Any
) -> None:
    """What is matched is what is explained, whatever the order of the skills."""
    skills = [listed(f"s{number}", package, **table) for number, table in enumerate(tables)]
    shuffled = skills[:]
    order.shuffle(shuffled)
    assert index_bytes(shuffled) == index_bytes(skills)
    found = told(write(tmp_path / "index", *skills), prompt)
    expected = [(item.skill.name, item.score) for item in explained(skills, prompt) if item.is_told]
    assert found == expected
    assert [name for name, _ in found] == told_names(shuffled, prompt)
    for item in explained(skills, prompt):
        gives = sum(part.gives for part in item.evidence)
        assert min(1.0, gives) == pytest.approx(item.score, abs=2e-6)


@LAW
@given(data=st.binary(max_size=600), prompt=st.text(max_size=60), cwd=st.text(max_size=20))
def test_nothing_is_ever_raised(tmp_path: Path, data: bytes, prompt: str, cwd: str) -> None:
    (tmp_path / index.FILE).write_bytes(b"#skills2 2 " + data)
    assert index.matched(str(tmp_path), prompt, cwd) == []
    assert index.named(str(tmp_path), prompt, cwd) is None


def test_every_row_is_found_by_each_of_its_stems(tmp_path: Path, package: Path) -> None:
    """Enough skills for the search to halve many times, with long lines among short ones."""
    skills = [
        listed(f"s{n:03d}", package, keywords=[f"k{n}", "everybody", f"z{n % 7}"])
        for n in range(700)
    ]
    place = write(tmp_path / "index", *skills)
    with index.Index(place) as opened:
        assert len(opened.rows()) == 700
        for number in (0, 1, 7, 99, 350, 698, 699):
            assert opened.posting(f"k{number}") == [b"k:%d" % number]
        assert len(opened.posting("everybody")[0].split(b" ")) == 700
        assert opened.posting("k700") == opened.posting("a") == opened.posting("zz") == []
    assert told(place, "everybody k421")[0] == ("s421", 0.5)


def test_nothing_is_loaded_that_an_interpreter_has_not(tmp_path: Path, package: Path) -> None:
    place = write(tmp_path / "index", listed("a", package, phrases=["MAU fell"]))
    root = Path(skills2_nb.__file__).parent
    code = f"""
import sys
before = set(sys.modules)
for name, path in [("skills2_nb", {str(root)!r}), ("skills2_nb.hooks", {str(root / "hooks")!r})]:
    module = type(sys)(name); module.__path__ = [path]; sys.modules[name] = module
from skills2_nb.hooks.triggers import matched
print([t.name for t in matched({place!r}, "MAU fell", "/")])
print(sorted(m for m in set(sys.modules) - before if not m.startswith("skills2_nb")))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["['a']", "[]"]
