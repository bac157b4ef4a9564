"""The part of the kit that an uploaded skill carries along."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from skills2_nb.errors import SetupError

#: The kit's own folder.
KIT = Path(__file__).resolve().parents[1]
#: Where the part of it lies in the skill. Were it the skill's own folder, whatever is started there
#: would find it before an installed kit; this one is put at the end of the path.
VENDOR = "vendor/skills2_nb/"
MAIN = "runtime/__main__.py"
INIT = "runtime/__init__.py"
_MARK = "# Made by `skills2 package`"
_INIT = '''"""The steps of {name}."""
{mark}: where no kit is installed, the part of it in vendor/ stands in.

import importlib.util
import pathlib
import sys

if importlib.util.find_spec("skills2_nb") is None:
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "vendor"))
'''
_MAIN = '''"""The steps of {name} from a shell: python runtime list."""
{mark}: it does what the tools of an installed kit do, for one skill.

import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
# The skill's own modules are no top-level ones, and an installed kit is found before vendor/.
sys.path[:] = [place for place in sys.path if pathlib.Path(place or ".").resolve() != here]
sys.path.append(str(here.parent / "vendor"))

try:
    from skills2_nb.contract.alone import main
except ModuleNotFoundError as error:
    what = error.name
    sys.stderr.write(f"the steps need {{what}}, and it is not here; pip install {{what}}\\n")
    sys.exit(4)

sys.exit(main(here.parent))
'''


def carried(name: str) -> dict[str, bytes]:
    """What makes the steps of a skill run where nothing but pydantic is installed.

    Returns:
        Bytes by path in the skill: the lazy face and ``contract/`` of this kit with its license,
        and the two modules of ``runtime/`` that find them.

    Raises:
        SetupError: the kit is installed without its license.
    """
    kit = {"__init__.py": (KIT / "__init__.py").read_bytes(), "LICENSE": license_text()}
    for path in sorted((KIT / "contract").glob("*.py")):
        kit[f"contract/{path.name}"] = path.read_bytes()
    made = {INIT: _INIT, MAIN: _MAIN}
    texts = {path: text.format(name=name, mark=_MARK).encode() for path, text in made.items()}
    return texts | {VENDOR + path: data for path, data in kit.items()}


def without(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A skill's files without what :func:`carried` put among them."""
    mark = _MARK.encode()
    if mark not in files.get(MAIN, b""):
        return dict(files)
    ours = {path for path in (INIT, MAIN) if mark in files.get(path, b"")}
    return {
        path: data
        for path, data in files.items()
        if path not in ours and not path.startswith(VENDOR)
    }


def license_text() -> bytes:
    """The license of the kit, which goes wherever parts of it go.

    Raises:
        SetupError: the kit is installed without it.
    """
    try:
        text = distribution("skills2-nb").read_text("licenses/LICENSE")
    except PackageNotFoundError:
        text = None
    if not text:
        raise SetupError(
            "the kit is installed without its LICENSE, which has to go along; install it anew: "
            "pip install --force-reinstall skills2-nb"
        )
    return text.encode("utf-8")
