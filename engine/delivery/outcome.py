"""What came of one attempt to send one delivery."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Outcome:
    """``error`` is a sentence of ours, without addresses and without words of the other side.

    ``retry_after``: seconds that the other side asked to be left alone. ``channel_down``: nothing else can leave over
    the channel either. ``gone``: the endpoint asked never to be called again.
    """

    word: Literal["sent", "retry", "failed", "skipped"]
    error: str = ""
    retry_after: float | None = None
    channel_down: bool = False
    gone: bool = False


SENT = Outcome("sent")
