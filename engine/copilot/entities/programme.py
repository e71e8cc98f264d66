"""What the programme consists of: frameworks, controls, gaps, evidence, duties, attestations, tests."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, framework_name, is_in, none, past, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED

_NO_EVIDENCE = phrases(
    "without evidence, no evidence, missing evidence, no data, nothing on record, undocumented, without any "
    "evidence, lack evidence, evidence missing"
)
# what asks for the kinds of evidence that a control wants
_NEEDED = phrases(
    "evidence is needed, evidence is required, evidence needed, evidence required, evidence do we need, evidence "
    "does need, evidence need, kinds of evidence, prove, proves, proof of"
)
OVERDUE = phrases(
    "overdue, late, past due, missed, behind, past their date, past its date, slipped, due already, owe, owes, past "
    "deadline, passed, behind schedule, past sla, lapsed"
)


def _frameworks(records: Records) -> pl.DataFrame:
    dates = (
        records.fact("organization_frameworks_rows").filter("in_scope").select("framework", "adopted_on", "target_on")
    )
    names = framework_name(records).alias("called")
    gaps = records.fact("gaps").group_by("framework").agg(gaps=pl.len().cast(pl.Int64))
    return (
        dates.join(records.fact("readiness").drop("name"), on="framework", how="left")
        .join(gaps, on="framework", how="left")
        .with_columns(names)
        .sort("framework")
    )


def _controls(records: Records) -> pl.DataFrame:
    key = ["framework", "control_id"]
    against = (
        records.fact("control_evidence")
        .drop_nulls("contradicted_at")
        .sort(*key, "contradicted_at")
        .group_by(key, maintain_order=True)
        .last()
        .select(*key, "contradicted_by", "contradicted_on")
    )
    status = records.fact("control_status").filter("applicable").join(against, on=key, how="left")
    missing = pl.col("kinds_required").list.set_difference("kinds_present").list.join(", ")
    stale = pl.col("kinds_stale").list.join(", ")
    parts = [
        pl.format("test {} failed", "failing_test"),
        pl.format("'{}' on {} speaks against it", "contradicted_by", "contradicted_on"),
        pl.when(missing != "").then(pl.format("evidence of the kind {} was never given", missing)),
        pl.when(stale != "").then(pl.format("evidence of the kind {} is past its window", stale)),
        pl.when(pl.col("state") == "effective").then(pl.lit("all mandatory evidence is there and fresh")),
    ]
    held = records.table("control_owners").sort("email").group_by(key, maintain_order=True)
    roles = held.agg(
        pl.col("email").filter(pl.col("raci") == "R").str.join(", ").alias("owner_all"),
        pl.col("email").filter(pl.col("raci") == "A").str.join(", ").alias("accountable_all"),
    )
    return status.join(roles, on=key, how="left").with_columns(
        id=pl.format("{}:{}", "framework", "control_id"),
        called=framework_name(records),
        because=pl.format("{}: {}", "state", pl.concat_list(parts).list.drop_nulls().list.join("; ")),
    )


def _gaps(records: Records) -> pl.DataFrame:
    severity = pl.col("severity").replace_strict({"critical": 5, "high": 4, "medium": 3, "low": 2}, default=1)
    return records.fact("gaps").with_columns(called=framework_name(records), rank=severity)


def _remediations(records: Records) -> pl.DataFrame:
    rows = records.table("remediations").select("id", "blocked_by", "runbook", raw_severity="severity")
    return (
        records.fact("remediations")
        .join(rows, on="id", how="left")
        .with_columns(
            called=framework_name(records),
            control=pl.format("{}:{}", "framework", "control_id"),
            severity=pl.coalesce("severity", "raw_severity"),
            days_to_close=(pl.col("closed_on") - pl.col("opened_on")).dt.total_days(),
        )
    )


def _attestations(records: Records) -> pl.DataFrame:
    return records.fact("attestations").with_columns(
        called=framework_name(records), control=pl.format("{}:{}", "framework", "control_id")
    )


def _duties(records: Records) -> pl.DataFrame:
    kinds = pl.col("kind").str.replace_all("_", " ")
    return records.fact("obligations").filter(pl.col("state") != "cancelled").with_columns(kind=kinds)


def _tests(records: Records) -> pl.DataFrame:
    return (
        records.fact("test_windows")
        .drop("cadence")
        .with_columns(
            called=framework_name(records),
            id=pl.coalesce("run_id", pl.format("{} from {}", "schedule_id", "window_open_on")),
        )
    )


FRAMEWORK = Entity(
    "framework", "frameworks",
    phrases(
        "framework, standard, certification, readiness, pack, programme, program, audit, compliance, ready, "
        "compliant, certified, regulation, certificate, certify, readyness"
    ),
    _frameworks, "framework",
    "{called}: {weighted_pct} % weighted readiness, {strict_pct} % strict, {gaps} open gaps, target {target_on}",
    names=("framework",),
    dates={
        "target_on": ("target date", "target day", "target", "audit", "due", "deadline", "certified", "certify"),
        "adopted_on": ("adopt", "adopted", "started", "start", "begin", "began")
    },
    due="target_on", links={"framework": "framework"},
    attributes={
        "weighted_pct": phrases(
            "readiness, ready, weighted, weighted readiness, compliant, far, score, compliance, doing, standing, "
            "stand, percent"
        ),
        "strict_pct": ("strict", "strict readiness", "fully effective"), "gaps": ("gap", "open gaps"),
        "effective": ("effective",), "ineffective": ("ineffective",), "applicable": ("applicable", "controls"),
        "coverage_pct": ("coverage", "covered"), "prior_weighted_pct": ("before", "previous", "last month")
    },
    size="weighted_pct", scale="weighted_pct", dated=False, report="baseline-comparison",
    fillers=phrases(
        "do, doing, follow, under, work, towards, toward, against, scope, place, score, get, percent, how"
    ),
)  # fmt: skip

CONTROL = Entity(
    "control", "controls", ("control", "requirement", "criterion", "criteria", "safeguard", *_NEEDED), _controls,
    "id",
    "{called} {control_id} {title}: {state} since {state_since}, last evidence on {last_evidence_on}, owner {owner}",
    names=("control_id",),
    states=(
        RowState(
            "effective",
            phrases("green, working, work, operating, fine, passing, in place, implemented, met, satisfied"),
            is_in("state", "effective")
        ),
        RowState(
            "not effective", phrases("red, weak, not working, not operating, open"),
            lambda _: pl.col("state") != "effective"
        ),
        RowState("ineffective", ("failing", "failed", "broken"), is_in("state", "ineffective")),
        RowState(
            "stale", phrases("stale evidence, outdated, evidence stale, old evidence, out of date"),
            is_in("state", "stale")
        ),
        RowState("partial", ("partially effective", "partly effective", "incomplete"), is_in("state", "partial")),
        RowState("without data", _NO_EVIDENCE, is_in("state", "no_data"), after=True),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState(
            "with an exception", ("exception", "excepted"), lambda _: pl.col("exception_id").is_not_null(), after=True
        ),
        RowState("unattested", ("not attested", "not signed"), flag("attested", False))
    ),
    choices={"state": {}, "cadence": {}, "freshness": {}},
    dates={
        "last_evidence_on": ("evidence", "last evidence"), "state_since": ("since", "state", "become", "became"),
        "next_due_on": ("due", "next due", "renew"), "last_test_on": ("tested", "test", "last tested"),
        "attested_on": ("attested", "signed")
    },
    due="next_due_on",
    people={"owner": (*OWNER, "performs"), "accountable": ("accountable", "approves", "answers for")},
    links={"framework": "framework", "control": "id"},
    attributes={
        "state": ("state", "status", "doing", "health", "standing", "effective", "ineffective", "working"),
        "title": ("title", "about", "called", "name", "mean"), "weight": ("weight",),
        "cadence": ("cadence", "often", "frequency"), "freshness": ("freshness", "fresh"),
        "last_evidence_on": ("last evidence", "evidence"), "exception_id": ("exception",),
        "group_title": ("family", "group"), "kinds_required": _NEEDED, "kinds_present": ("evidence", "kinds present")
    },
    reason="because", size="weight", dated=False, report="evidence-freshness",
    figures={
        frozenset(): "controls_applicable",
        **{frozenset({word}): f"controls_{word}" for word in ("effective", "ineffective", "stale", "partial")},
        frozenset({"without data"}): "controls_no_data", frozenset({"not effective"}): "gaps_open"
    },
    fillers=("marked", "currently", "scope"),
)  # fmt: skip

GAP = Entity(
    "gap", "gaps", ("gap", "shortcoming", "deficiency", "work", "effort", "quick win"), _gaps, "gap_id",
    "{called} {control_id} {title}: {severity}, {state}, {effort_hours} h, work {status}, due {due_on}, owner "
    "{owner}",
    names=("gap_id", "title"),
    states=(
        RowState(
            "open", phrases("remaining, remain, left, outstanding, unresolved, current, not closed"),
            lambda _: pl.lit(True)
        ),
        RowState("overdue", OVERDUE, lambda today: pl.col("due_on") < today),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState("blocked", ("stuck",), is_in("status", "blocked")),
        RowState("quick", ("quick win", "easy", "low hanging"), flag("quick_win")),
        RowState("without a runbook", ("without runbook", "no runbook"), none("runbook"), after=True)
    ),
    choices={"severity": {"crit": "critical"}, "state": {"no evidence": "no_data"}, "status": {}},
    dates={"detected_on": ("detected", "found", "new", "since", "opened", "appeared"), "due_on": ("due", "deadline")},
    due="due_on", people={"owner": OWNER}, links={"framework": "framework", "control": "gap_id"},
    attributes={
        "severity": ("severity",), "state": ("state", "status"), "effort_hours": ("effort", "hours", "long", "work"),
        "runbook_title": ("runbook", "fix", "close", "remediate"), "blocked_by": ("blocked", "blocking", "blocks")
    },
    measures={"effort_hours": ("effort", "hours", "work")}, reason="{state} since {state_since}", size="priority",
    loose=("work", "effort"), report="gap-remediations",
    figures={
        frozenset(): "gaps_open", frozenset({"open"}): "gaps_open",
        **{
            frozenset({word, *more}): f"gaps_{word}"
            for word in ("critical", "high", "medium", "low")
            for more in ((), ("open",))
        },
        frozenset({"unowned"}): "gaps_without_owner", frozenset({"open", "unowned"}): "gaps_without_owner",
        frozenset({"overdue"}): "remediations_overdue", frozenset({"quick"}): "quick_wins",
        frozenset({"blocked"}): "gaps_blocked", frozenset({"without a runbook"}): "gaps_without_runbook"
    },
    fillers=("compliance", "control", "remediation"),
)  # fmt: skip

REMEDIATION = Entity(
    "remediation", "remediations",
    (
        "remediation", "remediating", "remediate", "remediation task", "fix task", "remediation work", "fix", "fixes",
        "gap"
    ),
    _remediations, "id", "{id} {title}: {status}, {called} {control_id}, due {due_on}, owner {owner}",
    names=("id", "blocked_by"),
    states=(
        RowState(
            "open", ("outstanding", "unfinished", "not closed", "pending"),
            is_in("status", "open", "in_progress", "blocked")
        ),
        RowState("overdue", OVERDUE, past("due_on", "open", "in_progress", "blocked")),
        RowState("blocked", ("stuck", "stuck waiting", "held up", "on hold"), is_in("status", "blocked")),
        RowState("in progress", ("under way", "started", "being worked on"), is_in("status", "in_progress")),
        RowState("not started", ("not been started", "not begun", "untouched"), is_in("status", "open")),
        RowState("closed", ("finished", "completed", "done"), is_in("status", "closed")),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={"severity": {"crit": "critical"}},
    dates={
        "opened_on": ("opened", "started", "new", "created"),
        "closed_on": ("closed", "close", "finished", "completed", "done"), "due_on": ("due", "deadline")
    },
    due="due_on", done="closed_on", people={"owner": OWNER}, links={"framework": "framework", "control": "control"},
    attributes={
        "status": ("status", "state"), "severity": ("severity",), "blocked_by": ("blocked", "blocking", "blocks")
    },
    measures={"days_to_close": ("days to close", "time to close")}, reason="blocked_by", presumed="open",
    loose=("gap",),
    period_figures={
        ("opened_on", frozenset()): "remediations_opened_in_period",
        ("closed_on", frozenset()): "remediations_closed_in_period"
    },
)  # fmt: skip

ATTESTATION = Entity(
    "attestation", "attestations",
    ("attestation", "sign off", "signoff", "signature", "attest", "attestation renewal"), _attestations, "id",
    "{id} {title}: {status}, due {due_on}, owner {owner}", names=("id",),
    states=(
        RowState("overdue", OVERDUE, is_in("status", "overdue")),
        RowState(
            "pending", phrases("open, outstanding, unsigned, not signed, to sign, missing, due"),
            is_in("status", "overdue", "due_7", "due_30", "not_due")
        ),
        RowState("signed", ("attested", "done", "completed", "given"), is_in("status", "attested")),
        RowState("rejected", ("refused", "declined"), is_in("status", "rejected")),
        RowState("unsupported", ("without evidence",), flag("unsupported")),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    choices={}, dates={"due_on": ("due", "deadline"), "attested_on": ("signed", "attested", "decided", "rejected")},
    due="due_on", done="attested_on",
    people={
        "owner": (*OWNER, "owe", "owes", "late", "sign"), "attestor": ("signed", "attested", "attestor"),
        "delegated_to": phrases(
            "delegated, delegated to, handed on, handed on to, handed over to, passed on to, passed to"
        )
    },
    links={"framework": "framework", "control": "control"}, attributes={"status": ("status", "state")},
    presumed="pending", hints=("sign", "signs", "signature"), report="attestations",
    figures={frozenset({"overdue"}): "attestations_overdue"}, fillers=("us", "control"),
)  # fmt: skip

DUTY = Entity(
    "duty", "duties",
    phrases(
        "duty, obligation, deadline, task, commitment, calendar, to do, todo, plate, work, workload, due date, "
        "agenda, things, stuff"
    ),
    _duties, "obligation_id", "{due_on} {title}: {state}, {effort_hours} h, owner {owner}", names=("obligation_id",),
    states=(
        RowState("overdue", OVERDUE, is_in("state", "overdue")),
        RowState(
            "pending", phrases("open, outstanding, upcoming, due, on plate, to do, left, coming up"),
            is_in("state", "overdue", "open")
        ),
        RowState("done", ("finished", "completed", "closed"), is_in("state", "done", "late")),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState("fixed", ("hard", "regulatory", "immovable"), flag("hard"))
    ),
    choices={"kind": {}},
    dates={"due_on": ("due", "deadline", "coming"), "done_on": ("done", "finished", "completed")}, due="due_on",
    people={"owner": OWNER, "accountable": ("accountable",)}, links={"vendor": "vendor_id"},
    attributes={"state": ("state", "status"), "effort_hours": ("effort", "hours")},
    measures={"effort_hours": ("effort", "hours", "hours of work")}, presumed="pending", report="calendar",
    figures={
        frozenset({"pending"}): "obligations_pending", frozenset({"overdue"}): "obligations_overdue",
        frozenset({"unowned"}): "obligations_without_owner",
        frozenset({"pending", "unowned"}): "obligations_without_owner"
    },
    fillers=("compliance", "on", "have", "left", "with"), hints=("overdue", "late", "due", "deadline"),
    loose=phrases("stuff, things, task"),
)  # fmt: skip

TEST = Entity(
    "test", "tests", ("test", "control test", "test run", "testing", "test window", "tested"), _tests, "id",
    "{id} {procedure}: {standing}, {outcome}, window to {window_close_on}, performed on {performed_on}, owner "
    "{owner}",
    names=("id", "schedule_id", "procedure"),
    states=(
        RowState("failed", ("fail", "failing", "failure"), is_in("outcome", "failed")),
        RowState("passed", ("pass", "successful"), is_in("outcome", "passed")),
        RowState("missed", ("overdue", "skipped", "not performed"), is_in("standing", "missed")),
        RowState("late", ("performed late",), is_in("standing", "late")),
        RowState("upcoming", ("planned", "scheduled", "due"), is_in("standing", "upcoming", "open")),
        RowState("open", ("running",), is_in("standing", "open")),
        RowState("performed", ("done", "run", "ran", "completed"), lambda _: pl.col("performed_on").is_not_null()),
        RowState("with deviations", ("deviation",), lambda _: pl.col("deviations") > 0, after=True)
    ),
    dates={
        "performed_on": ("performed", "run", "ran", "failed", "passed", "done", "tested"),
        "window_close_on": ("due", "close", "closes", "scheduled", "planned", "missed", "overdue")
    },
    due="window_close_on", done="performed_on",
    people={"owner": OWNER, "performer": phrases("performer, performed, performs, perform, ran, runs, did")},
    links={"framework": "framework"},
    attributes={
        "outcome": ("outcome", "result", "status"), "deviations": ("deviation", "with deviations"),
        "population": ("population",)
    },
    reason="cause", hints=("procedure", "procedures"), report="testing-schedules",
    fillers=("control", "found", "find"),
)  # fmt: skip

SCHEDULE = Entity(
    "testing schedule", "testing schedules",
    ("testing schedule", "test schedule", "recurring test", "schedule", "test"),
    lambda records: records.table("testing_schedules").with_columns(
        called=framework_name(records), control=pl.format("{}:{}", "framework", "control_id")
    ),
    "id", "{id} {procedure}: {cadence}, {called} {control_id}, owner {owner}", names=("id",), choices={"cadence": {}},
    people={"owner": OWNER, "performer": ("performer", "performs")},
    links={"framework": "framework", "control": "control"}, report="testing-schedules",
)  # fmt: skip

PROGRAMME = (FRAMEWORK, CONTROL, GAP, REMEDIATION, ATTESTATION, DUTY, TEST, SCHEDULE)
