"""What a digest would say now: one edition for preview and delivery, with one hash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from engine.delivery import content_hash
from engine.model.digest import Digest, Items
from engine.model.document import Edition, Table
from engine.reporting.editions import Editions
from engine.reporting.render import json

Row = dict[str, Any]


@dataclass(frozen=True)
class Content:
    """A digest's report as of the last write. ``json`` is the preview's JSON, ``hash`` that of what it says.

    The hash leaves out the position in the audit chain: any write moves that, and what is said stays the same.
    """

    digest: Digest
    edition: Edition
    json: Row
    hash: str

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not any(self.edition.document.summary.get(name) for name in self.digest.news)

    def table(self, name: str) -> Table:
        """A table of the report."""
        return next(table for table in self.edition.document.tables if table.name == name)

    def rows(self, items: Items) -> list[int]:
        """The places of the rows that are sent at all."""
        rows: Sequence[Mapping[str, Any]] = self.json[items.table]
        return [place for place, row in enumerate(rows) if items.only is None or row[items.only]]


def content(editions: Editions, digest: Digest, org_id: str, query: Mapping[str, str], *, now: datetime) -> Content:
    """The content under these parameters. BadRequest for a parameter that the report does not have."""
    edition = editions.made(org_id, digest.report, query, now=now)
    payload = preview(edition)
    return Content(digest, edition, payload, hash_of(payload))


def preview(edition: Edition) -> Row:
    """The JSON of the preview, as a mapping."""
    decoded: Row = msgspec.json.decode(json.render(edition))
    return decoded


def hash_of(payload: Mapping[str, Any]) -> str:
    """The content hash of a preview's JSON."""
    return content_hash({name: value for name, value in payload.items() if name != "revision"})
