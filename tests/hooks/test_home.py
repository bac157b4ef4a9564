"""The same places as the kit's own."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.hooks.event import Event
from skills2_nb.hooks.home import Home, digest
from tests.hooks.client import HOOKS

PLACES = [
    {"SKILLS2_HOME": "/x/y"},
    {"SKILLS2_HOME": "/x/y/"},
    {"SKILLS2_HOME": "~/z"},
    {"SKILLS2_HOME": "x/y"},
    {"SKILLS2_HOME": ""},
    {"SKILLS2_HOME": "", "HOME": "/h/"},
    {"SKILLS2_HOME": "", "HOME": "/h\udcff"},
    {"SKILLS2_HOME": "", "HOME": None},
]


@pytest.mark.skipif(os.name != "posix", reason="paths of another kind")
@pytest.mark.parametrize("changes", PLACES, ids=repr)
def test_the_kits_home(changes: dict[str, str | None], tmp_path: Path) -> None:
    probe = (
        f"import sys; sys.path.insert(0, {str(HOOKS.parents[1])!r}); "
        "from skills2_nb.hooks.home import kits_home; from skills2_nb.contract.home import home; "
        "import json; print(json.dumps([kits_home(), str(home())]))"
    )
    env = {**os.environ, **{name: text for name, text in changes.items() if text is not None}}
    for name in [name for name, text in changes.items() if text is None]:
        env.pop(name)
    done = subprocess.run([sys.executable, "-c", probe], env=env, cwd=tmp_path, capture_output=True)
    mine, kits = json.loads(done.stdout)
    assert mine == kits


@pytest.mark.parametrize("text", ["", "abc", "ü", "\ud800"])
def test_digests(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert digest(text) == hashlib.sha256(data).hexdigest()[:16]


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"prompt_id": "p-1_X"}, "p-1_X"),
        ({"prompt_id": "../x"}, digest("../x")),
        ({"prompt": "why?"}, digest("why?")),
        ({"prompt_id": 7, "prompt": "why?"}, digest("why?")),
        ({}, digest("")),
    ],
)
def test_what_a_prompts_files_are_called(fields: dict[str, object], key: str, home: Path) -> None:
    assert Home("advise", data=str(home)).key(Event({"session_id": "s", **fields})) == key
