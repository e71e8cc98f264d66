"""A function in a process of its own that is killed in the place of its n-th call on files."""

import os
import signal
import traceback

from tests.faults.layer import failing


def killed_at(number, function, *, below):
    """Whether the process was killed; False: the function came to its end with fewer calls."""
    child = os.fork()
    if not child:
        try:
            with failing(number, OSError(), below=below) as calls:
                calls.kills = True
                function()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0 or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL), "an error beside the kill"
    return status != 0
