"""The words that start the script, as a client gives them to an interpreter."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.hooks import dispatch, starter
from skills2_nb.hooks.starter import EVENTS, STARTER, TOOLS
from tests.hooks.client import CHECKLIST, MAIN, PROMPT, event

HEAD = [sys.executable, "-I", "-S", "-c", STARTER]


def started(main: Path, *words: str) -> tuple[int, str, str]:
    sent = json.dumps(event("UserPromptSubmit", prompt=PROMPT))
    argv = [*HEAD, str(main), *(words or ("advise",))]
    done = subprocess.run(argv, input=sent, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout, done.stderr


def test_it_starts_the_script_with_its_words(home: Path, indexed: Path) -> None:
    status, out, err = started(MAIN)
    assert (status, err) == (0, "") and json.dumps(CHECKLIST)[1:-1] in out
    assert started(MAIN, "off") == (0, "", "")


@pytest.mark.parametrize("text", [None, b"", b"def cut(", b"\x00", b"\xff", b"raise OSError"])
def test_a_script_that_is_gone_or_cut_says_nothing(tmp_path: Path, text: bytes | None) -> None:
    main = tmp_path / "main.py"
    if text is not None:
        main.write_bytes(text)
    assert started(main) == (0, "", "")


def test_what_is_entered_is_what_the_dispatcher_answers() -> None:
    made = starter.groups("py", ["main.py", "off"], "x.*")
    assert tuple(made) == EVENTS
    assert [event for event, group in made.items() if "matcher" in group] == [TOOLS]
    answered = set(re.findall(r'event\.name == "(\w+)"', inspect.getsource(dispatch.answered)))
    assert answered == set(EVENTS)
    loaded = "import sys; from skills2_nb.hooks import dispatch, prompts, starts, stops, uses; "
    code = f"{loaded}print('skills2_nb.hooks.starter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_folder_in_its_place_says_nothing(tmp_path: Path) -> None:
    assert started(tmp_path) == (0, "", "")
