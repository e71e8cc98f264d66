"""How a setting is read from its text: each function gives the value, or raises ValueError with what it expected."""

import re
from collections.abc import Callable
from email.utils import formataddr, getaddresses
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def text(raw: str) -> str:
    return raw


def path(raw: str) -> Path:
    return Path(raw).expanduser()


def count(low: int, high: int) -> Callable[[str], int]:
    def read(raw: str) -> int:
        if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
            raise ValueError(f"an integer from {low} to {high}")
        return int(raw)

    return read


def is_bucket(place: str) -> bool:
    return place.startswith("s3://")


def artifact_place(raw: str) -> str:
    """A folder as a path, or a bucket as an address."""
    if is_bucket(raw):
        if not re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]+)*/?", raw):
            raise ValueError("a bucket and a prefix such as s3://reports/hq")
        if find_spec("s3fs") is None:
            raise ValueError("a folder, as a bucket needs the extra s3 (pip install 'hq-console[s3]')")
        return raw.rstrip("/")
    folder = unquote(raw.removeprefix("file://")) if raw.startswith("file:///") else raw
    if "://" in folder:
        raise ValueError(
            "a folder such as /srv/artifacts or file:///srv/artifacts, or a bucket such as s3://reports/hq"
        )
    return str(path(folder))


def cluster(raw: str) -> str:
    if not re.fullmatch(r"((tcp|tls)://[^/\s]+:\d{1,5})?", raw, re.ASCII):
        raise ValueError("the address of a Dask scheduler, such as tcp://scheduler:8786")
    return raw


def memory(raw: str) -> str:
    if not re.fullmatch(r"[1-9][0-9]{0,5}([.][0-9]+)? ?[MGT]i?B|[1-9][0-9]?%", raw, re.ASCII | re.IGNORECASE):
        raise ValueError("a number of MB, GB, TB, MiB, GiB or TiB, such as 2GB, or a share such as 80%")
    return raw


def switch(raw: str) -> bool:
    if raw not in ("on", "off"):
        raise ValueError("on or off")
    return raw == "on"


def names(raw: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in raw.split(",") if part.strip())


def emails(raw: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in names(raw))


def address(raw: str) -> str:
    try:
        parts = urlsplit(raw)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not re.fullmatch(r"[!-~]+", raw) or "?" in raw or "#" in raw:
        raise ValueError("an http or https address without a query, such as https://models.example/v1")
    return raw.rstrip("/")


def smtp(raw: str) -> str:
    expected = "smtp://, smtps:// or starttls://, then [user:password@]host[:port]"
    try:
        parts = urlsplit(raw)
        sound = parts.scheme in ("smtp", "smtps", "starttls") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not re.fullmatch(r"[!-~]+", raw) or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(expected)
    if parts.username and parts.scheme == "smtp" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError("smtps:// or starttls:// where a password is sent")
    return raw


def sender(raw: str) -> str:
    found = getaddresses([raw])
    name, address = found[0]
    if len(found) != 1 or not raw.isprintable() or not re.fullmatch(r"[!-?A-~]+@[A-Za-z0-9.-]+", address):
        raise ValueError("one e-mail address, such as Compliance <compliance@example.com>")
    return formataddr((name, address))


def mailbox(raw: str) -> str:
    """One bare e-mail address."""
    if not re.fullmatch(r"[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+", raw):
        raise ValueError("one e-mail address, such as unsubscribe@example.com")
    return raw


def witness_keys(raw: str) -> tuple[str, ...]:
    from engine.model.checkpoints import read_witness_key

    entries = names(raw)
    for entry in entries:
        try:
            read_witness_key(entry)
        except ValueError as error:
            raise ValueError(f"vkeys of cosignature/v1 separated by commas, and {entry[:40]!r} {error}") from error
    return entries


def key_prefixes(raw: str) -> tuple[str, ...]:
    entries = names(raw)
    if not all(re.fullmatch(r"(api_key|ingest|assessor)=[!-~]{3,40}", entry) for entry in entries):
        raise ValueError("kind=prefix pairs separated by commas, such as api_key=old_; kinds api_key, ingest, assessor")
    return entries


def tier_names(raw: str) -> tuple[str, ...]:
    entries = names(raw)
    if not all(re.fullmatch(r"(pro|team)=[A-Za-z0-9_-]{1,100}", entry) for entry in entries):
        raise ValueError("tier=name pairs separated by commas, such as pro=P-1AB,team=P-2CD; tiers pro, team")
    return entries


def price(raw: str) -> str:
    if not re.fullmatch(r"(?=[0-9.]*[1-9])[0-9]{1,7}(\.[0-9]{2})? [A-Z]{3}", raw):
        raise ValueError("an amount and a currency such as 50.00 EUR")
    return raw


def one_of(*words: str) -> Callable[[str], str]:
    def read(raw: str) -> str:
        if raw not in words:
            raise ValueError(" or ".join(words))
        return raw

    return read


def zone(raw: str) -> str:
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("an IANA time zone such as Europe/Berlin") from error
    return raw


def clock(raw: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", raw):
        raise ValueError("a time such as 02:30")
    return raw


def session_secret(raw: str) -> str:
    if len(raw.encode()) < 32:
        raise ValueError("at least 32 bytes; `openssl rand -hex 32` makes one")
    return raw


_LOGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?:(?P<user>[^/\s:@]*)(?P<colon>:)\S*|\S*)@")
_QUERY = re.compile(r"(?i)(?P<name>[?&;][^=&;\s]*(?:pass|pwd|secret|token|key|sig|auth|cred)[^=&;\s]*=)[^&;#\s]+")


def without_passwords(label: str) -> str:
    """The text with ``***`` for what a URL in it says beside the user's name, and for secrets in its query.

    A user name without a password is one itself: tokens are given so.
    """
    plain = _LOGIN.sub(lambda match: f"{match['scheme']}{match['user'] or ''}{match['colon'] or ''}***@", label)
    return _QUERY.sub(lambda found: f"{found['name']}***", plain)
