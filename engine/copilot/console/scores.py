"""Why a score is what it is, and what raises it most: the posture's own components and steps."""

from collections.abc import Sequence

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, route
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion

ROWS = 5
REPORT = "posture-score"


@door(
    r"\b(?:why|how come|what (?:is |are )?(?:drags?|dragging|costs?|costing|pulls?|pulling|lowers?|weighs?|makes?|"
    r"made))\b.*\b(?:posture|score|grade)\b",
    "posture score grade low bad poor high drag dragging cost costing pull pulling lower weigh make "
    "down compliance security most so what f",
)
def reasons(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What the posture loses by component, the most first."""
    edition = library.edition(REPORT)
    rows = None if edition is None else next((t.frame for t in edition.document.tables if t.name == "components"), None)
    if edition is None or rows is None or edition.document.summary.get("posture_score") is None:
        return None
    mark = citations.cite(REPORT, route(REPORT, explain="posture_score"), "posture_score")
    lines = [f"{edition.document.headline} {mark}", "What it loses, by component:"]
    lines += [
        f"- {row['title']}: {cell(row['lost'])} points lost of {cell(row['share_pct'])} ({cell(row['explanation'])}) "
        f"{mark}"
        for row in rows.drop_nulls("lost").sort("lost", descending=True).iter_rows(named=True)
    ]
    covered = edition.document.coverage
    return AnswerPart(tuple(lines), "high" if covered is None or covered.sufficient else "low")


@door(
    r"\b(?:raises?|improves?|increases?|lifts?|boosts?|adds?|helps?|gains?)\b.*\b(?:posture|score|grade)\b|"
    r"\bcheapest (?:next )?(?:step|point|thing|win|fix)s?\b|\bquickest way to (?:raise|improve|lift)\b",
    "raise improve increase lift boost add help gain posture score grade most cheapest next step point win quickest "
    "way fastest best",
)
def steps(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The steps that raise the posture, in the order of the report: points for each hour."""
    edition = library.edition(REPORT)
    tables = {} if edition is None else {table.name: table.frame for table in edition.document.tables}
    rows = tables.get("next_steps")
    if rows is None or rows.is_empty():
        return None
    mark = citations.cite(REPORT, route(REPORT, table="next_steps"))
    lines = ["The steps that raise the posture score first, by points for each hour:"]
    lines += [
        f"- {row['action']}: {cell(row['points'])} points, {cell(row['effort_hours'])} h, {cell(row['owner'])} {mark}"
        for row in rows.head(ROWS).iter_rows(named=True)
    ]
    return AnswerPart(tuple(lines), "high")
