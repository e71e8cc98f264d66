"""From what a report says of a subject to the edition that formats show: whole, or as the filters ask for."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from engine.model.declarations.as_of import SINCE
from engine.model.declarations.ask import Parameters
from engine.model.declarations.filters import Filters
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Edition
from engine.reporting.index import parts_of
from engine.reporting.snapshot.excerpt import excerpt
from engine.reporting.snapshot.filter_names import Fact
from engine.reporting.snapshot.part_positions import newest
from engine.reporting.snapshot.record_titles import person_names, record_titles
from engine.reporting.snapshot.subject import FactSource, Subject


def own_framework_names(fact: Fact) -> Mapping[str, str]:
    """What the organization's own frameworks are called, by identifier; ``fact`` gives any fact."""
    return dict(fact("own_frameworks").select("framework", "name").iter_rows())


def edition_of(
    report: Report, subject: Subject, parameters: Parameters, document: Document, source: FactSource
) -> Edition:
    """The edition of a report's whole document. BadRequest for a filter that does not go with the document."""

    def fact(name: str) -> pl.DataFrame:
        return source.frame(name, None)

    whole = Edition(
        report=report.name,
        title=f"{document.title or report.title}: what changed"
        if SINCE.name in parameters
        else document.title or report.title,
        description=report.description,
        schema_version=report.schema_version,
        organization=subject.organization,
        as_of=subject.as_of,
        revision=newest(parts_of(report), subject.part_heads, subject.revision),
        parameters=dict(parameters),
        settings_version=subject.settings.version,
        document=document,
        people=person_names(fact),
        titles=record_titles(report.facts, fact, source.titles),
        own_frameworks=own_framework_names(fact),
    )
    filters = replace(Filters.of(parameters, report.parameters), own_frameworks=whole.own_frameworks)
    if not filters:
        return whole
    title = f"{whole.title}: {filters.words}" if filters.named else whole.title
    return replace(whole, title=title, document=excerpt(document, filters, report.name, fact))
