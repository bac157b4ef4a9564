"""A plugin's `kit.py`: finds skills2-nb and starts it.

Standard library alone, and for older Pythons too: nobody knows which one a client starts. It
looks, in this order, at the Python that SKILLS2_PYTHON names, at the one it runs in, for the
program `skills2`, and for an environment `venv` in the plugin's data folder.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

MODULE = "skills2_nb.cli.main"
OLDEST = (3, 11)
INSTALL = "python3 -m pip install skills2-nb"


def main(words: list[str]) -> int:
    """Run the kit with these words; its exit code, or 4 where there is no kit."""
    told = os.environ.get("SKILLS2_PYTHON")
    if told and not Path(told).is_file():
        return missing(f"SKILLS2_PYTHON is {told}, and there is no such file")
    command = with_python(told) if told else found()
    if not command:
        return missing("this plugin needs skills2-nb, and no Python here has it")
    if os.name == "nt":  # a process that replaces itself there leaves its caller alone
        return subprocess.call([*command, *words])
    try:
        os.execv(command[0], [*command, *words])
    except OSError as error:
        return missing(f"{command[0]} cannot be started ({error.strerror})")


def found() -> list[str]:
    """The command that starts the kit; empty where there is none."""
    if sys.version_info >= OLDEST and is_here():
        return with_python(sys.executable)
    script = shutil.which("skills2")
    if script:
        return [str(Path(script).absolute())]
    python = own_python()
    return with_python(str(python)) if python.is_file() else []


def is_here() -> bool:
    """Whether this very Python has the kit; the part of it that a skill carries is none."""
    try:
        return importlib.util.find_spec(MODULE) is not None
    except (ImportError, ValueError):
        return False


def with_python(python: str) -> list[str]:
    """The kit as a module of a Python; what lies in the working folder is not imported."""
    return [python, "-I" if sys.flags.isolated else "-P", "-m", MODULE]


def own_python() -> Path:
    """The Python of the environment in the plugin's data folder, which need not be there."""
    data = os.environ.get("SKILLS2_HOME") or os.environ.get("CLAUDE_PLUGIN_DATA") or os.devnull
    place = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return Path(data).joinpath("venv", *place)


def missing(why: str) -> int:
    """Say what is missing and how to get it."""
    sys.stderr.write(
        f"{why}; install it for Python 3.11 or newer ({INSTALL}), or name a Python that has it in "
        "SKILLS2_PYTHON.\n"
    )
    return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
