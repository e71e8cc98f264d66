"""Lists of things as tables: state, owner and day of each, what needs somebody first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from engine.model.documents.document import Table
from engine.model.documents.vendor_documents import STATE_LABELS, urgency
from engine.model.entities import EntityKind
from engine.model.vocabulary import LIVE_INCIDENTS, REQUEST_PRIORITIES
from engine.render import words
from engine.reporting.site.things import LISTS, Thing
from engine.reporting.snapshot.snapshot import Snapshot

COLUMNS: Mapping[EntityKind, tuple[str, ...]] = {
    "framework": (
        "strict_pct",
        "weighted_pct",
        "applicable",
        "effective",
        "partial",
        "stale",
        "ineffective",
        "no_data",
    ),
    "control": ("state", "owner", "next_due_on", "last_evidence_on"),
    "owner": ("role", "late", "due_soon", "duties", "first_due_on"),
    "vendor": ("assurance", "tier", "inherited_gaps", "owner", "assured_until", "next_review_on"),
    "service": ("level", "criticality", "owner", "open_incidents"),
    "request": ("clock", "owner", "due_on", "framework", "control_id", "priority"),
    "incident": ("severity", "status", "owner", "service_id", "opened_at", "resolved_at"),
}
STATES: Mapping[EntityKind, str] = {
    "control": "state",
    "vendor": "assurance",
    "service": "level",
    "request": "clock",
    "incident": "status",
}
"""The column that says how things of a kind stand."""
_DUE = ("due_on", "next_due_on", "assured_until", "first_due_on")
_SHADES = ("assurance", "clock", "level", "severity", "state", "status")
_LABELS = {
    **{"late": "Late", "due_soon": "Within 30 days", "duties": "Open duties", "first_due_on": "Oldest due"},
    **{"open_incidents": "Open incidents", "next_due_on": "Evidence due", "clock": "State", "level": "State"},
    "criticality": "Criticality (5 is highest)",
    "assurance": STATE_LABELS["assurance"],
}
_URGENCY = ("alarm", "bad", "grave", "stale", "watch", "unknown", "mild", "calm", "neutral", "good")
BROKEN = ("critical", "warning")  # levels at which a service is known to fail its objective
NOT_KNOWN = "not_known"
NEXT_RECORDS: Mapping[EntityKind, str] = {
    "framework": "put a framework in scope (hq import, table organization_frameworks)",
    "control": "put a framework in scope: its controls follow",
    "owner": "name people (hq import, table memberships)",
    "vendor": "record the vendors that hold data or run something for you (hq import, table vendors)",
    "service": "record the services that you run (hq import, table services)",
    "request": "record what an auditor asks for (hq import, table evidence_requests)",
    "incident": "connect a monitor, or record an incident by hand (hq incident open)",
}
"""What would fill a list that is empty."""


def list_table(kind: EntityKind, things: Sequence[Thing]) -> Table:
    """All things of a kind, the most urgent first."""
    rows = [_row(kind, thing) for thing in sorted(things, key=lambda thing: _urgency(kind, thing))]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    shown = frame.select(column for column in frame if column.dtype != pl.Null)
    return Table(
        LISTS[kind].lower().replace(" ", "_"),
        LISTS[kind],
        shown,
        labels={name: label for name, label in _LABELS.items() if name in shown.columns},
        state=[name for name in _SHADES if name in shown.columns],
        words=[name for name in ("tier", "criticality", "priority", "role") if name in shown.columns],
    )


def summary(kind: EntityKind, things: Sequence[Thing]) -> str:
    """How many things there are, and how they stand: ``861 controls: 54 ineffective, 43 stale, 640 effective.``"""
    noun = LISTS[kind].lower()
    if len(things) == 1:
        noun = "person" if kind == "owner" else noun.removesuffix("s")
    if not things:
        return f"No {noun} on record. Next: {NEXT_RECORDS[kind]}."
    if kind == "owner":
        late = sum(1 for thing in things if thing.record.get("late"))
        if len(things) == 1:
            return f"1 {noun}, with {'something' if late else 'nothing'} late."
        return f"{len(things):,} {noun}; {late:,} of them have something late."
    state = STATES.get(kind)
    if state is None:
        least = min(things, key=_readiness)
        share = least.record.get("strict_pct")
        return (
            f"{len(things):,} {noun}{'' if share is None else f'; {least.title} is least ready, {share:.1f} % strict'}."
        )
    if kind == "incident":
        return _live_summary(things)
    counts = Counter(str(thing.record[state]) for thing in things if state in thing.record)
    ordered = sorted(counts.items(), key=lambda pair: (_rank(pair[0], state), pair[0]))
    said = [f"{count:,} {words.spell(word, state)}" for word, count in ordered]
    unknown = len(things) - counts.total()
    if unknown and kind == "service":
        said.append(f"{unknown:,} without an objective to stand by")
    text = ", ".join(said)
    return f"{len(things):,} {noun}{f': {text}' if text else ''}."


def _live_summary(incidents: Sequence[Thing]) -> str:
    """How many incidents are not over, how grave, and how many nobody has."""
    live = [one.record for one in incidents if one.record["status"] in LIVE_INCIDENTS]
    if not live:
        return f"None of {len(incidents):,} incidents is open."
    grave = sum(1 for record in live if record["severity"] == "critical")
    nobody = sum(1 for record in live if not record.get("owner"))
    said = [f"{grave:,} critical" if grave else "", f"{nobody:,} without an owner" if nobody else ""]
    more = ", ".join(filter(None, said))
    are = "is" if len(live) == 1 else "are"
    return f"{len(live):,} of {len(incidents):,} incidents {are} not resolved{f': {more}' if more else ''}."


def _readiness(framework: Thing) -> float:
    share = framework.record.get("strict_pct")
    return 101.0 if share is None else float(share)


def with_counts(things: Sequence[Thing], snapshot: Snapshot) -> list[Thing]:
    """People with how many duties they have, services with their health and what is open there.

    The health of a service whose every monitor is silent is not known.
    """
    people, services = _duties(snapshot), _operations(snapshot)
    further: Mapping[EntityKind, Mapping[str, Mapping[str, object]]] = {"owner": people, "service": services}
    return [thing.with_record(further.get(thing.kind, {}).get(thing.key, {})) for thing in things]


def _duties(snapshot: Snapshot) -> dict[str, dict[str, object]]:
    today = snapshot.as_of
    late = (pl.col("due_on") < today) & ~pl.col("paused").fill_null(value=False)
    soon = pl.col("due_on").is_between(today, today + pl.duration(days=30))
    waiting = snapshot.fact("obligations").filter(
        pl.col("done_on").is_null(), pl.col("state") != "cancelled", pl.col("owner").is_not_null()
    )
    counted = waiting.group_by("owner").agg(
        late=late.sum(), due_soon=soon.sum(), duties=pl.len(), first_due_on=pl.col("due_on").min()
    )
    return {row.pop("owner"): row for row in counted.iter_rows(named=True)}


def _operations(snapshot: Snapshot) -> dict[str, dict[str, object]]:
    operations: dict[str, dict[str, object]] = {}
    for row in snapshot.fact("service_health").select("service_id", "level", "objective_pct").iter_rows(named=True):
        operations[row["service_id"]] = {"level": row["level"], "objective_pct": row["objective_pct"]}
    for service in snapshot.fact("service_watch").filter(watch="silent")["service_id"]:
        health = operations.setdefault(service, {})
        if health.get("level") not in BROKEN:  # what was heard before it fell silent is no merit of today
            health["level"] = NOT_KNOWN
    live = snapshot.fact("incidents").filter(pl.col("status").is_in(LIVE_INCIDENTS), pl.col("service_id").is_not_null())
    for service, count in live.group_by("service_id").len().iter_rows():
        operations.setdefault(service, {})["open_incidents"] = count
    return operations


def _row(kind: EntityKind, thing: Thing) -> dict[str, Any]:  # a row of a frame
    named: dict[str, Any]
    match kind:
        case "control":
            framework, _, control = thing.key.partition(":")
            named = {"framework": framework, "control_id": control, "title": thing.title}
        case "vendor" | "service":
            named = {f"{kind}_id": thing.key, kind: thing.title}
        case "request" | "incident":
            named = {"id": thing.key, "title": thing.title}
        case _:
            named = {kind: thing.key}
    return named | {name: thing.record.get(name) for name in COLUMNS[kind]}


def _urgency(kind: EntityKind, thing: Thing) -> tuple[Any, ...]:
    """What needs somebody first: by state, then by what weighs most, then by what is due first."""
    record = thing.record
    state = STATES.get(kind, "")
    rank = _rank(str(record.get(state, "")), state)
    days = [record[name] for name in _DUE if name in record]
    due = min(days, default=date.max)
    match kind:
        case "incident" if record["status"] not in LIVE_INCIDENTS:
            return len(_URGENCY) + 1, -record["opened_at"].date().toordinal(), date.min, thing.key
        case "incident":
            return _rank(record["severity"], "severity"), -record["opened_at"].date().toordinal(), date.min, thing.key
        case "request":
            place = _place(record, "priority", REQUEST_PRIORITIES)
            return _wait(record), -_lateness(record, place), due, place, thing.key
        case "vendor":
            return urgency({**record, "name": thing.title, "vendor_id": thing.key})
        case "service":
            return rank, -int(record.get("criticality") or 0), due, thing.key
        case "framework":
            return _readiness(thing), 0, due, thing.key
    return rank, -int(record.get("late") or 0), due, thing.key


def _wait(request: Mapping[str, Any]) -> int:
    """The order of the report of requests: what is late, at risk, waits for the requester, then the others; what is
    finished stands last."""
    if request.get("finished_on") is not None:
        return 4
    return {"overdue": 0, "at_risk": 1, "paused": 2}.get(str(request.get("clock")), 3)


def _lateness(request: Mapping[str, Any], place: int) -> int:
    """Days late times priority, four times for the first: what the report orders late requests by."""
    days = -int(request.get(words.DAYS_LEFT) or 0)
    return days * (len(REQUEST_PRIORITIES) - place) if request.get("clock") == "overdue" else 0


def _place(record: Mapping[str, Any], name: str, order: Sequence[str]) -> int:
    """Where a word stands in its order; one that is not known counts as the first."""
    word = record.get(name)
    return order.index(word) if word in order else 0


def _rank(word: str, column: str) -> int:
    tone = words.tone(word, column)
    return _URGENCY.index(tone) if tone in _URGENCY else len(_URGENCY)
