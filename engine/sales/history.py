"""The history of a lead or pilot: rows that are only ever added, each beside an event of the audit chain.

The chain cannot forget, so people's data stays out of it: it names the fields that changed. The history holds from
and to.
"""

from collections.abc import Mapping
from datetime import date, datetime

from engine.store import Revision
from engine.store.schema.commerce import activities
from engine.store.types import instant_text

Changes = Mapping[str, tuple[object, object]]


def note(
    revision: Revision,
    kind: str,
    subject_id: str,
    action: str,
    details: Mapping[str, object] | None = None,
    *,
    chained: Mapping[str, object] | None = None,
) -> None:
    """Append to the history of the ``kind`` (lead or pilot); ``chained`` is what the audit event may say.

    The row is named after its event's place in the chain, so that sorted names are the order of what happened.
    """
    told = None if chained is None else dict(chained)
    place = revision.record(action, object_type=kind, object_id=subject_id, details=told)
    revision.insert(
        activities,
        [
            {
                "id": f"act_{place:012d}",
                "subject_type": kind,
                "subject_id": subject_id,
                "actor": revision.actor,
                "action": action,
                "details": None if details is None else dict(details),
                "happened_at": revision.now,
            }
        ],
    )


def differences(row: Mapping[str, object], wanted: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    """(from, to) of every column that would change."""
    return {name: (row[name], value) for name, value in wanted.items() if row[name] != value}


def from_to(changes: Changes) -> dict[str, object]:
    """Changes as the history holds them."""
    return {name: {"from": plain(old), "to": plain(new)} for name, (old, new) in changes.items()}


def plain(value: object) -> object:
    """A value of a column as JSON."""
    if isinstance(value, datetime):
        return instant_text(value)
    return value.isoformat() if isinstance(value, date) else value
