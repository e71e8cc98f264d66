"""The compliance programme on one screen: readiness, gaps, attestations, vendors, dates and risks."""

from datetime import date

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from engine.model.vocabulary import GAP_SEVERITIES, VENDOR_TIERS
from reports.programme.risk_grid import register_of
from reports.shared import packs
from reports.shared.ordering import rank
from reports.shared.wording import (
    change,
    count,
    percent,
    sentence,
)

AGES = {"to_30_days": (0, 30), "to_90_days": (31, 90), "over_90_days": (91, 10**6)}
BOARD = {
    "current": ("attested",),
    "not_due": ("not_due",),
    "due": ("due_30", "due_7"),
    "overdue": ("overdue",),
    "rejected": ("rejected",),
}
DECIDED = ("attested", "rejected")
READINESS = "readiness"
LABELS = {
    "name": "Framework",
    "strict_change": "Strict change",
    "weighted_change": "Weighted change",
    "open_gaps": "Open gaps",
    "to_30_days": "Up to 30 days",
    "to_90_days": "31 to 90 days",
    "over_90_days": "Over 90 days",
    "oldest_days": "Oldest (days)",
    "unowned": "Without owner",
    "current": "Attested",
    "due": "Due in 30 days",
    "review_due_soon": "Review due soon",
    "review_overdue": "Review overdue",
    "never_reviewed": "Never reviewed",
    "inherited_gaps": "Inherited gaps",
    "id": "Risk",
    "over_appetite": "Over appetite",
    "movement": "Since last review",
    "due_on": "Due",
    "title": "What",
    "days_left": "Days left",
    "hard": "Cannot move",
}
DEFINITIONS = {
    "Strict": "Effective controls as a share of the applicable controls.",
    "Weighted": "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, each by "
    "its weight from 1 to 5, as a share of all weights.",
    "Change": "Percentage points against the last snapshot before the period.",
    "Gap": "An applicable control that is not effective; its age counts from the day it was found.",
    "Attested": "The newest decision on the control stands. Due: open and due within 30 days, the last day included.",
    "Review overdue": "The vendor's next review has passed. Never reviewed is counted apart and is not low risk.",
    "Appetite": "The largest residual risk (likelihood 1 to 5 times impact 1 to 5) that the organization accepts.",
}


def build(
    readiness: pl.DataFrame,
    posture: pl.DataFrame,
    gaps: pl.DataFrame,
    attestations: pl.DataFrame,
    vendors: pl.DataFrame,
    obligations: pl.DataFrame,
    risks: pl.DataFrame,
    ask: Ask,
) -> Document:
    frameworks, board, tiers = _frameworks(readiness), _board(attestations), _tiers(vendors)
    register = register_of(risks)
    upcoming = obligations.filter(pl.col("state").is_in(["open", "overdue"]))
    overall = posture.filter(pl.col("component") == READINESS).head(1)
    weighted, before = _first(overall["value"]), _first(overall["prior_value"])
    return Document(
        headline=_headline(frameworks, gaps, weighted, before, overall["prior_on"], ask),
        summary={
            "weighted_pct": None if weighted is None else round(weighted, 1),
            "weighted_change": None if weighted is None or before is None else round(weighted - before, 1),
            "strict_pct": Coverage(int(readiness["effective"].sum()), int(readiness["applicable"].sum())).pct,
            "frameworks": frameworks.height,
            "open_gaps": gaps.height,
            "critical_gaps": gaps.filter(pl.col("severity") == "critical").height,
            "attestations": {name: int(board[name].sum()) for name in BOARD},
            "vendors": int(tiers["vendors"].sum()),
            "vendor_reviews_overdue": int(tiers["review_overdue"].sum()),
            "obligations_overdue": upcoming.filter(pl.col("state") == "overdue").height,
            "risks_over_appetite": register.filter("over_appetite").height,
        },
        tables=(
            Table("readiness", "Readiness, least ready first", frameworks, labels=LABELS, hidden=("framework",)),
            Table(
                "gaps",
                "Open gaps by severity and age",
                _ages(gaps),
                labels=LABELS,
                heat=tuple(AGES),
                state=("severity",),
            ),
            Table("attestations", "Attestations, most overdue first", board, labels=LABELS, hidden=("framework",)),
            Table("vendors", "Vendors by tier", tiers, labels=LABELS),
            Table(
                "next_dates",
                "Next five dates",
                _next(upcoming, ask),
                note="Overdue commitments are counted above and not repeated here.",
                labels=LABELS,
                words=("kind",),
                hidden=("obligation_id",),
            ),
            Table(
                "top_risks",
                "Three largest risks",
                register.head(3).select(
                    *("id", "title", "owner", "residual", "level", "appetite", "over_appetite", "movement", "treatment")
                ),
                labels={**LABELS, "title": "Title"},
                state=("level",),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=packs.thin(readiness, ask.settings),
    )


def _frameworks(readiness: pl.DataFrame) -> pl.DataFrame:
    return (
        readiness.with_columns(
            name=packs.pack_name(),
            strict_change=(pl.col("strict_pct") - pl.col("prior_strict_pct")).round(1),
            weighted_change=(pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1),
            open_gaps=pl.col("applicable") - pl.col("effective"),
        )
        .sort("weighted_pct", rank("framework", list(packs.PACKS)), "framework")
        .select(
            *("framework", "name", "weighted_pct", "weighted_change", "strict_pct", "strict_change", "coverage_pct"),
            *("applicable", "open_gaps"),
        )
    )


def _ages(gaps: pl.DataFrame) -> pl.DataFrame:
    counts = [pl.col("age_days").is_between(*span).sum().cast(pl.Int64).alias(name) for name, span in AGES.items()]
    found = (
        gaps.with_columns(pl.col("age_days").fill_null(0))
        .group_by("severity")
        .agg(
            *counts,
            total=pl.len().cast(pl.Int64),
            oldest_days=pl.col("age_days").max(),
            unowned=pl.col("owner").is_null().sum().cast(pl.Int64),
        )
    )
    rows = pl.DataFrame({"severity": GAP_SEVERITIES}, schema={"severity": pl.String})
    return rows.join(found, on="severity", how="left", maintain_order="left").with_columns(
        pl.exclude("severity", "oldest_days").fill_null(0)
    )


def _board(attestations: pl.DataFrame) -> pl.DataFrame:
    """Open duties all count; of the decided ones only the decision that stands."""
    counts = [pl.col("status").is_in(words).sum().cast(pl.Int64).alias(name) for name, words in BOARD.items()]
    return (
        attestations.filter(~pl.col("status").is_in(DECIDED) | pl.col("current"))
        .group_by("framework")
        .agg(counts)
        .with_columns(name=packs.pack_name())
        .sort(
            "overdue", "due", rank("framework", list(packs.PACKS)), "framework", descending=[True, True, False, False]
        )
        .select("framework", "name", *BOARD)
    )


def _tiers(vendors: pl.DataFrame) -> pl.DataFrame:
    reviews = {"review_overdue": "overdue", "review_due_soon": "due_soon", "never_reviewed": "never"}
    found = vendors.group_by("tier").agg(
        *((pl.col("review") == word).sum().cast(pl.Int64).alias(name) for name, word in reviews.items()),
        vendors=pl.len().cast(pl.Int64),
        not_assessed=(pl.col("assurance") == "not_assessed").sum().cast(pl.Int64),
        inherited_gaps=pl.col("inherited_gaps").sum(),
    )
    rows = pl.DataFrame({"tier": VENDOR_TIERS}, schema={"tier": pl.String})
    return (
        rows.join(found, on="tier", how="left", maintain_order="left")
        .with_columns(pl.exclude("tier").fill_null(0))
        .select("tier", "vendors", *reviews, "not_assessed", "inherited_gaps")
    )


def _next(upcoming: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        upcoming.filter(pl.col("due_on") >= ask.as_of)
        .sort("due_on", "hard", "obligation_id", descending=[False, True, False])
        .head(5)
        .select("due_on", "title", "kind", "owner", "days_left", "hard", "obligation_id")
    )


def _first(values: pl.Series) -> float | None:
    return values[0] if values.len() else None


def _headline(
    frameworks: pl.DataFrame,
    gaps: pl.DataFrame,
    weighted: float | None,
    before: float | None,
    prior_on: pl.Series,
    ask: Ask,
) -> str:
    if frameworks.is_empty():
        return "No framework with controls is in scope yet, so there is no programme to report on."
    parts = []
    if weighted is not None:
        since: date | None = prior_on[0]
        parts.append(f"Weighted readiness is {percent(weighted)}, {change(weighted, before, since, ask.as_of)}")
    critical = gaps.filter(pl.col("severity") == "critical").height
    if gaps.height:
        are = "is" if gaps.height == 1 else "are"
        parts.append(f"{count(gaps.height, 'gap')} {are} open, {critical or 'none'} of them critical")
    else:
        parts.append("no gap is open")
    last = frameworks.row(0, named=True)
    if last["weighted_pct"] is not None and gaps.height:
        parts.append(f"start with {last['name']}, the least ready at {percent(last['weighted_pct'])}")
    return sentence("; ".join(parts)) + "."


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    if frameworks.is_empty():
        return []
    alt = "Weighted readiness of each framework in scope, the least ready first."
    return [Chart("bars", "Weighted readiness", frameworks, "name", "weighted_pct", alt, percent=True)]


REPORT = Report(
    name="program",
    title="Compliance programme",
    description="Readiness, open gaps, attestations, vendors, next dates and largest risks on one screen.",
    build=build,
)
