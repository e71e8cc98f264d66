"""What a digest would say now: one edition for preview and delivery, with one hash."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from engine.model.declarations.digest import Digest, Items
from engine.model.documents.document import Edition, Table
from engine.model.vocabulary import Json
from engine.render.text import json
from engine.render.words import label
from engine.reporting.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class Content:
    """A digest's report in a snapshot. ``payload`` is the preview's JSON, ``hash`` that of what it says.

    The hash leaves out the position in the audit chain: any write moves that, and what is said stays the same.
    """

    digest: Digest
    edition: Edition
    payload: dict[str, Json]
    hash: str

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not any(self.edition.document.summary.get(name) for name in self.digest.news)

    @property
    def figure(self) -> str:
        """The first figure of its news that is not none, with its name: ``Requests open: 3``."""
        summary = self.edition.document.summary
        for name in self.digest.news:
            value = summary.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value:
                return f"{label(name)}: {value:,}"
        return ""

    def table(self, name: str) -> Table:
        """A table of the report."""
        return self.edition.document.table(name)

    def rows(self, items: Items) -> pl.DataFrame:
        """The rows that are sent at all."""
        frame = self.table(items.table).frame
        return frame if items.only is None else frame.filter(items.only)


def content(snapshot: Snapshot, digest: Digest, query: Mapping[str, str]) -> Content:
    """The content under these parameters. BadRequest for a parameter that the report does not have."""
    edition = snapshot.edition(digest.report, query)
    payload = json.envelope(edition)
    return Content(digest, edition, payload, json.content_hash(edition))
