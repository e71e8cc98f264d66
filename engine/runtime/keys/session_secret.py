"""The secret that signs sessions, and from which the keys of links and forms are derived."""

import secrets
from pathlib import Path

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.runtime.keys.private_files import EMPTY_SESSION_FILE, write_new
from engine.runtime.settings import Settings


def session_secret(settings: Settings) -> str:
    """That of SVC_SESSION_SECRET, else our own. Unavailable: the disk."""
    return settings.session_secret or _own_secret(settings.data_dir)


def _own_secret(folder: Path) -> str:
    """The secret in the data folder, made on first use and readable by us alone. Unavailable: the disk."""
    path = folder / "session.secret"
    try:
        if not path.exists():
            write_new(path, secrets.token_hex(32).encode())  # another process may have been first: then its counts
        secret = path.read_text().strip()
    except OSError as error:
        raise file_problem("The secret that signs sessions cannot be read or made", error) from error
    if not secret:
        raise Unavailable(EMPTY_SESSION_FILE, word="session_secret_empty")
    return secret
