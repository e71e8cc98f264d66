"""What moved between two days, read from two frames of one fact: it holds whatever wrote the rows, or if none did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from engine.model.document import FrameRow
from engine.model.movement import KINDS, Moved, Movement, grouped
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.facts.movements import reason_of


@dataclass(frozen=True)
class Moving:
    """A fact whose rows move: of which kind they are, what tells them apart, which column says their state, and for
    each state the column with the day on which it began."""

    kind: str
    fact: str
    key: tuple[str, ...]
    state: str
    days: Mapping[str, str]


_CONTROL = ("framework", "control_id")
MOVING = (
    Moving("control", "control_status", _CONTROL, "state", {
        "ineffective": "state_since", "stale": "state_since", "no_data": "state_since", "partial": "state_since",
        "effective": "last_evidence_on", "not_applicable": "approved_on",
    }),
    Moving("attestation", "attestations", ("id",), "status", {
        "overdue": "due_on", "rejected": "attested_on", "attested": "attested_on",
    }),
    Moving("exception", "exceptions", ("id",), "standing", {"expired": "expires_on", "approved": "approved_on"}),
    Moving("third_party", "vendors", ("vendor_id",), "assurance", {"lapsed": "assured_until"}),
    Moving("request", "requests", ("id",), "clock", {
        "overdue": "due_on", "closed_on_time": "finished_on", "closed_late": "finished_on",
    }),
    Moving("test", "test_windows", ("schedule_id", "window_open_on"), "standing", {
        "missed": "window_close_on", "done": "performed_on",
    }),
    Moving("incident", "incidents", ("id",), "status", {}),
    Moving("risk", "risks", ("id",), "over_appetite", {}),
)  # fmt: skip


def movements(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], families: Mapping[str, str]
) -> list[Movement]:
    """What moved in the facts that both have.

    ``families``: what an audit event is evidence of, by its identifier: ``backup``, ``access review``.
    """
    there = [moving for moving in MOVING if moving.fact in before and moving.fact in after]
    return grouped(one for moving in there for one in _moved(moving, before[moving.fact], after[moving.fact], families))


def _moved(moving: Moving, before: pl.DataFrame, after: pl.DataFrame, families: Mapping[str, str]) -> Iterator[Moved]:
    """Rows that came into a state with a word; of a control that was not in scope nothing is said."""
    was = {tuple(row[name] for name in moving.key): row[moving.state] for row in before.iter_rows(named=True)}
    for row in after.iter_rows(named=True):
        key, found = tuple(row[name] for name in moving.key), row[moving.state]
        state = moving.state if found is True else str(found)
        if state not in KINDS[moving.kind].verbs or was.get(key) == found:
            continue
        if moving.kind != "control":
            yield Moved(moving.kind, state, _thing(moving, row), row.get(moving.days.get(state, "")))
        elif key in was:
            family = families.get(row["last_evidence_id"] or "")
            yield Moved(
                moving.kind, state, _thing(moving, row), row[moving.days[state]], reason_of(row, family)
            )  # fmt: skip


def _thing(moving: Moving, row: FrameRow) -> str:
    if moving.kind in ("control", "attestation"):
        return f"{FRAMEWORK_NAMES.get(row['framework'], row['framework'])} {row['control_id']}"
    return " ".join(str(row[name]) for name in moving.key)
