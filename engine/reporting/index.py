"""The index: every report and digest as far as it can be told without importing any, from ``reports/index.json``.

What answers from artifacts alone starts with it in milliseconds and holds neither Polars nor DuckDB. The file follows
from the declarations: ``python -m tests.reports.accept_index`` writes it, a test compares.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from engine.model.declarations.ask import Parameter
from engine.model.declarations.declaration import Declaration
from engine.model.declarations.digest import Digest
from engine.model.declarations.plan_parameters import ANY_FRAMEWORK, PLANNED_FRAMEWORK
from engine.model.declarations.report_loader import load_report

INDEX = Path(__file__).resolve().parents[2] / "reports" / "index.json"


@dataclass(frozen=True)
class IndexEntry(Declaration):
    """A line of the index. ``module`` declares the report; ``parts`` are those of the records that it looks at."""

    name: str
    title: str
    description: str
    module: str
    figures: tuple[str, ...]
    formats: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    schema_version: int
    plans: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, declaration: Declaration) -> "IndexEntry":
        """The line of a report."""
        report = load_report(declaration)
        return cls(
            report.name,
            report.title,
            report.description,
            report.report_module,
            report.figure_ids,
            report.formats,
            report.parameters,
            report.schema_version,
            report.plans,
            tuple(sorted(parts_of(report))),
        )

    @property
    def figure_ids(self) -> tuple[str, ...]:
        """The figures of its summary."""
        return self.figures

    @property
    def report_module(self) -> str:
        """The module that declares the report."""
        return self.module


@dataclass(frozen=True)
class IndexDigest(Digest):
    """A digest whose report is a line of the index."""

    report: IndexEntry


@dataclass(frozen=True)
class Index:
    """The chapters with the names of their reports, the reports of the catalogue and the digests, in their order.

    ``plan`` is what answers in place of a report that is asked what will be by a day.
    """

    sections: Mapping[str, tuple[str, ...]]
    reports: tuple[IndexEntry, ...]
    digests: tuple[IndexDigest, ...]
    plan: IndexEntry

    @property
    def chain(self) -> tuple[IndexDigest, ...]:
        """The staffing chain."""
        return tuple(digest for digest in self.digests if digest.chained)

    @property
    def catalogue(self) -> Mapping[str, IndexEntry]:
        """The reports by name."""
        return {entry.name: entry for entry in self.reports}


@cache
def index() -> Index:
    """The index that ships with the program."""
    return msgspec.json.decode(INDEX.read_bytes(), type=Index)


def parts_of(declaration: Declaration) -> Collection[str]:
    """The parts of the records that a report looks at."""
    if isinstance(declaration, IndexEntry):
        return declaration.parts
    from engine.reporting.snapshot.record_parts import report_parts

    return report_parts(load_report(declaration).facts)


def resolve_report(declared: Declaration, query: Mapping[str, str]) -> tuple[Declaration, Mapping[str, str]]:
    """What answers a question to a report, and what that is asked: itself, or the plan in its place.

    BadRequest for a plan of another framework than the report's.
    """
    if not declared.is_plan_query(query):
        return declared, query
    named = query.get(PLANNED_FRAMEWORK.name, declared.plans)
    if declared.plans != ANY_FRAMEWORK and named != declared.plans:
        raise PLANNED_FRAMEWORK.refusal(named, declared.plans)
    return index().plan, query if named == ANY_FRAMEWORK else {**query, PLANNED_FRAMEWORK.name: named}
