"""What came at a door of monitors or scanners, and how it is kept: secrets replaced, compressed."""

import json
import re
import zlib
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from engine.intake.redaction import REDACTED, is_secret, redact
from engine.intake.values import line
from engine.model.errors import BadRequest
from engine.model.vocabulary import IngestRoute, PayloadState

QUICK = 1  # of zlib's levels: JSON shrinks to a tenth of itself even so
SMALL = 512  # of so few bytes compression saves fewer than a hundred, and hands the interpreter to another thread
GZIP = b"\x1f\x8b"
LONGEST_TYPE = 200
BRACKETS = (b"{", b"[")  # no compressed body begins with one


@dataclass(frozen=True)
class InboundBody:
    """A body with what came beside it. ``vendor`` is the scanner that a header names.

    Headers are as they came. ``complete`` and ``hosts`` are what they say of a scan whose document cannot say it.
    """

    route: IngestRoute
    body: bytes
    received_at: datetime
    actor: str
    workspace_id: str | None = None
    content_type: str | None = None
    vendor: str | None = None
    complete: bool = False
    hosts: tuple[str, ...] = ()
    content_encoding: str | None = None

    @property
    def encoding_problem(self) -> str | None:
        """What is wrong with how the body is written, where it is not read: it is compressed, or in no UTF."""
        packed = (line(self.content_encoding, 40) or "").lower()
        if packed and packed != "identity":
            return f"It is declared with Content-Encoding {packed}; expected the body as it is."
        if self.body[:2] == GZIP:
            return "It begins like gzip; expected the body as it is."
        declared = re.search(r"charset\s*=\s*\"?([\w.:-]{1,40})", self.content_type or "", re.IGNORECASE)
        if declared is None or declared[1].lower().startswith(("utf", "us-ascii")):
            return None
        return f"It is declared with charset {declared[1]}; expected UTF-8."

    @property
    def sha256(self) -> str:
        """The hash by which the same body is known again."""
        return sha256(self.body).hexdigest()

    def row(
        self, identifier: str, state: PayloadState, records: int, applied: int
    ) -> dict[str, Any]:  # a row on its way into the store
        """What is kept of it: secrets are replaced."""
        return {
            "id": identifier,
            "route": self.route,
            "state": state,
            "received_at": self.received_at,
            "actor": self.actor,
            "workspace_id": self.workspace_id,
            "content_type": line(self.content_type, LONGEST_TYPE),
            "vendor": self.vendor,
            "source": None,
            "size_bytes": len(self.body),
            "sha256": self.sha256,
            "body": pack_body(self.body),
            "records": records,
            "applied": applied,
            "times": 1,
            "reason": None,
        }


def json_value(body: bytes) -> object:
    """The body as a JSON value, whichever; objects on lines of their own are the alerts of one body."""
    try:
        return decode_json(body)
    except (ValueError, RecursionError) as error:
        if (lines := _json_lines(body)) is not None:
            return {"alerts": lines}
        raise BadRequest(f"The body must be JSON ({error}).", word="invalid_body") from error


def _json_lines(body: bytes) -> list[Any] | None:  # JSON values
    """Newline-delimited JSON: several objects, each on a line."""
    rows = [row for line in body.splitlines() if (row := line.strip())]
    if len(rows) < 2 or not all(row.startswith(b"{") for row in rows):
        return None
    try:
        return [decode_json(row) for row in rows]
    except (ValueError, RecursionError):
        return None


def decode_json(body: bytes) -> Any:  # any JSON value
    """The value; also behind a byte order mark, and in UTF-16.

    ValueError or RecursionError for what is none.
    """
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        encoding = json.detect_encoding(body)
        if encoding == "utf-8":
            raise
        try:
            return msgspec.json.decode(body.decode(encoding).encode())
        except ValueError:
            raise error from None


def pack_body(body: bytes) -> bytes:
    """The body as it is kept: a small object or list of JSON as it stands, anything else compressed."""
    kept = redact_body(body)
    return kept if len(kept) <= SMALL and kept[:1] in BRACKETS else zlib.compress(kept, QUICK)


def unpack_body(kept: bytes) -> bytes:
    """The body again, but for its secrets."""
    return kept if kept[:1] in BRACKETS else zlib.decompress(kept)


def redact_body(body: bytes) -> bytes:
    """The body without secrets: JSON value by value, anything else as text whose other bytes stay as they are."""
    try:
        _redact_within(holder := [decode_json(body)])
        return msgspec.json.encode(holder[0])
    except (ValueError, RecursionError):
        return redact(body.decode("latin-1")).encode("latin-1")


def _redact_within(holder: list[object]) -> None:
    """Without recursion: senders decide how deep a body is."""
    waiting: list[Any] = [holder]  # objects and lists of JSON
    while waiting:
        inside = waiting.pop()
        for place, value in list(inside.items() if isinstance(inside, dict) else enumerate(inside)):
            if isinstance(place, str) and not isinstance(value, dict | bool | None) and is_secret(place):
                inside[place] = REDACTED
            elif isinstance(value, str):
                inside[place] = redact(value)
            elif isinstance(value, dict | list):
                waiting.append(value)
