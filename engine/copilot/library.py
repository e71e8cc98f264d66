"""The reports of one organization at one moment, each computed once and only when it is asked for."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

import polars as pl

from engine.model.document import (
    Document,
    Edition,
    Organization,
    Position,
    Table,
)
from engine.model.report import Report
from engine.model.vocabulary import LIVE_INCIDENTS
from engine.reporting.snapshots import Snapshots
from engine.store.rows import first, many
from engine.store.schema.services import incidents

INCIDENTS = "incidents"
MOST_INCIDENTS = 200


class Library:
    """What the copilot may read: the catalogue's reports, and the open incidents in the same form."""

    def __init__(self, snapshots: Snapshots, org_id: str, *, now: datetime) -> None:
        self._snapshots = snapshots
        self._org_id = org_id
        self._now = now
        self._known: dict[str, Edition | None] = {}

    @property
    def catalogue(self) -> Mapping[str, Report]:
        """Every report there is, by name."""
        return self._snapshots.catalogue

    @property
    def as_of(self) -> date:
        """The day of the newest report that was read; the day of the question while none was."""
        return max((edition.as_of for edition in self._known.values() if edition), default=self._now.date())

    @property
    def revision(self) -> int:
        """The newest revision that a report was computed from; 0 while none was read."""
        return max((edition.revision.seq for edition in self._known.values() if edition), default=0)

    def edition(self, name: str) -> Edition | None:
        """A report of the organization; None where the catalogue has none of that name."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> Edition | None:
        if name == INCIDENTS:
            return self._incidents()
        if name not in self._snapshots.catalogue:
            return None
        with self._snapshots.open(self._org_id, now=self._now) as snapshot:
            return snapshot.edition(name, {})

    def _incidents(self) -> Edition:
        """The open incidents, latest first; ``known`` is 0 where no incident was ever recorded."""
        store = self._snapshots.store
        with store.reader() as connection:
            known = first(connection, incidents, self._org_id) is not None
            found = many(
                connection, incidents, self._org_id, status=LIVE_INCIDENTS, order=("-opened_at",), limit=MOST_INCIDENTS
            )
        head = store.head(self._org_id) or Position(0, "")
        return Edition(
            report=INCIDENTS,
            title="Open incidents",
            description="Incidents that are not resolved.",
            schema_version=1,
            organization=Organization(self._org_id, self._org_id),
            as_of=self._now.date(),
            revision=head,
            parameters={},
            settings_version=0,
            document=_incident_document(found, known),
        )


def _incident_document(rows: Sequence[Mapping[str, object]], known: bool) -> Document:
    columns = ("id", "title", "severity", "status", "opened_at", "owner")
    cells = [{name: row[name] for name in columns} for row in rows]
    frame = pl.DataFrame(cells, schema=columns, orient="row", infer_schema_length=None)
    more = "At least " if len(rows) == MOST_INCIDENTS else ""
    count = f"{more}{len(rows)} incident{'' if len(rows) == 1 else 's'}" if rows else "No incident"
    headline = f"{count} {'is' if len(rows) < 2 else 'are'} open."
    return Document(headline, {"known": int(known), "open": len(rows)}, (Table("open", "Open incidents", frame),))
