"""How somebody gets no more of a mail without signing in: a mail of their own with a signed token in its subject.

    hqu1.dlv_0199d3f2c1a4.dlv_0199d3f2c1b7.kP3x…        the deliveries that the mail was, and our signature

The address is in RFC 2369's List-Unsubscribe. There is no List-Unsubscribe-Post (RFC 8058): the console may be out of
reach for those who read. A token names no person; who got the deliveries is in the ledger.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.model.errors import Usage
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.keys.signing_keys import signing_key

VERSION = "hqu1"
TOKEN = re.compile(rf"{VERSION}(?:\.[A-Za-z0-9_]+){{1,40}}\.[A-Za-z0-9_-]{{86}}")
DOMAIN = b"hq/unsubscribe\n"  # what else the key signs begins otherwise


@dataclass(frozen=True)
class Unsubscribing:
    """Where such mails go, and the key that signs their tokens; ``address`` empty: nowhere."""

    address: str
    key_path: Path

    def mailto(self, delivery_ids: Sequence[str]) -> str | None:
        """The address to write to for getting no more of these deliveries; None where none is set."""
        if not self.address:
            return None
        return f"mailto:{quote(self.address, safe='@')}?subject=unsubscribe%20{self.token(delivery_ids)}"

    def token(self, delivery_ids: Sequence[str]) -> str:
        """The signed token of these deliveries."""
        body = ".".join((VERSION, *delivery_ids))
        signature = signing_key(self.key_path).sign(DOMAIN + body.encode())
        return f"{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"

    def deliveries_of(self, token: str) -> Sequence[str]:
        """The deliveries of a token that the key signed, or one before it. Usage for any other text."""
        if not TOKEN.fullmatch(token):
            raise Usage(f"That is no token: one begins with {VERSION}. and ends in a signature; got {token[:40]!r}.")
        body, _, encoded = token.rpartition(".")
        try:
            signature = base64.b64decode(encoded + "==", altchars=b"-_", validate=True)
        except binascii.Error as error:
            raise Usage(f"The signature of {body[:60]} is not base64.") from error
        if not any(_is_signature(key, signature, DOMAIN + body.encode()) for key in own_keys(self.key_path)):
            raise Usage(f"The signature of {body[:60]} is none of this installation's.")
        return body.split(".")[1:]


def _is_signature(key: bytes, signature: bytes, data: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except InvalidSignature:
        return False
    return True
