"""Names that a shell completes: reports, their figures, formats and parameters, organizations."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from click import Context, Parameter
from click.shell_completion import CompletionItem

from engine.model.errors import Problem

if TYPE_CHECKING:
    from engine.model.declarations.declaration import Declaration


def report_names(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Reports, with their titles where the shell shows such."""
    from engine.reporting.index import index

    return [CompletionItem(name, help=one.title) for name, one in index().catalogue.items() if name.startswith(begun)]


def organization_names(context: Context, parameter: Parameter, begun: str) -> list[str]:
    """Organizations of the store; none where it cannot be read without further ado."""
    from engine.runtime.settings import Settings
    from engine.store import membership

    try:
        return _begin(membership.organization_names(Settings.of_process().store_url), begun)
    except Problem:  # a setting is wrong: the command itself says so
        return []


def figure_names(context: Context, parameter: Parameter, begun: str) -> list[str]:
    """Figures of the report that stands before."""
    declared = _report_before(context)
    return _begin(declared.figure_ids if declared else (), begun)


def format_names(context: Context, parameter: Parameter, begun: str) -> list[str]:
    """Formats of the report that stands before, else those of most reports."""
    from engine.model.declarations.declaration import FORMATS

    declared = _report_before(context)
    return _begin(declared.formats if declared else FORMATS, begun)


def parameter_names(context: Context, parameter: Parameter, begun: str) -> list[str]:
    """``periodDays=`` and what else the report that stands before may be asked."""
    declared = _report_before(context)
    return _begin((f"{each.name}=" for each in declared.parameters) if declared else (), begun)


def _report_before(context: Context) -> "Declaration | None":
    """The report that the words before name; an option that waits for its value leaves them unread."""
    from engine.reporting.index import index

    catalogue = index().catalogue
    words = (context.params.get("name") or "", *context.args)
    return next((catalogue[word] for word in words if word in catalogue), None)


def _begin(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]
