"""Packages written by hand, for any test that serves them."""

import json
import textwrap
from pathlib import Path

from skills2_nb.contract import loader

HEAD = """
import os, sys, time
from pydantic import BaseModel
from skills2_nb import Table, step

class Sum(BaseModel):
    total: int
    label: str = "sum"
"""
SUMS = '''
def total_is_sum(values, total):
    return total == sum(values)

@step(invariants=[total_is_sum], report=["total"])
def add(values: list[int]) -> Sum:
    """Add up."""
    return Sum(total=sum(values))

class Told(BaseModel):
    readout: str

def names_total(readout, total):
    return str(total) in readout

@step(invariants=[names_total])
def tell(total: int) -> Told:
    """Say it."""
    return Told(readout=f"Adding up gives a total of {total}.")
'''
#: One step for each way to misbehave; none stands on another.
ROGUES = '''
@step(1, requires=(), required=False)
def good(n: int = 1) -> Sum:
    """Behave."""
    return Sum(total=n)

@step(1, requires=(), required=False)
def prints(n: int = 1) -> Sum:
    """Print to Python, to the descriptor, and by a child."""
    print("to python"); print("to stderr", file=sys.stderr)
    os.write(1, b"Content-Length: 12\\n{}\\n"); os.system("echo by a child")
    return Sum(total=n)

@step(1, requires=(), required=False)
def floods(n: int = 1) -> Sum:
    """Print a lot."""
    for _ in range(200):
        print("x" * 10_000); os.write(1, b"y" * 10_000)
    return Sum(total=n)

@step(1, requires=(), required=False)
def hangs(n: int = 1) -> Sum:
    """Never end."""
    while True:
        time.sleep(1)

@step(1, requires=(), required=False)
def quits(n: int = 1) -> Sum:
    """Raise SystemExit."""
    raise SystemExit(3)

@step(1, requires=(), required=False)
def interrupts(n: int = 1) -> Sum:
    """Raise KeyboardInterrupt."""
    raise KeyboardInterrupt

@step(1, requires=(), required=False)
def dies(n: int = 1) -> Sum:
    """End the process."""
    os.write(2, b"last words\\n"); os._exit(7)

@step(1, requires=(), required=False)
def fills(n: int = 1) -> Sum:
    """Take all memory there is."""
    kept = []
    while True:
        kept.append(bytearray(16_000_000))

@step(1, requires=(), required=False)
def forks(n: int = 1) -> Sum:
    """Come out twice."""
    os.fork()
    return Sum(total=n)

@step(1, requires=(), required=False)
def closes(n: int = 1) -> Sum:
    """Close the standard streams."""
    sys.stdout.close()
    for fd in (0, 1, 2):
        os.close(fd)
    return Sum(total=n)

@step(1, requires=(), required=False)
def moves(n: int = 1) -> Sum:
    """Leave the process elsewhere than it was."""
    import tempfile
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)
    os.environ["SKILLS2_HOME"] = folder
    sys.setrecursionlimit(100)
    return Sum(total=n)

@step(1, requires=(), required=False)
def leaks(n: int = 1) -> Sum:
    """Keep every file that a process may have open."""
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    try:
        while True:
            os.dup(0)
    except OSError:
        return Sum(total=n)

@step(1, requires=(), required=False)
def scribbles(n: int = 1) -> Sum:
    """Write wherever a process may write."""
    for fd in range(3, 10):
        try:
            os.write(fd, b"ooooo")
        except OSError:
            pass
    return Sum(total=n)

@step(1, requires=(), required=False)
def detaches(n: int = 1) -> Sum:
    """Leave a child that nothing reaches and that holds every pipe, and die."""
    if not os.fork():
        os.setsid()
        with open(os.environ["SKILLS2_HOME"] + "/child", "w") as file:
            file.write(str(os.getpid()))
        time.sleep(40)
        os._exit(0)
    time.sleep(0.2)
    os._exit(5)

@step(1, requires=(), required=False)
def halves(n: int = 1) -> Sum:
    """Return half of a sign."""
    return Sum(total=n, label="\\ud800")

@step(1, requires=(), required=False)
def hides(n: int = 1) -> Sum:
    """Raise what ends whoever reads it."""
    class Hidden(Exception):
        def __str__(self):
            raise SystemExit
    raise Hidden

@step(1, requires=(), required=False)
def spawns(n: int = 1) -> Sum:
    """Leave a child behind and hang."""
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with open(os.environ["SKILLS2_HOME"] + "/child", "w") as file:
        file.write(str(child.pid))
    time.sleep(60)
    return Sum(total=n)

@step(1, requires=(), required=False)
def odd(n: int = 1) -> float:
    """Return what JSON has no number for."""
    return float("nan")

@step(1, requires=(), required=False)
async def waits(n: int = 1) -> Sum:
    """Be a coroutine."""
    import asyncio
    await asyncio.sleep(0.01)
    return Sum(total=n)
'''


def write_package(
    root: Path,
    name: str,
    code: str = SUMS,
    *,
    runtime: str = "",
    schemas: bool = True,
    body: str = "Prose.",
) -> Path:
    """Write a package below a folder; its manifest and schemas are those of the code."""
    folder = root / name
    inner = folder / "runtime"
    inner.mkdir(parents=True, exist_ok=True)
    front = f'---\nname: {name}\ndescription: "Adds up. Use it for sums."\n---\n\n# {name}\n\n'
    (folder / "SKILL.md").write_text(f"{front}{body}\n")
    (inner / "__init__.py").write_text("")
    (inner / "skill.py").write_text(HEAD + textwrap.dedent(code))
    (inner / "steps.py").write_text("from .skill import *\n")
    head = f'schema = 1\n[skill]\nname = "{name}"\n[runtime]\n{runtime}\n'
    (folder / "skill.toml").write_text(head)
    (folder / "schemas.json").unlink(missing_ok=True)
    rows = [
        f'[[steps]]\nid = "{s.id}"\norder = {at}\nfn = "runtime.steps:{s.id}"\n'
        f'summary = "{s.summary}"\nreport = {json.dumps(list(s.report))}\n'
        for at, s in enumerate(loader.load(folder).steps, 1)
    ]
    (folder / "skill.toml").write_text(head + "".join(rows))
    if schemas:
        (folder / "schemas.json").write_text(json.dumps({"of": "", **loader.describe(folder)}))
    return folder
