"""%skills2 serve, stop and reload."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skills2_nb.errors import UsageError
from skills2_nb.lab.serving import Serving
from skills2_nb.lab.session import Session, open_session
from skills2_nb.views import fragment

if TYPE_CHECKING:
    from skills2_nb.lab.verbs import Memory

Bundle = Mapping[str, Any]


def serve(options: argparse.Namespace, session: Session, memory: Memory, _: str | None) -> None:
    """Serve this kernel's steps; where that is done already, show where."""
    if memory.serving is None or not memory.serving.is_running:
        if memory.shell is None:
            raise UsageError("there is no kernel here to serve from; open the notebook in Jupyter")
        if memory.serving is not None:
            memory.serving.stop()  # its thread may have ended by itself
        made = Serving(memory.shell, session, memory.earlier)
        made.start(options.port)
        memory.serving = made
    elif options.port and not memory.serving.is_at(options.port):
        raise UsageError(
            f"this kernel serves at {memory.serving.url} already; %skills2 stop ends that first"
        )
    memory.serving.show()


def stop(_: argparse.Namespace, __: Session, memory: Memory, ___: str | None) -> Bundle:
    """End the server."""
    if memory.serving is None or not memory.serving.is_running:
        raise UsageError("this kernel serves nothing; %skills2 serve begins")
    memory.serving.stop()
    return _said(f"{memory.serving.watch.live.name} is no longer served")


def reload(options: argparse.Namespace, session: Session, memory: Memory, _: str | None) -> Bundle:
    """Forget the steps whose cell is gone, and look at the notebook anew."""
    gone = session.ghosts()
    names = memory.shell.user_ns if memory.shell is not None else {}
    for name, value in list(names.items()):
        spec = getattr(value, "__step__", None)
        if callable(value) and getattr(spec, "id", None) in gone:
            del names[name]
    memory.earlier.intersection_update(session.cells)
    if memory.serving is not None and memory.serving.is_running:
        memory.serving.reload(open_session(names, options.notebook))
    told = f"forgotten: {', '.join(gone)}" if gone else "every step has its cell"
    return _said(told)


def serve_options(parser: argparse.ArgumentParser) -> None:
    """The words that ``serve`` takes."""
    parser.add_argument("--notebook", help="the notebook's path, where it is not found")
    parser.add_argument("--port", type=_port, default=0, help="a port; left out, a free one")


def _port(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)


def _said(sentence: str) -> Bundle:
    return {"text/html": str(fragment.card(sentence)), "text/plain": sentence}
