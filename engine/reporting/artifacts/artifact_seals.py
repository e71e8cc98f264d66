"""What tells that an artifact is whole and of its name: a SHA-256 behind its bytes, or in a file beside an archive."""

from hashlib import sha256
from pathlib import Path

SEAL_BYTES = 32


def seal(data: bytes, key: str) -> bytes:
    """What is written behind the bytes of an artifact."""
    digest = sha256(key.encode())
    digest.update(data)
    return digest.digest()


def bytes_of(stored: bytes, key: str) -> bytes | None:
    """What a file or an object was given to keep; None where it is not what was written."""
    data = stored[:-SEAL_BYTES]
    return data if stored[-SEAL_BYTES:] == seal(data, key) else None


def sum_file(path: Path) -> Path:
    """Where the sum of an archive is: nothing can be put behind it."""
    return Path(f"{path}.sum")


def sum_line(digest: str, key: str) -> bytes:
    """What stands there, of an archive with that SHA-256."""
    return sha256(f"{key}{digest}".encode()).hexdigest().encode()
