"""What the pages say is so: commands exist, links lead somewhere, snippets compile."""

import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(path: Path, *languages: str) -> Iterator[str]:
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        if match[2] in languages:
            yield textwrap.dedent(match[3])


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
    absent = said - set(main.list_commands(None)) - {"stop", "reload", "status"}
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
