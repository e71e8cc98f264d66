"""The glossary: every figure with its definition, the reports that show it, and its value in a snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engine.model.declarations.report import Report
from engine.model.figures.figure import Figure
from engine.reporting.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class GlossaryEntry:
    """A figure under the settings and over the default period of the first report that shows it."""

    figure: Figure
    title: str
    definition: str
    reports: tuple[str, ...]
    value: object = None


def entries(catalogue: Mapping[str, Report], snapshot: Snapshot) -> list[GlossaryEntry]:
    """Every figure that a report shows, in the order of the catalogue, with its value."""
    found = []
    values = cache(lambda report: snapshot.figures(report, {}))
    for figure, reports in _report_figures(catalogue).values():
        figures, name = values(reports[0]), figure.id
        found.append(GlossaryEntry(figure, figures.title(name), figures.definition(name), reports, figures[name]))
    return found


def definitions(catalogue: Mapping[str, Report]) -> list[GlossaryEntry]:
    """Every figure that a report shows, without a value; what is asked stands in braces."""
    return [
        GlossaryEntry(figure, figure.title, figure.definition, reports)
        for figure, reports in _report_figures(catalogue).values()
    ]


def _report_figures(catalogue: Mapping[str, Report]) -> dict[str, tuple[Figure, tuple[str, ...]]]:
    figures: dict[str, tuple[Figure, tuple[str, ...]]] = {}
    for report in catalogue.values():
        for figure in report.figures:
            _, before = figures.get(figure.id, (figure, ()))
            figures[figure.id] = figure, (*before, report.name)
    return figures
