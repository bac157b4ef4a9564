"""What the pages say is so: commands exist, links lead somewhere, snippets run."""

import contextlib
import io
import re
import shlex
import textwrap
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DOCS = ROOT / "docs"
FENCE = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(path: Path, *languages: str) -> Iterator[str]:
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        if match[2] in languages:
            yield textwrap.dedent(match[4])


def commands(path: Path, pattern: str) -> set[str]:
    """First words after a command's name, in code spans and in shell fences alone."""
    text = path.read_text(encoding="utf-8")
    spans = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    shell = [
        line for block in fences(path, "", "sh", "bash", "console") for line in block.splitlines()
    ]
    return {found for line in [*spans, *shell] for found in re.findall(pattern, line)}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)|<img[^>]+src=\"([^\"]+)\"", text):
        link = "".join(target)
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            continue
        assert (path.parent / link.partition("#")[0]).exists(), f"{name(path)}: no {link}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_make_targets_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert commands(path, r"(?:^|\$ |&& )make ([a-z]+)") <= targets


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_verbs_exist(path: Path) -> None:
    from skills2_nb.cli.main import main

    said = commands(path, r"(?:^|\$ |&& |%|jupyter )skills2 ([a-z]+)")
    absent = said - set(main.list_commands(None)) - {"stop", "reload", "status", "help"}
    assert not absent, f"{name(path)} speaks of verbs that do not exist: {sorted(absent)}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_snippets_compile(path: Path) -> None:
    for source in fences(path, "python", "py"):
        plain = "".join(
            line for line in source.splitlines(keepends=True) if not line.startswith(("%", "!"))
        )
        compile(plain, name(path), "exec")
    for source in fences(path, "toml"):
        tomllib.loads(source)


def test_the_extras_of_the_pages_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    for path in PAGES:
        said = re.findall(r"(?:skills2-nb|\.)\[([\w,]+)\]", path.read_text(encoding="utf-8"))
        assert {extra for group in said for extra in group.split(",")} <= extras, name(path)


def test_pre_commit_hooks_call_verbs_that_take_many_files() -> None:
    from skills2_nb.cli.main import main

    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: skills2 (\w+)(?: (--\w+))?", hooks)
    assert entries == [("lint", ""), ("export", "--check")]
    for verb, option in entries:
        command = main.get_command(None, verb)
        assert command.params[0].nargs == -1, f"{verb}: pre-commit hands over every file at once"
        assert not option or any(option in parameter.opts for parameter in command.params)


@pytest.mark.parametrize("script", [".ci/run", ".ci/base", "binder/postBuild"])
def test_scripts_can_be_executed(script: str) -> None:
    assert (ROOT / script).stat().st_mode & 0o111


# --- shell lines: options exist ---------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_options_exist(path: Path) -> None:
    from skills2_nb.cli.main import main

    for block in fences(path, "sh", "bash", "console"):
        for line in block.splitlines():
            if not line.startswith("skills2 "):
                continue
            group: Any = main
            words = shlex.split(line, comments=True)[1:]
            while words and (
                inner := getattr(group, "get_command", lambda *_: None)(None, words[0])
            ):
                group, words = inner, words[1:]
            known = {option for parameter in group.params for option in parameter.opts}
            said = {word.partition("=")[0] for word in words if word.startswith("-")}
            assert said <= known | {"--json", "--debug", "--help"}, f"{name(path)}: `{line}`"


# --- links to headings ------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The fragments of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_to_headings_lead_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        page = (path.parent / file) if file else path
        if page.suffix == ".md":
            assert fragment in anchors(page), f"{name(path)}: no {target}"


# --- examples: blocks marked `run` are run, and `output` is what they print ---------------------


def examples(path: Path) -> Iterator[tuple[str, bool, str | None]]:
    """Each block marked `run`: its code, whether it stands alone, and the output that follows."""
    found = [
        (match[2], match[3].split(), textwrap.dedent(match[4]))
        for match in FENCE.finditer(path.read_text(encoding="utf-8"))
    ]
    for at, (language, words, code) in enumerate(found):
        if language == "python" and "run" in words:
            after = found[at + 1] if at + 1 < len(found) else ("", [], "")
            yield code, "alone" in words, after[2] if "output" in after[1] else None


def run_block(code: str, namespace: dict[str, Any], where: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec"), namespace)
    return printed.getvalue()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `weekly-numbers.ipynb` and its package below `skills/`."""
    from skills2_nb.cli.starter import notebook
    from skills2_nb.convert.exporter import export

    (tmp_path / "weekly-numbers.ipynb").write_bytes(notebook("weekly-numbers"))
    export(tmp_path / "weekly-numbers.ipynb")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUN = [path for path in PAGES if any(examples(path))]


def test_the_pages_have_examples_that_are_run() -> None:
    assert {path.name for path in RUN} >= {"authoring.md", "audit.md", "journal.md", "package.md"}


@pytest.mark.parametrize("path", RUN, ids=name)
def test_examples_print_what_they_say(path: Path, desk: Path) -> None:
    page = types.ModuleType(f"page_{path.stem}")
    for number, (code, alone, output) in enumerate(examples(path), 1):
        if "import pandas" in code:
            pytest.importorskip("pandas", reason="the example reads a frame")
        where = f"{name(path)}, example {number}"
        module = types.ModuleType(f"{page.__name__}_{number}") if alone else page
        printed = run_block(code, vars(module), where)
        assert printed == (output or ""), where


def test_the_check_by_hand_finds_every_kind_of_damage(desk: Path) -> None:
    from skills2_nb.contract import chain
    from skills2_nb.evals.proof import prove
    from skills2_nb.library.discovery import find
    from skills2_nb.library.runs import journals

    by_hand: dict[str, Any] = {}
    run_block(next(examples(DOCS / "journal.md"))[0], by_hand, "journal.md")
    prove(find("weekly-numbers"), {"daily": [12, 9, 14, 11, 20, 31, 18]})
    (path,) = journals()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 6 and by_hand["is_whole"](path)

    damaged = desk / "damaged.jsonl"
    first, second, third, *rest = lines
    for cut in (
        [first, third, *rest],
        [first, third, second, *rest],
        [second, third, *rest],
        [first, second.replace(b"115", b"151", 1), third, *rest],
        [first, second, second, third, *rest],
    ):
        damaged.write_bytes(b"".join(cut))
        assert chain.verify(damaged)
        assert not by_hand["is_whole"](damaged)


@pytest.mark.parametrize("block", [*fences(DOCS / "package.md", "yaml")])
def test_the_hooks_of_the_pages_are_offered(block: str) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    said = re.findall(r"- id: ([\w-]+)", block)
    assert said and set(said) <= set(re.findall(r"- id: ([\w-]+)", hooks))
