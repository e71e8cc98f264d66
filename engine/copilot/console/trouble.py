"""Why a service failed: the established cause of its incidents, else what the root-cause analysis holds."""

from collections.abc import Mapping, Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, count_of
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, names_of_kind
from engine.copilot.entities.operations import INCIDENT
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.model.vocabulary import Confidence

MOST = 3  # incidents that are told


@door(
    r"\bwhy (?:did|was|is|has|were|does|do)\b.*\b(?:down|fail\w*|br[eo]k\w*|crash\w*|slow|unavailable|die|died|"
    r"degraded|out|unreachable|outage|incidents?|alert\w*)\b|"
    r"\bwhat (?:caused|broke|took down|is the cause of|was the cause of)\b|"
    r"\broot cause (?:of|for|behind)\b",
    "why down fail failed failing break broke broken breaking crash crashed slow unavailable die died degraded out "
    "unreachable outage incident cause caused root take took analysis alert alerting latest last go went",
    "service",
    "incident",
    windows=1,
)
def breakdown(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The incidents that are meant, newest first, each with its cause or what the analysis has for and against it."""
    services, incidents = names_of_kind(names, "service"), names_of_kind(names, "incident")
    if len(services) + len(incidents) != 1:
        return None
    rows = library.rows(INCIDENT).sort("opened_at", "id", descending=[True, False])
    if incidents:
        meant = rows.filter(pl.col("id").is_in(incidents[0].keys))
        label = incidents[0].label
    else:
        meant = rows.filter(pl.col("service_id").is_in(services[0].keys))
        label = f"{services[0].label}"
    window = asked.windows[0] if asked.windows else None
    if window is None:
        meant = meant.head(1)
    elif window.last is not None:
        inside = meant.filter(pl.col("opened_on").is_between(window.first or pl.col("opened_on"), window.last))
        if inside.is_empty():
            return _nothing(label, window.with_days, meant.filter(pl.col("opened_on") <= window.last), citations)
        meant = inside
    if meant.is_empty():
        return AnswerPart((f"I have no data on {label}: no incident of it is on record.",), "none")
    lines: list[str] = []
    sure: list[Confidence] = []
    for row in meant.head(MOST).iter_rows(named=True):
        found, confidence = _cause(row, library, citations)
        lines += found
        sure.append(confidence)
    if meant.height > MOST:
        lines.append(f"{meant.height - MOST} more.")
    if meant.height > 1:
        lines.insert(0, f"{count_of(meant.height, 'incident', 'incidents')} on {label}:")
    least: Confidence = "high" if set(sure) == {"high"} else "medium"
    unsaid = window is None and not incidents
    if unsaid:
        return AnswerPart(tuple(lines), "medium", f"no time was said; taken as the latest incident on {label}")
    return AnswerPart(
        tuple(lines), least, "" if least == "high" else "a hypothesis of the analysis, no established cause"
    )


def _nothing(text: str, span: str, earlier: pl.DataFrame, citations: CitationList) -> AnswerPart:
    lines = [f"None: no incident on {text} was opened {span}."]
    for row in earlier.head(1).iter_rows(named=True):
        mark = citations.cite("incidents", f"/api/incidents/{row['id']}/evidence", row["id"])
        lines.append(
            f"The last one before was {row['id']} {row['title']}, opened on {row['opened_on']}; cause: "
            f"{cell(row['root_cause']) if row['root_cause'] else 'not established'}. {mark}"
        )
    return AnswerPart(tuple(lines), "high")


def _cause(row: Mapping[str, object], library: Library, citations: CitationList) -> tuple[list[str], Confidence]:
    """The lines of one incident: its established cause, and what the analysis lists for and against."""
    key = str(row["id"])
    mark = citations.cite("incidents", f"/api/incidents/{key}/evidence", key)
    head = f"{key} {cell(row['title'])} (opened on {row['opened_on']})"
    analysis = library.root_cause(key)
    best = analysis.candidates[0] if analysis.candidates else None
    if row["root_cause"]:
        lines = [f"{head}: {cell(row['root_cause'])} (established cause). {mark}"]
    elif analysis.conclusive:
        lines = [f"{head}: no cause is established; the analysis holds one most likely. {mark}"]
    else:
        lines = [f"{head}: no cause is established, and the analysis is inconclusive: {analysis.reason} {mark}"]
    if best is not None:
        likely = "" if analysis.conclusive else "not conclusive, "
        lines.append(f"  Analysis ({likely}confidence {analysis.confidence:g}, {analysis.band}): {best.hypothesis}")
        lines += [f"  - for it: {support}" for support in best.supports]
        lines += [f"  - against it: {contradiction}" for contradiction in best.contradictions]
    return lines, "high" if row["root_cause"] else "medium"
