"""The settings of the program: environment variables by name, read once at a door.

Each field of ``Settings`` is one variable: ``session_auth`` is ``SVC_SESSION_AUTH``.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from engine.model.errors import Usage
from engine.runtime import setting_values as values

T = TypeVar("T")
PREFIX = "SVC_"
STORE_FILE = "hq.db"  # in the data folder, where no database is named


# Any: the type is that of the default
def setting(read: Callable[[str], Any], default: T, help: str, *, secret: bool = False) -> T:
    """A variable: how it is read, what it is without, what it does. Secrets are masked when shown."""
    declared: T = field(default=default, metadata={"read": read, "help": help, "secret": secret})
    return declared


def _cron(route: str) -> str:
    return setting(values.text, "", f"Bearer secret of POST …/{route}/scheduled", secret=True)


@dataclass(frozen=True)
class Settings:
    """The settings in force. ``Settings.of`` reads them; without arguments they are the defaults."""

    data_dir: Path = setting(values.path, Path("var"), "folder of everything that is written")
    database_url: str = setting(values.text, "", "operational store; SQLite in SVC_DATA_DIR when empty", secret=True)
    service_name: str = setting(values.text, "hq-console", "name that /api/health answers with")
    base_url: str = setting(values.text, "http://127.0.0.1:8080", "address under which people reach the console")
    desk_url: str = setting(values.text, "", "address under which people reach the desk; mails lead there")
    session_auth: bool = setting(values.switch, True, "off: one local user, loopback only")
    session_secret: str = setting(
        values.session_secret, "", "HS256 key of sessions; made in SVC_DATA_DIR when empty", secret=True
    )
    session_jwks_file: Path | None = setting(
        values.path, None, "key set of an identity provider (RS256 or ES256) instead"
    )
    session_audience: str = setting(values.text, "", "audience (aud) that a session must name; none may when empty")
    session_issuer: str = setting(values.text, "", "issuer (iss) that a session must name; any when empty")
    local_org: str = setting(
        values.text, "", "organization of the local user when SVC_SESSION_AUTH is off; else the first"
    )
    signing_key_file: Path | None = setting(
        values.path, None, "Ed25519 key that archives and heads are signed with; made in SVC_DATA_DIR when empty"
    )
    timestamp_url: str = setting(
        values.address, "", "time stamping authority (RFC 3161) that stamps signed heads, one a day; none when empty"
    )
    witness_keys: tuple[str, ...] = setting(
        values.witness_keys, (), "keys of witnesses whose cosignatures are taken: vkeys separated by commas"
    )
    witness_url: str = setting(
        values.address,
        "",
        "witness (C2SP tlog-witness) that every signed head is shown to, those of the installation too, and that "
        "`hq check` asks; none when empty",
    )
    bundle_dir: Path | None = setting(
        values.path, None, "folder of sealed bundles, shared where several machines serve; in SVC_DATA_DIR when empty"
    )
    platform_admin_emails: tuple[str, ...] = setting(
        values.emails, (), "people who may use /api/admin, separated by commas"
    )
    brand: str = setting(values.text, "HQ", "name that the gateway, proposals and answers to enquiries show")
    plan_slack_days: int = setting(
        values.count(0, 60), 5, "days before its target day by which the work of a plan is done (`hq plan`)"
    )
    contact_min_seconds: int = setting(
        values.count(0, 600), 3, "seconds that a person needs for the contact form at least"
    )
    contact_stamp_secret: str = setting(
        values.session_secret,
        "",
        "secret of the contact form's start stamps; without it the duration that the client tells counts",
        secret=True,
    )
    contact_per_email: int = setting(values.count(1, 1000), 5, "enquiries a day with one e-mail address")
    pilot_prices: Path | None = setting(
        values.path, None, "price table of pilots in the form of data/prices/pilot.toml instead"
    )
    alert_webhook_signing_secret: tuple[str, ...] = setting(
        values.names, (), "secrets that alerts must be signed with; two while rotating", secret=True
    )
    alert_ingest_plans: tuple[str, ...] = setting(
        values.names, (), "plans that may post alerts, separated by commas; all when empty"
    )
    ingest_per_minute: int = setting(
        values.count(1, 1000000), 6000, "alerts and findings bodies a minute from one address"
    )
    approval_hours: int = setting(
        values.count(1, 8760), 24, "hours after which an approval of an execution ends, undecided or unused"
    )
    clock_skew: int = setting(
        values.count(0, 1440), 5, "minutes that a sender's clock may be ahead before its times are corrected"
    )
    ingest_max_bytes: int = setting(
        values.count(1024, 256 * 1024 * 1024), 16 * 1024 * 1024, "bytes that a body of alerts or findings may have"
    )
    ingest_max_alerts: int = setting(values.count(1, 1000000), 20000, "alerts that a body may hold")
    ingest_max_findings: int = setting(values.count(1, 1000000), 20000, "findings that a body may hold")
    finding_incidents: str = setting(
        values.one_of("high", "each"),
        "high",
        "high: severe findings of one scanner, rule and severity share an incident; each: every one opens its own",
    )
    ingest_max_dead_letters: int = setting(
        values.count(1, 100000), 1000, "bodies that could not be read to keep for an organization, the newest ones"
    )
    ingest_max_dead_letter_bytes: int = setting(
        values.count(1024, 1 << 40), 64 << 20, "bytes of such bodies to keep for an organization, the newest ones"
    )
    ingest_keep_days: int = setting(
        values.count(1, 3650), 90, "days for which bodies of alerts and findings are kept as they came"
    )
    legacy_key_prefixes: tuple[str, ...] = setting(
        values.key_prefixes, (), "earlier prefixes of secrets, such as api_key=old_"
    )
    chat_signing_secret: tuple[str, ...] = setting(
        values.names, (), "secrets that chat decisions are signed with; two while rotating", secret=True
    )
    smtp_url: str = setting(
        values.smtp, "", "mail server: smtp://, smtps:// or starttls://user:password@host", secret=True
    )
    smtp_from: str = setting(values.sender, "", "sender of mails, such as Compliance <compliance@example.com>")
    unsubscribe_mailto: str = setting(
        values.mailbox, "", "address that people write to who want no more of a mail; `hq unsubscribe` applies it"
    )
    chat_webhook_url: str = setting(values.address, "", "incoming webhook of the chat service", secret=True)
    chat_bot_token: str = setting(values.text, "", "bot token that chat messages are posted with instead", secret=True)
    chat_api_url: str = setting(values.address, "https://slack.com/api", "address of the chat service's API")
    llm_api_key: str = setting(values.text, "", "key of the language model provider", secret=True)
    llm_url: str = setting(
        values.address, "", "OpenAI-compatible address that the copilot asks first, up to /v1", secret=True
    )
    llm_model: str = setting(values.text, "default", "model that is asked for there")
    copilot_anonymous: bool = setting(
        values.switch, False, "on: without a session a provider is asked, too, unless SVC_LLM_API_KEY is set"
    )
    reasoning_url: str = setting(
        values.address, "", "backend of /api/reasoning; the copilot asks it second", secret=True
    )
    reasoning_token: str = setting(values.text, "", "bearer token that is sent to it", secret=True)
    robot_url: str = setting(values.address, "", "backend of /api/robot", secret=True)
    robot_token: str = setting(values.text, "", "bearer token that is sent to it", secret=True)
    paypal_url: str = setting(
        values.address, "https://api-m.paypal.com", "address of PayPal's interface; the sandbox's to try"
    )
    paypal_client_id: str = setting(values.text, "", "client that checkouts are made as; nothing is sold when empty")
    paypal_client_secret: str = setting(values.text, "", "its secret", secret=True)
    paypal_plans: tuple[str, ...] = setting(
        values.tier_names, (), "PayPal's plan of each tier, such as pro=P-1AB,team=P-2CD"
    )
    paypal_webhook_id: str = setting(values.text, "", "PayPal's name for our webhook; part of what it signs")
    paypal_verify: str = setting(
        values.one_of("certificate", "postback"),
        "certificate",
        "how its webhooks are verified: by certificate here, or by asking PayPal (postback)",
    )
    paypal_ca_file: Path | None = setting(
        values.path, None, "authorities that its certificate must chain to; the public ones else"
    )
    top_up_price: str = setting(values.price, "", "price of a top-up, such as 50.00 EUR; none is sold when empty")
    billing_return_url: str = setting(values.address, "", "page that buyers return to; SVC_BASE_URL when empty")
    billing_at: str = setting(
        values.clock, "00:15", "local time at which cancelled plans end once their paid time is over"
    )
    lemonsqueezy_signing_secret: tuple[str, ...] = setting(
        values.names, (), "secrets that Lemon Squeezy signs with; two while rotating", secret=True
    )
    lemonsqueezy_variants: tuple[str, ...] = setting(
        values.tier_names, (), "Lemon Squeezy's variant of each tier, such as pro=1,team=2"
    )
    lemonsqueezy_test_mode: bool = setting(values.switch, False, "on: what was bought there in test mode counts")
    trusted_proxies: tuple[str, ...] = setting(values.names, (), "addresses whose X-Forwarded-For is believed")
    rate_limit_url: str = setting(values.text, "memory://", "where limits are counted; redis://… shares them")
    threads: int = setting(values.count(1, 64), 4, "threads for requests that have no lane of their own")
    report_processes: int = setting(
        values.count(1, 64), 1, "processes that compute reports, each with an analytics store of its own"
    )
    report_deadline_seconds: int = setting(
        values.count(1, 3600), 60, "seconds after which a report that is being computed is given up"
    )
    analytics_memory: str = setting(values.memory, "2GB", "memory limit of the analytics store")
    artifacts_url: str = setting(
        values.artifact_place,
        "",
        "where machines share artifacts: a folder, or s3://bucket/prefix; SVC_DATA_DIR/artifacts when empty",
    )
    artifact_days: int = setting(values.count(1, 365), 7, "days after which an unused artifact is pruned")
    artifact_org_bytes: int = setting(
        values.count(1 << 20, 1 << 50), 1 << 30, "bytes that one organization's artifacts may take; least used go first"
    )
    artifact_bytes: int = setting(
        values.count(1 << 20, 1 << 50), 8 << 30, "bytes that all artifacts may take; those of who has most go first"
    )
    pulls: tuple[str, ...] = setting(
        values.names, (), "files of pulls that the scheduler runs by their cadence, separated by commas; ORG=FILE each"
    )
    pull_commands: tuple[str, ...] = setting(
        values.names, (), "first words of the commands that a pull may run, separated by commas"
    )
    pull_hosts: tuple[str, ...] = setting(
        values.names, (), "internal hosts that a pull may reach over HTTPS, separated by commas; public ones always"
    )
    evidence_url: str = setting(
        values.artifact_place,
        "",
        "where bytes of evidence are held: a folder, or s3://bucket/prefix; SVC_DATA_DIR/evidence when empty",
    )
    evidence_max_bytes: int = setting(values.count(1, 1 << 40), 100 << 20, "bytes that a file of evidence may have")
    evidence_quota: int = setting(
        values.count(1, 1 << 50), 10 << 30, "bytes of evidence that one organization may hold"
    )
    bundle_evidence_bytes: int = setting(
        values.count(0, 3 << 30), 256 << 20, "bytes of held evidence in an archive; the rest is listed"
    )
    evidence_at: str = setting(values.clock, "01:30", "local time at which held bytes of evidence are checked")
    build_at: str = setting(values.clock, "02:30", "local time of the nightly build")
    build_cluster: str = setting(
        values.cluster, "", "the Dask scheduler on whose workers reports are built, such as tcp://scheduler:8786"
    )
    retention_at: str = setting(values.clock, "03:30", "local time at which records past their retention are purged")
    pruning_at: str = setting(values.clock, "04:30", "local time at which texts of old deliveries are dropped")
    time_zone: str = setting(values.zone, "UTC", "time zone of the scheduler")
    evidence_request_sla_cron_secret: str = _cron("evidence-request-sla")
    mapping_digest_cron_secret: str = _cron("mapping-digest")
    attestation_renewal_cron_secret: str = _cron("attestation-renewal")
    bundle_cron_secret: str = _cron("bundles")
    digest_cron_secret: str = _cron("digest")
    sla_cron_secret: str = _cron("sla-reminders")
    peak_week_staffing_cron_secret: str = _cron("peak-week-staffing-digest")
    staffing_reminder_cron_secret: str = _cron("staffing-action-reminders")
    staffing_rollup_cron_secret: str = _cron("staffing-completion-rollup")
    staffing_sla_cron_secret: str = _cron("staffing-sla-breach-digest")
    staffing_escalation_cron_secret: str = _cron("cross-staffing-committee-escalation")
    staffing_chain_cron_secret: str = _cron("staffing-digest-auto-chain")
    committee_digest_cron_secret: str = _cron("committee-digest")
    density_alert_cron_secret: str = _cron("obligation-density-alerts")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings of an environment. Usage names a variable that cannot be read."""
        given = {}
        for declared in fields(cls):
            raw = environment.get(variable(declared), "")
            if not raw:
                continue
            try:
                given[declared.name] = declared.metadata["read"](raw)
            except ValueError as error:
                came = f"{len(raw)} characters" if declared.metadata["secret"] else repr(values.without_passwords(raw))
                raise Usage(f"{variable(declared)} must be {error}; got {came}.") from error
        return cls(**given)

    @classmethod
    def of_process(cls) -> "Settings":
        """The settings of this process's environment."""
        return cls.of(os.environ)

    @property
    def approval_lifetime(self) -> timedelta:
        """How long an approval of an execution lives."""
        return timedelta(hours=self.approval_hours)

    @property
    def clock_skew_span(self) -> timedelta:
        """What a sender's clock may be ahead by."""
        return timedelta(minutes=self.clock_skew)

    @property
    def signing_key_path(self) -> Path:
        """The key that archives are signed with: what is set, else a file in the data folder."""
        return self.signing_key_file or self.data_dir / "signing.key"

    @property
    def webhook_key_path(self) -> Path:
        """The key that secrets of webhooks are encrypted with: beside the key of archives."""
        return self.signing_key_path.with_name("webhook.key")

    @property
    def bundle_folder(self) -> Path:
        """Where sealed bundles are kept."""
        return self.bundle_dir or self.data_dir / "bundles"

    @property
    def artifact_bucket(self) -> str:
        """The bucket that shares artifacts; empty without one."""
        return self.artifacts_url if values.is_bucket(self.artifacts_url) else ""

    @property
    def artifact_folder(self) -> Path:
        """Where artifacts are kept: what is set, else, as beside a bucket, a folder in the data folder."""
        if not self.artifacts_url or self.artifact_bucket:
            return self.data_dir / "artifacts"
        return Path(self.artifacts_url)

    @property
    def evidence_bucket(self) -> str:
        """The bucket that holds bytes of evidence; empty without one."""
        return self.evidence_url if values.is_bucket(self.evidence_url) else ""

    @property
    def evidence_folder(self) -> Path:
        """Where bytes of evidence are held: what is set, else, as for what a bucket needs here, in the data folder."""
        if not self.evidence_url or self.evidence_bucket:
            return self.data_dir / "evidence"
        return Path(self.evidence_url)

    @property
    def store_url(self) -> str:
        """The operational store: what is set, else a SQLite file in the data folder."""
        return self.database_url or f"sqlite:///{(self.data_dir / STORE_FILE).absolute()}"

    def cron_secret(self, name: str) -> str:
        """The bearer secret in the variable of that name, such as ``SVC_DIGEST_CRON_SECRET``. KeyError for another."""
        return {variable(declared): str(getattr(self, declared.name)) for declared in _cron_secrets()}[name]

    def listing(self) -> Iterator[tuple[str, str, str]]:
        """(variable, value, help) of every setting; secrets say only whether they are set, URLs show no password."""
        for declared in fields(self):
            yield variable(declared), self._display(declared), declared.metadata["help"]

    def _display(self, declared: "Field[Any]") -> str:  # fields of any type
        value = getattr(self, declared.name)
        if declared.metadata["secret"]:
            return "set" if value else "not set"
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, tuple):
            return values.without_passwords(", ".join(value))
        return "" if value is None else values.without_passwords(str(value))


def variable(declared: "Field[Any]") -> str:  # fields of any type
    """The environment variable of a field."""
    return PREFIX + declared.name.upper()


def _cron_secrets() -> "Iterator[Field[Any]]":  # fields of any type
    return (declared for declared in fields(Settings) if declared.name.endswith("_cron_secret"))
