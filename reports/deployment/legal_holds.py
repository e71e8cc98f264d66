"""Legal holds in force: what they keep, since when, and how often they stopped a purge."""

from datetime import datetime, timedelta

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, FrameRow, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import setup
from reports.shared.wording import count_of, with_whom

REVIEW_DAYS = 365  # a hold that nobody looked at for a year may be over
COLUMNS = (
    "id", "matter", "incident_id", "custodian", "age_days", "flagged", "scope", "reason", "placed_by", "placed_at",
    "first_flagged_at", "last_flagged_at", "purges_blocked",
)  # fmt: skip
# what a page has no room for: identifiers, fragments of actions and moments
UNREAD = ("id", "scope", "placed_by", "placed_at", "first_flagged_at", "last_flagged_at")
LABELS = {"id": "Hold", "flagged": "Audit events kept"}
DEFINITIONS = {
    "invariant": "What is held is never purged. Placing and releasing a hold are events of the audit log themselves.",
    "kept": "All events of the hold, whatever their age. The retention report counts those of them that are past their "
    "retention: what would be gone without the hold.",
    "scope": "incident, all, or the beginning of actions such as access. – a hold that names nothing holds everything.",
}


def build(legal_holds: pl.DataFrame, figures: Figures) -> Document:
    active = legal_holds.filter("active").sort("age_days", "id", descending=[True, False])
    released = legal_holds.filter(~pl.col("active")).sort("released_on", "id", descending=[True, False])
    return Document(
        *_opening(active, figures),
        tables=(
            Table("holds", "Holds in force, oldest first", active.select(COLUMNS), labels=LABELS, hidden=UNREAD),
            Table(
                "released",
                "Released",
                released.select(*COLUMNS, "released_by", "released_on"),
                labels=LABELS,
                hidden=(*UNREAD, "age_days"),
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(active),
    )


def _opening(active: pl.DataFrame, figures: Figures) -> Opening:
    if active.is_empty():
        return Opening("No legal hold is in force; retention alone decides what is kept.", setup.fill("legal_holds"))
    oldest = active.row(0, named=True)
    covers = "covers" if active.height == 1 else "cover"
    old = count_of(oldest["age_days"], "day")
    return Opening(
        f"{count_of(figures['holds_active'], 'legal hold')} {covers} "
        f"{count_of(figures['held_events'], 'audit event')}, which no purge takes.",
        f"Ask whether the hold on “{oldest['matter']}” is still needed ({_who(oldest)}): it is {old} old"
        f"{_review(oldest['placed_at'])}.",
    )


def _who(hold: FrameRow) -> str:
    return with_whom(hold["custodian"])


def _review(placed_at: datetime | None) -> str:
    """By when a hold is looked at again: a year after it was placed."""
    if placed_at is None:
        return ""
    return f", and is to be looked at again by {spelled_day((placed_at + timedelta(days=REVIEW_DAYS)).date())}"


def _warnings(active: pl.DataFrame) -> list[str]:
    warnings: list[str] = []
    old = active.filter(pl.col("age_days") > REVIEW_DAYS).height
    if old:
        warnings.append(f"{count_of(old, 'hold')} older than a year: ask whether the matter still needs it.")
    ownerless = active.filter(pl.col("custodian").is_null()).height
    if ownerless:
        warnings.append(Alarm(f"{count_of(ownerless, 'hold')} without a custodian: whoever placed it names one."))
    empty = active.filter(pl.col("flagged") == 0).height
    if empty:
        warnings.append(f"{count_of(empty, 'hold')} without a single audit event: check the incident and the scope.")
    return warnings


REPORT = Report(
    name="legal-holds",
    title="Legal holds",
    description="Active legal holds with the audit events that they keep, and the purges that they stopped.",
    build=build,
    figures=select(
        *("holds_active", "incidents_held", "held_events", "held_events_first_at", "held_events_last_at"),
        *("purges_blocked", "holds_released"),
    ),
    parameters=(),
    schema_version=2,
)
