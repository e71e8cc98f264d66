"""What moved between two days, read from two frames of one fact: it holds whatever wrote the rows, or if none did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

from engine.facts.controls.movements import family_of, reason_of, title_of
from engine.model.documents.document import FrameRow
from engine.model.documents.movement import KINDS, StateMove
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.difference.subjects import Subject


@dataclass(frozen=True)
class Moving:
    """A fact whose rows move: of which kind they are, in which table they are kept, what tells them apart, which column
    says their state, and for each state the column with the day on which it began."""

    kind: str
    fact: str
    table: str
    key: tuple[str, ...]
    state: str
    days: Mapping[str, str]


_CONTROL = ("framework", "control_id")
MOVING = (
    Moving(
        "control",
        "control_status",
        "control_profiles",
        _CONTROL,
        "state",
        {
            "ineffective": "state_since",
            "stale": "state_since",
            "no_data": "state_since",
            "partial": "state_since",
            "not_applicable": "approved_on",
        },
    ),
    Moving(
        "attestation",
        "attestations",
        "attestations",
        ("id",),
        "status",
        {"overdue": "due_on", "rejected": "attested_on", "attested": "attested_on"},
    ),
    Moving(
        "exception",
        "exceptions",
        "exceptions",
        ("id",),
        "standing",
        {"expired": "expires_on", "approved": "approved_on"},
    ),
    Moving("third_party", "vendors", "vendors", ("vendor_id",), "assurance", {"lapsed": "assured_until"}),
    Moving(
        "request",
        "requests",
        "evidence_requests",
        ("id",),
        "clock",
        {"overdue": "due_on", "closed_on_time": "finished_on", "closed_late": "finished_on"},
    ),
    Moving(
        "test",
        "test_windows",
        "testing_schedules",
        ("schedule_id", "window_open_on"),
        "standing",
        {"missed": "window_close_on", "done": "performed_on"},
    ),
    Moving("incident", "incidents", "incidents", ("id",), "status", {}),
    # what is told as something else already is left out of the duties
    Moving(
        "duty",
        "obligations",
        "",
        ("obligation_id",),
        "state",
        {"overdue": "due_on", "late": "done_on", "done": "done_on"},
    ),
    Moving("remediation", "remediations", "remediations", ("id",), "on_time", {"not_on_time": "due_on"}),
    Moving("risk", "risks", "risks", ("id",), "over_appetite", {}),
)


def movements(
    before: Mapping[str, pl.DataFrame],
    after: Mapping[str, pl.DataFrame],
    days: tuple[date, date],
    actions: Mapping[str, str],
    framework_names: Mapping[str, str] = FRAMEWORK_NAMES,
) -> list[StateMove]:
    """What moved in the facts that both have, with those days that lie between the two.

    ``actions``: what was done, by the identifiers of the audit events that the facts name as evidence.
    """
    there = [moving for moving in MOVING if moving.fact in before and moving.fact in after]
    reasons = _reasons(after, actions)
    state_moves = [
        one
        for moving in there
        for one in _state_moves(moving, before[moving.fact], after[moving.fact], reasons, framework_names)
    ]
    subjects = {subject for one in state_moves if one.kind != "duty" for subject in one.about}
    return [
        one._replace(on=one.on if one.on is not None and days[0] <= one.on <= days[1] else None)
        for one in state_moves
        if one.kind != "duty" or subjects.isdisjoint(one.about)
    ]


def _reasons(after: Mapping[str, pl.DataFrame], actions: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    """Why each control is in its state."""
    against: dict[tuple[str, str], str] = {}
    if "control_evidence" in after:
        columns = ("framework", "control_id", "contradicted_by")
        for framework, control, event_id in after["control_evidence"].select(columns).iter_rows():
            if event_id in actions:
                against[framework, control] = title_of(actions[event_id])
    reasons: dict[tuple[str, ...], str] = {}
    if "control_assessments" in after:
        for row in after["control_assessments"].iter_rows(named=True):
            key, newest = (row["framework"], row["control_id"]), actions.get(row["last_evidence_id"] or "")
            reasons[key] = reason_of(row, newest and family_of(newest), against.get(key))
    return reasons


def _state_moves(
    moving: Moving,
    before: pl.DataFrame,
    after: pl.DataFrame,
    reasons: Mapping[tuple[str, ...], str],
    framework_names: Mapping[str, str],
) -> Iterator[StateMove]:
    """Rows that came into a state with a word; of a control that was not in scope, and of an incident in planned
    maintenance, nothing is said: it is in no figure of incidents."""
    was = {
        tuple(row[name] for name in moving.key): _state(moving, row[moving.state])
        for row in before.iter_rows(named=True)
    }
    for row in after.iter_rows(named=True):
        key, state = tuple(row[name] for name in moving.key), _state(moving, row[moving.state])
        if moving.kind == "incident" and row["maintenance_state"] == "planned":
            continue
        if moving.kind == "incident" and state == "resolved" and key not in was:
            yield StateMove(moving.kind, "open", _thing(moving, row, framework_names), about=_about(moving, row))
        if state not in KINDS[moving.kind].verbs or was.get(key) == state:
            continue
        if moving.kind != "control" or key in was:
            because = reasons.get(key, "") if moving.kind == "control" else ""
            on = row.get(moving.days.get(state, ""))
            yield StateMove(moving.kind, state, _thing(moving, row, framework_names), on, because, _about(moving, row))


def _state(moving: Moving, found: object) -> str:
    """The word of a state; a flag is called as its column. An incident is open until it is resolved."""
    if moving.kind == "incident":
        return "resolved" if found in ("resolved", "closed") else "open"
    if isinstance(found, bool):
        return moving.state if found else f"not_{moving.state}"
    return str(found)


def _about(moving: Moving, row: FrameRow) -> tuple[Subject, ...]:
    """The records that a row of a fact is; a control is concerned by its state and its attestations alone."""
    control = ("control", str(row.get("framework")), str(row.get("control_id")))
    if moving.kind == "control":
        return (control,)
    if moving.kind == "duty":
        table, _, record = str(row["source_ref"]).partition("/")
        return (("record", table, record),)
    name = str(row[moving.key[0]]).removesuffix("-next")
    own = ("record", "", name), ("record", moving.table, name)
    return (control, *own) if moving.kind == "attestation" else own


def _thing(moving: Moving, row: FrameRow, framework_names: Mapping[str, str]) -> str:
    if moving.kind in ("control", "attestation"):
        return f"{framework_names.get(row['framework'], row['framework'])} {row['control_id']}"
    return " ".join(str(row[name]) for name in moving.key)
