"""The report of a declaration, imported when it is first needed."""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.model.declarations.declaration import Declaration

if TYPE_CHECKING:
    from engine.model.declarations.report import Report


def load_report(declaration: Declaration) -> "Report":
    """The report itself; the first one imports all that computes reports."""
    from engine.model.declarations.report import Report

    if isinstance(declaration, Report):
        return declaration
    report: Report = import_module(declaration.report_module).REPORT
    return report
