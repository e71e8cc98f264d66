"""The settings of the program: one table of environment variables, read once at a door."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.errors import Usage


@dataclass(frozen=True)
class Setting:
    """One environment variable: how it is read, what it is without, what it does. Secrets are masked when shown."""

    name: str
    read: Callable[[str], Any]
    default: Any
    help: str
    secret: bool = False


def _text(raw: str) -> str:
    return raw


def _path(raw: str) -> Path:
    return Path(raw).expanduser()


def _count(low: int, high: int) -> Callable[[str], int]:
    def read(raw: str) -> int:
        if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
            raise ValueError(f"an integer from {low} to {high}")
        return int(raw)

    return read


def _switch(raw: str) -> bool:
    if raw not in ("on", "off"):
        raise ValueError("on or off")
    return raw == "on"


def _list(raw: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in raw.split(",") if part.strip())


def _emails(raw: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _list(raw))


def _address(raw: str) -> str:
    try:
        parts = urlsplit(raw)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not re.fullmatch(r"[!-~]+", raw) or "?" in raw or "#" in raw:
        raise ValueError("an http or https address without a query, such as https://models.example/v1")
    return raw.rstrip("/")


def _key_prefixes(raw: str) -> tuple[str, ...]:
    entries = _list(raw)
    if not all(re.fullmatch(r"(api_key|ingest|assessor)=[!-~]{3,40}", entry) for entry in entries):
        raise ValueError("kind=prefix pairs separated by commas, such as api_key=old_; kinds api_key, ingest, assessor")
    return entries


def _zone(raw: str) -> str:
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("an IANA time zone such as Europe/Berlin") from error
    return raw


def _clock(raw: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", raw):
        raise ValueError("a time such as 02:30")
    return raw


def _session_secret(raw: str) -> str:
    if len(raw.encode()) < 32:
        raise ValueError("at least 32 bytes; `openssl rand -hex 32` makes one")
    return raw


def _cron(name: str, route: str) -> Setting:
    return Setting(f"SVC_{name}_CRON_SECRET", _text, "", f"Bearer secret of POST …/{route}/scheduled", secret=True)


SETTINGS: tuple[Setting, ...] = (
    Setting("SVC_DATA_DIR", _path, Path("var"), "folder of everything that is written"),
    Setting("SVC_DATABASE_URL", _text, "", "operational store; SQLite in SVC_DATA_DIR when empty", secret=True),
    Setting("SVC_SERVICE_NAME", _text, "hq-console", "name that /api/health answers with"),
    Setting("SVC_BASE_URL", _text, "http://127.0.0.1:8080", "address under which people reach the console"),
    Setting("SVC_SESSION_AUTH", _switch, True, "off: one local user, loopback only"),
    Setting(
        "SVC_SESSION_SECRET", _session_secret, "", "HS256 key of sessions; made in SVC_DATA_DIR when empty", secret=True
    ),
    Setting("SVC_SESSION_JWKS_FILE", _path, None, "key set of an identity provider (RS256 or ES256) instead"),
    Setting("SVC_LOCAL_ORG", _text, "", "organization of the local user when SVC_SESSION_AUTH is off; else the first"),
    Setting("SVC_PLATFORM_ADMIN_EMAILS", _emails, (), "people who may use /api/admin, separated by commas"),
    Setting(
        "SVC_ALERT_WEBHOOK_SIGNING_SECRET",
        _list,
        (),
        "secrets that alerts must be signed with; two while rotating",
        secret=True,
    ),
    Setting("SVC_ALERT_INGEST_PLANS", _list, (), "plans that may post alerts, separated by commas; all when empty"),
    Setting(
        "SVC_INGEST_PER_MINUTE", _count(1, 1_000_000), 6000, "alerts and findings bodies a minute from one address"
    ),
    Setting("SVC_LEGACY_KEY_PREFIXES", _key_prefixes, (), "earlier prefixes of secrets, such as api_key=old_"),
    Setting(
        "SVC_CHAT_SIGNING_SECRET",
        _list,
        (),
        "secrets that chat decisions are signed with; two while rotating",
        secret=True,
    ),
    Setting("SVC_LLM_API_KEY", _text, "", "key of the language model provider", secret=True),
    Setting(
        "SVC_LLM_URL", _address, "", "OpenAI-compatible address that the copilot asks first, up to /v1", secret=True
    ),
    Setting("SVC_LLM_MODEL", _text, "default", "model that is asked for there"),
    Setting("SVC_REASONING_URL", _address, "", "backend of /api/reasoning; the copilot asks it second", secret=True),
    Setting("SVC_REASONING_TOKEN", _text, "", "bearer token that is sent to it", secret=True),
    Setting("SVC_ROBOT_URL", _address, "", "backend of /api/robot", secret=True),
    Setting("SVC_ROBOT_TOKEN", _text, "", "bearer token that is sent to it", secret=True),
    Setting("SVC_TRUSTED_PROXIES", _list, (), "addresses whose X-Forwarded-For is believed"),
    Setting("SVC_RATE_LIMIT_URL", _text, "memory://", "where limits are counted; redis://… shares them"),
    Setting("SVC_THREADS", _count(1, 64), 4, "threads that answer requests"),
    Setting("SVC_ANALYTICS_MEMORY", _text, "2GB", "memory limit of the analytics store"),
    Setting("SVC_ARTIFACT_DAYS", _count(1, 365), 7, "days after which an unused artifact is pruned"),
    Setting("SVC_BUILD_AT", _clock, "02:30", "local time of the nightly build"),
    Setting("SVC_RETENTION_AT", _clock, "03:30", "local time at which records past their retention are purged"),
    Setting("SVC_TIME_ZONE", _zone, "UTC", "time zone of the scheduler"),
    _cron("EVIDENCE_REQUEST_SLA", "evidence-request-sla"),
    _cron("MAPPING_DIGEST", "mapping-digest"),
    _cron("ATTESTATION_RENEWAL", "attestation-renewal"),
    _cron("BUNDLE", "bundles"),
    _cron("DIGEST", "digest"),
    _cron("SLA", "sla-reminders"),
    _cron("PEAK_WEEK_STAFFING", "peak-week-staffing-digest"),
    _cron("STAFFING_REMINDER", "staffing-action-reminders"),
    _cron("STAFFING_ROLLUP", "staffing-completion-rollup"),
    _cron("STAFFING_SLA", "staffing-sla-breach-digest"),
    _cron("STAFFING_ESCALATION", "cross-staffing-committee-escalation"),
    _cron("STAFFING_CHAIN", "staffing-digest-auto-chain"),
    _cron("COMMITTEE_DIGEST", "committee-digest"),
    _cron("DENSITY_ALERT", "obligation-density-alerts"),
)


class Settings:
    """The settings in force; ``settings["SVC_THREADS"]``. Usage names a variable that cannot be read."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self._values: dict[str, Any] = {}
        for setting in SETTINGS:
            raw = given.get(setting.name, "")
            try:
                self._values[setting.name] = setting.read(raw) if raw else setting.default
            except ValueError as error:
                came = f"{len(raw)} characters" if setting.secret else repr(raw)
                raise Usage(f"{setting.name} must be {error}; got {came}.") from error

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def data_dir(self) -> Path:
        folder: Path = self._values["SVC_DATA_DIR"]
        return folder

    @property
    def database_url(self) -> str:
        """The operational store: what is set, else a SQLite file in the data folder."""
        return self._values["SVC_DATABASE_URL"] or f"sqlite:///{(self.data_dir / 'hq.db').absolute()}"

    def shown(self) -> list[tuple[str, str, str]]:
        """(name, value, help) of every setting; secrets say only whether they are set."""
        rows = []
        for setting in SETTINGS:
            value = self._values[setting.name]
            if setting.secret:
                shown = "set" if value else "not set"
            elif isinstance(value, bool):
                shown = "on" if value else "off"
            elif isinstance(value, tuple):
                shown = ", ".join(value)
            else:
                shown = "" if value is None else str(value)
            rows.append((setting.name, shown, setting.help))
        return rows
