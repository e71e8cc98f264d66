"""Browser sessions: a signed token in the cookie ``svc_session``. Membership and role are read from the store."""

import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import jwt

from engine.model.errors import Unauthorized, Unavailable, Usage
from engine.runtime.keys.session_secret import session_secret
from engine.runtime.settings import Settings
from engine.store.database.patience import wait_allowed
from engine.store.database.read_cache import SessionEnds

COOKIE = "svc_session"
LIFE = timedelta(hours=12)
REMEMBERED = 10_000
LONGEST_ID = 200


class Session(NamedTuple):
    """What a session says: who, in which organization, from when until when (seconds since 1970).

    ``id`` is its ``jti``, or the SHA-256 of what was signed; ``began`` is None where it does not say.
    """

    email: str
    org_id: str
    expires: float
    id: str
    began: float | None

    def is_ended(self, ends: SessionEnds) -> bool:
        """Whether somebody ended it: itself, or all of this person's that had begun by then."""
        if self.id in ends.ids:
            return True
        return ends.until is not None and (self.began is None or self.began <= ends.until.timestamp())


class KeyRing(NamedTuple):
    """What sessions are checked with; ``version`` tells one state of the key set's file from another."""

    version: tuple[int, ...]
    keys: Mapping[str | None, Any]  # by identifier; PyJWT has no one type for the keys that it takes
    algorithms: tuple[str, ...]


class Sessions:
    """Signs and checks session tokens: HS256 with our own secret, or RS256 and ES256 of a key set file."""

    def __init__(self, settings: Settings) -> None:
        self._secret: str = session_secret(settings)
        self._audience = settings.session_audience or None
        self._issuer = settings.session_issuer or None
        self._file: Path | None = settings.session_jwks_file
        self._ring = KeyRing((), {None: self._secret}, ("HS256",)) if self._file is None else _key_ring(self._file)
        self._known: dict[str, tuple[KeyRing, Session]] = {}
        self._guard = threading.Lock()

    def issue(self, email: str, org_id: str, *, now: datetime) -> str:
        """A session token for the cookie, good for twelve hours."""
        claims = {"sub": email.lower(), "org": org_id, "jti": secrets.token_hex(16), "iat": now, "exp": now + LIFE}
        for name, value in (("aud", self._audience), ("iss", self._issuer)):
            if value is not None:
                claims[name] = value
        return jwt.encode(claims, self._secret, algorithm="HS256")

    def form_token(self, session: str) -> str:
        """What every form of a session carries, so that no other page can post in its name."""
        key = hmac.digest(self._secret.encode(), b"hq form", "sha256")
        return hmac.new(key, session.encode(), "sha256").hexdigest()

    def read(self, token: str, *, now: datetime) -> Session:
        """The session of a token; Unauthorized when it is not ours, incomplete or expired.

        What was found about a token counts for the keys with which it was found: one that is withdrawn ends its
        sessions with the next request.
        """
        ring = self._current()
        known = self._known.get(token)
        if known is not None and known[0] is ring:
            session = known[1]
        else:
            wait_allowed()
            session = self._verify(token, ring)
            with self._guard:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[token] = ring, session
        if session.expires <= now.timestamp():
            raise Unauthorized("The session has expired; sign in again.", word="session_expired")
        return session

    def _current(self) -> KeyRing:
        """The keys as the file has them now, so that they can be rotated and withdrawn while we run."""
        if self._file is None:
            return self._ring
        ring = self._ring
        try:
            if _version(self._file) == ring.version:
                return ring
            wait_allowed()
            self._ring = ring = _key_ring(self._file)
        except (OSError, Usage) as error:
            raise Unavailable(
                "Sessions cannot be checked: the key set in SVC_SESSION_JWKS_FILE cannot be read.",
                word="session_keys_unreadable",
                headers={"Retry-After": "5"},
            ) from error
        return ring

    def _verify(self, token: str, ring: KeyRing) -> Session:
        try:
            named = jwt.get_unverified_header(token).get("kid") if self._file is not None else None
            key = next(iter(ring.keys.values())) if named is None and len(ring.keys) == 1 else ring.keys[named]
            claims = jwt.decode(
                token,
                key,
                algorithms=ring.algorithms,
                audience=self._audience,
                issuer=self._issuer,
                options={"require": ["sub", "org", "exp"], "verify_exp": False, "verify_iat": False},
            )
            identifier = str(claims.get("jti") or "")
            if not 0 < len(identifier) <= LONGEST_ID:
                identifier = sha256(token.rpartition(".")[0].encode()).hexdigest()  # signatures have more than one form
            began = claims.get("iat")
            return Session(
                str(claims["sub"]).lower(),
                str(claims["org"]),
                float(claims["exp"]),
                identifier,
                None if began is None else float(began),
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
            raise Unauthorized("The session cookie is not valid; sign in again.", word="invalid_session") from error


def _key_ring(path: Path) -> KeyRing:
    """The key set in a file; one without keys lets nobody in. Usage when it is none.

    The version is taken first: a file that changes while it is read is read again.
    """
    try:
        version = _version(path)
        document = json.loads(path.read_text())
        listed = (
            [] if isinstance(document, dict) and document.get("keys") == [] else jwt.PyJWKSet.from_dict(document).keys
        )
    except (OSError, ValueError, TypeError, AttributeError, jwt.PyJWTError) as error:
        raise Usage(f"SVC_SESSION_JWKS_FILE must be a readable JSON Web Key Set; {path}: {error}.") from error
    return KeyRing(version, {key.key_id: key.key for key in listed}, ("RS256", "ES256"))


def _version(path: Path) -> tuple[int, ...]:
    """What tells a file from what it was: a new one in its place may have the old one's date and length."""
    stat_result = path.stat()
    return stat_result.st_ino, stat_result.st_size, stat_result.st_mtime_ns, stat_result.st_ctime_ns
