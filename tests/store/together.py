"""Several writes in one transaction."""

import threading
import time

from tests.conftest import NOW


def together(store, *writes):
    """What each (change, ahead) of acme answered or raised, in order; all of them shared one transaction."""
    answers = [None] * len(writes)

    def work(place, change, ahead):
        try:
            answers[place] = store.write("acme", f"w{place}", change, now=NOW, ahead=ahead)
        except Exception as error:  # the test looks at it
            answers[place] = error

    with store.aside():  # whoever would lead waits for its turn
        threads = []
        for place, (change, ahead) in enumerate(writes):
            threads.append(threading.Thread(target=work, args=(place, change, ahead)))
            threads[-1].start()
            while len(store._group._waiting) <= place:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    return answers
