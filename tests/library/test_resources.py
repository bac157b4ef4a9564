"""A skill's files, and no way out of its folder."""

import os
from pathlib import Path

import pytest

from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.library import resources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A skill's folder beside a secret."""
    made = tmp_path / "skill"
    (made / "references").mkdir(parents=True)
    (made / "SKILL.md").write_text("# Skill\n")
    (made / "references" / "guide.md").write_text("Grüße\n", encoding="utf-8")
    (made / "image.png").write_bytes(b"\x89PNG\0")
    (made / "big.txt").write_text("x" * 2_000)
    (tmp_path / "secret").write_text("secret")
    (made / "out").symlink_to(tmp_path / "secret")
    (made / "away").symlink_to(tmp_path)
    (made / "within.md").symlink_to("references/guide.md")
    (made / "round").symlink_to("round")
    (made / ".git").mkdir()
    (made / ".git" / "config").write_text("a token")
    os.mkfifo(made / "pipe")
    return made


def test_text_and_bytes_are_told_apart(folder: Path) -> None:
    text = resources.read(folder, "references/guide.md")
    assert (text.text, text.mime) == ("Grüße\n", "text/markdown")
    assert resources.read(folder, "within.md").text == "Grüße\n"
    image = resources.read(folder, "image.png")
    assert (image.text, image.mime, image.data) == (None, "image/png", b"\x89PNG\0")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            ".",
            "..",
            "../secret",
            "references/../../secret",
            "/etc/passwd",
            "out",
            "away/secret",
        ),
        *("references", "none.md", "references//guide.md", "a\0b", "..\\secret", "C:/x", "round"),
        *("./SKILL.md", "x" * 5_000, ".git/config", "pipe"),
    ],
)
def test_no_way_out(path: str, folder: Path) -> None:
    with pytest.raises(UsageError):
        resources.read(folder, path)


def test_a_big_file_is_refused(folder: Path) -> None:
    with pytest.raises(UnreadableError, match="2,000 bytes"):
        resources.read(folder, "big.txt", most=1_999)
    assert len(resources.read(folder, "big.txt", most=2_000).data) == 2_000


def test_the_list_holds_what_can_be_read(folder: Path) -> None:
    assert resources.paths(folder) == [
        "SKILL.md",
        "big.txt",
        "image.png",
        "references/guide.md",
        "within.md",
    ]
