"""When a form was opened, signed by the site that served it: ``<unix seconds>.<hex HMAC-SHA256>``.

The site and we share a secret. What is signed is ``contact:<unix seconds>``.
"""

import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta

_STAMP = re.compile(r"([0-9]{9,11})\.([0-9a-f]{64})")


def age(secret: str, stamp: str, now: datetime) -> timedelta | None:
    """How long ago the form was opened; None for a stamp that the secret did not sign."""
    match = _STAMP.fullmatch(stamp)
    if match is None or not hmac.compare_digest(match[2], _signature(secret, match[1])):
        return None
    return now - datetime.fromtimestamp(int(match[1]), UTC)


def _signature(secret: str, opened: str) -> str:
    return hmac.new(secret.encode(), f"contact:{opened}".encode(), hashlib.sha256).hexdigest()
