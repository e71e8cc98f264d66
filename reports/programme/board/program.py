"""The compliance programme on one screen: readiness, gaps, attestations, vendors, dates and risks."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.heat import HeatScale
from engine.model.figures.figure import Figures
from engine.model.vocabulary import GAP_SEVERITIES, VENDOR_TIERS
from reports.figures import select
from reports.programme.plans.plan_starts import PlanStarts, Starts, begin_with
from reports.programme.risk.risk_grid import register_of, unrated_note
from reports.shared import formula_breaks, packs, setup
from reports.shared.figures import review_is_overdue
from reports.shared.ordering import rank
from reports.shared.wording import change, count, percent

AGES = {"to_30_days": (0, 30), "to_90_days": (31, 90), "over_90_days": (91, 10**6)}
BOARD = {
    "current": ("attested",),
    "not_due": ("not_due",),
    "due": ("due_30", "due_7"),
    "overdue": ("overdue",),
    "rejected": ("rejected",),
}
DECIDED = ("attested", "rejected")
LABELS = {"name": "Framework", "current": "Attested", "id": "Risk", "title": "What", "hard": "Cannot move"}
DEFINITIONS = {
    "Change": "Percentage points against the last snapshot before the period.",
    "Age of a gap": "Counts from the day on which it was found.",
}


def build(
    readiness: pl.DataFrame,
    gaps: pl.DataFrame,
    attestations: pl.DataFrame,
    vendors: pl.DataFrame,
    obligations: pl.DataFrame,
    risks: pl.DataFrame,
    starts: Starts,
    figures: Figures,
    ask: Ask,
) -> Document:
    frameworks, board, tiers = _frameworks(readiness, ask), _board(attestations, ask), _tiers(vendors, ask)
    register, ages = register_of(risks), _ages(gaps)
    upcoming = obligations.filter(pl.col("state").is_in(["open", "overdue"]))
    return Document(
        *_opening(frameworks, gaps, starts, figures, ask),
        tables=(
            Table(
                "readiness",
                "Readiness, least ready first",
                frameworks,
                labels=LABELS,
                hidden=("framework", "applicable", "strict_change"),
            ),
            Table(
                "gaps",
                "Open gaps by severity and age",
                ages,
                note="Shades say how grave and how old gaps are, not how many.",
                heat=tuple(AGES),
                scale=_urgency(ages),
                state=("severity",),
                hidden=("unowned",),
            ),
            Table("attestations", "Attestations, most overdue first", board, labels=LABELS, hidden=("framework",)),
            Table(
                "vendors",
                "Vendors by tier",
                tiers,
                note="Inherited gaps: controls that a vendor should carry and does not show. Vendors may share one.",
            ),
            Table(
                "next_dates",
                "Next five dates",
                _next(upcoming, ask),
                note="Overdue commitments are counted above and not repeated here.",
                labels=LABELS,
                words=("kind",),
                hidden=("obligation_id", "hard"),
            ),
            Table(
                "top_risks",
                "Three largest risks",
                register.head(3).select(
                    *("id", "title", "rated_level", "residual_cell", "appetite", "owner", "treatment"),
                    *("over_appetite", "movement", "residual", "level"),
                ),
                hidden=("over_appetite", "movement", "residual", "level"),
                note=unrated_note(register.head(3)),
                labels={"id": "Risk"},
                state=("rated_level",),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=[*packs.thin(readiness, ask), *formula_breaks.prior(readiness)],
    )


def _frameworks(readiness: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        readiness.with_columns(
            name=packs.pack_name(ask),
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
    frame = (
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
    return rows.join(frame, on="severity", how="left", maintain_order="left").with_columns(
        pl.exclude("severity", "oldest_days").fill_null(0)
    )


def _urgency(ages: pl.DataFrame) -> HeatScale:
    """The shades of gaps by severity and age; where there is none there is no shade."""
    gravity = pl.col("severity").replace_strict(dict(zip(GAP_SEVERITIES, (3, 2, 1, 0), strict=True)))
    steps = [
        pl.when(pl.col(name) > 0).then(pl.min_horizontal(gravity + late, 4)).otherwise(0).alias(name)
        for late, name in enumerate(AGES, 1)
    ]
    return HeatScale((1, 2, 3, 4), names=("none", "low", "moderate", "high", "critical"), by=ages.select(steps))


def _board(attestations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open duties all count; of the decided ones only the decision that stands."""
    counts = [pl.col("status").is_in(words).sum().cast(pl.Int64).alias(name) for name, words in BOARD.items()]
    return (
        attestations.filter(~pl.col("status").is_in(DECIDED) | pl.col("current"))
        .group_by("framework")
        .agg(counts)
        .with_columns(name=packs.pack_name(ask))
        .sort(
            "overdue", "due", rank("framework", list(packs.PACKS)), "framework", descending=[True, True, False, False]
        )
        .select("framework", "name", *BOARD)
    )


def _tiers(vendors: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    reviews = {
        "review_overdue": review_is_overdue(ask),
        "review_due_soon": pl.col("review") == "due_soon",
        "never_reviewed": pl.col("review") == "never",
    }
    frame = vendors.group_by("tier").agg(
        *(flag.sum().cast(pl.Int64).alias(name) for name, flag in reviews.items()),
        vendors=pl.len().cast(pl.Int64),
        not_assessed=(pl.col("assurance") == "not_assessed").sum().cast(pl.Int64),
        inherited_gaps=pl.col("inherited_gaps").sum(),
    )
    rows = pl.DataFrame({"tier": VENDOR_TIERS}, schema={"tier": pl.String})
    return (
        rows.join(frame, on="tier", how="left", maintain_order="left")
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


def _opening(frameworks: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask) -> Opening:
    if frameworks.is_empty() or figures["weighted_pct"] is None:
        return Opening(
            "No framework with controls is in scope yet, so there is no programme to report on.", setup.IN_SCOPE
        )
    moved = change(figures["weighted_pct"], figures["weighted_before_pct"], figures["snapshot_before_on"], ask)
    text = f"Weighted readiness is {percent(figures['weighted_pct'])}, {moved}"
    if not figures["gaps_open"]:
        return Opening(f"{text}; no gap is open.")
    are = "is" if figures["gaps_open"] == 1 else "are"
    found = f"{count(figures['gaps_open'], 'gap')} {are} open, {figures['gaps_critical'] or 'none'} of them critical"
    last = frameworks.row(0, named=True)
    start = begin_with(last["framework"], gaps, starts, ask)
    at, name = percent(last["weighted_pct"]), last["name"]
    step = f"{start}; {name} is least ready at {at}." if start else f"Start with {name}, the least ready at {at}."
    return Opening(f"{text}; {found}.", step)


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
    figures=select(
        *("weighted_pct", "weighted_change", "weighted_before_pct", "snapshot_before_on", "strict_pct"),
        *("gaps_open", "gaps_critical", "attestations_current", "attestations_not_due", "attestations_due_in_30_days"),
        *("attestations_overdue", "attestations_rejected", "vendors", "vendor_reviews_overdue"),
        *("obligations_overdue", "risks_over_appetite"),
    ),
    schema_version=2,
    evidence_dates=False,
)
