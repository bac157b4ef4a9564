"""One event in, one answer or none out.

Whatever goes wrong, the client sees exit status 0 and an empty output, and goes on as if there
were no hook; ``hooks.log`` has a line of it.
"""

import _thread
import sys
import time

from skills2_nb.hooks.event import Event, received
from skills2_nb.hooks.home import Home
from skills2_nb.hooks.system import calls

STDIN, STDOUT = 0, 1
#: Where a read cannot be given up, the process is, after so many seconds.
PATIENCE = 5.0


def start(argv: "list[str]") -> None:
    """Serve the event on stdin, and end the process at once.

    Args:
        argv: the script, how much is enforced, and in a plugin its folder and its data's.
    """
    if calls.__name__ != "posix":  # there a read can only wait
        _thread.start_new_thread(_give_up, ())
    try:
        if sys.stdin is not None:  # a shut stdin's number may by now be another file's
            answer = served(argv[1:], STDIN)
            if answer and sys.stdout is not None:
                calls.write(STDOUT, answer.encode("ascii"))
    finally:
        calls._exit(0)  # nothing is buffered, and taking an interpreter down costs milliseconds


def _give_up() -> None:
    time.sleep(PATIENCE)
    calls._exit(0)


def served(words: "list[str]", stdin: int) -> str:
    """The answer to the event in a pipe: one JSON object, or nothing."""
    event = received(stdin)
    if event is None or not event.session:
        return ""
    home = Home(*(words or [""])[:3])
    try:
        return answered(home, event)
    except Exception as error:
        home.fault(event.name, error)
        return ""


def answered(home: Home, event: Event) -> str:
    """What the event's own part answers; an event that has none is passed over."""
    if event.name == "UserPromptSubmit":
        from skills2_nb.hooks.prompts import submitted as part
    elif event.name == "UserPromptExpansion":
        from skills2_nb.hooks.prompts import expanded as part
    elif event.name == "PreToolUse":
        from skills2_nb.hooks.uses import used as part
    elif event.name == "Stop":
        from skills2_nb.hooks.stops import stopped as part
    elif event.name == "SubagentStop":
        from skills2_nb.hooks.stops import handed_back as part
    elif event.name == "SessionStart":
        from skills2_nb.hooks.starts import started as part
    else:
        return ""
    return part(home, event)
