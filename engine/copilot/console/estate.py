"""What else fails with a service or a vendor, single points of failure, and whose error budget is nearest its end."""

from collections.abc import Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, count_of
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, route
from engine.copilot.entities.services import SERVICE
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion

ROWS = 10
GRAPH = "/api/services/dependency-graph"
BUDGETS = "/api/overview/error-budget-summary"
CONTROLS = "control-graph"


@door(
    r"\b(?:if|when|should|once|suppose)\b.*\b(?:down|fails?|dies|breaks?|out|unavailable|lost|lose|offline|outage)\b|"
    r"\bblast radius\b|\bimpact of (?:losing|an outage)|\bwhat (?:else )?(?:breaks|fails|goes down) (?:with|if|when)\b|"
    r"\bwho (?:is|would be) (?:hit|affected)\b",
    "if fail die dies break out unavailable lose losing"
    " offline outage blast radius impact down affect affected else hit "
    "collapse happen could service vendor supplier go",
    "service",
    "vendor",
)
def failing(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The services that need a service or a vendor, directly or not, and the controls that rest on the vendor."""
    if len({name.keys for name in names}) != 1:
        return None
    one = names[0]
    graph = library.graph()
    called = {node.service.id: node.service.name for node in graph.nodes}
    vital = {node.service.id: node.service.criticality for node in graph.nodes}
    if one.kind == "service":
        direct = {edge.service_id for edge in graph.edges if edge.depends_on_id in one.keys} - set(one.keys)
        hit = {dependent for key in one.keys for dependent in graph.dependents(key)}
    else:
        direct = {edge.service_id for edge in graph.edges if edge.vendor_id in one.keys}
        hit = direct | {found for key in direct for found in graph.dependents(key)}
    ordered = sorted(hit, key=lambda key: (key not in direct, -vital[key], called[key]))
    mark = citations.cite("dependency graph", GRAPH, one.keys[0])
    directly = f", {len(direct)} of them directly" if hit else ""
    what = f"need{'s' if len(hit) < 2 else ''}" if one.kind == "service" else f"rest{'s' if len(hit) < 2 else ''} on"
    lines = [f"{count_of(len(hit), 'service', 'services')} {what} {one.label}, directly or not{directly}. {mark}"]
    lines += [
        f"- {called[key]}: criticality {vital[key]}, {'directly' if key in direct else 'through others'} {mark}"
        for key in ordered[:ROWS]
    ]
    if len(ordered) > ROWS:
        lines.append(f"{len(ordered) - ROWS} more.")
    if one.kind == "vendor":
        lines += _resting(one, library, citations)
    return AnswerPart(tuple(lines), "high")


def _resting(vendor: OwnName, library: Library, citations: CitationList) -> list[str]:
    """How many controls and requirements the control graph has at risk with a vendor."""
    edition = library.edition(CONTROLS, {"view": "findings"})
    tables = [] if edition is None else [table.frame for table in edition.document.tables if table.name == "supports"]
    rows = [row for frame in tables for row in frame.iter_rows(named=True) if row["node"] == f"vendor:{vendor.keys[0]}"]
    if not rows:
        return ["No control rests on it in the control graph."]
    mark = citations.cite(CONTROLS, route(CONTROLS, view="findings"), str(rows[0]["node"]))
    controls, requirements = rows[0]["controls_at_risk"], rows[0]["requirements_at_risk"]
    return [f"At risk with it in the control graph: {controls} controls, {requirements} requirements. {mark}"]


@door(
    r"\bsingle points? of failure\b|\b(?:controls?|evidence) .*\b(?:loops?|cycles?|circular)\b|\bspofs?\b",
    "single point failure control evidence loop cycle circular spof source graph",
)
def points_of_failure(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What the control graph finds: sources alone behind several requirements, or loops."""
    edition = library.edition(CONTROLS, {"view": "findings"})
    if edition is None:
        return None
    loops = asked.matches(r"\b(?:loops?|cycles?|circular)\b")
    wanted, figure = ("cycles", "graph_loops") if loops else ("single_points_of_failure", "single_points_of_failure")
    frame = next((table.frame for table in edition.document.tables if table.name == wanted), None)
    mark = citations.cite(CONTROLS, route(CONTROLS, explain=figure), figure)
    noun = ("loop", "loops") if loops else ("single point of failure", "single points of failure")
    rows = [] if frame is None else list(frame.iter_rows(named=True))
    lines = [f"{count_of(len(rows), *noun)} in the control graph. {mark}"]
    for row in rows[:ROWS]:
        text = (
            cell(row["members"])
            if loops
            else f"{row['label']}: {row['controls']} controls, {row['requirements_alone']} requirements on it alone"
        )
        lines.append(f"- {text} {mark}")
    return AnswerPart(tuple(lines), "high")


@door(
    r"\b(?:close|closest|near|nearest|next)\b.*\b(?:budgets?|slos?)\b|"
    r"\b(?:least|most|lowest|smallest|little)\b.*\bbudgets?\b",
    "service close closest near nearest next blow blowing burn burning burned exhaust exhausting run use using used "
    "breach breaching miss missing spend spending spent its error budget slo objective least most lowest smallest left "
    "remain remaining 30 out after besides except apart behind other than next",
    "service",
)
def budgets(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The services by how much of their error budget of 30 days is used; those that have none left are named first."""
    rows = library.rows(SERVICE).drop_nulls("used_30d_pct").sort("used_30d_pct", "name", descending=[True, False])
    if rows.is_empty():
        return AnswerPart(("I have no data on error budgets: no service has an objective with measurements.",), "none")
    if names and not asked.matches(r"^(?:after|besides|except|apart from|behind|other than|next to)\b"):
        return None
    rows = rows.filter(~pl.col("id").is_in([key for name in names for key in name.keys]))
    if names and rows.is_empty():
        return None
    spent, rest = rows.filter(pl.col("used_30d_pct") >= 100), rows.filter(pl.col("used_30d_pct") < 100)
    lines = []
    near = asked.matches(r"\b(?:close|closest|near|nearest|next)\b")
    frame = rest if near else rows
    for row in frame.head(1).iter_rows(named=True):
        lines.append(
            f"{row['name']}: {cell(row['used_30d_pct'])} % of its error budget of 30 days is used, "
            f"{cell(row['left_30d_pct'])} % is left. {citations.cite('services', BUDGETS, row['id'])}"
        )
    if near and spent.height:
        named = ", ".join(f"{row['name']} ({cell(row['used_30d_pct'])} %)" for row in spent.iter_rows(named=True))
        lines.append(f"Spent already: {named}. {citations.cite('services', BUDGETS)}")
    lines += [
        f"- {row['name']}: {cell(row['used_30d_pct'])} % used {citations.cite('services', BUDGETS, row['id'])}"
        for row in frame.slice(1, 3).iter_rows(named=True)
    ]
    return AnswerPart(tuple(lines), "high")
