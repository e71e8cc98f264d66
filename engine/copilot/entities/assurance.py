"""What others ask for and what was agreed on: evidence requests, risks, exceptions, policies, holds, POA&M items."""

from dataclasses import replace

import polars as pl

from engine.copilot.entities.entity import (
    Entity,
    Records,
    RowState,
    flag,
    framework_name,
    is_in,
    meanings,
    none,
    over,
    past,
    phrases,
)
from engine.copilot.entities.operations import OWNER, UNOWNED
from engine.copilot.entities.programme import OVERDUE


def _requests(records: Records) -> pl.DataFrame:
    called = framework_name(records).alias("called")
    days = {
        name: (pl.col(day) - pl.col("opened_on")).dt.total_days()
        for name, day in (
            ("days_to_close", "finished_on"),
            ("days_to_submit", "submitted_on"),
            ("days_to_accept", "accepted_on"),
        )
    }
    control = pl.format("{}:{}", "framework", "control_id").alias("control")
    return records.fact("requests").with_columns(called, control, **days)


def _risks(records: Records) -> pl.DataFrame:
    dates = records.table("risks").select("id", "identified_on", "previous_likelihood", "previous_impact")
    return records.fact("risks").join(dates, on="id", how="left")


def _exceptions(records: Records) -> pl.DataFrame:
    """The exceptions, with what the register flags of each."""
    control = pl.format("{}:{}", "framework", "control_id")
    rows = records.fact("exceptions").with_columns(called=framework_name(records), control=control)
    edition = records.edition("exception-register")
    listed = [] if edition is None else [one.frame for one in edition.document.tables if one.name == "register"]
    if not listed or listed[0].is_empty():
        return rows.with_columns(flags=pl.lit(None, pl.List(pl.String)))
    return rows.join(listed[0].select("id", "flags"), on="id", how="left")


def _exclusion_rows(records: Records) -> pl.DataFrame:
    called = framework_name(records)
    rows = records.fact("control_status").filter(~pl.col("applicable"))
    return rows.with_columns(id=pl.format("{}:{}", "framework", "control_id"), called=called)


def _unapproved_rows(records: Records) -> pl.DataFrame:
    """The controls that somebody left out and that nobody approved: they apply all the same."""
    key = ["framework", "control_id"]
    left = records.table("control_profiles").filter(~pl.col("applicable"), pl.col("approved_by").is_null())
    rows = left.select(*key, "justification", "approved_by", "approved_on")
    titles = records.fact("control_status").select(*key, "title")
    id = pl.format("{}:{}", "framework", "control_id")
    return rows.join(titles, on=key, how="left").with_columns(id=id, called=framework_name(records))


def _specifications(records: Records) -> pl.DataFrame:
    """The specifications of the Security Rule that apply, as the pack of HIPAA finds them; it says which are open."""
    edition = records.edition("hipaa")
    tables = {} if edition is None else {one.name: one.frame for one in edition.document.tables}
    columns = phrases("control_id, title, kind, safeguard, decision, finding, rationale, state, owner")
    if not {"specifications", "open"} <= set(tables):
        return pl.DataFrame(schema={**dict.fromkeys([*columns, "framework", "control"], pl.String), "met": pl.Boolean})
    rows = tables["specifications"].filter(pl.col("finding") != "not applicable").select(columns)
    return rows.with_columns(
        framework=pl.lit("hipaa"),
        control=pl.format("hipaa:{}", "control_id"),
        met=~pl.col("control_id").is_in(tables["open"]["control_id"].to_list()),
    )


REQUEST = Entity(
    "evidence request", "evidence requests",
    phrases(
        "evidence request, auditor request, request, auditor wait, auditor, audit request, pbc, pbc item, ask for, "
        "auditor ask, auditor asks, asked for, information request"
    ),
    _requests, "id",
    "{id} {title}: {priority}, {status}, {clock}, due {due_on}, {called} {control_id}, owner {owner}", names=("id",),
    states=(
        RowState(
            "open", phrases("outstanding, pending, not closed, unanswered, unresolved, current"),
            lambda _: ~pl.col("clock").is_in(["closed_on_time", "closed_late"])
        ),
        RowState("overdue", OVERDUE, is_in("clock", "overdue"), assumed="without those whose clock is paused"),
        RowState("at risk", ("in danger", "tight"), is_in("clock", "at_risk"), after=True),
        RowState("on track", ("fine",), is_in("clock", "on_track"), after=True),
        RowState(
            "waiting on us", ("waiting for us", "on our side"), is_in("clock", "on_track", "at_risk", "overdue"),
            after=True, assumed="by the clock of the request"
        ),
        RowState(
            "waiting on the requester",
            phrases(
                "waiting on the requester, waiting on requester, paused, waiting for the auditor, waiting on the "
                "auditor"
            ),
            is_in("clock", "paused"), after=True
        ),
        RowState(
            "closed", ("finished", "answered", "done", "completed"), is_in("clock", "closed_on_time", "closed_late")
        ),
        RowState("closed late", ("answered late", "finished late"), is_in("clock", "closed_late")),
        RowState("returned", ("sent back", "send back", "came back"), over("returns", 1)),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={
        "priority": {"urgent": "P1", "priority 1": "P1", "top priority": "P1", "highest priority": "P1"}, "status": {}
    },
    dates={
        "opened_on": ("opened", "asked", "ask", "requested", "received", "new", "came in", "made", "get"),
        "finished_on": ("closed", "finished", "answered", "completed", "done"),
        "submitted_on": ("submitted", "sent", "answer", "delivered", "handed in"), "accepted_on": ("accepted",),
        "due_on": ("due", "deadline")
    },
    due="due_on", done="submitted_on",
    people={
        "owner": OWNER,
        "backup": (
            *("backup", "deputy"),
            *(
                f"{verb}{whom}"
                for verb in phrases("stands in, steps in, step in, fills in, covers, cover, takes over")
                for whom in ("", " for", " for the owner", " for the owner of")
            )
        ),
        "requester": ("requester", "asked", "requested", "opened", "raised", "our auditor", "our assessor")
    },
    links={"framework": "framework", "control": "control"},
    attributes={
        "status": ("status", "state"), "priority": ("priority", "urgent"), "title": ("about", "title", "want", "ask"),
        "clock": ("clock", "on time", "sla"), "returns": ("returned", "sent back", "came back")
    },
    measures={
        "days_to_close": ("days to close", "days to answer", "time to close", "time to answer"),
        "days_to_submit": ("days to submit", "time to submit", "days until submission"),
        "days_to_accept": ("days to accept", "time to accept", "days until acceptance")
    },
    presumed="open", report="evidence-requests", size="age_days",
    figures={
        frozenset({"open"}): "requests_open", frozenset({"overdue"}): "requests_overdue",
        frozenset({"open", "overdue"}): "requests_overdue", frozenset({"at risk"}): "requests_at_risk",
        frozenset({"on track"}): "requests_on_track", frozenset({"waiting on the requester"}): "requests_paused"
    },
    period_figures={("finished_on", frozenset({"closed"})): "requests_closed_in_period"}, hints=("requester",),
    fillers=("auditor", "auditors", "evidence", "from", "work", "ask", "wait", "waiting", "want"),
)  # fmt: skip

RISK = Entity(
    "risk", "risks", ("risk", "threat", "risk register", "register"), _risks, "id",
    "{id} {title}: residual {residual} ({level}), appetite {appetite}, {treatment}, owner {owner}",
    names=("id", "title"),
    states=(
        RowState(
            "above appetite",
            phrases(
                "above appetite, over appetite, beyond appetite, exceed appetite, outside appetite, too high, over "
                "our appetite, above our appetite, exceed our appetite, appetite exceeded, exceeds appetite, "
                "exceeded"
            ),
            flag("over_appetite"), after=True, aside=True
        ),
        RowState(
            "that rose",
            phrases(
                "got worse, increased, rose, risen, gone up, went up, worsened, rising, worse, increasing, growing"
            ),
            lambda _: pl.col("residual") > pl.col("previous"), after=True, aside=True
        ),
        RowState(
            "that fell",
            phrases(
                "got better, decreased, fell, fallen, gone down, went down, improved, falling, better, decreasing"
            ),
            lambda _: pl.col("residual") < pl.col("previous"), after=True, aside=True
        ),
        RowState(
            "unrated",
            phrases(
                "unrated, unknown rating, not rated, unknown, without rating, nobody rated, nobody has rated, "
                "never rated"
            ),
            flag("unknown"), aside=True
        ),
        RowState("open", ("on the register", "current", "live"), is_in("status", "open")),
        RowState("closed", ("retired",), is_in("status", "closed")),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={
        "treatment": meanings(
            "accept: accepted, accepting; mitigate: mitigated, mitigating; transfer: transferred, transferring, "
            "insure, insured; avoid: avoided"
        ),
        "level": {"severe": "critical"}, "category": {"operational": "operations"}
    },
    dates={
        "identified_on": ("identified", "new", "raised", "added", "found"),
        "reviewed_on": ("reviewed", "review", "looked at"), "accepted_on": ("signed", "signed off", "approved")
    },
    people={
        "owner": OWNER,
        "accepted_by": phrases("who accepted, accepted by, signed, signed off, approved, approver, approval")
    },
    attributes={
        "residual": ("residual", "rating", "score", "residual rating", "residual risk", "rated", "high", "bad"),
        "inherent": ("inherent", "inherent rating", "gross"),
        "treatment": ("treatment", "treat", "do about", "treated", "handle"),
        "loss_high": (
            "worst case loss", "worst case", "loss", "losses", "lose", "expensive", "cost us", "cost", "could cost",
            "costing"
        ),
        "loss_low": ("best case loss",), "likelihood": ("likelihood", "likely"), "impact": ("impact",),
        "appetite": ("appetite",), "level": ("level",), "category": ("category",), "title": ("about", "title")
    },
    reason="residual {residual} ({likelihood} × {impact}, {level}) where {appetite} is accepted, treatment "
    "{treatment}",
    size="residual", scale="residual", presumed="open", report="risk-heatmap",
    figures={
        frozenset({"open"}): "risks", frozenset({"above appetite"}): "risks_over_appetite",
        frozenset({"open", "above appetite"}): "risks_over_appetite", frozenset({"unrated"}): "risks_unrated",
        frozenset({"open", "unrated"}): "risks_unrated"
    },
    fillers=("register", "our"), hints=("loss", "losses", "likelihood", "appetite"), loose=phrases("threat"),
)  # fmt: skip

EXCEPTION = Entity(
    "exception", "exceptions", ("exception", "waiver", "deviation", "risk acceptance"), _exceptions, "id",
    "{id} {kind}, {called} {control_id} {title}: {standing}, expires {expires_on}, approver {approver}",
    names=("id",),
    states=(
        RowState(
            "in force", phrases("active, approved, open, current, valid, live"), is_in("standing", "approved"),
            after=True
        ),
        RowState("expired", phrases("lapsed, overdue, past due, ran out, run out"), is_in("standing", "expired")),
        RowState(
            "still relied on",
            phrases("relied on, relied upon, still relied upon, in use, still in use, still used, still leaned on"),
            lambda _: pl.col("flags").list.contains("expired_in_use"), after=True, aside=True
        ),
        RowState("draft", ("in draft",), is_in("standing", "draft")),
        RowState("rejected", ("refused", "turned down"), is_in("standing", "rejected")),
        RowState("resolved", ("closed", "ended"), is_in("standing", "resolved")),
        RowState(
            "in review",
            phrases(
                "in review, pending, waiting for approval, waiting for a decision, waiting for decision, awaiting "
                "approval, awaiting a decision, undecided, waiting, to be decided, not decided"
            ),
            is_in("standing", "in_review"), after=True
        ),
        RowState("renewed", ("extended",), over("renewals", 1), aside=True),
        RowState(
            "that nobody approved",
            phrases(
                "not approved, never approved, unapproved, without approver, without an approver, without approval"
            ),
            none("approver"), after=True
        )
    ),
    choices={
        "kind": meanings(
            "accepted_risk: accepted risk, risk accepted, risk acceptance; compensating: compensating, "
            "compensating control"
        ),
        "residual": {}
    },
    dates={
        "expires_on": phrases("expire, expires, expiring, end, ends, run out, runs out, expiry, renewal, lapse"),
        "approved_on": ("approved", "granted", "new")
    },
    due="expires_on", people={"approver": ("approver", "approved", "signed", "granted", "accepted", *OWNER)},
    links={"framework": "framework", "control": "control"},
    attributes={
        "standing": ("status", "state", "standing"), "residual": ("residual", "residual risk", "risk"),
        "reason": ("reason",), "renewals": ("renewed", "renewals"), "kind": ("kind", "type"),
        "compensating": ("compensating", "compensating control"), "control_id": ("control",)
    },
    reason="reason", dated=False, presumed="in force", report="exception-register",
    fillers=("control", "needed", "necessary", "required"),
)  # fmt: skip

EXCLUSION = Entity(
    "excluded control", "excluded controls",
    phrases(
        "excluded control, exclude, excluded, exclusion, not applicable, left out, descoped, out of scope control, "
        "inapplicable, leave out, leaving out, not applicable control, scoped out, out of scope, marked not "
        "applicable"
    ),
    _exclusion_rows, "id",
    "{called} {control_id} {title}: {justification}, approved by {approved_by} on {approved_on}",
    names=("control_id",), dates={"approved_on": ("approved", "signed", "agreed")},
    people={"approved_by": ("approved", "signed", "agreed", *OWNER)},
    links={"framework": "framework", "control": "id"},
    attributes={"justification": ("justification", "reason"), "title": ("title", "about", "called")},
    reason="justification", dated=False, fillers=("control", "requirement", "from", "scope"),
)  # fmt: skip

UNAPPROVED = replace(
    EXCLUSION,
    name="control left out without approval",
    plural="controls left out without approval",
    source=_unapproved_rows,
    states=(
        RowState(
            "not approved",
            phrases(
                "never approved, unapproved, without approver, without an approver, without approval, not signed, "
                "not signed off, not agreed"
            ),
            none("approved_by"),
        ),
    ),
)

SPECIFICATION = Entity(
    "HIPAA specification", "HIPAA specifications",
    ("specification", "implementation specification", "hipaa specification", "spec"), _specifications, "control_id",
    "{control_id} {title}: {kind}, {finding}, {state}, owner {owner}", names=("control_id",),
    states=(
        RowState(
            "met", phrases("implemented, satisfied, fulfilled, in place, shown, complied with, covered, done"),
            flag("met")
        ),
        RowState(
            "not met", phrases("unmet, open, missing, missed, outstanding, failing, failed, lacking, not shown"),
            flag("met", False)
        ),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={"kind": {"mandatory": "required"}, "safeguard": {}, "decision": {}}, people={"owner": OWNER},
    links={"framework": "framework", "control": "control"},
    attributes={
        "finding": ("finding", "status"), "state": ("state",), "rationale": ("rationale", "reason"),
        "decision": ("decision",)
    },
    reason="rationale", dated=False, report="hipaa",
    figures={
        frozenset({"required"}): "hipaa_required", frozenset({"required", "met"}): "hipaa_required_met",
        frozenset({"addressable"}): "hipaa_addressable", frozenset({"addressable", "met"}): "hipaa_addressable_met"
    },
    fillers=("control", "safeguard", "security", "rule"),
)  # fmt: skip

POLICY = Entity(
    "policy", "policies", ("policy", "guardrail", "rulebook"),
    lambda records: records.table("policies").drop("body", "rules"), "id",
    "{id} {title}: {state}, version {version}, review due {review_due_on}, owner {owner}",
    names=("id", "policy", "title"),
    states=(
        RowState(
            "active", phrases("in force, accepted, approved, current, published, live"), is_in("state", "active")
        ),
        RowState("draft", ("drafts", "in draft", "unpublished"), is_in("state", "draft")),
        RowState("never accepted", ("not accepted", "unaccepted"), none("accepted_on")),
        RowState("retired", ("old", "superseded"), is_in("state", "retired")),
        RowState(
            "overdue for review",
            (*OVERDUE, "overdue review", "overdue for review", "review overdue", "out of date", "outdated"),
            past("review_due_on", "active", status="state"), after=True
        ),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={"kind": {"guardrail": "automation"}},
    dates={
        "review_due_on": ("review", "due", "renew", "renewal"),
        "accepted_on": ("accepted", "approved", "published", "signed")
    },
    due="review_due_on",
    people={
        "owner": (*OWNER, "wrote"), "accepted_by": ("accepted", "sign", "signs", "approved", "signed", "approver")
    },
    attributes={
        "state": ("state", "status"), "version": ("version",), "kind": ("kind", "type"), "playbook": ("playbook",)
    },
    presumed="active", dated=False, fillers=("for", "governance"), loose=phrases("rulebook"),
)  # fmt: skip

HOLD = Entity(
    "legal hold", "legal holds",
    ("legal hold", "litigation hold", "hold", "matter", "stop deletion", "block deletion", "prevent deletion"),
    lambda records: records.fact("legal_holds"), "id",
    "{id} {matter}: placed on {placed_on} by {placed_by}, custodian {custodian}, incident {incident_id}, released "
    "{released_on}",
    names=("id", "matter"),
    states=(
        RowState("active", ("in force", "open", "current", "live", "in place"), flag("active")),
        RowState("released", ("ended", "lifted", "closed"), flag("active", False))
    ),
    dates={
        "placed_on": ("placed", "put", "started", "since", "begin", "new"),
        "released_on": ("released", "lifted", "ended")
    },
    people={
        "custodian": ("custodian", *OWNER), "placed_by": ("placed", "put"), "released_by": ("released", "lifted")
    },
    links={"incident": "incident_id"},
    attributes={
        "matter": ("matter", "about"), "reason": ("reason",), "purges_blocked": ("purge", "purges"),
        "scope": ("scope",)
    },
    reason="reason", report="legal-holds",
    figures={frozenset({"active"}): "holds_active", frozenset({"released"}): "holds_released"},
    fillers=("legal", "purpose", "cover", "covers", "apply", "applies"), presumed="active",
)  # fmt: skip

POAM = Entity(
    "POA&M item", "POA&M items", ("poam", "poam item", "plan of action", "milestone", "poam entry"),
    lambda records: records.fact("poam"), "id",
    "{id} {title}: {status}, due {due_on}, weakness {weakness_key}, owner {owner}", names=("id",),
    states=(
        RowState("open", ("outstanding", "not closed", "current"), is_in("status", "open")),
        RowState("late", OVERDUE, past("due_on", "open")),
        RowState("closed", ("completed", "done", "finished"), is_in("status", "completed")),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    dates={
        "detected_on": ("detected", "found", "new"), "due_on": ("due", "deadline"),
        "closed_on": ("closed", "completed", "done")
    },
    due="due_on", done="closed_on", people={"owner": OWNER}, links={"control": "weakness_key"},
    attributes={"status": ("status", "state"), "weakness_key": ("weakness", "control")}, presumed="open",
    report="fedramp-poam",
    figures={
        frozenset({"open"}): "poam_items_open", frozenset({"late"}): "poam_items_late",
        frozenset({"open", "late"}): "poam_items_late", frozenset({"closed"}): "poam_items_closed"
    },
    fillers=("item",),
)  # fmt: skip
ASSURANCE = (REQUEST, RISK, EXCEPTION, EXCLUSION, UNAPPROVED, SPECIFICATION, POLICY, HOLD, POAM)
