"""Numbers of the plan of action and milestones: a weakness gets the next of the ledger, which is never used again."""

import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from engine.model.poam import STANDING
from engine.store import Note, Revision
from engine.store.rows import many
from engine.store.schema.risk import poam_items

PREFIX = "V-"


class Weakness(NamedTuple):
    """A gap or finding that belongs on the plan."""

    key: str
    detected_on: date
    due_on: date


def number(revision: Revision, weaknesses: Iterable[Weakness], today: date) -> dict[str, str]:
    """Open an item for each weakness that has none: the new numbers by its key, in the order given.

    One that comes back after its number was closed gets a new one. The count goes on from the highest number that the
    organization ever used, whatever stood before it. The detection is the weakness's own day and stays it; ``today`` is
    kept as the day of the first listing.
    """
    known = many(revision.connection, poam_items, revision.org_id)
    standing = {row["weakness_key"] for row in known if row["status"] in STANDING}
    last = max((int(match[0]) for row in known if (match := re.search(r"\d+$", row["id"]))), default=0)
    new = {one.key: one for one in weaknesses if one.key not in standing}
    numbers = {key: f"{PREFIX}{last + place}" for place, key in enumerate(new, 1)}
    revision.insert(
        poam_items,
        [
            {
                "id": numbers[key],
                "weakness_key": key,
                "detected_on": one.detected_on,
                "due_on": one.due_on,
                "status": "open",
                "listed_on": today,
            }
            for key, one in new.items()
        ],
    )
    revision.record_all(
        Note(
            "poam.numbered", "poam_item", numbers[key], details={"weakness_key": key, "due_on": one.due_on.isoformat()}
        )
        for key, one in new.items()
    )
    return numbers
