"""``hq`` with a scheduler whose one job computes for a minute in a worker, and a grace of a second."""

import sys
import threading
import time

import scheduler
from engine.runtime.processes import stop_signals


def long_work(services):
    """What the worker does."""
    print("the job runs", file=sys.stderr, flush=True)
    time.sleep(60)


class OneJob:
    """A scheduler that runs it at once."""

    def __init__(self, services):
        self._thread = threading.Thread(target=self._run, args=(services,))

    def start(self):
        self._thread.start()

    def shutdown(self, *, wait):
        self._thread.join()

    @staticmethod
    def _run(services):
        from tests.web.long_job import long_work  # by a name that the worker can import

        try:
            services.in_background(long_work)
        finally:
            print("the job said something", file=sys.stderr, flush=True)


if __name__ == "__main__":
    from engine.cli import main

    stop_signals.GRACE_SECONDS = 1.0
    scheduler.new_scheduler = OneJob
    main()
