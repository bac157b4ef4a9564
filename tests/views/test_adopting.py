"""How a proposal is shown."""

from skills2_nb.convert.adopt import Change
from skills2_nb.views.adopting import change, left, told

BEFORE = "def f(x):\n    return x"
AFTER = "@step\ndef f(x: int) -> int:\n    return x"
STEP = Change("f", (3,), "step f", "cell 4 calls it", BEFORE, AFTER)
ADDED = Change("+case", (), "a first case", "it starts here", "", 'case("\x1b[31m")')
NINE = "\n".join(f"a{n} = {n}" for n in range(9))
LONG = Change("setup:1", (1,), "tag `setup`", "steps use a", NINE, NINE)


def test_a_step_is_shown_as_a_diff():
    assert change(STEP) == (
        "cell 3: step f\n  cell 4 calls it\n  - def f(x):\n  + @step\n  + def f(x: int) -> int:\n"
        "        return x\n"
    )


def test_an_added_cell_is_tame():
    assert change(ADDED) == 'new cell: a first case\n  it starts here\n  + case("\\x1b[31m")\n'


def test_a_tagged_cell_is_cut_short():
    assert change(LONG).endswith("    a5 = 5\n    … 3 more lines, as they are\n")


def test_long_lines_are_cut_and_colours_are_asked_for():
    assert all(len(line) <= 20 for line in change(STEP, width=20).splitlines()[2:])
    assert "\x1b[32m  + @step\x1b[0m" in change(STEP, color=True)


def test_notes_come_last():
    assert told([STEP], [(2, "it draws.")]).endswith("Left as it is\n  cell 2: it draws\n")
    assert left([]) == ""
