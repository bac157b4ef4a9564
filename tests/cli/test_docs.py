"""docs/cli.md and the help say the same, and all of it."""

import re
from pathlib import Path

import click
import pytest

from skills2_nb.cli.main import main
from skills2_nb.cli.verbs import HEADINGS, VERBS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
GROUPS = {name.partition(" ")[0] for name in VERBS if " " in name}
SECTIONS = {
    match[1]: match[2]
    for match in re.finditer(
        rf"^### `skills2 ((?:(?:{'|'.join(sorted(GROUPS))}) )?[a-z]+)[^\n]*`\n(.*?)(?=^#)",
        PAGE + "\n#",
        re.M | re.S,
    )
}
EVERYWHERE = {"--json", "--debug"}
LEAVES = [name for name in VERBS if name not in GROUPS]


def command(name):
    found = main
    for word in name.split():
        found = found.get_command(None, word)
    return found


def test_every_command_has_its_section_in_the_order_of_help():
    in_help = [
        name
        for heading in HEADINGS
        for top in VERBS.values()
        if top.heading == heading
        for name in (
            [n for n in VERBS if n.startswith(f"{top.name} ")] if top.name in GROUPS else [top.name]
        )
    ]
    assert list(SECTIONS) == in_help


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_is_documented_and_no_other(name):
    said = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", SECTIONS[name].split("```")[0]))
    options = {
        word
        for parameter in command(name).params
        if isinstance(parameter, click.Option)
        for word in parameter.opts
    }
    assert options - EVERYWHERE <= said
    rows = {word for pair in re.findall(r"^\| (`-[^|]+) \|", SECTIONS[name], re.M)
            for word in re.findall(r"--?[a-z][a-z-]*", pair)}  # fmt: skip
    assert rows <= options


@pytest.mark.parametrize("name", LEAVES)
def test_every_section_has_the_example_of_the_help(name):
    assert f"```\n{VERBS[name].example}\n```" in SECTIONS[name]


@pytest.mark.parametrize("name", LEAVES)
def test_every_heading_has_the_arguments(name):
    heading = re.search(rf"^### `skills2 {name}([^`]*)`", PAGE, re.M)[1]
    arguments = [p for p in command(name).params if isinstance(p, click.Argument)]
    wanted = [p.make_metavar(click.Context(command(name))) for p in arguments]
    assert heading.split() == wanted


def test_what_every_command_takes_is_said_once():
    opening = PAGE.split("## Exit codes")[0]
    assert all(f"`{option}`" in opening for option in [*EVERYWHERE, "--help", "--version"])


def test_the_exit_codes_are_the_guards():
    from skills2_nb.cli import guard

    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.M)}
    assert listed == {guard.GOOD, guard.REFUSED, guard.MISUSED, guard.UNPROVEN, guard.SETUP,
                      guard.INTERRUPTED, guard.PIPE_CLOSED}  # fmt: skip


@pytest.mark.parametrize("name", LEAVES)
def test_every_example_is_a_command_line_that_parses(name):
    import shlex

    words = shlex.split(VERBS[name].example)
    depth = 1 + len(name.split())
    assert words[:depth] == ["skills2", *name.split()]
    command(name).make_context(name, words[depth:])
