"""The dispatcher as a client starts it: a process, fed through a pipe."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.client import HOOKS, KIT, MAIN, SESSION, Answer, Plugin, skill, write_index


@pytest.fixture
def hook(home: Path) -> Callable[..., Answer]:
    def start(
        sent: Mapping[str, Any] | bytes,
        *words: str,
        main: Path = MAIN,
        env: Mapping[str, str] | None = None,
        **how: Any,
    ) -> Answer:
        data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        argv = [sys.executable, "-I", "-S", str(main), *(words or ("advise",))]
        whole = {**os.environ, **(env or {})}
        done = subprocess.run(argv, input=data, capture_output=True, env=whole, timeout=30, **how)
        return Answer(done.returncode, done.stdout, done.stderr)

    return start


@pytest.fixture
def session(home: Path) -> Path:
    """The session's folder, as the server computes it."""
    from skills2_nb.serve.sessions import _key

    return home / "sessions" / _key(SESSION)


@pytest.fixture
def indexed(home: Path, tmp_path: Path) -> Path:
    """An index that tells `growth-accounting` for PROMPT; gives the folder of the skills."""
    write_index(home / "index", skill(tmp_path, "growth-accounting", "active customers fall"))
    return tmp_path


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A plugin: a copy of the hooks' files, far from the kit, with a launcher of the test's."""
    made = Plugin(tmp_path / "plugin", tmp_path / "data")
    (made.root / "hooks").mkdir(parents=True)
    for file in HOOKS.glob("*.py"):
        shutil.copy(file, made.root / "hooks")
    (made.root / "kit.py").write_text(KIT, encoding="utf-8")
    (made.root / ".claude-plugin").mkdir()
    (made.root / ".claude-plugin" / "plugin.json").write_text('{"name": "growth", "version": "1"}')
    told = skill(tmp_path / "plugin" / "skills", "growth-accounting", "active customers fall")
    write_index(made.root / "hooks" / "index", told)
    return made
