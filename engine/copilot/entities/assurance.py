"""Whom and what the organization relies on: vendors, auditors, risks, exceptions, policies, holds."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, State, flag, is_in, none, over, past
from engine.copilot.entities.operations import OWNER, UNOWNED
from engine.copilot.entities.programme import OVERDUE
from engine.model.vocabulary import FRAMEWORK_NAMES

_SOC2 = ("soc 2", "soc2", "soc 2 report", "soc2 report", "soc report")
_REPORT = ("report", "current report", "assurance report", "audit report")


def _without(*named: str) -> tuple[str, ...]:
    """The ways to say that something is not there."""
    return tuple(f"{said} {name}" for name in named for said in ("without", "without a", "without an", "no", "have no",
                                                                 "missing", "missing a", "not have a",
                                                                 "not have"))  # fmt: skip


def _with(*named: str) -> tuple[str, ...]:
    return tuple(
        f"{said} {name}" for name in named for said in ("with", "with a", "with an", "have a", "have", "has a")
    )


def _vendors(records: Records) -> pl.DataFrame:
    return records.fact("vendors").with_columns(
        pl.col("tier").replace_strict({"critical": 4, "high": 3, "medium": 2, "low": 1}, default=0).alias("rank")
    )


def _documents(records: Records) -> pl.DataFrame:
    names = records.fact("vendors").select("vendor_id", vendor="name")
    return (
        records.fact("vendor_documents")
        .join(names, on="vendor_id")
        .with_columns(kind=pl.col("kind").str.replace_all("_", " "))
        .with_columns(title=pl.format("{} of {}", "kind", "vendor"))
    )


def _requests(records: Records) -> pl.DataFrame:
    called = pl.col("framework").replace_strict(FRAMEWORK_NAMES, default=pl.col("framework")).alias("called")
    return records.fact("requests").with_columns(called)


def _risks(records: Records) -> pl.DataFrame:
    dates = records.table("risks").select("id", "identified_on")
    return records.fact("risks").join(dates, on="id", how="left")


def _exceptions(records: Records) -> pl.DataFrame:
    called = pl.col("framework").replace_strict(FRAMEWORK_NAMES, default=pl.col("framework")).alias("called")
    return records.fact("exceptions").with_columns(called)


def _policies(records: Records) -> pl.DataFrame:
    return records.table("policies").drop("body", "rules")


def _holds(records: Records) -> pl.DataFrame:
    return records.fact("legal_holds")


def _poam(records: Records) -> pl.DataFrame:
    return records.fact("poam")


VENDOR = Entity(
    "vendor", "vendors",
    ("vendor", "supplier", "third party", "provider", "partner", "contractor", "3rd party", "outsourcer",
        "vendor review",
     "supplier review"),
    _vendors, "vendor_id", "{vendor_id} {name}: {service}, tier {tier}, assurance {assurance}, review {review} "
    "(next {next_review_on}), owner {owner}",
    names=("vendor_id", "name"),
    states=(
        State("without a SOC 2 report", _without(*_SOC2), none("soc2_kind"), after=True),
        State("with a SOC 2 report", _with(*_SOC2), lambda _: pl.col("soc2_kind").is_not_null(), after=True),
        State("without a processing agreement", _without("dpa", "processing agreement", "data processing agreement"),
              none("dpa_on"), after=True),
        State("with a processing agreement", _with("dpa", "processing agreement", "data processing agreement"),
              lambda _: pl.col("dpa_on").is_not_null(), after=True),
        State("without an ISO 27001 certificate", _without("iso certificate", "iso 27001 certificate", "iso",
            "iso 27001"),
              none("iso_expires_on"), after=True),
        State("without assurance in force", (*_without("assurance", *_REPORT), "unassured", "not assured"),
              lambda _: ~pl.col("assurance").is_in(["assured", "expiring"]), after=True),
        State("assured", ("assured", "with assurance", "covered"), is_in("assurance", "assured", "expiring")),
        State("with assurance that lapsed", ("assurance lapsed", "lapsed assurance", "expired assurance",
                                             "assurance expired", "lapsed", "expired report", "report expired"),
              is_in("assurance", "lapsed"), after=True),
        State("with assurance that expires soon", ("assurance expires soon", "expiring assurance", "expiring",
            "expire soon"),
              is_in("assurance", "expiring"), after=True),
        State("never assured", ("never assured", "not assessed", "never assessed", "unassessed"),
              is_in("assurance", "not_assessed")),
        State("due for review (overdue)", (*OVERDUE, "overdue review", "review overdue", "overdue for review",
                                           "due for review", "needs review", "need a review", "past review"),
              is_in("review", "overdue", "never"), after=True),
        State("never reviewed", ("never reviewed", "not reviewed", "without review"), is_in("review", "never")),
        State("with inherited gaps", ("inherited gap", "with inherited gaps"), over("inherited_gaps", 1), after=True),
        State("handling health data", ("health data", "phi", "handle phi", "patient data"), flag("handles_phi"),
            after=True),
        State("unowned", UNOWNED, none("owner"), aside=True),
        State("current", ("active", "current", "on the register", "on file"), lambda _: pl.lit(True)),
    ),
    choices={"tier": {"crit": "critical", "most important": "critical", "tier 1": "critical",
        "critical tier": "critical",
                      "high tier": "high", "medium tier": "medium", "low tier": "low", "high risk": "high"},
             "category": {"hosting": "cloud", "payment": "payments"}, "region": {}},
    dates={"next_review_on": ("review", "next review", "due", "reviewed next"), "last_review_on": (
        "last review", "last reviewed", "reviewed"), "assured_until": ("assurance", "run out", "expire", "expires",
        "covered until",
                                                                     "assured until", "expiry"),
           "soc2_valid_until": ("soc 2", "soc2", "soc 2 report", "soc2 report", "soc 2 expire"),
           "iso_expires_on": ("iso certificate", "iso 27001 certificate"), "dpa_on": ("dpa",)},
    due="next_review_on", people={"owner": (*OWNER, "manages", "manage", "relationship")},
    links={"vendor": "vendor_id"},
    attributes={"tier": ("tier", "critical", "criticality", "important"), "service": ("service", "use", "provide",
        "do", "for"),
                "category": ("category", "kind", "type", "sort"), "assurance": ("assurance", "assured", "status",
                "covered"),
                "review": ("review",), "region": ("region", "where", "located", "location", "based", "sit"),
                "residual": ("risk", "risky", "rating", "residual", "residual risk"), "inherited_gaps": ("gap",
                "inherited gap"),
                "data_classes": ("data", "data class"), "soc2_opinion": ("opinion",), "dpa_on": ("dpa",),
                "soc2_kind": ("soc 2", "soc2", "soc 2 report", "soc2 report")},
    size="residual", report="third-party-vendors",
    figures={frozenset(): "vendors", frozenset({"assured"}): "vendors_assured",
             frozenset({"never assured"}): "vendors_not_assessed",
                 frozenset({"never reviewed"}): "vendor_reviews_never",
             frozenset({"with assurance that lapsed"}): "vendors_assurance_lapsed",
             frozenset({"with assurance that expires soon"}): "vendors_assurance_expiring"},
    fillers=("located", "based", "sit", "review", "register", "tier", "category", "report", "use"),
)  # fmt: skip

DOCUMENT = Entity(
    "vendor document", "vendor documents",
    ("vendor document", "assurance document", "soc 2 report", "soc2 report", "dpa", "certificate", "pen test",
        "bridge letter",
     "questionnaire", "soc report"),
    _documents, "id", "{id} {kind} of {vendor}: issued {issued_on}, good until {valid_until}, opinion {opinion}",
    names=("id",),
    states=(
        State("expired", ("expired", "lapsed", "out of date", "outdated", "no longer valid", "ended"),
              lambda today: pl.col("valid_until") < today),
        State("in force", ("in force", "valid", "current"), lambda today: pl.col("valid_until").is_null() | (
            pl.col("valid_until") >= today), after=True),
        State("qualified", ("qualified", "qualified opinion", "with reservations"), is_in("opinion", "qualified")),
    ),
    choices={"kind": {"dpa": "dpa", "soc 2 report": "soc2 type2", "soc2 report": "soc2 type2",
        "soc report": "soc2 type2",
                      "pentest": "pen test", "penetration test": "pen test",
                      "iso certificate": "iso27001 certificate"}},
    dates={"valid_until": ("expire", "expires", "run out", "runs out", "end", "ends", "lapse", "good until", "valid"),
           "issued_on": ("issued", "signed", "dated")},
    due="valid_until", links={"vendor": "vendor_id"}, attributes={"opinion": ("opinion",), "kind": ("kind", "type")},
)  # fmt: skip

REQUEST = Entity(
    "evidence request", "evidence requests",
    ("evidence request", "auditor request", "request", "audit request", "pbc", "pbc item", "ask for", "auditor ask",
     "auditor asks", "asked for", "information request"),
    _requests, "id", "{id} {title}: {priority}, {status}, {clock}, due {due_on}, {called} {control_id}, owner {owner}",
    names=("id",),
    states=(
        State("open", ("open", "outstanding", "pending", "not closed", "unanswered", "unresolved", "current"),
              lambda _: ~pl.col("clock").is_in(["closed_on_time", "closed_late"])),
        State("overdue", OVERDUE, is_in("clock", "overdue")),
        State("at risk", ("at risk", "in danger", "tight"), is_in("clock", "at_risk"), after=True),
        State("on track", ("on track", "fine"), is_in("clock", "on_track"), after=True),
        State("waiting on the requester", ("waiting on the requester", "waiting on requester", "paused",
            "waiting for the auditor",
                                           "waiting on the auditor", "waiting"), is_in("clock", "paused"), after=True),
        State("closed", ("closed", "finished", "answered", "done", "completed"),
              is_in("clock", "closed_on_time", "closed_late")),
        State("closed late", ("closed late", "answered late", "finished late"), is_in("clock", "closed_late")),
        State("returned", ("returned", "sent back", "came back"), over("returns", 1)),
        State("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={"priority": {"urgent": "P1", "priority 1": "P1", "top priority": "P1", "highest priority": "P1"},
        "status": {}},
    dates={"opened_on": ("opened", "asked", "ask", "requested", "received", "new", "came in", "made", "get"),
           "finished_on": ("closed", "finished", "answered", "completed", "done"),
           "submitted_on": ("submitted", "sent"), "accepted_on": ("accepted",), "due_on": ("due", "deadline")},
    due="due_on", people={"owner": OWNER, "backup": ("backup", "deputy", "stands in"), "requester": ("requester",
        "asked",
                                                                                               "requested")},
    links={"framework": "framework"},
    attributes={"status": ("status", "state"), "priority": ("priority", "urgent"), "title": ("about", "title", "want",
        "ask"),
                "clock": ("clock", "on time", "sla")},
    presumed="open", report="evidence-requests", size="age_days",
    figures={frozenset({"open"}): "requests_open", frozenset({"overdue"}): "requests_overdue",
             frozenset({"open", "overdue"}): "requests_overdue", frozenset({"at risk"}): "requests_at_risk",
             frozenset({"on track"}): "requests_on_track", frozenset({"waiting on the requester"}): "requests_paused"},
    period_figures={("finished_on", frozenset({"closed"})): "requests_closed_in_period"},
    fillers=("auditor", "auditors", "evidence", "from", "work", "ask"),
)  # fmt: skip

RISK = Entity(
    "risk", "risks", ("risk", "threat", "risk register", "register"),
    _risks, "id", "{id} {title}: residual {residual} ({level}), appetite {appetite}, {treatment}, owner {owner}",
    names=("id", "title"),
    states=(
        State("above appetite", ("above appetite", "over appetite", "beyond appetite", "exceed appetite",
            "outside appetite",
                                 "too high", "over our appetite", "above our appetite", "exceed our appetite"),
              flag("over_appetite"), after=True, aside=True),
        State("unrated", ("unrated", "unknown rating", "not rated", "unknown", "without rating", "nobody rated",
            "nobody has rated", "never rated"), flag("unknown"), aside=True),
        State("open", ("open", "on the register", "current", "live"), is_in("status", "open")),
        State("closed", ("closed", "retired"), is_in("status", "closed")),
        State("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={"treatment": {"accepted": "accept", "accepting": "accept", "mitigated": "mitigate",
        "mitigating": "mitigate",
                           "transferred": "transfer", "transferring": "transfer", "avoided": "avoid",
                           "insure": "transfer",
                           "insured": "transfer"},
             "level": {"severe": "critical"}, "category": {}},
    dates={"identified_on": ("identified", "new", "raised", "added", "found"), "reviewed_on": ("reviewed", "review",
        "looked at")},
    people={"owner": OWNER},
    attributes={"residual": ("residual", "rating", "score", "residual rating", "residual risk", "rated", "high", "bad"),
                "inherent": ("inherent", "inherent rating", "gross"), "treatment": ("treatment", "treat", "do about",
                "treated",
                                                                                "handle"),
                "likelihood": ("likelihood", "likely"), "impact": ("impact",), "appetite": ("appetite",),
                "level": ("level",), "category": ("category",), "title": ("about", "title")},
    size="residual", presumed="open", report="risk-heatmap",
    figures={frozenset({"open"}): "risks", frozenset({"above appetite"}): "risks_over_appetite",
             frozenset({"open", "above appetite"}): "risks_over_appetite", frozenset({"unrated"}): "risks_unrated",
             frozenset({"open", "unrated"}): "risks_unrated"},
    fillers=("register", "our"),
)  # fmt: skip

EXCEPTION = Entity(
    "exception", "exceptions", ("exception", "waiver", "deviation", "risk acceptance", "compensating control"),
    _exceptions, "id",
        "{id} {kind}, {called} {control_id} {title}: {standing}, expires {expires_on}, approver {approver}",
    names=("id",),
    states=(
        State("in force", ("in force", "active", "approved", "open", "current", "valid", "live"), is_in("standing",
            "approved"),
              after=True),
        State("expired", ("expired", "lapsed", "overdue", "past due", "ran out", "run out"), is_in("standing",
            "expired")),
        State("draft", ("draft", "in draft"), is_in("standing", "draft")),
        State("rejected", ("rejected", "refused", "turned down"), is_in("standing", "rejected")),
        State("resolved", ("resolved", "closed", "ended"), is_in("standing", "resolved")),
        State("in review", ("in review", "pending", "waiting for approval"), is_in("standing", "in_review"),
            after=True),
        State("renewed", ("renewed", "extended"), over("renewals", 1)),
    ),
    choices={"kind": {"accepted risk": "accepted_risk", "risk accepted": "accepted_risk",
        "compensating": "compensating"},
             "residual": {}},
    dates={"expires_on": ("expire", "expires", "expiring", "end", "ends", "run out", "runs out", "expiry", "renewal",
        "lapse"),
           "approved_on": ("approved", "granted", "new")},
    due="expires_on", people={"approver": ("approver", "approved", "signed", "granted", "accepted", *OWNER)},
    links={"framework": "framework"},
    attributes={"standing": ("status", "state", "standing"), "residual": ("residual",), "reason": ("reason",),
        "kind": ("kind", "type"),
                "compensating": ("compensating", "compensating control"), "control_id": ("control",)},
    reason="reason", presumed="in force", report="exception-register", fillers=("control",),
)  # fmt: skip

POLICY = Entity(
    "policy", "policies", ("policy", "guardrail", "rulebook"),
    _policies, "id", "{id} {title}: {state}, version {version}, review due {review_due_on}, owner {owner}",
    names=("id", "policy", "title"),
    states=(
        State("active", ("active", "in force", "accepted", "approved", "current", "published", "live"), is_in("state",
            "active")),
        State("draft", ("draft", "drafts", "in draft", "unpublished"), is_in("state", "draft")),
        State("retired", ("retired", "old", "superseded"), is_in("state", "retired")),
        State("overdue for review", (*OVERDUE, "overdue review", "overdue for review", "review overdue",
            "out of date", "outdated"),
              past("review_due_on", "active", status="state"), after=True),
        State("unowned", UNOWNED, none("owner"), aside=True),
    ),
    choices={"kind": {}}, dates={"review_due_on": ("review", "due", "reviewed", "renew", "renewal"),
                                 "accepted_on": ("accepted", "approved", "published", "signed")},
    due="review_due_on", people={"owner": (*OWNER, "wrote"), "accepted_by": ("accepted", "approved", "signed",
        "approver")},
    attributes={"state": ("state", "status"), "version": ("version",), "kind": ("kind", "type"),
        "playbook": ("playbook",)},
    presumed="active", fillers=("for", "governance"),
)  # fmt: skip

HOLD = Entity(
    "legal hold", "legal holds", ("legal hold", "litigation hold", "hold", "matter"),
    _holds, "id", "{id} {matter}: placed on {placed_on} by {placed_by}, custodian {custodian}, incident {incident_id}, "
    "released {released_on}",
    names=("id", "matter"),
    states=(
        State("active", ("active", "in force", "open", "current", "live", "in place"), flag("active")),
        State("released", ("released", "ended", "lifted", "closed"), flag("active", False)),
    ),
    dates={"placed_on": ("placed", "put", "started", "since", "begin", "new"), "released_on": ("released", "lifted",
        "ended")},
    people={"custodian": ("custodian", *OWNER), "placed_by": ("placed", "put"), "released_by": ("released", "lifted")},
    links={"incident": "incident_id"},
    attributes={"matter": ("matter", "about"), "reason": ("reason",), "purges_blocked": ("purge", "purges"),
        "scope": ("scope",)},
    reason="reason", report="legal-holds", figures={frozenset({"active"}): "holds_active",
        frozenset({"released"}): "holds_released"},
    fillers=("legal", "purpose"), presumed="active",
)  # fmt: skip

POAM = Entity(
    "POA&M item", "POA&M items", ("poam", "poam item", "plan of action", "milestone", "poam entry"),
    _poam, "id", "{id} {title}: {status}, due {due_on}, weakness {weakness_key}, owner {owner}", names=("id",),
    states=(
        State("open", ("open", "outstanding", "not closed", "current"), is_in("status", "open")),
        State("late", OVERDUE, past("due_on", "open")),
        State("closed", ("closed", "completed", "done", "finished"), is_in("status", "completed")),
        State("unowned", UNOWNED, none("owner"), aside=True),
    ),
    dates={"detected_on": ("detected", "found", "new"), "due_on": ("due", "deadline"), "closed_on": ("closed",
        "completed", "done")},
    due="due_on", people={"owner": OWNER}, attributes={"status": ("status", "state"), "weakness_key": ("weakness",
        "control")},
    presumed="open", report="fedramp-poam",
    figures={frozenset({"open"}): "poam_items_open", frozenset({"late"}): "poam_items_late",
             frozenset({"open", "late"}): "poam_items_late", frozenset({"closed"}): "poam_items_closed"},
    fillers=("item",),
)  # fmt: skip
ASSURANCE = (VENDOR, DOCUMENT, REQUEST, RISK, EXCEPTION, POLICY, HOLD, POAM)
