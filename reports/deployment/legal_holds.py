"""Legal holds in force: what they keep, since when, and how often they stopped a purge."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared.wording import count_of

REVIEW_DAYS = 365  # a hold that nobody looked at for a year may be over
COLUMNS = (
    "id", "matter", "incident_id", "scope", "reason", "custodian", "placed_by", "placed_at", "age_days", "flagged",
    "first_flagged_at", "last_flagged_at", "purges_blocked",
)  # fmt: skip
LABELS = {
    "id": "Hold",
    "incident_id": "Incident",
    "placed_at": "Placed (UTC)",
    "age_days": "Age (days)",
    "flagged": "Audit events kept",
    "first_flagged_at": "From (UTC)",
    "last_flagged_at": "To (UTC)",
    "purges_blocked": "Purges stopped",
    "released_on": "Released",
}
DEFINITIONS = {
    "flagged": "Events of the audit log under the hold: of its incident with the rehearsals, executions and analyses "
    "made for it, of the actions that its scope begins, or all. The total counts an event under two holds once.",
    "purges stopped": "Runs of the retention job that would have removed something without this hold.",
    "invariant": "What is held is never purged. Placing and releasing a hold are events of the audit log themselves.",
    "scope": "incident, all, or the beginning of actions such as access. – a hold that names nothing holds everything.",
}


def build(legal_holds: pl.DataFrame, ask: Ask) -> Document:
    active = legal_holds.filter("active").sort("age_days", "id", descending=[True, False])
    released = legal_holds.filter(~pl.col("active")).sort("released_on", "id", descending=[True, False])
    flagged = active["flagged_by_any"][0] if active.height else 0
    return Document(
        headline=_headline(active, flagged),
        summary={
            "active_holds": active.height,
            "incidents_held": active["incident_id"].drop_nulls().n_unique(),
            "flagged_audit_rows": flagged,
            "first_flagged_at": active["first_flagged_at"].min(),
            "last_flagged_at": active["last_flagged_at"].max(),
            "purges_blocked": int(active["purges_blocked"].sum()),
            "released_holds": released.height,
        },
        tables=(
            Table("holds", "Holds in force, oldest first", active.select(COLUMNS), labels=LABELS),
            Table(
                "released", "Released", released.select(*COLUMNS, "released_by", "released_on"), labels=LABELS
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(active),
    )  # fmt: skip


def _headline(active: pl.DataFrame, flagged: int) -> str:
    if active.is_empty():
        return "No legal hold is in force; retention alone decides what is kept."
    oldest = active.row(0, named=True)
    return (
        f"{count_of(active.height, 'legal hold')} {'keeps' if active.height == 1 else 'keep'} "
        f"{count_of(flagged, 'audit event')} from being purged; the oldest, {oldest['id']} ({oldest['matter']}), is "
        f"{count_of(oldest['age_days'], 'day')} old."
    )


def _warnings(active: pl.DataFrame) -> list[str]:
    warnings = []
    old = active.filter(pl.col("age_days") > REVIEW_DAYS).height
    if old:
        warnings.append(f"{count_of(old, 'hold')} older than a year: ask whether the matter still needs it.")
    ownerless = active.filter(pl.col("custodian").is_null()).height
    if ownerless:
        warnings.append(f"{count_of(ownerless, 'hold')} without a custodian.")
    empty = active.filter(pl.col("flagged") == 0).height
    if empty:
        warnings.append(f"{count_of(empty, 'hold')} without a single audit event: check the incident and the scope.")
    return warnings


REPORT = Report(
    name="legal-holds",
    title="Legal holds",
    description="Active legal holds with the audit events that they keep, and the purges that they stopped.",
    build=build,
    parameters=(),
)
