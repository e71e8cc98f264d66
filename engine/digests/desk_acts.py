"""What a mail's reader can do about its rows: a link to the act at the desk, or the record that does the same.

Each link signs its reader in, once, for a day; without SVC_DESK_URL a mail has the record of the first row, which
`hq import -` takes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

import polars as pl

from engine.accounts.sign_in_links import MAIL_LIFE, SignInLinks
from engine.render.mail.mail import MailAct
from engine.runtime.settings import Settings

MOST_ACTS = 10
FRONT_PAGE = "/"


@dataclass(frozen=True)
class _Way:
    """A column that names rows of a table: the act on them, what it is called, and the cells that it comes to."""

    column: str
    table: str
    act: str
    title: str
    cells: Mapping[str, str]


WAYS: Mapping[str, Sequence[_Way]] = {
    "attestation-renewal": (
        _Way(
            "attestation_id",
            "attestations",
            "attest",
            "Attest",
            {"outcome": "attested", "attestor": "{person}", "attested_at": "{now}"},
        ),
    ),
    "evidence-request-sla": (
        _Way(
            "id",
            "evidence_requests",
            "send",
            "Send to auditor",
            {"status": "submitted", "auditor_status": "submitted", "submitted_on": "{today}"},
        ),
    ),
    "staffing-action-reminders": (
        _Way("action_id", "staffing_actions", "finish", "Done", {"status": "completed", "completed_on": "{today}"}),
    ),
}
TITLES = ("control_title", "title", "what")


@dataclass(frozen=True)
class DeskActs:
    """Where acts lead in the mails of one run; ``now`` is its time, so that the same run says the same."""

    settings: Settings
    org_id: str
    now: datetime

    @property
    def has_desk(self) -> bool:
        """Whether mails lead to a desk: there is one, and it is we who sign people in."""
        return bool(self.settings.desk_url) and SignInLinks(self.settings).are_possible

    def front_page(self, email: str) -> str:
        """The link to somebody's own work; empty without a desk."""
        return self._link(email, FRONT_PAGE) if self.has_desk else ""

    def acts(self, digest: str, frames: Sequence[pl.DataFrame], email: str) -> list[MailAct]:
        """The acts on the first rows that somebody is shown."""
        if not self.has_desk:
            return []
        return [
            MailAct(f"{way.title}: {_title(row)}", self._link(email, _address(way, row)))
            for way, row in _rows(digest, frames)
        ]

    def record(self, digest: str, frames: Sequence[pl.DataFrame], email: str) -> str:
        """The record that does the first act, as `hq import -` takes it; empty where there is a desk, or no act."""
        first = None if self.settings.desk_url else next(_rows(digest, frames), None)
        if first is None:
            return ""
        way, row = first
        said = {"person": email, "now": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"), "today": self.now.date().isoformat()}
        cells = {name: text.format(**said) for name, text in way.cells.items()}
        values = [way.table, str(row[way.column]), *cells.values()]
        return "\n".join((",".join(("table", "id", *cells)), ",".join(map(_cell, values))))

    def _link(self, email: str, to: str) -> str:
        links = SignInLinks(self.settings)
        return links.address(links.new(email, self.org_id, now=self.now, life=MAIL_LIFE, to=to))


def _rows(digest: str, frames: Sequence[pl.DataFrame]) -> Iterator[tuple[_Way, Mapping[str, object]]]:
    """The first rows that have an act, each once."""
    seen: set[object] = set()
    for way in WAYS.get(digest, ()):
        for frame in frames:
            if way.column not in frame.columns:
                continue
            for row in frame.head(MOST_ACTS).iter_rows(named=True):
                if row[way.column] is None or row[way.column] in seen or len(seen) >= MOST_ACTS:
                    continue
                seen.add(row[way.column])
                yield way, row


def _address(way: _Way, row: Mapping[str, object]) -> str:
    return f"/tables/{way.table}/act/{way.act}?{urlencode({'key.id': str(row[way.column]), 'back': FRONT_PAGE})}"


def _title(row: Mapping[str, object]) -> str:
    return next((str(row[name]) for name in TITLES if row.get(name)), "")


def _cell(text: str) -> str:
    """A cell of CSV."""
    return '"{}"'.format(text.replace('"', '""')) if set(text) & set(',"\n\r') else text
