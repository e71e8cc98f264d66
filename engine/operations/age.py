"""Files encrypted under a passphrase in the format of age (C2SP age, version 1), which ``age -d`` opens as well.

A header holds the key of the file, wrapped under the passphrase (scrypt), and a checksum under that key; behind it come
pieces of 64 KiB, each authenticated in its place and the last one marked as such (STREAM, ChaCha20-Poly1305). So a byte
that was changed, a piece that was moved and an end that was cut off are all found.
"""

import base64
import hmac
import io
import os
import re
from typing import BinaryIO, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

VERSION = b"age-encryption.org/v1"
LABEL = b"age-encryption.org/v1/scrypt"
WORK = 17  # 2^17 rounds of 1 KiB: 128 MB and half a second for each guess
MOST_WORK = 20
PIECE, TAG, NONCE = 65_536, 16, 16
LONGEST_HEADER = 1_000
_HEADER = re.compile(
    rb"age-encryption\.org/v1\n-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n"
    rb"([A-Za-z0-9+/]{43})\n--- ([A-Za-z0-9+/]{43})\n"
)


class Sink(Protocol):
    """What bytes are written to, one after the other."""

    def write(self, data: bytes, /) -> object: ...


class DecryptionError(Exception):
    """Why a file cannot be decrypted: what is said after "The backup …"."""


def is_encrypted(file: BinaryIO) -> bool:
    """Whether the file begins as ours do."""
    file.seek(0)
    return file.read(len(VERSION)) == VERSION


class EncryptingWriter:
    """What is written goes on encrypted; ``finish`` writes the last piece."""

    def __init__(self, file: Sink, passphrase: bytes) -> None:
        self._file = file
        self._pending = bytearray()
        self._number = 0
        key, nonce = os.urandom(16), os.urandom(NONCE)
        file.write(_new_header(key, passphrase) + nonce)
        self._cipher = _payload_cipher(key, nonce)

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        self._pending += data
        while len(self._pending) > PIECE:  # the last piece is known by its end alone
            self._put(bytes(self._pending[:PIECE]), last=False)
            del self._pending[:PIECE]

    def finish(self) -> None:
        """No more bytes come."""
        self._put(bytes(self._pending), last=True)
        self._pending.clear()

    def _put(self, piece: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_place(self._number, last), piece, None))
        self._number += 1


class DecryptingReader(io.RawIOBase):
    """The plain bytes of an encrypted file, wherever one reads; no more than a piece of them is in memory."""

    def __init__(self, file: BinaryIO, passphrase: bytes) -> None:
        """DecryptionError: another passphrase, or a header that is not as it was written."""
        super().__init__()
        self._file = file
        file.seek(0)
        head = file.read(LONGEST_HEADER)
        match = _HEADER.match(head)
        if match is None:
            raise DecryptionError("has a header that cannot be read: it was damaged, or written by something else")
        key = _unwrap_key(match, passphrase)
        self._start = match.end() + NONCE
        nonce = head[match.end() : self._start]
        length = file.seek(0, os.SEEK_END) - self._start
        if len(nonce) < NONCE or length < TAG:
            raise DecryptionError("is cut off behind its header")
        self._cipher = _payload_cipher(key, nonce)
        self._pieces = -(-length // (PIECE + TAG))
        self._size = length - self._pieces * TAG
        self._place = 0
        self._known = (-1, b"")
        if self._size < 0 or (self._size == (self._pieces - 1) * PIECE and self._pieces > 1):
            raise DecryptionError("is cut off")
        self._piece(self._pieces - 1)  # the end is that which was written

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # whatever takes bytes
        if self._place >= self._size:
            return 0
        number, offset = divmod(self._place, PIECE)
        some = self._piece(number)[offset : offset + len(buffer)]
        buffer[: len(some)] = some
        self._place += len(some)
        return len(some)

    def _piece(self, number: int) -> bytes:
        if self._known[0] != number:
            self._file.seek(self._start + number * (PIECE + TAG))
            data = self._file.read(PIECE + TAG)
            try:
                plain = self._cipher.decrypt(_place(number, number == self._pieces - 1), data, None)
            except InvalidTag as error:
                place = f"{number * PIECE:,}"
                raise DecryptionError(
                    f"is damaged or cut off: what is encrypted at byte {place} is not what was written"
                ) from error
            self._known = number, plain
        return self._known[1]


def _new_header(key: bytes, passphrase: bytes) -> bytes:
    salt = os.urandom(16)
    wrapped = ChaCha20Poly1305(_wrap_key(passphrase, salt, WORK)).encrypt(bytes(12), key, None)
    text = b"%b\n-> scrypt %b %d\n%b\n---" % (VERSION, _text(salt), WORK, _text(wrapped))
    return b"%b %b\n" % (text, _text(_checksum(key, text)))


def _unwrap_key(match: "re.Match[bytes]", passphrase: bytes) -> bytes:
    salt, work, wrapped, checksum = _bytes(match[1]), int(match[2]), _bytes(match[3]), _bytes(match[4])
    if work > MOST_WORK:
        raise DecryptionError(f"asks for 2^{work} rounds to try a passphrase; at most 2^{MOST_WORK} are made")
    try:
        key = ChaCha20Poly1305(_wrap_key(passphrase, salt, work)).decrypt(bytes(12), wrapped, None)
    except InvalidTag as error:
        raise DecryptionError("was encrypted with another passphrase, or its header was damaged") from error
    text = match[0][: match[0].rindex(b"---") + 3]
    if not hmac.compare_digest(_checksum(key, text), checksum):
        raise DecryptionError("has a header that is not as it was written")
    return key


def _wrap_key(passphrase: bytes, salt: bytes, work: int) -> bytes:
    return Scrypt(salt=LABEL + salt, length=32, n=1 << work, r=8, p=1).derive(passphrase)


def _checksum(key: bytes, text: bytes) -> bytes:
    return hmac.digest(_derive(key, b"", b"header"), text, "sha256")


def _payload_cipher(key: bytes, nonce: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(_derive(key, nonce, b"payload"))


def _derive(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt, info).derive(key)


def _place(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _text(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _bytes(text: bytes) -> bytes:
    data = base64.b64decode(text + b"=" * (-len(text) % 4))
    if _text(data) != text:  # bits that mean nothing
        raise DecryptionError("has a header that is not as it was written")
    return data
