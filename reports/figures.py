"""The figures: every number that people quote, declared once (DESIGN 4). Each chapter has a table of its own.

A report names those of its summary: ``figures=select("gaps_open", "gaps_critical")``.
"""

from collections.abc import Iterable, Mapping
from itertools import chain

from engine.facts import check_facts
from engine.model.figures.figure import Figure
from reports.capacity import committee_figures
from reports.capacity import figures as capacity
from reports.deployment import block_figures
from reports.deployment import figures as deployment
from reports.evidence import figures as evidence
from reports.frameworks import figures as frameworks
from reports.mapping import figures as mapping
from reports.obligations import figures as obligations
from reports.obligations.crossover import crossover_figures
from reports.obligations.density import density_figures
from reports.obligations.whatif import scenario_figures
from reports.ownership import figures as ownership
from reports.programme import figures as programme
from reports.programme.digest import digest_figures
from reports.programme.graph import graph_figures
from reports.programme.packs import benchmark_figures
from reports.programme.regulation import regulatory_figures
from reports.programme.trends import drift_figures, trend_figures
from reports.shared import arrival_figures, duty_figures
from reports.shared import figures as shared
from reports.staffing import figures as staffing
from reports.testing import figures as testing
from reports.vendors import figures as vendors

GROUPS: tuple[tuple[Figure, ...], ...] = (
    shared.FIGURES,
    duty_figures.FIGURES,
    arrival_figures.FIGURES,
    programme.FIGURES,
    digest_figures.FIGURES,
    trend_figures.FIGURES,
    drift_figures.FIGURES,
    graph_figures.FIGURES,
    regulatory_figures.FIGURES,
    benchmark_figures.FIGURES,
    evidence.FIGURES,
    testing.FIGURES,
    ownership.FIGURES,
    mapping.FIGURES,
    obligations.FIGURES,
    scenario_figures.FIGURES,
    crossover_figures.FIGURES,
    density_figures.FIGURES,
    capacity.FIGURES,
    committee_figures.FIGURES,
    staffing.FIGURES,
    frameworks.FIGURES,
    vendors.FIGURES,
    deployment.FIGURES,
    block_figures.FIGURES,
)


def _by_id(declared: Iterable[Figure]) -> Mapping[str, Figure]:
    """TypeError for an identifier, or a title, that two figures bear: what is counted otherwise is called otherwise."""
    figures: dict[str, Figure] = {}
    titles: dict[str, str] = {}
    for figure in declared:
        if figure.id in figures:
            raise TypeError(f"two figures are called {figure.id!r}")
        other = titles.setdefault(figure.title, figure.id)
        if other != figure.id:
            raise TypeError(f"the figures {other!r} and {figure.id!r} have the title {figure.title!r}")
        figures[figure.id] = figure
    return figures


FIGURES = _by_id(chain.from_iterable(GROUPS))
check_facts({figure.id: figure.facts for figure in FIGURES.values()})


def select(*ids: str) -> tuple[Figure, ...]:
    """The figures of these identifiers; TypeError names the first that is not declared."""
    for name in ids:
        if name not in FIGURES:
            raise TypeError(f"there is no figure {name!r}; figures are declared in the chapters' tables of reports/")
    return tuple(FIGURES[name] for name in ids)
