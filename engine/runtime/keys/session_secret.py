"""The secret that signs sessions, and from which the keys of links and forms are derived."""

import secrets
from pathlib import Path

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.runtime.keys.private_files import write_new
from engine.runtime.settings import Settings

LEAST_BYTES = 32  # as of SVC_SESSION_SECRET


def session_secret(settings: Settings) -> str:
    """That of SVC_SESSION_SECRET, else our own. Unavailable: the disk."""
    return settings.session_secret or _own_secret(settings.data_dir)


def _own_secret(folder: Path) -> str:
    """The secret in the data folder, made on first use and readable by us alone. Unavailable: the disk."""
    path = folder / "session.secret"
    try:
        if not path.exists():
            write_new(path, secrets.token_hex(32).encode())  # another process may have been first: then its counts
        content = path.read_bytes()
    except OSError as error:
        raise file_problem("The secret that signs sessions cannot be read or made", error) from error
    fault = secret_fault(content)
    if fault is not None:
        raise Unavailable(fault, word="session_secret_unusable")
    return content.decode().strip()


def secret_fault(content: bytes) -> str | None:
    """What is wrong with the file's content, in a sentence: it signs every session, so nobody may guess it."""
    secret = content.strip()
    if not secret:
        found = "is empty"
    elif len(secret) < LEAST_BYTES:
        found = f"has {len(secret)} bytes"
    elif not secret.isascii():
        found = "is no text of ASCII"
    else:
        return None
    return (
        f"session.secret in SVC_DATA_DIR {found}, expected the key that signs sessions, at least {LEAST_BYTES} bytes: "
        "put it back from a backup, or delete it and start again, which makes a new one and ends every session."
    )
