import pytest

from skills2_nb.errors import PackageError, UnreadableError
from skills2_nb.formats.package import check_lock, listing, lock, parse_lock, read_package

FILES = {
    "SKILL.md": b"---\nname: a\ndescription: b\n---\n\n# T\n",
    "skill.toml": b'schema = 1\n[skill]\nname = "a"\n',
    "assets/x.bin": b"\x00\r\n",
    "evals/cases.jsonl": b'{"id": "c", "prompt": "p"}\n',
}


@pytest.fixture
def folder(tmp_path):
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "export.lock").write_text(lock(FILES), newline="\n")
    return tmp_path


def test_a_package_is_read_as_a_value(folder):
    (folder / "schemas.json").write_text('{"of": "x", "steps": {}}')
    package = read_package(folder)
    assert (package.front["name"], package.body, package.manifest.name) == ("a", "# T", "a")
    assert [case.id for case in package.cases] == ["c"]
    assert package.schemas == {"of": "x", "steps": {}}
    assert set(package.lock) == set(FILES)
    assert package.problems == ()


def test_a_bare_skill_is_a_package_too(tmp_path):
    (tmp_path / "SKILL.md").write_text("# T\n")
    package = read_package(tmp_path)
    assert package.manifest.name == tmp_path.name
    assert (package.front, package.schemas, package.cases, package.lock) == ({}, None, (), {})


def test_what_is_wrong_inside_is_a_problem(folder):
    (folder / "skill.toml").write_text("[audit]\nthreshold = 9\n")
    (folder / "evals/cases.jsonl").write_text("{\n")
    assert [problem.code for problem in read_package(folder).problems] == ["M703", "K607"]
    (folder / "schemas.json").write_text("[")
    with pytest.raises(UnreadableError, match="export the skill again"):
        read_package(folder)


def test_a_folder_without_prose_is_no_package(tmp_path):
    with pytest.raises(PackageError, match=r"no SKILL\.md"):
        read_package(tmp_path)


def test_the_lock_is_sorted_and_comes_back():
    text = lock(FILES)
    assert list(parse_lock(text)) == sorted(FILES)
    assert lock(dict(reversed(FILES.items()))) == text
    assert "export.lock" not in lock(FILES | {"export.lock": b"", "evals/baseline.json": b""})


def test_text_is_locked_over_lf_and_binary_as_it_is():
    crlf = {path: data.replace(b"\n", b"\r\n") for path, data in FILES.items()}
    ours, theirs = parse_lock(lock(FILES)), parse_lock(lock(crlf))
    assert {path for path in FILES if ours[path] != theirs[path]} == {"assets/x.bin"}


def test_what_differs_from_the_lock(folder):
    assert check_lock(folder).is_clean
    (folder / "evals/baseline.json").write_text("{}")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/x.pyc").write_text("")
    (folder / "SKILL.md").write_bytes(FILES["SKILL.md"].replace(b"\n", b"\r\n"))
    assert check_lock(folder).is_clean
    (folder / "SKILL.md").write_text("other")
    (folder / "skill.toml").unlink()
    (folder / "new.txt").write_text("")
    state = check_lock(folder)
    assert (state.edited, state.missing, state.extra) == (
        ("SKILL.md",),
        ("skill.toml",),
        ("new.txt",),
    )
    assert "new.txt" in listing(folder)
