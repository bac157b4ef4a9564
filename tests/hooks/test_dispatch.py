"""The one way in: which part answers, and what ends the process."""

import os
import subprocess
import sys

import pytest

from tests.hooks.client import HOOKS


@pytest.mark.skipif(os.name != "posix", reason="the other way is the only one there")
def test_where_a_read_can_only_wait_the_process_gives_up() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(HOOKS.parents[1])!r}); "
        "from skills2_nb.hooks import dispatch, intake, system; import types; "
        "import posix; names = {**vars(posix), '__name__': 'nt'}; del names['set_blocking']; "
        "calls = types.SimpleNamespace(**names); "
        "dispatch.calls = intake.calls = calls; dispatch.PATIENCE = 0.2; "
        "dispatch.start(['main.py', 'advise'])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        assert process.wait(20) == 0  # nothing was sent, and the pipe is open
