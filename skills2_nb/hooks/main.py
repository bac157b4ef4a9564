"""The script that Claude Code starts at each event.

Its text is compiled at every start, so it only lends two packages a folder, of which no
``__init__`` runs, and leaves the rest to compiled files. It lies in a plugin just the same.
"""

import sys


def _lend(name: str, *folders: str) -> None:
    package = type(sys)(name)
    package.__path__ = list(folders)
    sys.modules[name] = package


if __name__ == "__main__":
    try:
        _lend("skills2_nb")
        _lend("skills2_nb.hooks", __file__[: -len("main.py") - 1])
        from skills2_nb.hooks import dispatch

        dispatch.start(sys.argv)
    except BaseException:  # a hook that fails must not disturb its client
        pass
