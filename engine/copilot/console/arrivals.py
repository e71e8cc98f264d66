"""Whether monitoring worked: the share of services with a live sender, and what did not arrive, by the scope report."""

from collections.abc import Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, count_of
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, route
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS

REPORT = "scope-boundary"
ROWS = 10


@door(
    r"\bmonitoring\b.*\b(?:work\w*|alive|coverage|reliable|silent|ok|healthy|fine|running|up|quiet|dark|dead|stopped|lost|"
    r"missing)\b|"
    r"\b(?:is|was|did) (?:the |our )?monitoring (?:work\w*|up|down|ok|alive)\b|"
    r"\b(?:silent|quiet|dead|lost) senders?\b|^(?!how many).*\bsenders?\b.*\b(?:silent|quiet|stopped|dead)\b|"
    r"\bwhat did not arrive\b|\bdead letters?\b",
    "monitoring monitor work worked working alive coverage reliable silent ok healthy fine running up down sender "
    "quiet dark missing dead live lost stopped heard arrive letter silence sure trust know not gone went",
    "service",
    windows=1,
)
def arrivals(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The coverage of monitoring and what did not arrive, of the period that the report has by default."""
    edition = library.edition(REPORT)
    if edition is None or any(name.label != "monitoring" for name in names):
        return None
    summary = edition.document.summary
    rows = next((one.frame for one in edition.document.tables if one.name == "arrivals"), None)
    covered = summary.get("monitoring_coverage_pct")
    if covered is None or rows is None:
        return AnswerPart(("I have no data on whether monitoring worked: no sender of alerts is on record.",), "none")
    mark = citations.cite(REPORT, route(REPORT, explain="monitoring_coverage_pct"), "monitoring_coverage_pct")
    unread = cell(summary["messages_unread"])
    lines = [
        f"{cell(covered)} % monitoring coverage: services in scope whose sender was heard in the last "
        f"{DEFAULT_PERIOD_DAYS} days and is not silent; senders heard: {cell(summary['senders_live'])}, silent: "
        f"{cell(summary['senders_silent'])}; messages that could not be read: {unread}. {mark}"
    ]
    if asked.matches(r"\b(?:silent|quiet|dark|dead(?! letter)|stopped|lost|missing)\b"):
        silent = int(summary["senders_silent"] or 0)
        lines.insert(0, f"{'Yes' if silent else 'No'}: {count_of(silent, 'silent sender', 'silent senders')}. {mark}")
    if asked.matches(r"\bdead letters?\b"):
        letters = int(rows.filter(pl.col("kind") == "dead_letter")["messages"].sum())
        lines.insert(
            0, f"{count_of(letters, 'dead letter', 'dead letters')} in the last {DEFAULT_PERIOD_DAYS} days. {mark}"
        )
    for row in rows.head(ROWS).iter_rows(named=True):
        place = citations.cite(REPORT, route(REPORT, table="arrivals"), str(row["subject"]))
        lines.append(f"- {cell(row['kind']).replace('_', ' ')} {cell(row['subject'])}: {cell(row['detail'])} {place}")
    if rows.height > ROWS:
        lines.append(f"{rows.height - ROWS:,} more.")
    reason = f"a span of time was asked for; the report has {DEFAULT_PERIOD_DAYS} days" if asked.windows else ""
    return AnswerPart(tuple(lines), "medium" if reason else "high", reason)
