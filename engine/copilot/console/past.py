"""A score on a day that is gone, and why it changed since: the report as of that day, and the comparison with it."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, names_of_kind, route
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.model.declarations.as_of import AsOf
from engine.model.entities import FRAMEWORK_REPORTS
from engine.model.errors import BadRequest
from engine.model.vocabulary import Confidence

ROWS = 10
USUAL_DAYS = 30
POSTURE, READINESS, SUMMARY = "posture-score", "baseline-comparison", "executive-summary"
_SCORE = r"\b(?:posture|compliance score|security score|overall score|(?:our|the) score)\b"


@door(
    rf"{_SCORE}|\breadiness\b|\bopen gaps\b",
    "posture score compliance security overall readiness ready weighted open gap number value say stand",
    "framework",
    windows=1,
)
def past_value(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What the report said on one day that is gone; None where the records do not reach back so far."""
    window = asked.windows[0] if asked.windows else None
    if window is None or window.first != window.last or window.first is None or window.first >= library.today:
        return None
    if re.match(r"(?:since|before|after|until|by)\b", window.words):
        return None
    frameworks = names_of_kind(names, "framework")
    day = AsOf(window.first)
    try:
        if asked.matches(_SCORE):
            edition = None if frameworks else library.edition(POSTURE, at=day)
            value = None if edition is None else edition.document.summary.get("posture_score")
            if value is None:
                return None
            mark = citations.cite(POSTURE, route(POSTURE, asOf=window.first), "posture_score")
            return AnswerPart((f"{cell(value)}: the posture score as of {window.first}. {mark}",), "high")
        edition = library.edition(READINESS, at=day)
    except BadRequest:
        return None
    if edition is None or not asked.matches(r"\breadiness\b") or len(frameworks) != 1:
        return None
    (key,) = frameworks[0].keys
    frame = edition.document.tables[0].frame
    if not {"framework", "weighted_pct", "strict_pct"} <= set(frame.columns):
        return None
    row = next(iter(frame.filter(pl.col("framework") == key).iter_rows(named=True)), None)
    if row is None:
        return None
    mark = citations.cite(READINESS, route(READINESS, asOf=window.first), key)
    text = f"{cell(row['weighted_pct'])} %: weighted readiness of {library.framework_name(key)} as of {window.first}"
    return AnswerPart((f"{text}; {cell(row['strict_pct'])} % strict. {mark}",), "high")


@door(
    rf"\b(?:why|how come|what (?:made|drove|pushed|pulled|caused|changed|moved))\b.*(?:{_SCORE}|\breadiness\b)|"
    rf"(?:{_SCORE}|\breadiness\b).*\b(?:because|reasons?|causes?|why)\b",
    "posture readiness score compliance security overall fall fell fallen drop dropped go gone went down up rise rose "
    "change changed move moved decrease decreased increase increased worse better decline declined slip slipped lose "
    "lost cause reason drive drove push pushed pull pulled make made much",
    "framework",
    windows=1,
)
def changes(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What moved the posture, or the readiness of a framework, since a day, and what did it: the comparison of the
    report with that day, else the movements of the weeks that the board is shown."""
    frameworks = names_of_kind(names, "framework")
    report = FRAMEWORK_REPORTS.get(frameworks[0].keys[0]) if len(frameworks) == 1 else POSTURE
    if report is None or bool(frameworks) != asked.matches(r"\breadiness\b"):
        return None
    window = asked.windows[0] if asked.windows else None
    if window is None and asked.matches(r"\bso (?:low|bad|high|poor)\b"):
        return None
    if not asked.matches(
        r"\b(?:f[ae]ll\w*|drop\w*|down|up|r[io]se\w*|chang\w*|mov\w*|decreas\w*|increas\w*|worse|better|declin\w*|"
        r"slip\w*|los[et]\w*|drove|pushed|pulled)\b"
    ):
        return None
    since = library.today - timedelta(days=USUAL_DAYS) if window is None else window.first
    if since is None or since >= library.today:
        return None
    last = None if window is None or window.last is None or window.last >= library.today else window.last
    try:
        query = {"since": since.isoformat()}
        edition = library.edition(report, query, at=None if last is None else AsOf(last))
    except BadRequest:
        edition = None
    if edition is None:
        return None if frameworks else _movements(asked, library, citations, since, last)
    mark = citations.cite(report, route(report, since=since, asOf=last))
    lines = [f"{edition.document.headline} {mark}"]
    for table in edition.document.tables:
        if frameworks and table.name == "movements":
            lines += [f"- {row['what']}: {cell(row['things'])} {mark}" for row in table.frame.iter_rows(named=True)]
            break
        causes = [name for name in ("because", "why", "cause", "causes") if name in table.frame.columns]
        if frameworks or not causes:
            continue
        for row in table.frame.head(ROWS).iter_rows(named=True):
            text = ", ".join(cell(value) for name, value in row.items() if value is not None and name not in causes)
            lines.append(f"- {text}: {cell(row[causes[0]])} {mark}")
        break
    confidence: Confidence = "medium" if window is None else "high"
    return AnswerPart(tuple(lines), confidence, "" if window else f"no time was said; taken as since {since}")


def _movements(
    asked: CopilotQuestion, library: Library, citations: CitationList, since: date, last: date | None
) -> AnswerPart | None:
    """The weeks in which the posture moved, with what did it."""
    edition = library.edition(SUMMARY)
    frame = None if edition is None else next((t.frame for t in edition.document.tables if t.name == "moves"), None)
    if frame is None or frame.is_empty():
        return None
    rows = frame.filter(pl.col("moved_on") >= since)
    rows = rows if last is None else rows.filter(pl.col("moved_on") <= last)
    down = asked.matches(r"\b(?:f[ae]ll\w*|drop\w*|down|decreas\w*|worse|declin\w*|slip\w*|los[et]\w*|low)\b")
    up = asked.matches(r"\b(?:up|r[io]se\w*|increas\w*|better)\b")
    rows = rows.filter(pl.col("change") < 0) if down else rows.filter(pl.col("change") > 0) if up else rows
    if rows.is_empty():
        return None
    mark = citations.cite(SUMMARY, route(SUMMARY))
    lines = [f"The posture score moved most in these weeks since {since}, with what did it: {mark}"]
    lines += [
        f"- {row['moved_on']}: {cell(row['before'])} to {cell(row['now'])} ({row['change']:+g}): {row['because']} "
        f"{mark}"
        for row in rows.sort("moved_on").iter_rows(named=True)
    ]
    return AnswerPart(tuple(lines), "medium", "the weeks that moved most, of those that are kept")
