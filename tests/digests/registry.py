"""The declared digests by name, and those of the staffing chain."""

from reports.digests import DIGESTS

DIGEST = {digest.name: digest for digest in DIGESTS}
CHAIN = tuple(digest for digest in DIGESTS if digest.chained)
