"""From imported names to distributions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from skills2_nb.convert.names import Import

#: Import names whose distribution is called otherwise.
DISTRIBUTIONS = {
    "Bio": "biopython",
    "Crypto": "pycryptodome",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
    "google.protobuf": "protobuf",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "magic": "python-magic",
    "mpl_toolkits": "matplotlib",
    "multipart": "python-multipart",
    "nacl": "pynacl",
    "pkg_resources": "setuptools",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "pydantic_core": "pydantic-core",
    "pythoncom": "pywin32",
    "rdkit": "rdkit",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "socks": "pysocks",
    "telegram": "python-telegram-bot",
    "typing_extensions": "typing-extensions",
    "usb": "pyusb",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
_OURS = frozenset({"skills2_nb", "runtime", "__main__"})
_PYTHON = re.compile(r"(\d{1,3})\.(\d{1,3})(?!\d)")
#: The oldest Python that steps run on.
OLDEST = (3, 11)


def dependencies(imports: Iterable[Import]) -> tuple[str, ...]:
    """The distributions behind a set of imports, sorted; the standard library is left out."""
    found = set()
    for item in imports:
        top = item.module.partition(".")[0]
        if item.level or not top or top in sys.stdlib_module_names or top in _OURS:
            continue
        dotted = ".".join(item.module.split(".")[:2])
        found.add(DISTRIBUTIONS.get(dotted) or DISTRIBUTIONS.get(top) or _canonical(top))
    return tuple(sorted(found))


def python_of(version: str | None) -> str:
    """The specifier of the Python a notebook ran on, never older than the kit's own."""
    match = _PYTHON.match(version or "")
    wanted = (int(match.group(1)), int(match.group(2))) if match else OLDEST
    major, minor = max(wanted, OLDEST)
    return f">={major}.{minor}"


def _canonical(name: str) -> str:
    """A distribution's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()
