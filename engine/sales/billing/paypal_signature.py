"""PayPal's webhook signatures: what is signed, and whether a certificate signed it.

Signed is ``transmission id|transmission time|webhook id|CRC-32 of the body``, with SHA256withRSA. A CRC-32 is easily
met by another body, so a good signature says who sent a transmission and not yet what is true: see ``paypal_events``.
"""

import base64
import binascii
import re
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509.oid import NameOID
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from engine.model.errors import Unavailable
from engine.sales.billing.instants import instant

SUBJECTS = ("messageverificationcerts.paypal.com", "messageverificationcerts.sandbox.paypal.com")
OLDEST = timedelta(days=4)  # PayPal repeats what was not taken for three days
AHEAD = timedelta(minutes=5)
ALGORITHM = "SHA256withRSA"
LONGEST = 4000
_BLOCK = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


class UntrustedSignature(Exception):
    """A transmission that is not PayPal's; the text says why, for the log alone."""


@dataclass(frozen=True)
class Transmission:
    """The signature headers of a webhook."""

    id: str
    time: str
    signature: str
    cert_url: str
    algorithm: str

    @classmethod
    def of(cls, headers: Mapping[str, str], *, now: datetime) -> "Transmission":
        """The headers; UntrustedSignature when one is missing, unreadable, too old or from the future."""
        names = ("transmission-id", "transmission-time", "transmission-sig", "cert-url", "auth-algo")
        values = [headers.get(f"paypal-{name}", "") for name in names]
        if not all(value and value.isascii() and value.isprintable() and len(value) <= LONGEST for value in values):
            raise UntrustedSignature("signature headers are missing or unreadable")
        made = cls(*values)
        if made.algorithm != ALGORITHM:
            raise UntrustedSignature("the algorithm is not SHA256withRSA")
        sent_at = instant(made.time)
        if sent_at is None or not -AHEAD <= now - sent_at <= OLDEST:
            raise UntrustedSignature("the transmission is too old, from the future, or of no time at all")
        return made

    def signed_text(self, webhook_id: str, body: bytes) -> bytes:
        """What PayPal signed."""
        return f"{self.id}|{self.time}|{webhook_id}|{zlib.crc32(body) & 0xFFFFFFFF}".encode()


def check(
    transmission: Transmission, body: bytes, webhook_id: str, pem: bytes, authorities: Store, *, now: datetime
) -> None:
    """Untrusted unless the first of the certificates is PayPal's, holds now, chains up and signed this."""
    try:
        leaf, *others = x509.load_pem_x509_certificates(pem)
        names = [str(name.value) for name in leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    except (ValueError, UnsupportedAlgorithm) as error:  # what a certificate holds is read when it is asked for
        raise UntrustedSignature("the certificate cannot be read") from error
    if len(names) != 1 or names[0] not in SUBJECTS:
        raise UntrustedSignature("the certificate is not for signing messages")
    try:
        verifier = PolicyBuilder().store(authorities).time(now).build_server_verifier(x509.DNSName(names[0]))
        verifier.verify(leaf, others)
    except VerificationError as error:
        raise UntrustedSignature(
            "the certificate is over, not yet valid, or does not chain to a trusted authority"
        ) from error
    key = leaf.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise UntrustedSignature("the certificate's key is not RSA")
    try:
        signature = base64.b64decode(transmission.signature, validate=True)
        key.verify(signature, transmission.signed_text(webhook_id, body), padding.PKCS1v15(), hashes.SHA256())
    except (binascii.Error, InvalidSignature) as error:
        raise UntrustedSignature("the signature does not fit") from error


@cache
def anchors(ca_file: Path | None) -> Store:
    """The authorities that PayPal's certificate must chain to: those of a file, else the public ones."""
    try:
        blocks = _BLOCK.findall(Path(ca_file or certifi.where()).read_bytes())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CryptographyDeprecationWarning)  # one public authority has a serial of 0
            return Store([x509.load_pem_x509_certificate(block) for block in blocks])
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"The certificates of SVC_PAYPAL_CA_FILE cannot be read: {error}.", word="payment_provider_account"
        ) from error
