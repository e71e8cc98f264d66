"""A message whose certificate is odd is not believed, and nothing breaks over it."""

import base64

import pytest
from cryptography.hazmat.primitives import serialization

from engine.sales.billing.paypal_signature import Transmission, UntrustedSignature, anchors, check
from tests.conftest import NOW
from tests.sales.billing.certificates import SUBJECT, issue_certificate


def test_a_certificate_whose_subject_cannot_be_read_is_not_believed():
    der = issue_certificate().public_bytes(serialization.Encoding.DER)
    name = SUBJECT.encode()
    assert b"\x0c" + bytes([len(name)]) + name in der  # as UTF-8 text; a kind that there is not comes in its place
    odd = der.replace(b"\x0c" + bytes([len(name)]) + name, b"\xd3" + bytes([len(name)]) + name)
    pem = b"-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(odd) + b"-----END CERTIFICATE-----\n"
    sent = Transmission("t1", NOW.isoformat(), "https://api.paypal.com/cert", "SHA256withRSA", "c2ln")
    with pytest.raises(UntrustedSignature, match="the certificate cannot be read"):
        check(sent, b"{}", "hook", pem, anchors(None), now=NOW)
