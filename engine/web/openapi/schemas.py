"""JSON Schemas of the declared types, collected while operations are described and written out once."""

import msgspec

from engine.model.declarations.report import Report
from engine.model.declarations.report_loader import load_report
from engine.reporting.index import index
from engine.web.answers.shape import ReportEnvelope
from engine.web.openapi.report_schemas import Object, explanation_schema, report_name, report_schema

# what an assessor is handed may be any report: a further member is a table
TABLE: Object = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
EXPLANATION = "FigureExplanation"
REFERENCE = "#/components/schemas/{name}"


class Schemas:
    """The types and the reports that were referred to so far."""

    def __init__(self) -> None:
        self._kinds: list[object] = []
        self._reports: dict[str, Report] = {}

    def of(self, *kinds: object) -> Object:
        """A schema of these alternatives; what has a name is referred to by it."""
        self._kinds += [kind for kind in kinds if kind not in self._kinds]
        found, _ = msgspec.json.schema_components(kinds, schema_hook=_schema, ref_template=REFERENCE)
        return dict(found[0]) if len(found) == 1 else {"anyOf": [dict(one) for one in found]}

    def of_report(self, report: Report, *others: object) -> Object:
        """A schema of what a report answers with as JSON, of its explanations, and of other types."""
        self.of(ReportEnvelope, *others)
        self._reports[report_name(report)] = report
        own = [report]
        if report.plans:
            own.append(load_report(index().plan))
            self._reports[report_name(own[1])] = own[1]
        names = [*map(report_name, own), EXPLANATION, *(kind.__name__ for kind in others if isinstance(kind, type))]
        return {"anyOf": [{"$ref": REFERENCE.format(name=name)} for name in names]}

    def components(self) -> Object:
        """Every type by its name."""
        _, named = msgspec.json.schema_components(self._kinds, schema_hook=_schema, ref_template=REFERENCE)
        described: dict[str, Object] = {name: dict(named[name]) for name in named}
        if self._reports:
            envelope = described[ReportEnvelope.__name__]
            described |= {name: report_schema(report, envelope) for name, report in self._reports.items()}
            described[EXPLANATION] = explanation_schema(envelope)
        described.get(ReportEnvelope.__name__, {}).update(additionalProperties=TABLE)
        return {name: described[name] for name in sorted(described)}


def _schema(kind: type) -> Object:
    """``object`` is any JSON value."""
    if kind is object:
        return {"description": "A JSON value, whichever."}
    raise NotImplementedError
