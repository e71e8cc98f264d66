"""The programme for the board on two pages: posture, risks, changes, late commitments, decisions, dates."""

from datetime import timedelta
from typing import Any

import polars as pl

from engine.model.document import Document, Table
from engine.model.formulas import grade, nearest_rank
from engine.model.report import Ask, Report
from engine.model.vocabulary import GAP_SEVERITIES
from reports.programme.decisions import decisions
from reports.programme.posture import Posture, posture_of
from reports.programme.risk_grid import register_of
from reports.shared import packs
from reports.shared.wording import (
    change,
    count,
    inside,
    sentence,
)

COMPLIANCE = "/api/governance/compliance"
SOURCES = {
    "posture": ("Posture and what moved it", f"{COMPLIANCE}/posture-score"),
    "readiness": ("Readiness and its change", f"{COMPLIANCE}/baseline-comparison"),
    "gaps": ("Gaps", f"{COMPLIANCE}/gap-remediations"),
    "risks": ("Risks", f"{COMPLIANCE}/risk-heatmap"),
    "obligations": ("Commitments and dates", f"{COMPLIANCE}/calendar"),
    "incidents": ("Incidents, one by one", "/api/incidents/{id}/export"),
    "vendors": ("Third parties", "/api/governance/third-party/vendors"),
    "exceptions": ("Exceptions", f"{COMPLIANCE}/exception-register"),
    "capacity": ("Capacity", f"{COMPLIANCE}/committee-capacity-budget"),
}
MARKS = {name: f"[{number}]" for number, name in enumerate(SOURCES, 1)}
SHOWN = 3
FIGURE = {"figure": pl.String, "number": pl.Float64, "value": pl.String, "detail": pl.String, "footnote": pl.String}
LABELS = {
    "footnote": "Note",
    "id": "Risk",
    "title": "What",
    "days_late": "Days late",
    "due_on": "Due",
    "movement": "Since last review",
    "over_appetite": "Over appetite",
    "hard": "Fixed",
}
DEFINITIONS = {
    "Posture": "A weighted mean of readiness, freshness, attestations, vendors, remediation and operations, 0 to 100.",
    "Residual": "Likelihood 1 to 5 times impact 1 to 5 after treatment; appetite is the largest that is accepted.",
    "Changed": "For the posture, points that a component gives; for a framework, weighted readiness in percent.",
}


def build(
    organization: pl.DataFrame,
    posture: pl.DataFrame,
    readiness: pl.DataFrame,
    gaps: pl.DataFrame,
    risks: pl.DataFrame,
    obligations: pl.DataFrame,
    incidents: pl.DataFrame,
    vendors: pl.DataFrame,
    exceptions: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    ask: Ask,
) -> Document:
    held, coverage, register = posture_of(posture), packs.coverage(readiness), register_of(risks)
    letter = grade(held.score, coverage, ask.settings)
    overdue = obligations.filter(pl.col("state") == "overdue").sort("due_on", "obligation_id")
    asked = decisions(register, overdue, exceptions, owner_weeks, MARKS, ask)
    happened = _incidents(incidents, organization, ask)
    over = register.filter("over_appetite").height
    lapsed = vendors.filter(
        pl.col("tier").is_in(["critical", "high"]) & pl.col("assurance").is_in(["lapsed", "not_assessed"])
    ).height
    return Document(
        headline=_headline(held, letter, asked, overdue.height, over, ask),
        summary={
            "score": held.score,
            "grade": letter,
            "change": held.change,
            "risks_over_appetite": over,
            "overdue_commitments": overdue.height,
            "incidents": happened["by_severity"],
            "median_hours_to_restore": happened["median_hours"],
        },
        words=("grade",),
        tables=(
            Table(
                "decisions",
                "Decisions requested",
                asked,
                labels={**LABELS, "reason": "Because", "owner": "With"},
            ),
            Table(
                "figures",
                "Where we stand",
                _figures(held, letter, gaps, happened, vendors, lapsed),
                labels=LABELS,
                hidden=("number",),
            ),
            Table("changes", "What changed most", _changes(held, readiness), labels=LABELS),
            Table(
                "risks",
                "The three largest risks",
                register.head(3).select(
                    *("id", "title", "owner", "residual", "level", "appetite", "over_appetite", "movement"),
                    pl.lit(MARKS["risks"]).alias("footnote"),
                ),
                labels={**LABELS, "title": "Title"},
                state=("level",),
            ),
            Table(
                "overdue",
                f"Overdue commitments, the oldest of {overdue.height:,}",
                overdue.head(SHOWN).select(
                    *("title", "owner", "due_on", (-pl.col("days_left")).alias("days_late")),
                    pl.lit(MARKS["obligations"]).alias("footnote"),
                ),
                labels=LABELS,
            ),
            Table("dates", "Coming dates", _dates(obligations, ask), labels=LABELS),
        ),
        coverage=coverage,
        definitions=DEFINITIONS,
        warnings=_warnings(held, readiness, register, ask),
        footnotes=tuple(f"{what} {MARKS[name]}: {route}" for name, (what, route) in SOURCES.items()),
    )


def _incidents(incidents: pl.DataFrame, organization: pl.DataFrame, ask: Ask) -> dict[str, Any]:
    zone = organization["time_zone"][0] if organization.height else "UTC"

    def within(column: str) -> pl.DataFrame:
        day = pl.col(column).dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.date()
        return incidents.filter(day.is_between(ask.period_start, ask.as_of))

    opened, resolved = within("opened_at"), within("resolved_at")
    minutes = nearest_rank(resolved["minutes_to_resolve"].drop_nulls().to_list(), 50)
    return {
        "opened": opened.height,
        "by_severity": {word: opened.filter(pl.col("severity") == word).height for word in (*GAP_SEVERITIES, "info")},
        "resolved": resolved.height,
        "median_hours": None if minutes is None else round(minutes / 60, 1),
    }


def _figures(
    held: Posture, letter: str, gaps: pl.DataFrame, happened: dict[str, Any], vendors: pl.DataFrame, lapsed: int
) -> pl.DataFrame:
    critical = gaps.filter(pl.col("severity") == "critical").height
    severe = ", ".join(f"{number:,} {word}" for word, number in happened["by_severity"].items() if number)
    late = vendors.filter(pl.col("review") == "overdue").height
    never = vendors.filter(pl.col("review") == "never").height
    median = "no data" if happened["median_hours"] is None else f"{happened['median_hours']} h"
    worst = held.components.row(0, named=True) if held.score is not None else None
    loss = f"{worst['title']} costs most: {worst['lost']} points" if worst and worst["lost"] else None
    score = "no data" if held.score is None else f"{held.score} ({letter.replace('_', ' ')})"
    parties = f"{lapsed:,} critical or high without valid assurance, {late:,} reviews overdue, {never:,} never reviewed"
    restored = f"From opening to resolution; {happened['resolved']:,} resolved"
    rows = [
        ("Posture", held.score, score, loss, MARKS["posture"]),
        ("Open gaps", gaps.height, f"{gaps.height:,}", f"{critical:,} critical", MARKS["gaps"]),
        ("Incidents in the period", happened["opened"], f"{happened['opened']:,}", severe or None, MARKS["incidents"]),
        ("Median time to restore", happened["median_hours"], median, restored, MARKS["incidents"]),
        ("Third parties", vendors.height, f"{vendors.height:,}", parties, MARKS["vendors"]),
    ]
    return pl.DataFrame(rows, schema=FIGURE, orient="row")


def _changes(held: Posture, readiness: pl.DataFrame) -> pl.DataFrame:
    """The two components and the two frameworks that moved most."""
    moved = held.components.filter(pl.col("movement") != 0).select(
        what=pl.format("Posture: {}", "title"),
        before=(pl.col("contribution").fill_null(0.0) - pl.col("movement")).round(1),
        now=pl.col("contribution").fill_null(0.0),
        change="movement",
        footnote=pl.lit(MARKS["posture"]),
    )
    delta = (pl.col("weighted_pct") - pl.col("prior_weighted_pct")).round(1)
    frameworks = readiness.filter(delta != 0).select(
        what=pl.format("Readiness: {}", packs.pack_name()),
        before="prior_weighted_pct",
        now="weighted_pct",
        change=delta,
        footnote=pl.lit(MARKS["readiness"]),
    )
    order = (pl.col("change").abs(), pl.col("what"))
    most = [frame.sort(*order, descending=[True, False]).head(n) for frame, n in ((moved, 2), (frameworks, 2))]
    return pl.concat(most).sort(*order, descending=[True, False])


def _dates(obligations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The next dates that matter to a board (fixed ones, audits, committees), filled up with what comes next."""
    board = pl.col("hard") | pl.col("kind").is_in(["audit_checkpoint", "committee", "exception_expiry"])
    coming = pl.col("due_on").is_between(ask.as_of, ask.as_of + timedelta(days=90))
    return (
        obligations.filter((pl.col("state") == "open") & coming)
        .sort(~board, "due_on", "obligation_id")
        .head(SHOWN)
        .sort("due_on", "obligation_id")
        .select("due_on", "title", "owner", "hard", pl.lit(MARKS["obligations"]).alias("footnote"))
    )


def _headline(held: Posture, letter: str, asked: pl.DataFrame, late: int, over: int, ask: Ask) -> str:
    if held.score is None:
        parts = ["there is no posture score yet, because no component has any data"]
    else:
        graded = letter if len(letter) == 1 else "too little evidence for a grade"
        moved = change(held.score, held.prior_score, held.prior_on, ask.as_of)
        parts = [f"posture is {held.score} ({graded}), {moved}"]
    if over:
        parts.append(f"{count(over, 'risk')} {'exceeds' if over == 1 else 'exceed'} the appetite")
    if late:
        parts.append(f"{count(late, 'commitment')} {'is' if late == 1 else 'are'} overdue")
    first = f"; first: {inside(asked['decision'][0])}" if asked.height else ""
    return f"{sentence('; '.join(parts))}; {count(asked.height, 'decision')} requested{first}."


def _warnings(held: Posture, readiness: pl.DataFrame, register: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask.settings)
    if held.components["series_break"].any():
        warnings.append("A component of the posture appeared or disappeared: its change is not like for like.")
    if register.is_empty():
        warnings.append("The risk register is empty: that no risk is shown does not mean that there is none.")
    return warnings


REPORT = Report(
    name="executive-summary",
    title="Executive summary",
    description="The state of the programme for the board on two pages, with the decisions that it is asked for.",
    build=build,
)
