"""Browser sessions: a signed token in the cookie ``svc_session``. Membership and role are read from the store."""

import os
import secrets
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import jwt

from engine.model.errors import Unauthorized, Usage
from engine.runtime.settings import Settings

COOKIE = "svc_session"
LIFE = timedelta(hours=12)
REMEMBERED = 10_000


class Session(NamedTuple):
    """What a session says: who, in which organization, until when (seconds since 1970)."""

    email: str
    org_id: str
    expires: float


class Sessions:
    """Signs and checks session tokens: HS256 with our own secret, or RS256 and ES256 of a key set file."""

    def __init__(self, settings: Settings) -> None:
        self._secret: str = settings.session_secret or _own_secret(settings.data_dir)
        self._keys: Path | None = settings.session_jwks_file
        if self._keys is not None:
            self._key_set()
        self._known: dict[str, Session] = {}
        self._guard = threading.Lock()

    def issue(self, email: str, org_id: str, *, now: datetime) -> str:
        """A session token for the cookie, good for twelve hours."""
        claims = {"sub": email.lower(), "org": org_id, "iat": now, "exp": now + LIFE}
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def read(self, token: str, *, now: datetime) -> Session:
        """The session of a token; Unauthorized when it is not ours, incomplete or expired."""
        session = self._known.get(token)
        if session is None:
            session = self._verified(token)
            with self._guard:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[token] = session
        if session.expires <= now.timestamp():
            raise Unauthorized("The session has expired; sign in again.", word="session_expired")
        return session

    def _verified(self, token: str) -> Session:
        try:
            key, algorithms = self._key_for(token)
            claims = jwt.decode(
                token, key, algorithms=algorithms, options={"require": ["sub", "org", "exp"], "verify_exp": False,
                                                            "verify_iat": False}
            )  # fmt: skip
            return Session(str(claims["sub"]).lower(), str(claims["org"]), float(claims["exp"]))
        except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
            raise Unauthorized("The session cookie is not valid; sign in again.", word="invalid_session") from error

    def _key_for(self, token: str) -> tuple[Any, list[str]]:  # PyJWT has no one type for the keys that it takes
        if self._keys is None:
            return self._secret, ["HS256"]
        header = jwt.get_unverified_header(token)
        for key in self._key_set().keys:
            if key.key_id == header.get("kid") or (len(self._key_set().keys) == 1 and "kid" not in header):
                return key.key, ["RS256", "ES256"]
        raise jwt.InvalidKeyError("no such key")

    def _key_set(self) -> jwt.PyJWKSet:
        """The key set, read again when the file changes, so that keys can be rotated while we run."""
        path = self._keys
        if path is None:
            raise RuntimeError("no key set is configured")
        try:
            changed = path.stat().st_mtime_ns
            if getattr(self, "_read_at", None) != changed:
                self._set = jwt.PyJWKSet.from_json(path.read_text())
                self._read_at = changed
        except (OSError, ValueError, jwt.PyJWTError) as error:
            raise Usage(f"SVC_SESSION_JWKS_FILE must be a readable JSON Web Key Set; {path}: {error}.") from error
        return self._set


def _own_secret(folder: Path) -> str:
    """The secret in the data folder, made on first use and readable by us alone."""
    path = folder / "session.secret"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
        try:
            os.link(temporary, path)  # another process may have been first: then its secret counts
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
        return path.read_text().strip()
