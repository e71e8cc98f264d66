"""Secrets that senders put into their bodies: whole values by name, and assignments inside text."""

import re
from functools import lru_cache

REDACTED = "[redacted]"
SHORT = 64  # letters of a name that is worth remembering: thousands of alerts have the same few

_NAMES = r"secret|token|passwd|password|passphrase|api[-_. ]?key|private[-_. ]?key|credential|authorization"
_SIGNS = ("secret", "token", "passw", "passp", "key", "credential", "authorization")  # quick, and in every name
_NAME = re.compile(_NAMES, re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"({_NAMES})(\\?[\"']?\s{{0,3}}=\s{{0,3}}|\\?[\"']\s{{0,3}}:\s{{0,3}})(\\?[\"'])?(?!\[redacted\])"
    r"(?(3)[^\"'\\]*|[^\s\"'&,;}\])]+)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(authorization\s{0,3}[:=]\s{0,3}[a-z]{1,20}\s{1,3}|bearer\s{1,3}(?=\S{16}))[\w.~+/=-]{8,}", re.IGNORECASE
)
_OWN_KEY = re.compile(r"\bsvc_(?:sk|ingest|ca)_[\w-]+")
_USER = re.compile(r"://[^/\s:@]{0,64}:[^/\s@]{1,256}@")


def is_secret(name: str) -> bool:
    """Whether a field of this name is never kept, such as ``client_secret`` or ``X-Api-Key``."""
    return _is_secret(name) if len(name) <= SHORT else _NAME.search(name) is not None


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    return _NAME.search(name) is not None


def redact(text: str) -> str:
    """The text without ``password=…``, ``"token": "…"``, ``Bearer …`` and ``https://user:password@``."""
    if "=" in text or ":" in text:
        lowered = text.lower()
        for sign in _SIGNS:
            if sign in lowered:
                text = _ASSIGNED.sub(rf"\1\2\3{REDACTED}", text)
                break
        if "@" in text:
            text = _USER.sub(f"://{REDACTED}@", text)
    return _HEADER.sub(rf"\1{REDACTED}", text) if "earer" in text or "uthorization" in text else text


def redact_own_keys(text: str) -> str:
    """The text as ``redact`` leaves it, and without keys and tokens of this console, wherever they stand."""
    return _OWN_KEY.sub(REDACTED, redact(text))
