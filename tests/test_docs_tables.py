"""The tables and figures of the pages are those of the code."""

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def table(page: str, *head: str) -> list[list[str]]:
    """The cells of the one table of a page whose first headings are these."""
    found = []
    lines = iter((DOCS / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if cells(line)[: len(head)] == list(head):
            next(lines)
            found.append(list(map(cells, _while_table(lines))))
    assert len(found) == 1, f"{page}: {len(found)} tables begin with {head}"
    return found[0]


def _while_table(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield line


def cells(line: str) -> list[str]:
    """A table line's cells; empty for a line of no table."""
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def bare(text: str) -> str:
    return text.strip("`")


def yes(truth: bool) -> str:
    return "yes" if truth else ""


def told(rows: list[list[str]]) -> str:
    """The lines a page should have, to be put there as they are."""
    lines = ("| " + " | ".join(row) + " |" for row in rows)
    return "the table has to be:\n" + "\n".join(line.replace("  |", " |") for line in lines)


def test_the_roles_are_those_of_the_code() -> None:
    from skills2_nb.formats.roles import Role

    def word(role: Role) -> str:
        if role is Role.FRONT:
            return "(front matter)"
        return f"`{role.word}:<file>`" if role.has_file else f"`{role.word}`"

    assert table("authoring.md", "role", "cell", "goes to", "what") == [
        [word(role), ", ".join(role.kinds), f"`{role.feeds}`" if role.feeds else "", role.says]
        for role in Role
    ]


def test_the_other_words_for_setup_are_told() -> None:
    from skills2_nb.formats.roles import SETUP_WORDS

    text = " ".join((DOCS / "authoring.md").read_text(encoding="utf-8").split())
    *others, last = (f"`{word}`" for word in SETUP_WORDS if word != "setup")
    assert f"{', '.join(others)} and {last} say the same as `setup`" in text


def test_the_arguments_of_step_are_told() -> None:
    from skills2_nb import step

    names = [bare(row[0]) for row in table("authoring.md", "argument of `@step`")]
    assert names == list(inspect.signature(step).parameters)


#: Keys whose default is made from the notebook.
INFERRED = {"name", "phrases", "keywords", "terms", "python", "dependencies"}


def test_the_manifest_keys_and_defaults_are_those_of_the_code() -> None:
    from skills2_nb.formats.manifest import Manifest, to_tables
    from skills2_nb.formats.manifest_keys import TABLES

    rows = table("authoring.md", "table", "key", "default", "a value is")
    assert [[*row[:2], row[3]] for row in rows] == [
        [f"`[{name}]`", f"`{key}`", rule.says]
        for name, keys in TABLES.items()
        if name != "steps"
        for key, rule in keys.items()
    ]
    defaults = to_tables(Manifest(name=""))
    for name, key, default, *_ in rows:
        if bare(key) in INFERRED:
            assert default.startswith("from "), key
        else:
            value = defaults[bare(name).strip("[]")][bare(key)]
            assert json.loads(bare(default)) == value, key


def test_the_keys_of_a_step_in_the_manifest_are_told() -> None:
    from skills2_nb.formats.manifest_keys import TABLES

    assert table("package.md", "key of `[[steps]]`") == [
        [f"`{key}`", rule.says.replace("`", "")] for key, rule in TABLES["steps"].items()
    ]


def test_the_keys_of_cases_are_told() -> None:
    from skills2_nb.formats.cases import RunCase, StepCase

    kinds = {"run": RunCase, "step": StepCase}
    rows = {bare(row[0]): row[1].split(", ") for row in table("authoring.md", "key", "of a case")}
    for word, kind in kinds.items():
        keys = {field.name for field in dataclasses.fields(kind)}
        assert {key for key, words in rows.items() if word in words} == keys


def test_the_magics_are_told() -> None:
    from skills2_nb.lab.verbs import VERBS

    words = [bare(row[0]).split()[1] for row in table("authoring.md", "magic")]
    assert words == list(VERBS)


def test_the_lint_codes_are_those_of_the_code() -> None:
    from skills2_nb.formats.codes import CODES

    head = ("code", "level", "what is wrong", "stops an export", "`--fix`")
    wanted = [
        [
            code.code,
            code.level,
            code.says,
            yes(code.level == "error" and code.blocks),
            "mends" if code.fixable else "",
        ]
        for code in CODES.values()
    ]
    assert table("lint.md", *head) == wanted, told(wanted)


def test_every_group_of_lint_codes_has_its_section() -> None:
    from skills2_nb.formats.codes import CODES

    text = (DOCS / "lint.md").read_text(encoding="utf-8")
    groups = dict.fromkeys(code[0] for code in CODES)
    assert re.findall(r"^## [^:\n]+: ([A-Z])$", text, re.MULTILINE) == list(groups)
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[2:]:
        letter = section.partition("\n")[0][-1]
        assert set(re.findall(rf"\b{letter}\d{{3}}\b", section)) <= set(CODES)


class _Braces(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def test_the_finding_codes_are_those_of_the_code() -> None:
    from skills2_nb.audit.auditor import STRICT_ONLY
    from skills2_nb.audit.finding import CODES

    wanted = [
        [
            f"`{code}`",
            rule.axis,
            "strict" if code in STRICT_ONLY else "both",
            yes(rule.veto),
            rule.says,
            rule.mend.format_map(_Braces()),
        ]
        for code, rule in CODES.items()
    ]
    head = ("code", "axis", "asked by", "veto", "what", "mend")
    assert table("audit.md", *head) == wanted, told(wanted)


def test_the_kinds_of_records_are_told() -> None:
    from skills2_nb.audit.integrity import AFTER_END
    from skills2_nb.contract.journal import KINDS

    kinds = [bare(row[0]) for row in table("journal.md", "kind", "carries")]
    assert len(kinds) == len(set(kinds)) and set(kinds) == KINDS
    text = " ".join((DOCS / "journal.md").read_text(encoding="utf-8").split())
    (after,) = re.findall(r"After `run_ended` only (.+) may follow", text)
    assert set(re.findall(r"`(\w+)`", after)) == AFTER_END


@pytest.mark.parametrize("row", table("audit.md", "written", "reads as", "not as"), ids=" ".join)
def test_numbers_are_read_as_the_page_says(row: list[str]) -> None:
    from skills2_nb.audit.numbers import NumberFigure, figures

    written, right, wrong = row
    (figure,) = figures(f"It came to {bare(written)} then.")
    assert isinstance(figure, NumberFigure)
    assert all(figure.matches(float(value)) for value in right.split(", "))
    assert not any(figure.matches(float(value)) for value in wrong.split(", "))


def date_rows() -> list[list[str]]:
    text = (DOCS / "audit.md").read_text(encoding="utf-8").partition("### Dates")[2]
    return [cells(line) for line in text.splitlines() if re.match(r"\| `.*\| \d", line)]


@pytest.mark.parametrize("row", date_rows(), ids=" ".join)
def test_dates_are_read_as_the_page_says(row: list[str]) -> None:
    from skills2_nb.audit.dates import DateFigure
    from skills2_nb.audit.numbers import figures

    (figure,) = figures(f"It happened {bare(row[0])} then.")
    assert isinstance(figure, DateFigure)
    assert [str(stamp) for stamp in figure.readings] == row[1].split(", ")


def figures_of_the_pages() -> list[tuple[str, str, object]]:
    """A page, a sentence with a figure, and the figure in the code."""
    from skills2_nb.audit import coverage, page, sources
    from skills2_nb.audit.profile import DefaultSettings
    from skills2_nb.cli.main import main  # noqa: F401 - the command line loads as a whole
    from skills2_nb.contract import blobs, table
    from skills2_nb.convert import document, step_rules, verify
    from skills2_nb.library import runs

    standard = DefaultSettings()
    one, two, three = standard.weights
    words = {6: "six", 5: "five", 3600: "the hour"}
    return [
        ("audit.md", "score = {} coverage", f"{one:.2f}"),
        ("audit.md", "+ {} consistency", f"{two:.2f}"),
        ("audit.md", "+ {} anchoring", f"{three:.2f}"),
        ("audit.md", "the threshold of {} and", f"{standard.threshold:.2f}"),
        ("audit.md", "the F1 floor of {} can", f"{standard.f1_floor:.2f}"),
        ("audit.md", "of {} (succeeded in order)", coverage.IN_ORDER),
        ("audit.md", "+ {} (output substantive)", coverage.SUBSTANCE),
        ("audit.md", "lists of at most {} values", sources.LIST_LIMIT),
        ("audit.md", "within {} words of the field's name", words[page.NEAR]),
        ("authoring.md", "a list of at most {} of them", sources.LIST_LIMIT),
        ("authoring.md", "{} characters at most", step_rules.LONGEST_TOOL),
        ("authoring.md", "first {} rows", words[table.HEAD_ROWS]),
        ("lint.md", "in at most {} characters", document.LONGEST_DESCRIPTION),
        ("journal.md", "longer than {} KiB", blobs.INLINE_BYTES // 1024),
        ("journal.md", "written to within {} are spared", words[runs.BUSY_SECONDS]),
        ("package.md", "and {} seconds", f"{verify.TIMEOUT:g}"),
    ]


@pytest.mark.parametrize(("page", "sentence", "figure"), figures_of_the_pages())
def test_figures_of_the_pages_are_those_of_the_code(
    page: str, sentence: str, figure: object
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert sentence.format(figure) in " ".join(text.split())


def test_the_files_of_a_package_are_told(skill_notebook: Path) -> None:
    from skills2_nb.convert.exporter import export
    from skills2_nb.formats.package import listing

    text = " ".join(row[0] for row in table("package.md", "file", "made from", "for"))
    named = set(re.findall(r"`([^`]+)`", text))
    made = set(listing(export(skill_notebook).folder))
    assert made <= named
    assert named - made == {"references/", "scripts/", "assets/"}


def test_the_checks_behind_the_wall_are_told() -> None:
    from skills2_nb.audit.profile import AGAIN

    text = (DOCS / "audit.md").read_text(encoding="utf-8").partition("### What was not checked")[2]
    assert set(re.findall(r"\*\*(\w+)\*\*", text.partition("\n\n-")[0])) == set(AGAIN)


def test_the_clients_and_their_files_are_told() -> None:
    from skills2_nb.install.clients import CLIENTS, Machine

    machine = Machine(Path("~"), Path(), "linux")
    rows = table("installing.md", "`--client`")
    assert [bare(row[0]) for row in rows] == list(CLIENTS)
    for name, user, project, key in (map(bare, row) for row in rows):
        client = CLIENTS[name]
        assert (project, key) == (client.project, client.key)
        assert user in (str(client.settings("user", machine)), "mcp.json` of the user's profile")


def test_the_tools_of_a_jupyter_server_are_told() -> None:
    from skills2_nb.lab.toolbox import TOOLS

    text = (DOCS / "installing.md").read_text(encoding="utf-8").partition("## Jupyter AI")[2]
    names = [address.partition(":")[2] for address in TOOLS]
    assert re.findall(r"`(\w+)`", text.partition("Each is")[0].partition("get ")[2]) == names
