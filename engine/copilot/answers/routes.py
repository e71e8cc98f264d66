"""Which route shows a number or a row to the same person: a figure of a report, or the report that lists the row."""

from collections.abc import Mapping

from engine.copilot.answers.answers import CitationList
from engine.copilot.answers.cells import cells, count_of
from engine.copilot.answers.library import Library
from engine.copilot.answers.sources import PERSONAL, route_of
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.query import Query
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS, PERIOD_DAYS
from engine.model.declarations.report import Report


def showing(catalogue: Mapping[str, Report], figure: str) -> str | None:
    """The first report that shows a figure to everybody alike."""
    return next(
        (
            name
            for name, report in catalogue.items()
            if name not in PERSONAL and any(one.id == figure for one in report.figures)
        ),
        None,
    )


def figure_route(report: str, figure: str, period: int | None) -> str:
    """The route that answers with a figure and the rows that it counts."""
    over = f"&{PERIOD_DAYS.name}={period}" if period not in (None, DEFAULT_PERIOD_DAYS) else ""
    return f"{route_of(report)}?explain={figure}{over}"


def figure_id(plan: Query) -> str | None:
    """The figure that counts exactly the states and choices of a plan."""
    return plan.entity.figures.get(_labels(plan)) if plan.window is None else None


def _labels(plan: Query) -> frozenset[str]:
    return frozenset(each.label for each in plan.constraints if each.dimension != "window")


def figure_of(plan: Query, library: Library, number: int, citations: CitationList) -> str | None:
    """The sentence with the figure that counts exactly what is asked, from the report that shows it."""
    labels = _labels(plan)
    period = None
    figure = figure_id(plan)
    if figure is None and plan.window is not None:
        column, window = plan.window
        ends = window.last is not None and window.last >= library.today and window.first is not None
        if ends and not window.age and window.first is not None and window.first <= library.today:
            period = (library.today - window.first).days + 1
            figure = plan.entity.period_figures.get((column, labels)) if period <= (PERIOD_DAYS.maximum or 0) else None
    report = showing(library.catalogue, figure) if figure else None
    if figure is None or report is None:
        return None
    figures = library.figures(report, {} if period is None else {PERIOD_DAYS.name: str(period)})
    value = int(figures[figure])
    mark = citations.cite(report, figure_route(report, figure, period), figure)
    before = " ".join(each.label for each in plan.constraints if not each.after)
    after = ", ".join(each.label for each in plan.constraints if each.after)
    said = [" ".join(part for part in (before, noun, after) if part) for noun in (plan.entity.name, plan.entity.plural)]
    title, definition = figures.title(figure), figures.definition(figure)
    sentence = f"{count_of(value, said[0], said[1])}. Figure '{title}': {definition} {mark}"
    if value == number:
        return sentence
    rows = "none" if number == 0 else f"{number:,}"  # the figure counts more than the register has
    return f"{sentence} Of them {rows} {'is' if number == 1 else 'are'} on record as {plan.entity.plural}."


def route_of_row(entity: Entity, row: Mapping[str, object], library: Library) -> str | None:
    """The route that shows a row; None where none does."""
    if entity.row_route is not None:
        return entity.row_route.format_map(cells(row))
    if entity.report is None:
        return None
    return route_of(entity.report) if str(row[entity.key]).lower() in library.report_ids(entity.report) else None
