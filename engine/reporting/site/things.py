"""Things with a page of their own: controls, people, vendors, frameworks, services, auditor requests, incidents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import polars as pl

from engine.model.days import spelled_day
from engine.model.entities import EntityKind
from engine.render.cell_texts import plain_action
from engine.render.html.html import Step
from engine.reporting.snapshot.record_titles import person_names
from engine.reporting.snapshot.snapshot import Snapshot

LISTS: Mapping[EntityKind, str] = {
    "framework": "Frameworks",
    "control": "Controls",
    "owner": "People",
    "vendor": "Vendors",
    "service": "Services",
    "request": "Auditor requests",
    "incident": "Incidents",
}
"""The kinds in the order of the site, as their list pages are called."""
NAMED: Sequence[EntityKind] = ("framework", "owner", "vendor", "service")
_NO_NAME = re.compile(r"[^A-Za-z0-9.]+")


@dataclass(frozen=True)
class Happening:
    """Something that happened to a thing."""

    on: str  # a day, or an instant to the minute
    what: str
    who: str = ""


@dataclass(frozen=True)
class Thing:
    """A thing with what its own record says; ``small`` is its identifier where its title is another."""

    kind: EntityKind
    key: str
    title: str
    small: str
    file: str
    record: Mapping[str, Any]  # what is known of it, by column
    group: str = ""  # under which its list has it
    history: Sequence[Happening] = ()

    def with_record(self, further: Mapping[str, Any]) -> "Thing":
        """The same with more that is known of it."""
        return replace(self, record={**self.record, **further}) if further else self

    @property
    def place(self) -> str:
        """What a page calls the place where it stands: what is cited by its identifier by that, all else by name."""
        return self.title if self.kind in NAMED else self.small or self.title

    @property
    def step(self) -> Step:
        """How other pages of its kind lead to it: controls by what they are cited as."""
        return (self.small if self.kind == "control" else self.title), self.file


def list_file(kind: EntityKind) -> str:
    """The page that lists all things of a kind."""
    return f"{LISTS[kind].lower().replace(' ', '-')}.html"


def things_of(snapshot: Snapshot, addresses: Sequence[str]) -> list[Thing]:
    """Every thing of an organization, in the order of the site; ``addresses`` are people whom reports name."""
    events = _events(snapshot.fact("object_events_rows"))
    return [
        *_frameworks(snapshot),
        *_controls(snapshot),
        *_people(snapshot, addresses),
        *_of_rows("vendor", "vendor_id", "name", snapshot.fact("vendors"), events),
        *_of_rows("service", "id", "name", snapshot.fact("services_rows"), events),
        *_of_rows("request", "id", "title", distinct_titles(snapshot.fact("requests"), snapshot), events),
        *_of_rows("incident", "id", "title", snapshot.fact("incidents"), events),
    ]


def file_of(kind: EntityKind, key: str) -> str:
    """The page of a thing: letters and digits of its key; a hash where another key could come to the same."""
    plain = _NO_NAME.sub("-", key).strip("-.")
    unsure = plain.lower() != key.lower().replace(":", "-").replace("@", "-")
    tail = f"-{sha256(key.encode()).hexdigest()[:8]}" if unsure or not plain else ""
    return f"{kind}-{plain}{tail}.html"


def _thing(
    kind: EntityKind,
    key: str,
    title: str,
    record: Mapping[str, Any],
    history: Sequence[Happening] = (),
    small: str = "",
    group: str = "",
) -> Thing:
    known = {name: value for name, value in record.items() if value not in (None, "", [])}
    return Thing(kind, key, title or key, small, file_of(kind, key), known, group, history)


def _frameworks(snapshot: Snapshot) -> Iterator[Thing]:
    titles = dict(snapshot.fact("own_frameworks").select("framework", "title").iter_rows())
    for row in snapshot.fact("readiness").iter_rows(named=True):
        record = {name: value for name, value in row.items() if name not in ("org_id", "framework", "name")}
        name = row["framework"]
        yield _thing("framework", name, titles.get(name) or snapshot.framework_name(name), record)


def _controls(snapshot: Snapshot) -> Iterator[Thing]:
    changes: dict[tuple[str, str], list[Happening]] = {}
    actions = dict(snapshot.fact("trigger_events_rows").select("event_id", "action").iter_rows())
    for row in snapshot.fact("state_changes").iter_rows(named=True):
        before = f" (was {_with_spaces(row['previous'])})" if row["previous"] else ""
        text = f"{_with_spaces(row['state'])}{before}"
        event, action = row["trigger_event"], actions.get(row["trigger_event"])
        because = f": {plain_action(action)}" if action else f": {event}" if event else ""
        happening = Happening(row["observed_on"].isoformat(), f"{text}{because}")
        changes.setdefault((row["framework"], row["control_id"]), []).insert(0, happening)
    shown = (
        *("state", "state_since", "last_evidence_on", "next_due_on", "owner", "accountable", "attested_on"),
        *("last_test_on", "exception_id", "exception_expires_on", "justification", "cadence", "kinds_required"),
    )
    for row in snapshot.fact("control_assessments").iter_rows(named=True):
        framework, control = row["framework"], row["control_id"]
        name = snapshot.framework_name(framework)
        record = {column: row[column] for column in shown}
        history = changes.get((framework, control), ())
        yield _thing("control", f"{framework}:{control}", row["title"], record, history, f"{name} {control}", name)


def _people(snapshot: Snapshot, addresses: Sequence[str]) -> Iterator[Thing]:
    names = person_names(snapshot.fact)
    roles = {row["email"]: row["role"] for row in snapshot.fact("members").iter_rows(named=True)}
    for email in sorted({*addresses, *names, *roles}):
        title = names.get(email) or email
        yield _thing("owner", email, title, {"role": roles.get(email)}, (), email if title != email else "")


def _of_rows(
    kind: EntityKind, key: str, title: str, frame: pl.DataFrame, events: Mapping[tuple[str, str], Sequence[Happening]]
) -> Iterator[Thing]:
    of_kind = "evidence_request" if kind == "request" else kind
    for row in frame.sort(key).iter_rows(named=True):
        record = {name: value for name, value in row.items() if name not in ("org_id", key, title)}
        yield _thing(kind, row[key], row[title], record, events.get((of_kind, row[key]), ()), row[key])


def distinct_titles(requests: pl.DataFrame, snapshot: Snapshot) -> pl.DataFrame:
    """Requests of one title with the control that each is about, or the day on which it is due, behind it."""
    names = {name: snapshot.framework_name(name) for name in requests["framework"].drop_nulls().unique()}
    framework = pl.col("framework").replace_strict(names, default=None, return_dtype=pl.String)
    about = pl.format(" for {} {}", framework, "control_id")
    due = pl.format(", due {}", pl.col("due_on").map_elements(spelled_day, return_dtype=pl.String))
    title = pl.col("title")
    for further in (about, due):
        shared = pl.len().over("title") > 1
        text = pl.when(shared).then(pl.concat_str(title, further.fill_null("")))
        requests = requests.with_columns(title=pl.coalesce(text, title))
    return requests


def _events(frame: pl.DataFrame) -> dict[tuple[str, str], list[Happening]]:
    happenings: dict[tuple[str, str], list[Happening]] = {}
    for row in frame.iter_rows(named=True):
        what = plain_action(row["action"])
        said = what if row["outcome"] == "success" else f"{what} ({_with_spaces(row['outcome'])})"
        happening = Happening(row["occurred_at"].strftime("%Y-%m-%d %H:%M"), said, row["actor"])
        happenings.setdefault((row["object_type"], row["object_id"]), []).append(happening)
    return happenings


def _with_spaces(word: str) -> str:
    return word.replace("_", " ")
