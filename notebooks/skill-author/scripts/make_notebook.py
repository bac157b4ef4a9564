#!/usr/bin/env python3
"""Make a skill notebook of plain text, and plain text of a skill notebook.

    make_notebook.py draft.txt -o weekly-numbers.ipynb
    make_notebook.py --text weekly-numbers.ipynb

In the text a cell begins with a line `# %% ROLE` or `# %% ROLE NAME`; the lines below it, up to
the next such line, are the cell as it stands. NAME becomes the cell's id. Standard library alone.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

CODE = ("setup", "model", "invariant", "helper", "step", "cases", "skip")
FILES = ("reference", "script", "asset")
ROLES = ("front", "prose", "note", "manifest", *CODE, *(f"{role}:FILE" for role in FILES))
MARKER = re.compile(r"# %% (\S+)(?: ([A-Za-z0-9_-]{1,64}))?[ \t]*")
DIRECTIVE = re.compile(r"# skills2: (\S+)")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class WrongText(Exception):
    """What was given cannot be made into a notebook, or into text, without losing something."""


def notebook_of(text):
    """The notebook, as a JSON value, that a text describes."""
    cells, ids = [], set()
    for line, role, name, source in pieces(text):
        kind, tags = kind_of(role, line)
        ident = name or f"{role.partition(':')[0]}-{line}"
        if ident in ids:
            raise WrongText(f"line {line}: a cell named '{ident}' stands above. Rename one.")
        ids.add(ident)
        cells.append(cell_of(kind, tags, ident, source))
    if cells[0]["cell_type"] != "raw" or cells[0]["metadata"]:
        raise WrongText("line 1: the first cell is `# %% front`, with the YAML between `---`.")
    metadata = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def pieces(text):
    """Each cell of a text: line of its marker, role, name, source."""
    found = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        marker = MARKER.fullmatch(line)
        if marker:
            found.append((number, marker[1], marker[2], []))
        elif line.startswith("# %%"):
            raise WrongText(f"line {number}: '{line}' is no marker. Write `# %% ROLE NAME`.")
        elif found:
            found[-1][3].append(line)
        elif line.strip():
            raise WrongText(f"line {number}: text above the first marker. Begin with `# %% front`.")
    if not found:
        raise WrongText("the text has no cell. Begin with `# %% front`.")
    return [(line, role, name, "\n".join(rows).strip("\n")) for line, role, name, rows in found]


def kind_of(role, line):
    """The cell type and the tags of a role."""
    word, _, file = role.partition(":")
    if word in FILES and file:
        kind = "markdown" if word == "reference" else "code" if file.endswith(".py") else "raw"
        return kind, [role]
    if role not in ROLES or word in FILES:
        raise WrongText(f"line {line}: '{role}' is no role. It is one of {', '.join(ROLES)}.")
    if role in ("front", "manifest"):
        return "raw", ["manifest"] if role == "manifest" else []
    if role in ("prose", "note"):
        return "markdown", ["skip"] if role == "note" else []
    return "code", [role]


def cell_of(kind, tags, ident, source):
    """One cell, without outputs."""
    lines = source.splitlines(keepends=True) if "\r" not in source else [source]
    cell = {"cell_type": kind, "id": ident, "metadata": {"tags": tags} if tags else {}}
    cell["source"] = lines
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def text_of(notebook):
    """The text that makes this notebook again; refused where something would be lost."""
    parts = []
    for number, cell in enumerate(notebook["cells"], 1):
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if cell.get("attachments") or "skills2" in cell["metadata"]:
            raise WrongText(f"cell {number} holds an image or a kept layout, which text cannot.")
        role, source = role_of(number, cell, source)
        if any(line.startswith("# %%") for line in source.split("\n")):
            raise WrongText(f"cell {number} has a line that begins with `# %%`. Indent it.")
        name = f" {cell['id']}" if cell.get("id") else ""
        parts.append(f"# %% {role}{name}\n" + source.strip("\n") + "\n")
    return "\n".join(parts)


def role_of(number, cell, source):
    """A cell's role in the words of the text, and its source without a directive line."""
    tags = [tag for tag in cell["metadata"].get("tags", []) if is_role(tag)]
    first, _, rest = source.partition("\n")
    directive = DIRECTIVE.fullmatch(first.strip())
    if not tags and directive and is_role(directive[1]):
        tags, source = [directive[1]], rest
    kind = cell["cell_type"]
    if number == 1 and not tags and source.startswith("---\n"):
        return "front", source
    if kind == "markdown":
        role = tags[0] if tags else "prose"
        return ("note" if role == "skip" else role), source
    role = tags[0] if tags else "skip"
    if kind_of(role, number)[0] != kind:
        raise WrongText(f"cell {number} is {kind} with the role '{role}', which text cannot say.")
    return role, source


def is_role(word):
    """Whether a tag or a directive names a role."""
    head, _, file = word.partition(":")
    return bool(file) if head in FILES else word in (*CODE, "prose", "manifest")


def write_whole(path, text):
    """Write a file at once: whoever reads it meanwhile sees the old one or the new one."""
    place = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        place.write_text(text, encoding="utf-8", newline="\n")
        place.replace(path)
    finally:
        place.unlink(missing_ok=True)


def main(argv=None):
    """Exit code 0; 2 for a text or a notebook that cannot be turned into the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="the text, or with --text the notebook; - is standard input")
    parser.add_argument("-o", "--output", type=Path, help="the notebook to write")
    parser.add_argument("--text", action="store_true", help="print the text of a notebook")
    parser.add_argument("--force", action="store_true", help="write over a notebook that is there")
    asked = parser.parse_args(argv)
    try:
        given = sys.stdin.read() if asked.file == "-" else Path(asked.file).read_text("utf-8")
        if asked.text:
            print(text_of(json.loads(given)), end="")
            return 0
        made = json.dumps(notebook_of(given), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if asked.output is None:
            print(made, end="")
        elif asked.output.exists() and not asked.force:
            raise WrongText(f"{asked.output} is there already. Say --force to write over it.")
        else:
            write_whole(asked.output, made)
    except (WrongText, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        said = str(error) if isinstance(error, (WrongText, OSError)) else "this is no notebook"
        print(f"{asked.file}: {said}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
