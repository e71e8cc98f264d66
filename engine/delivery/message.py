"""What is to be sent: one message is one recipient on one channel."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.model.errors import BadRequest
from engine.model.vocabulary import CHANNELS, Channel, Json
from engine.store.types import canonical_json

MOST_BYTES = 1_000_000  # of a payload, and of each body


@dataclass(frozen=True)
class Message:
    """A digest, reminder or alert for one recipient, complete: nothing is computed when it is sent.

    (kind, period, channel, recipient) within an organization is the ledger key: the same key is delivered once, whoever
    asks and however often. ``recipient`` is an e-mail address, a chat channel or the URL of the organization's webhook,
    as ``Channels`` names them. ``payload`` is a JSON object: the report's JSON for a digest. The webhook posts exactly
    this, and facts read it back from the store. ``html`` None sends text alone; ``blocks`` (Slack's) None likewise.
    """

    kind: str
    period: str
    channel: Channel
    recipient: str
    content_hash: str
    subject: str
    payload: dict[str, Json]
    text: str
    html: str | None = None
    blocks: list[dict[str, Json]] | None = None


def content_hash(payload: dict[str, Json]) -> str:
    """SHA-256 of the payload as canonical JSON: that of a preview equals that of what is delivered."""
    return sha256(canonical_json(payload).encode()).hexdigest()


def one_line(text: str, most: int = 200) -> str:
    """Text for a header or a log line: no control characters, no line breaks, bounded."""
    return re.sub(r"[\s\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip()[:most]


def check(messages: Sequence[Message]) -> None:
    """BadRequest for a message that could never be sent; nothing of what it says is repeated."""
    for message in messages:
        wrong = _wrong(message)
        if wrong is not None:
            raise BadRequest(
                f"A message of {one_line(message.kind, 60) or 'no kind'} cannot be queued: {wrong}.",
                word="invalid_message",
            )


def _wrong(message: Message) -> str | None:
    if not message.kind or not message.period:
        return "it needs a kind and a period"
    if message.channel not in CHANNELS:
        return f"its channel must be one of {', '.join(CHANNELS)}"
    if not message.recipient or not message.recipient.isprintable():
        return "its recipient must be printable text"
    if message.channel == "email" and address(message.recipient) is None:
        return "its recipient must be one e-mail address"
    if not message.text.strip():
        return "it needs a text"
    if any(len(part.encode()) > MOST_BYTES for part in (message.text, message.html or "")):
        return f"a body may have {MOST_BYTES:,} bytes"
    if len(canonical_json(message.payload)) > MOST_BYTES or len(canonical_json(message.blocks)) > MOST_BYTES:
        return f"its payload and blocks may have {MOST_BYTES:,} bytes of JSON each"
    return None


def address(text: str) -> str | None:
    """The text when it is one bare e-mail address that cannot break out of a header or an envelope, else None."""
    plain = r"[^\s\x00-\x1f\x7f@<>(),:;\"\\\[\]]+"
    return text if len(text) <= 254 and re.fullmatch(f"{plain}@{plain}", text) else None
