"""The front door: help, version, and every way of being wrong."""

import subprocess
import sys

import pytest

from skills2_nb.cli.command import LazyGroup
from skills2_nb.cli.main import main
from skills2_nb.cli.verbs import HEADINGS, VERBS, below

HEAVY = ["pydantic", "yaml", "pandas", "numpy", "tomli_w", "fastmcp", "IPython", "asyncio"]


def python(*words, **settings):
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, **settings
    )


def test_help_stands_under_four_headings_with_an_example_each(skills2):
    done = skills2("--help")
    assert done.code == 0
    places = [done.out.index(f"{heading}:") for heading in HEADINGS]
    assert places == sorted(places)
    for name, verb in below().items():
        assert f"  {name:<11}{verb.says}\n             {verb.example}\n" in done.out


def test_every_line_of_every_help_fits_80_columns(skills2):
    for name in [[], *(name.split() for name in VERBS)]:
        for line in skills2(*name, "--help").out.splitlines():
            assert len(line) <= 80, line


@pytest.mark.parametrize("name", VERBS)
def test_every_command_says_the_same_in_both_places(name, skills2):
    done = skills2(*name.split(), "-h")
    assert done.code == 0
    if name not in {"runs", "cases", "audits", "hooks", "triggers"}:
        assert done.out.endswith(f"Example:\n  {VERBS[name].example}\n")
        assert "--json" in done.out
    assert "--debug" in done.out


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_leads_to_a_command_of_that_name(name):
    found = main
    for word in name.split():
        assert isinstance(found, LazyGroup)
        found = found.get_command(None, word)
    assert found.name == name.split()[-1]
    assert found.short_help == VERBS[name].says


def test_verbs_of_later_days_are_absent(skills2):
    later = [
        "status",
        "chat",
    ]
    assert not set(later) & set(main.list_commands(None))
    assert all(skills2(name).code == 2 for name in later)


def test_what_a_verb_does_wraps_beside_its_name(skills2):
    told = skills2("--help", terminal_width=58).out
    assert "  strength   Say which invariants notice a changed result,\n" in told
    assert f"\n{'':13}and which do not.\n" in told


def test_version(skills2):
    done = skills2("--version")
    assert (done.code, done.out) == (0, "skills2 0.1.0\n")


def test_nothing_said_is_answered_by_help_and_2(skills2):
    for words in ([], ["runs"]):
        done = skills2(*words)
        assert done.code == 2
        assert done.out == ""
        assert "Usage: skills2" in done.err


def test_help_loads_no_heavy_library():
    probe = (
        "import sys\nfrom skills2_nb.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print(*(n for n in {HEAVY!r} if n in sys.modules), file=sys.stderr)\n"
        "print(*sorted(m for m in sys.modules if m.startswith('skills2_nb.')), file=sys.stderr)"
    )
    done = python("-c", probe)
    heavy, ours = done.stderr.splitlines()
    assert heavy == ""
    assert {name.split(".")[1] for name in ours.split()} == {"cli"}


@pytest.mark.parametrize(
    ("script", "called"),
    [("skills2", "skills2"), ("jupyter-skills2", "jupyter skills2"),
     ("C:\\py\\Scripts\\jupyter-skills2.exe", "jupyter skills2")],
)  # fmt: skip
def test_it_names_itself_as_it_was_called(script, called):
    probe = (
        f"import sys; sys.argv = [{script!r}, '--help']; import skills2_nb.cli.main as m; m.main()"
    )
    assert python("-c", probe).stdout.startswith(f"Usage: {called} ")


# Command line; stdin; exit code; what the one line on stderr has to say.
WRONG = [
    ("exprt", 2, "there is no command 'exprt'; did you mean export?"),
    ("zzz", 2, "it is one of new, import, "),
    ("runs shw x", 2, "skills2 runs: there is no command 'shw'; did you mean show?"),
    ("--nope", 2, "No such option"),
    ("list --nope", 2, "See: skills2 list --help"),
    ("new", 2, "Missing argument 'NAME'"),
    ("new Weekly_Numbers", 2, "for example weekly-numbers"),
    ("new ../x", 2, "cannot be named '../x'"),
    ("new weekly-numbers", 1, "is there already"),
    ("new fine -o weekly-numbers.ipynb", 4, "cannot be written"),
    ("lint", 2, "Missing argument 'NOTEBOOK...'"),
    ("lint nothing.ipynb", 2, "nothing.ipynb: there is no such file"),
    ("lint skills", 2, "is a folder"),
    ("lint text.ipynb", 2, "is not JSON"),
    ("lint other.ipynb", 2, "not a notebook"),
    ("lint bytes.ipynb", 2, "bytes.ipynb"),
    ("export text.ipynb", 2, "is not JSON"),
    ("export nothing.ipynb --check", 2, "no such file"),
    ("export weekly-numbers.ipynb -o text.ipynb", 4, "cannot be written"),
    ("run", 2, "Missing argument 'SKILL'"),
    ("run nothing", 2, "there is no skill 'nothing'"),
    ("run desk.txt", 2, "neither a skill package nor a notebook"),
    ("run weekly-numbers --inputs list.json", 2, "list.json holds a JSON list"),
    ("run weekly-numbers --inputs cut.json", 2, "line 2, column 1"),
    ("run weekly-numbers --inputs twice.json", 2, "'a' stands twice"),
    ("run weekly-numbers --inputs bytes.ipynb", 2, "not UTF-8"),
    ("run weekly-numbers --inputs deep.json", 2, "nested too deeply"),
    ("run weekly-numbers --inputs nothing.json", 2, "there is no such file"),
    ("run weekly-numbers --inputs -", 2, "what stdin brought is not JSON"),
    ("run weekly-numbers -i daily", 2, "is not key=value"),
    ("run weekly-numbers -i =3", 2, "is not key=value"),
    ("run weekly-numbers -i a=1 -i a=2", 2, "twice"),
    ("run weekly-numbers --case nope", 2, "there is a-full-week"),
    ("run weekly-numbers --html skills", 2, "is a directory"),
    ("run weekly-numbers --html text.ipynb/page.html", 4, "cannot be written"),
    ("audit", 2, "Missing argument 'RUN|SKILL'"),
    ("audit nothing", 2, "'nothing' is no run's id"),
    ("audit 20200101-000000-00000000", 2, "there is no run"),
    ("audit weekly-numbers", 2, "there is no run of weekly-numbers yet"),
    ("audit weekly-numbers --no-run", 2, "add --answer FILE"),
    ("audit weekly-numbers --no-run --answer nothing.md", 2, "no such file"),
    ("explain weekly-numbers", 2, "Missing argument 'STEP'"),
    ("explain weekly-numbers nothing", 2, "has no step 'nothing'"),
    ("explain weekly-numbers add_up_week --run 2020", 2, "there is no run '2020'"),
    ("runs show 2020", 2, "there is no run '2020'"),
    ("runs diff 2020", 2, "Missing argument 'B'"),
    ("runs diff 2020 2021", 2, "there is no run '2020'"),
    ("runs verify", 2, "give one RUN to verify, or --all"),
    ("runs verify 2020 --all", 2, "give one RUN to verify, or --all"),
    ("runs list --limit 0", 2, "x>=1"),
    ("runs prune", 2, "say which runs"),
    ("runs prune --keep -1", 2, "x>=0"),
    ("runs prune --older-than soon", 2, "not a valid float"),
    ("runs erase 2020", 2, "there is no run '2020'"),
    ("show nothing", 2, "there is no skill 'nothing'"),
    ("show broken", 2, "schemas.json is not JSON"),
    ("run broken", 2, "schemas.json is not JSON"),
]  # fmt: skip


@pytest.fixture
def wrong_things(desk):
    (desk / "text.ipynb").write_text("hello")
    (desk / "other.ipynb").write_text('{"cells": 3}')
    (desk / "bytes.ipynb").write_bytes(b"\xff\xfe\x00")
    (desk / "desk.txt").write_text("x")
    (desk / "list.json").write_text("[1]")
    (desk / "cut.json").write_text('{"a": 1,\n')
    (desk / "twice.json").write_text('{"a": 1, "a": 2}')
    (desk / "deep.json").write_text("[" * 100_000)
    broken = desk / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("# Broken\n")
    (broken / "skill.toml").write_text("[skill\n")
    (broken / "schemas.json").write_text("{")
    return desk


@pytest.mark.parametrize(("line", "code", "says"), WRONG, ids=[row[0] for row in WRONG])
def test_wrong_use_is_one_sentence_and_a_code(line, code, says, wrong_things, skills2):
    done = skills2(*line.split())
    assert done.code == code, done.err
    assert says in done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_debug_shows_the_traceback_and_then_the_sentence(desk, skills2):
    for words in (["--debug", "run", "nothing"], ["run", "nothing", "--debug"]):
        done = skills2(*words)
        assert done.code == 2
        assert done.err.startswith("Traceback")
        assert done.err.splitlines()[-1].startswith("there is no skill 'nothing'")


@pytest.mark.parametrize(
    "how",
    [
        ("-m", "skills2_nb.cli.main"),  # as `install` has it where there is no script
        ("-c", "import sys; from skills2_nb.cli.main import main; main()"),
    ],
)
def test_a_real_process_gives_the_same(how, wrong_things):
    done = python(*how, "run", "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
