"""``python -m tests.soak.moved …`` is ``hq …`` under libfaketime.

Python sleeps until a moment of the monotonic clock (clock_nanosleep with TIMER_ABSTIME); libfaketime 0.9.10 takes that for
a moment of its own time and fails with EINVAL. Waiting for nothing in select lasts as long and asks for no moment. It is
set on import, so that worker processes have it, too.
"""

import select
import time


def _sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select((), (), (), seconds)


time.sleep = _sleep

if __name__ == "__main__":
    from engine.cli import main

    main()
