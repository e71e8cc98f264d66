"""Secrets of webhooks at rest: AES-256-GCM under a key in a file of its own, bound to the address that they sign for.

What is stored is ``enc:<key>:<base64 of nonce and ciphertext>``, where ``<key>`` names the key without telling it.
The file has a key a line, base64; the first encrypts, the others still decrypt while one replaces another.
"""

import base64
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.model.errors import Unavailable, Usage
from engine.model.file_errors import file_problem
from engine.runtime.keys.private_files import write_new, write_over

MARK = "enc"
NONCE = 12


class MissingKey(Unavailable):
    """A secret cannot be read: its key is not in the file."""

    word = "webhook_key_lost"


class SecretKeys:
    """The keys of one installation, read when they are needed: another process may have changed them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def seal(self, address: str, secret: str) -> str:
        """The secret as it is stored; makes the first key. Usage when the file holds none."""
        key = self._keys()[0] if self._path.exists() else self._create([])
        nonce = os.urandom(NONCE)
        sealed = nonce + AESGCM(key).encrypt(nonce, secret.encode(), address.encode())
        return f"{MARK}:{_name(key)}:{base64.b64encode(sealed).decode()}"

    def open(self, address: str, stored: str) -> str:
        """The secret as it signs; one of an earlier version is stored plain. LostKey when it cannot be read."""
        mark, _, rest = stored.partition(":")
        if mark != MARK:
            return stored
        name, _, text = rest.partition(":")
        key = next((key for key in self._keys() if _name(key) == name), None)
        if key is None:
            raise MissingKey(
                f"The webhook's secret was encrypted with the key {name}, which is not in {self._path}: restore that "
                "file from a backup, or make a new secret with hq endpoints --rotate."
            )
        sealed = base64.b64decode(text)
        try:
            return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], address.encode()).decode()
        except InvalidTag as error:
            raise MissingKey(
                "The webhook's secret does not belong to its address, or was changed: set the webhook again with "
                "hq endpoints --webhook."
            ) from error

    def is_current(self, stored: str) -> bool:
        """Whether a secret is encrypted with the key that encrypts now."""
        known = self._keys()
        return bool(known) and stored.startswith(f"{MARK}:{_name(known[0])}:")

    def retired_keys(self, stored: Sequence[str]) -> list[str]:
        """The names of keys that opened secrets before, and none of those that are ``stored``."""
        opening = {secret.split(":")[1] for secret in stored if secret.startswith(f"{MARK}:")}
        return [name for name in map(_name, self._keys()[1:]) if name not in opening]

    def renew(self) -> None:
        """A new key that encrypts from now on; those before it still decrypt."""
        self._create(self._keys())

    def forget_old(self) -> None:
        """Keep the key that encrypts, and no other."""
        self._write(self._keys()[:1])

    def _keys(self) -> list[bytes]:
        try:
            keys = [base64.b64decode(line, validate=True) for line in self._path.read_text().split()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise file_problem("The key of webhooks cannot be read", error) from error
        except ValueError as error:
            raise Usage(f"{self._path} must hold keys of 32 bytes in base64, one a line.") from error
        if not keys or any(len(key) != 32 for key in keys):
            raise Usage(f"{self._path} must hold keys of 32 bytes in base64, one a line.")
        return keys

    def _create(self, older: list[bytes]) -> bytes:
        key = AESGCM.generate_key(256)
        self._write([key, *older], new=not older)
        return self._keys()[0]

    def _write(self, keys: list[bytes], *, new: bool = False) -> None:
        data = b"".join(base64.b64encode(key) + b"\n" for key in keys)
        try:
            if new:
                write_new(self._path, data)  # another process may have been first: then its key counts
            else:
                write_over(self._path, data)
        except OSError as error:
            raise file_problem("The key of webhooks cannot be made", error) from error


def _name(key: bytes) -> str:
    return sha256(b"hq webhook key" + key).hexdigest()[:12]
