"""What the board reads in the executive summary: where we stand, what changed, coming dates, and their sources."""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

import polars as pl

from engine.model.days import quarters
from engine.model.declarations.ask import Ask
from engine.model.documents.movement import StateMove, in_groups, main_movements
from engine.model.figures.figure import Figures
from engine.model.vocabulary import SEVERITIES
from reports.programme.posture.posture import Posture
from reports.shared import arrivals, packs
from reports.shared.wording import in_points, percent

COMPLIANCE = "/api/governance/compliance"
SHOWN = 3
TOLD = 2  # reasons of a change
# the kinds of movements that a component of the posture sums up; the others have none that a fact tells
SUMMED: Mapping[str, tuple[str, ...]] = {
    "readiness": ("control",),
    "freshness": ("control",),
    "attestation": ("attestation",),
    "vendor": ("third_party",),
    "remediation": (),
    "operations": (),
}
STANDING = {"figure": pl.String, "number": pl.Float64, "value": pl.String, "detail": pl.String, "footnote": pl.String}


class Origin(NamedTuple):
    """Where what stands here can be looked up; ``figures`` have the same value there."""

    what: str
    route: str
    figures: tuple[str, ...] = ()


SOURCES = {
    "posture": Origin(
        "Posture and what moved it", f"{COMPLIANCE}/posture-score", ("posture_score", "posture_grade", "posture_change")
    ),
    "readiness": Origin("Readiness and its change", f"{COMPLIANCE}/baseline-comparison"),
    "gaps": Origin("Gaps", f"{COMPLIANCE}/gap-remediations", ("gaps_open", "gaps_critical")),
    "risks": Origin("Risks", f"{COMPLIANCE}/risk-heatmap", ("risks", "risks_over_appetite")),
    "obligations": Origin("Duties", f"{COMPLIANCE}/obligation-rollup", ("obligations_overdue",)),
    "incidents": Origin(
        "Incidents, one by one",
        f"{COMPLIANCE}/executive-summary?explain=incidents_opened_in_period",
        ("incidents_opened_in_period",),
    ),
    "vendors": Origin(
        "Third parties",
        "/api/governance/third-party/vendors",
        ("vendors", "vendors_assured", "vendor_reviews_overdue", "vendor_reviews_never"),
    ),
    "exceptions": Origin("Exceptions", f"{COMPLIANCE}/exception-register"),
    "capacity": Origin("Capacity", f"{COMPLIANCE}/committee-capacity-budget"),
    "dates": Origin("Coming dates", f"{COMPLIANCE}/calendar"),
    "evidence": Origin("Evidence", f"{COMPLIANCE}/evidence-freshness", ("evidence_held_pct",)),
    "monitoring": Origin("Monitoring", f"{COMPLIANCE}/scope-boundary", arrivals.IDS),
}
MARKS = {name: f"[{number}]" for number, name in enumerate(SOURCES, 1)}


NONE_YET = {"incidents": "No incident is on record", "vendors": "No vendor is on record"}


def footnotes() -> tuple[str, ...]:
    """Each source with its mark, its route and the figures that stand there too."""
    named = {name: f" ({', '.join(source.figures)})" if source.figures else "" for name, source in SOURCES.items()}
    return tuple(f"{source.what} {MARKS[name]}: {source.route}{named[name]}" for name, source in SOURCES.items())


def standing(held: Posture, figures: Figures) -> pl.DataFrame:
    """Where we stand: posture, gaps, incidents, time to restore, third parties, evidence; no zero of nothing known."""
    severities = {word: figures[f"incidents_{word}_in_period"] for word in SEVERITIES}
    severe = ", ".join(f"{number:,} {word}" for word, number in severities.items() if number)
    hours = figures["incident_median_hours_to_restore"]
    worst = held.components.row(0, named=True) if held.score is not None else None
    loss = f"{worst['title']} costs most: {in_points(worst['lost'])}" if worst and worst["lost"] else None
    score = "no data" if held.score is None else f"{held.score} ({figures['posture_grade'].replace('_', ' ')})"
    parties = (
        f"{figures['vendors_assured']:,} assured, {figures['vendor_reviews_overdue']:,} reviews overdue, "
        f"{figures['vendor_reviews_never']:,} never reviewed"
    )
    restored = f"From opening to resolution; {figures['incidents_resolved_in_period']:,} resolved"
    family_hours, families = (
        figures["incident_family_median_hours_to_restore"],
        figures["incident_families_opened_in_period"],
    )
    by_family = f"Families from first opening to last resolution; {families:,} opened"
    critical = f"{figures['gaps_critical']:,} critical"
    opened, held_pct = figures["incidents_opened_in_period"], figures["evidence_held_pct"]
    share = "no data" if held_pct is None else f"{percent(held_pct)} of the items"
    if not figures.is_founded("incidents_opened_in_period"):
        opened, restored, by_family = None, NONE_YET["incidents"], NONE_YET["incidents"]
    vendors = figures["vendors"] if figures.is_founded("vendors") else None
    rows = [
        ("Posture", held.score, score, loss, MARKS["posture"]),
        ("Open gaps", figures["gaps_open"], f"{figures['gaps_open']:,}", critical, MARKS["gaps"]),
        ("Incidents in the period", opened, _number_text(opened), severe or None, MARKS["incidents"]),
        (
            "Median time to restore",
            hours,
            "no data" if hours is None else f"{quarters(hours)} h",
            restored,
            MARKS["incidents"],
        ),
        (
            *("Median time to restore by family", family_hours),
            *("no data" if family_hours is None else f"{quarters(family_hours)} h", by_family, MARKS["incidents"]),
        ),
        (
            "Third parties",
            vendors,
            _number_text(vendors),
            parties if vendors is not None else NONE_YET["vendors"],
            MARKS["vendors"],
        ),
        ("Evidence held", held_pct, share, "The rest is told: a location or a hash alone", MARKS["evidence"]),
    ]
    return pl.DataFrame(rows, schema=STANDING, orient="row")


def _number_text(number: int | None) -> str:
    return "no data" if number is None else f"{number:,}"


def changes(held: Posture, readiness: pl.DataFrame, movements: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The two components and the two frameworks that moved most, and what happened to that which they sum up."""
    moved = held.components.filter(pl.col("movement") != 0).select(
        of="component",
        what=pl.format("Posture: {}", "title"),
        before=(pl.col("contribution").fill_null(0.0) - pl.col("movement")).round(1),
        now=pl.col("contribution").fill_null(0.0),
        change="movement",
        footnote=pl.lit(MARKS["posture"]),
    )
    delta = (pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1)
    frameworks = readiness.filter(delta != 0).select(
        of="framework",
        what=pl.format("Readiness: {}", packs.pack_name(ask)),
        before="prior_weighted_pct",
        now="weighted_pct",
        change=delta,
        footnote=pl.lit(MARKS["readiness"]),
    )
    order = (pl.col("change").abs(), pl.col("what"))
    most = [frame.sort(*order, descending=[True, False]).head(n) for frame, n in ((moved, 2), (frameworks, 2))]
    rows = pl.concat(most).sort(*order, descending=[True, False])
    because = [_because(movements, of, change) for of, change in rows.select("of", "change").iter_rows()]
    return (
        rows.drop("of")
        .with_columns(pl.Series("because", because, dtype=pl.String))
        .select("what", "before", "now", "change", "because", "footnote")
    )


def _because(movements: pl.DataFrame, of: str, change: float) -> str | None:
    """What happened in the direction of the change; null where nothing is known to have."""
    if of in SUMMED:
        mine = movements.filter(pl.col("kind").is_in(SUMMED[of]))
        mine = mine.filter(pl.col("state") == "stale") if of == "freshness" else mine
    else:
        mine = movements.filter(pl.col("framework") == of)
    moves = [StateMove(*row) for row in mine.select("kind", "state", "thing", "moved_on", "because").iter_rows()]
    return main_movements(in_groups(moves), change > 0, TOLD) or None


def dates(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The next dates that matter to a board (fixed ones, audits, committees), filled up with what comes next."""
    board = pl.col("hard") | pl.col("kind").is_in(["audit_checkpoint", "committee", "exception_expiry"])
    coming = pl.col("due_on").is_between(ask.as_of, ask.as_of + timedelta(days=90))
    return (
        obligations.filter((pl.col("state") == "open") & coming)
        .sort(~board, "due_on", "obligation_id")
        .head(SHOWN)
        .sort("due_on", "obligation_id")
        .select("due_on", "title", "owner", "hard", pl.lit(MARKS["dates"]).alias("footnote"))
    )
