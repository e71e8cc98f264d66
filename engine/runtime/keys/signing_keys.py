"""The key that archives and heads are signed with: Ed25519, in a PEM file that is made on first use."""

from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from engine.model.errors import Usage
from engine.model.file_errors import file_problem
from engine.runtime.keys.private_files import write_new


class SigningKey:
    """The private half, and how the public half is shown."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public_pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.public_bytes = private.public_key().public_bytes_raw()
        self.id = key_id(private.public_key())

    def sign(self, data: bytes) -> bytes:
        """64 bytes; the same for the same data."""
        return self._private.sign(data)


def fingerprint(public: bytes) -> str:
    """The fingerprint of a public key's 32 bytes."""
    return key_id(Ed25519PublicKey.from_public_bytes(public))


def key_id(public: Ed25519PublicKey) -> str:
    """The fingerprint of a public key: SHA-256 over its DER form (SubjectPublicKeyInfo), in hex."""
    return sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def public_key(pem: bytes) -> Ed25519PublicKey:
    """The key of a PEM file; ValueError when it is none or of another kind."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError("is no public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("is a public key of another kind than Ed25519")
    return key


def signing_key(path: Path) -> SigningKey:
    """The key in ``path``, made on first use, readable by us alone. Usage when the file holds something else,
    Unavailable when the disk keeps us from it."""
    try:
        pem = path.read_bytes()
    except FileNotFoundError:
        pem = _create(path)
    except OSError as error:
        raise file_problem("The key that signs archives (SVC_SIGNING_KEY_FILE) cannot be read", error) from error
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Usage(f"SVC_SIGNING_KEY_FILE must hold an unencrypted private key in PEM; {path} does not.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise Usage(f"SVC_SIGNING_KEY_FILE must hold an Ed25519 key; {path} holds another kind.")
    return SigningKey(key)


def new_key() -> tuple[SigningKey, bytes]:
    """A key that is nowhere yet, and the PEM that holds it."""
    private = Ed25519PrivateKey.generate()
    return SigningKey(private), private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _create(path: Path) -> bytes:
    _, pem = new_key()
    try:
        write_new(path, pem)  # another process may have been first: then its key counts
        return path.read_bytes()
    except OSError as error:
        raise file_problem("The key that signs archives (SVC_SIGNING_KEY_FILE) cannot be made", error) from error
