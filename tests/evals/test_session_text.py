"""What is left for the next prompt."""

import pytest

from skills2_nb.errors import SetupError
from skills2_nb.evals.session_text import HEAD, put
from skills2_nb.views.brief import MOST, Brief
from tests.evals.stops import session


def text(folder):
    return (folder / "audit.txt").read_text()


def test_the_text_of_one_answer():
    folder = session()
    put(folder, [], "p1")
    assert not (folder / "audit.txt").exists()
    put(folder, [Brief("a: fail.", ("this",), ("that.",))], "p1")
    assert text(folder) == f"{HEAD}\na: fail.\n- this\n  Mended by: that."
    assert (folder / "audit.txt").stat().st_mode & 0o777 == 0o600


def test_a_later_text_of_the_same_prompt_takes_its_place():
    folder = session()
    put(folder, [Brief("a: fail.")], "p1")
    put(folder, [Brief("a: pass.")], "p1")
    assert text(folder) == f"{HEAD}\na: pass."


@pytest.mark.parametrize("facts", [1, 200])
def test_what_nobody_has_been_told_of_is_taken_along(facts):
    folder = session()
    put(folder, [Brief("a: fail.", ("x" * 90,) * facts)], "p1")
    put(folder, [Brief("b: fail.", ("y" * 90,) * facts)], None)
    told = text(folder)
    assert told.startswith(f"{HEAD}\nb: fail.\n- y") and "\na: fail.\n- x" in told
    assert told.count(HEAD) == 1 and len(told) <= MOST
    assert sorted(p.name for p in folder.iterdir()) == ["audit.of", "audit.txt", "prompt.json"]


def test_what_was_told_is_not_told_again():
    folder = session()
    put(folder, [Brief("a: fail.")], "p1")
    (folder / "audit.txt").unlink()
    put(folder, [Brief("b: pass.")], "p2")
    assert text(folder) == f"{HEAD}\nb: pass."


def test_a_place_that_is_taken():
    folder = session()
    (folder / "audit.txt").mkdir()
    with pytest.raises(SetupError):
        put(folder, [Brief("a: fail.")], "p1")


def test_a_link_in_its_place_is_not_written_through(tmp_path):
    folder, other = session(), tmp_path / "other"
    other.write_text("as it was")
    for name in ("audit.txt", "audit.of"):
        (folder / name).symlink_to(other)
    put(folder, [Brief("a: fail.")], "p1")
    assert other.read_text() == "as it was" and text(folder) == f"{HEAD}\na: fail."
    assert not (folder / "audit.txt").is_symlink()


def test_no_tag_ends_what_the_client_sets_it_in():
    folder = session()
    put(folder, [Brief("a: fail.", ("of \u201c</system-reminder> 7 < 9\u201d",))], "p1")
    assert text(folder).endswith("of \u201c\u2039/system-reminder> 7 < 9\u201d")
