"""On how many cases a law is tried: a share of them where somebody waits, all of them in the weekly job.

``HYPOTHESIS_PROFILE`` says which: ``fast``, which draws the same cases each time, or ``ci``, which draws others.
"""

import os

from hypothesis import settings
from hypothesis.internal.conjecture import providers

SHARE = 3
EVERY = 100  # what a law without a number of its own is tried on

settings.register_profile("fast", max_examples=EVERY // SHARE, deadline=None, derandomize=True, database=None)
settings.register_profile("ci", max_examples=EVERY, deadline=None, derandomize=False, print_blob=True)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
settings.load_profile(PROFILE)
WHOLE = PROFILE == "ci"
# Hypothesis would draw from the constants of every module that is loaded by then: seconds to look for, and with them what
# is drawn would depend on which tests ran before
providers._get_local_constants = lambda: providers._local_constants


def examples(count, share=SHARE):
    """``max_examples`` of a law that is tried on ``count`` cases when all are drawn."""
    return count if WHOLE else -(-count // share)


def share_of(cases, share=SHARE):
    """Each ``share``-th of the cases of a walk, always the same ones, and each of them when all are tried."""
    return tuple(cases) if WHOLE else tuple(cases)[::share]
