"""What a report declares, and the question that it answers.

A report is one file in ``reports/``: a pure ``build(fact frames…, ask) -> Document`` and ``REPORT = Report(...)``.
A parameter bears the name of the fact that it takes, restricted to one organization, or is ``Annotated`` with the
function of facts whose rows it takes; their order means nothing. Two names are no facts: ``ask`` is the question,
``figures`` the values of the figures that the report declares.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module

import polars as pl

from engine.model.columns import COLUMNS
from engine.model.days import spelled_day
from engine.model.declarations.ask import PERIOD_DAYS, Ask, Parameter, Parameters
from engine.model.declarations.declaration import EXPLAIN, FORMATS, Declaration
from engine.model.documents.abbreviations import abbreviations_in
from engine.model.documents.document import Document, Table
from engine.model.figures.figure import ASK, FIGURES, Figure, Figures, Recall, facts_of, inputs_of, parameters_of
from engine.model.figures.ways import way_to_value

UNDATED = {"control_status": "control_states"}


@dataclass(frozen=True)
class Report(Declaration):
    """One line of the catalogue. ``name`` is the last part of its route; ``build`` names what it takes.

    ``figures`` are its summary, in their order; what else ``build`` puts into the summary follows them. Without
    ``evidence_dates`` its ``control_status`` has no columns that say when evidence came: what never looks at them is
    not computed again after evidence that leaves all states as they were.
    """

    name: str
    title: str
    description: str
    build: Callable[..., Document]
    figures: tuple[Figure, ...] = ()
    formats: tuple[str, ...] = FORMATS
    parameters: tuple[Parameter, ...] = (PERIOD_DAYS,)
    schema_version: int = 1
    plans: str = ""
    evidence_dates: bool = True

    def __hash__(self) -> int:
        """A report is declared once: what is remembered of it is remembered by identity, predicates have no hash."""
        return id(self)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Other processes find a report where it is declared: predicates of figures do not travel."""
        if getattr(sys.modules[self.report_module], "REPORT", None) is self:
            return _declared_in, (self.report_module,)
        return super().__reduce__()

    @property
    def figure_ids(self) -> tuple[str, ...]:
        """The figures of its summary."""
        return tuple(figure.id for figure in self.figures)

    @property
    def report_module(self) -> str:
        """The module of ``build``."""
        return self.build.__module__

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The facts that ``build`` and the figures take, and those that parameters are found in."""
        counted = [fact for figure in self.figures for fact in figure.facts]
        found_in = [parameter.found_in[0] for parameter in self.parameters if parameter.found_in]
        return tuple(dict.fromkeys([*facts_of(self.build), *counted, *found_in]))

    def source_of(self, fact: str) -> str:
        """The fact that is taken under the name of ``fact``."""
        return fact if self.evidence_dates else UNDATED.get(fact, fact)

    def values(self, frames: Mapping[str, pl.DataFrame], ask: Ask, recall: Recall | None = None) -> Figures:
        """The report's figures; ``frames`` hold at least its facts, of one organization.

        BadRequest for a parameter that names a record that is not there.
        """
        ask = replace(ask, options={**{one.name: one.default for one in self.parameters}, **ask.options})
        for parameter in self.parameters:
            asked = ask.options.get(parameter.name)
            if parameter.found_in is not None and asked not in (None, parameter.default):
                fact, column = parameter.found_in
                if frames[fact].filter(pl.col(column) == asked).is_empty():
                    raise parameter.refusal(str(asked), f"{parameter.expectation} as of {spelled_day(ask.as_of)}")
        return Figures(self.figures, frames, ask, recall)

    def answer(
        self, frames: Mapping[str, pl.DataFrame], ask: Ask, parameters: Parameters, recall: Recall | None = None
    ) -> Document:
        """What it is asked for: its document, or the explanation of the figure that the parameters name."""
        explained = parameters.get(EXPLAIN)
        return (
            self.document(frames, ask, recall) if explained is None else self.explanation(frames, ask, str(explained))
        )

    def document(self, frames: Mapping[str, pl.DataFrame], ask: Ask, recall: Recall | None = None) -> Document:
        """The report's document; ``frames`` hold at least its facts, of one organization."""
        figures = self.values(frames, ask, recall)
        reserved: dict[str, object] = {ASK: ask, FIGURES: figures}
        made = {name: figures.rows(taken) for name, taken in inputs_of(self.build).items()}
        document = self.build(
            **made, **{name: reserved[name] for name in parameters_of(self.build) if name in reserved}
        )
        return self._with_figures(document, figures)

    def explanation(self, frames: Mapping[str, pl.DataFrame], ask: Ask, name: str) -> Document:
        """The rows that one of its figures counts, with the reason of each."""
        figures, figure = self.values(frames, ask), next(figure for figure in self.figures if figure.id == name)
        rows = figures.explained_rows(name)
        title, way = figures.title(name), way_to_value(figure.aggregate, rows)
        return Document(
            headline=f"{title}: {_figure_text(figures[name], figure)}, from {rows.height:,} "
            f"{'row' if rows.height == 1 else 'rows'}.",
            summary={name: figures[name]},
            titles={name: title},
            tables=(Table("rows", title, rows, note=way),),
            definitions={title: figures.definition(name), "From rows to value": way},
        )

    def _with_figures(self, document: Document, figures: Figures) -> Document:
        """The document with its figures as the first part of summary, titles and definitions."""
        twice = figures.declared.keys() & document.summary.keys()
        if twice:
            raise ValueError(f"{self.name}: {', '.join(sorted(twice))} is a figure and is also put into the summary.")
        words = [figure.id for figure in self.figures if figure.unit == "word"]
        return self._with_abbreviations(
            replace(
                document,
                summary={**{name: figures[name] for name in figures.declared}, **document.summary},
                titles={**{name: figures.title(name) for name in figures.declared}, **document.titles},
                definitions={
                    **{figures.title(name): figures.definition(name) for name in figures.declared},
                    **document.definitions,
                },
                words=(*words, *document.words),
                units={**{figure.id: figure.unit for figure in self.figures}, **document.units},
                better={**{figure.id: figure.better for figure in self.figures}, **document.better},
                unfounded=[name for name in figures.declared if not figures.is_founded(name)],
            )
        )

    def _with_abbreviations(self, document: Document) -> Document:
        """The document with what the abbreviations that its page uses stand for, after its own definitions."""
        texts = (self.title, self.description, *_texts(document))
        found = {term: text for term, text in abbreviations_in(texts).items() if term not in document.definitions}
        return replace(document, definitions={**document.definitions, **found}) if found else document


def _texts(document: Document) -> Iterator[str]:
    """What people read of a document beside the cells."""
    yield from (document.headline, document.next_step, *document.warnings, *document.footnotes)
    yield from document.titles.values()
    yield from document.definitions.keys()
    yield from document.definitions.values()
    for table in document.tables:
        yield from (table.title, table.note)
        yield from (
            table.labels.get(name) or COLUMNS[name].label
            for name in table.frame.columns
            if name in table.labels or (name in COLUMNS and name not in table.unseen)
        )
    for chart in document.charts:
        yield from (chart.title, chart.alt)


def _declared_in(module: str) -> Report:
    report: Report = import_module(module).REPORT
    return report


def _figure_text(value: object, figure: Figure) -> str:
    """A figure's value in a sentence."""
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            unit = {"percent": " %", "count": "", "ratio": ""}.get(figure.unit, f" {figure.unit}")
            return f"{value:,}{unit}"
    return str(value)
