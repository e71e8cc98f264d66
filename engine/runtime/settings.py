"""The settings of the program: one table of environment variables, read once at a door."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.model.errors import Usage
from engine.runtime.setting_values import (
    address,
    clock,
    count,
    emails,
    key_prefixes,
    listed,
    one_of,
    path,
    price,
    sender,
    session_secret,
    smtp,
    switch,
    text,
    tier_names,
    zone,
)


@dataclass(frozen=True)
class Setting:
    """One environment variable: how it is read, what it is without, what it does. Secrets are masked when shown."""

    name: str
    read: Callable[[str], Any]
    default: Any
    help: str
    secret: bool = False


def _cron(name: str, route: str) -> Setting:
    return Setting(f"SVC_{name}_CRON_SECRET", text, "", f"Bearer secret of POST …/{route}/scheduled", secret=True)


SETTINGS: tuple[Setting, ...] = (
    Setting("SVC_DATA_DIR", path, Path("var"), "folder of everything that is written"),
    Setting("SVC_DATABASE_URL", text, "", "operational store; SQLite in SVC_DATA_DIR when empty", secret=True),
    Setting("SVC_SERVICE_NAME", text, "hq-console", "name that /api/health answers with"),
    Setting("SVC_BASE_URL", text, "http://127.0.0.1:8080", "address under which people reach the console"),
    Setting("SVC_SESSION_AUTH", switch, True, "off: one local user, loopback only"),
    Setting(
        "SVC_SESSION_SECRET", session_secret, "", "HS256 key of sessions; made in SVC_DATA_DIR when empty", secret=True
    ),
    Setting("SVC_SESSION_JWKS_FILE", path, None, "key set of an identity provider (RS256 or ES256) instead"),
    Setting("SVC_LOCAL_ORG", text, "", "organization of the local user when SVC_SESSION_AUTH is off; else the first"),
    Setting(
        "SVC_SIGNING_KEY_FILE",
        path,
        None,
        "Ed25519 key that archives are signed with; made in SVC_DATA_DIR when empty",
    ),
    Setting(
        "SVC_BUNDLE_DIR",
        path,
        None,
        "folder of sealed bundles, shared where several machines serve; in SVC_DATA_DIR when empty",
    ),
    Setting("SVC_PLATFORM_ADMIN_EMAILS", emails, (), "people who may use /api/admin, separated by commas"),
    Setting("SVC_BRAND", text, "HQ", "name that the gateway, proposals and answers to enquiries show"),
    Setting("SVC_CONTACT_MIN_SECONDS", count(0, 600), 3, "seconds that a person needs for the contact form at least"),
    Setting(
        "SVC_CONTACT_STAMP_SECRET",
        session_secret,
        "",
        "secret of the contact form's start stamps; without it the duration that the client tells counts",
        secret=True,
    ),
    Setting("SVC_CONTACT_PER_EMAIL", count(1, 1000), 5, "enquiries a day with one e-mail address"),
    Setting("SVC_PILOT_PRICES", path, None, "price table of pilots in the form of data/prices/pilot.toml instead"),
    Setting(
        "SVC_ALERT_WEBHOOK_SIGNING_SECRET",
        listed,
        (),
        "secrets that alerts must be signed with; two while rotating",
        secret=True,
    ),
    Setting("SVC_ALERT_INGEST_PLANS", listed, (), "plans that may post alerts, separated by commas; all when empty"),
    Setting("SVC_INGEST_PER_MINUTE", count(1, 1_000_000), 6000, "alerts and findings bodies a minute from one address"),
    Setting("SVC_LEGACY_KEY_PREFIXES", key_prefixes, (), "earlier prefixes of secrets, such as api_key=old_"),
    Setting(
        "SVC_CHAT_SIGNING_SECRET",
        listed,
        (),
        "secrets that chat decisions are signed with; two while rotating",
        secret=True,
    ),
    Setting("SVC_SMTP_URL", smtp, "", "mail server: smtp://, smtps:// or starttls://user:password@host", secret=True),
    Setting("SVC_SMTP_FROM", sender, "", "sender of mails, such as Compliance <compliance@example.com>"),
    Setting("SVC_CHAT_WEBHOOK_URL", address, "", "incoming webhook of the chat service", secret=True),
    Setting("SVC_CHAT_BOT_TOKEN", text, "", "bot token that chat messages are posted with instead", secret=True),
    Setting("SVC_CHAT_API_URL", address, "https://slack.com/api", "address of the chat service's API"),
    Setting("SVC_LLM_API_KEY", text, "", "key of the language model provider", secret=True),
    Setting(
        "SVC_LLM_URL", address, "", "OpenAI-compatible address that the copilot asks first, up to /v1", secret=True
    ),
    Setting("SVC_LLM_MODEL", text, "default", "model that is asked for there"),
    Setting("SVC_REASONING_URL", address, "", "backend of /api/reasoning; the copilot asks it second", secret=True),
    Setting("SVC_REASONING_TOKEN", text, "", "bearer token that is sent to it", secret=True),
    Setting("SVC_ROBOT_URL", address, "", "backend of /api/robot", secret=True),
    Setting("SVC_ROBOT_TOKEN", text, "", "bearer token that is sent to it", secret=True),
    Setting(
        "SVC_PAYPAL_URL", address, "https://api-m.paypal.com", "address of PayPal's interface; the sandbox's to try"
    ),
    Setting("SVC_PAYPAL_CLIENT_ID", text, "", "client that checkouts are made as; nothing is sold when empty"),
    Setting("SVC_PAYPAL_CLIENT_SECRET", text, "", "its secret", secret=True),
    Setting("SVC_PAYPAL_PLANS", tier_names, (), "PayPal's plan of each tier, such as pro=P-1AB,team=P-2CD"),
    Setting("SVC_PAYPAL_WEBHOOK_ID", text, "", "PayPal's name for our webhook; part of what it signs"),
    Setting(
        "SVC_PAYPAL_VERIFY",
        one_of("certificate", "postback"),
        "certificate",
        "how its webhooks are verified: by certificate here, or by asking PayPal (postback)",
    ),
    Setting("SVC_PAYPAL_CA_FILE", path, None, "authorities that its certificate must chain to; the public ones else"),
    Setting("SVC_TOP_UP_PRICE", price, "", "price of a top-up, such as 50.00 EUR; none is sold when empty"),
    Setting("SVC_BILLING_RETURN_URL", address, "", "page that buyers return to; SVC_BASE_URL when empty"),
    Setting("SVC_BILLING_AT", clock, "00:15", "local time at which cancelled plans end once their paid time is over"),
    Setting(
        "SVC_LEMONSQUEEZY_SIGNING_SECRET",
        listed,
        (),
        "secrets that Lemon Squeezy signs with; two while rotating",
        secret=True,
    ),
    Setting("SVC_LEMONSQUEEZY_VARIANTS", tier_names, (), "Lemon Squeezy's variant of each tier, such as pro=1,team=2"),
    Setting("SVC_LEMONSQUEEZY_TEST_MODE", switch, False, "on: what was bought there in test mode counts"),
    Setting("SVC_TRUSTED_PROXIES", listed, (), "addresses whose X-Forwarded-For is believed"),
    Setting("SVC_RATE_LIMIT_URL", text, "memory://", "where limits are counted; redis://… shares them"),
    Setting("SVC_THREADS", count(1, 64), 4, "threads that answer requests"),
    Setting("SVC_ANALYTICS_MEMORY", text, "2GB", "memory limit of the analytics store"),
    Setting("SVC_ARTIFACT_DAYS", count(1, 365), 7, "days after which an unused artifact is pruned"),
    Setting("SVC_BUILD_AT", clock, "02:30", "local time of the nightly build"),
    Setting("SVC_RETENTION_AT", clock, "03:30", "local time at which records past their retention are purged"),
    Setting("SVC_PRUNING_AT", clock, "04:30", "local time at which texts of old deliveries are dropped"),
    Setting("SVC_TIME_ZONE", zone, "UTC", "time zone of the scheduler"),
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
    def signing_key_file(self) -> Path:
        """The key that archives are signed with: what is set, else a file in the data folder."""
        return self._values["SVC_SIGNING_KEY_FILE"] or self.data_dir / "signing.key"

    @property
    def bundle_dir(self) -> Path:
        """Where sealed bundles are kept."""
        return self._values["SVC_BUNDLE_DIR"] or self.data_dir / "bundles"

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
