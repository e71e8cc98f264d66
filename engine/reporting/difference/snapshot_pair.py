"""What changed in a report since the end of a day: the two snapshots that are compared."""

from collections.abc import Callable
from datetime import date

from engine.model.declarations.as_of import SINCE, AsOf
from engine.model.declarations.ask import Parameters
from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.model.errors import BadRequest
from engine.reporting.difference.comparison import compare
from engine.reporting.snapshot.snapshot import Snapshot
from engine.store import Store


def changes_since(
    snapshot: Snapshot, report: Report, parameters: Parameters, open_at: Callable[[AsOf], Snapshot], store: Store
) -> Document:
    """The difference between a report at the end of the day that ``since`` names and in a snapshot.

    BadRequest for a day that there is no answer for, and for one that is not before the snapshot's.
    """
    asked = str(parameters[SINCE.name])
    day = date.fromisoformat(asked)
    if day >= snapshot.as_of:
        raise SINCE.refusal(asked, f"a day before {snapshot.as_of}, which it is compared with")
    try:
        earlier = open_at(AsOf(day))
    except BadRequest as error:
        expected = next((str(detail["expected"]) for detail in error.details), SINCE.expectation)
        raise SINCE.refusal(asked, expected) from error
    with earlier:
        if earlier.revision.seq > snapshot.revision.seq:
            at = f"revision {snapshot.revision.seq}, which it is compared with"
            raise SINCE.refusal(asked, f"a day that ended before {at}")
        return compare(
            report,
            earlier.comparison_side(report, parameters),
            snapshot.comparison_side(report, parameters),
            store,
            snapshot.org_id,
            snapshot.subject.organization.time_zone,
        )
