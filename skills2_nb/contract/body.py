"""A step's body, run to its end."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any


def completed(fn: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """The result of a step; a coroutine is run to its end, beside a loop that runs already."""
    result = fn(**inputs)
    if not inspect.iscoroutine(result):  # asyncio takes a generator for one, too
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(result)
    box: list[Any] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            box.append((asyncio.run(result), None))
        except BaseException as error:
            box.append((None, error))

    thread = threading.Thread(target=lambda: context.run(work))
    thread.start()
    thread.join()
    value, error = box[0]
    if error is not None:
        raise error
    return value
