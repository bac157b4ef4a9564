"""Skills opened as far as is asked, and those of some folders."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.errors import PackageError, Skills2Error, UnreadableError
from skills2_nb.formats.frontmatter import parse
from skills2_nb.library import activation
from skills2_nb.library.catalog import Catalog

FRONT = '---\nname: {name}\ndescription: "Says  hello.\n  Use it."\n---\n\n# Title\n\nText.\n'
TOML = (
    'schema = 1\n[skill]\nname = "{name}"\n[[steps]]\nid = "b"\norder = 2\nfn = "runtime.steps:b"\n'
)
FIRST = '[[steps]]\nid = "a"\norder = 1\nfn = "runtime.steps:a"\n'
SCHEMAS = {"of": "", "steps": {"a": {"input": {"properties": {"x": {}}}, "output": {}}, "b": {}}}


def package(root: Path, name: str, *, called: str | None = None) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(FRONT.format(name=called or name))
    (folder / "skill.toml").write_text(TOML.format(name=called or name) + FIRST)
    (folder / "schemas.json").write_text(json.dumps(SCHEMAS))
    return folder


def test_a_card_a_contract_and_the_prose(tmp_path: Path) -> None:
    folder = package(tmp_path, "hello")
    card = activation.card(folder)
    assert (card.name, card.description) == ("hello", "Says hello. Use it.")
    made = activation.contract(folder)
    assert [step.id for step in made.steps] == ["a", "b"]
    assert list(made.schema("a").parameters) == ["x"] and made.schema("none").input == {}
    assert activation.prose(folder) == "# Title\n\nText."
    assert activation.step_count(folder) == 2


@pytest.mark.parametrize(
    ("file", "data", "part"),
    [
        ("SKILL.md", b"---\nname: \xff\n---\n", "UTF-8"),
        ("SKILL.md", b"---\nname: [\n---\n", "front matter"),
        ("skill.toml", b"not = [toml", "TOML"),
        ("skill.toml", b'schema = 1\n[skill]\nname = "other"\n', "two names|calls the skill"),
        ("schemas.json", b"[]", "schemas.json"),
        ("schemas.json", b'{"steps": []}', "schemas.json"),
        ("schemas.json", b"\xff", "schemas.json"),
    ],
)
def test_what_cannot_be_read_is_named(file: str, data: bytes, part: str, tmp_path: Path) -> None:
    folder = package(tmp_path, "hello")
    (folder / file).write_bytes(data)
    with pytest.raises((UnreadableError, PackageError), match=part):
        activation.contract(folder)


LINE = st.one_of(
    st.from_regex(r"[a-z-]{1,6}: [\w .,:#'\"-]{0,12}", fullmatch=True),
    st.builds(
        "{}: {}".format,
        st.sampled_from(["name", "description", "key"]),
        st.one_of(
            st.text(max_size=8).map(json.dumps),
            st.text(max_size=8).map('"{}"'.format),
            st.sampled_from(
                ["true", "No", "null", "1.5", "1e3", "2020-01-01", "a: b", "a #b", "x"]
            ),
        ),
    ),
)


@given(st.lists(LINE, max_size=4).map("\n".join))
def test_flat_front_matter_reads_as_yaml_does(text: str) -> None:
    found = activation.flat(text)
    assert found is None or found == parse(text)


def test_what_export_writes_is_flat() -> None:
    text = 'name: growth-accounting\ndescription: "Explains: why, \\"how\\" – and when."'
    assert activation.flat(text) == parse(text)


def test_the_first_of_a_name_is_listed(tmp_path: Path) -> None:
    first = package(tmp_path / "one", "hello")
    package(tmp_path / "two", "hello")
    other = package(tmp_path / "two", "other")
    catalog = Catalog([tmp_path / "none", tmp_path / "one", tmp_path / "two", other])
    assert [(card.name, card.folder) for card in catalog.cards] == [
        ("hello", first),
        ("other", other),
    ]


def test_a_catalog_sees_what_changes(tmp_path: Path) -> None:
    catalog = Catalog([tmp_path])
    assert not catalog.cards and not catalog.refresh()
    folder = package(tmp_path, "hello")
    assert catalog.refresh() and not catalog.refresh()
    before, made = catalog.mark("hello"), catalog.contract("hello")
    assert catalog.contract("hello") is made
    (folder / "export.lock").write_text("new")
    assert catalog.refresh()
    assert catalog.mark("hello") != before and catalog.contract("hello") is not made
    (folder / "skill.toml").write_text("not = [toml")
    assert catalog.refresh()
    with pytest.raises(Skills2Error):
        catalog.contract("hello")
    assert [fault.name for fault in catalog.faults] == ["hello"]
    (folder / "SKILL.md").unlink()
    assert catalog.refresh() and not catalog.cards and not catalog.faults


def test_counting_stops_where_there_are_too_many(tmp_path: Path) -> None:
    for number in range(4):
        package(tmp_path, f"skill-{number}")
    (tmp_path / "skill-3" / "schemas.json").write_text("[]")
    catalog = Catalog([tmp_path])
    assert not catalog.holds_steps(14, 3) and not catalog.faults
    assert catalog.holds_steps(15, 3)
    assert [fault.name for fault in catalog.faults] == ["skill-3"]


@pytest.mark.parametrize(
    "step",
    [
        3,
        {"input": 3},
        {"input": {"properties": [1]}},
        {"input": {"properties": {"x": 3}}},
        {"input": {"$defs": [1]}},
        {"output": {"properties": {"x": "y"}}},
    ],
)
def test_schemas_that_are_none_are_a_fault_of_their_package_alone(
    step: object, tmp_path: Path
) -> None:
    package(tmp_path, "good")
    bad = package(tmp_path, "bad")
    (bad / "schemas.json").write_text(json.dumps({"of": "", "steps": {"a": step}}))
    catalog = Catalog([tmp_path])
    assert [made.name for made in catalog.contracts()] == ["good"]
    assert [fault.name for fault in catalog.faults] == ["bad"]


def test_a_root_that_leads_to_itself_holds_nothing(tmp_path: Path) -> None:
    package(tmp_path / "skills", "good")
    (tmp_path / "loop").symlink_to("loop")
    found = Catalog([tmp_path / "loop", tmp_path / "skills"])
    assert [card.name for card in found.cards] == ["good"]
