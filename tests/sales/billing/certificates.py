"""Certificates made for a test: an authority, and what it issues."""

from datetime import timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.conftest import NOW

SUBJECT = "messageverificationcerts.paypal.com"


@cache
def key(name):
    """The same key for the same name, because making one takes time."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def authority(name="Test Authority"):
    """A certificate that signs others."""
    signer = key(name)
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(name))
        .public_key(signer.public_key())
        .serial_number(1)
        .not_valid_before(NOW - timedelta(days=1000))
        .not_valid_after(NOW + timedelta(days=1000))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(signer.public_key()), critical=False)
        .add_extension(usage, critical=True)
        .sign(signer, hashes.SHA256())
    )


def issue_certificate(subject=SUBJECT, by="Test Authority", starts=-100, ends=100, holder="paypal"):
    """A certificate of ``holder``'s key; ``starts`` and ``ends`` are days from now."""
    signer = key(by)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(by))
        .public_key(key(holder).public_key())
        .serial_number(2)
        .not_valid_before(NOW + timedelta(days=starts))
        .not_valid_after(NOW + timedelta(days=ends))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(signer, hashes.SHA256())
    )


def pem(*certificates):
    return b"".join(made.public_bytes(serialization.Encoding.PEM) for made in certificates)


authority()  # cryptography looks for the class of dates once: it must not meet the frozen clock's
