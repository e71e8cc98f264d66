"""Several writes in one transaction."""

import threading
import time

from tests.conftest import NOW


def together(store, *writes):
    """What each (change, prefetch) of acme answered or raised, in order; all of them shared one transaction."""
    answers = [None] * len(writes)

    def work(place, change, prefetch):
        try:
            answers[place] = store.write("acme", f"w{place}", change, now=NOW, prefetch=prefetch)
        except Exception as error:  # the test looks at it
            answers[place] = error

    with store.unversioned_transaction():  # whoever would lead waits for its turn
        threads = []
        for place, (change, prefetch) in enumerate(writes):
            threads.append(threading.Thread(target=work, args=(place, change, prefetch)))
            threads[-1].start()
            while len(store._group._waiting) <= place:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    return answers
