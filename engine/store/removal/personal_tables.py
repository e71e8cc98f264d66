"""Tables of which a row is about one person: what of it goes with that person, besides the address and the name."""

from collections.abc import Mapping
from typing import NamedTuple


class PersonalTable(NamedTuple):
    """``column`` says whose a row is: an address, or the identifier of a row of the tables ``of``.

    ``cleared`` is theirs in every version of the row; ``ended`` is what becomes of the present one.
    """

    column: str
    of: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    ended: Mapping[str, Mapping[object, object]] = {}


PERSONAL = {  # those that others are found by come first
    "users": PersonalTable(
        "email", cleared=("name", "title", "preferences"), ended={"active": {True: False, None: False}}
    ),
    "memberships": PersonalTable("email", cleared=("display_name",), ended={"status": {"active": "removed"}}),
    "leads": PersonalTable("email", cleared=("name", "company", "message", "notes", "lost_reason")),
    "pilots": PersonalTable("lead_id", of=("leads",), cleared=("name", "notes")),
    "activities": PersonalTable("subject_id", of=("leads", "pilots"), cleared=("details",)),
    "copilot_threads": PersonalTable("email", cleared=("title",)),
    "copilot_messages": PersonalTable("thread_id", of=("copilot_threads",), cleared=("body", "citations")),
    "deliveries": PersonalTable("recipient", cleared=("payload",), ended={"status": {"pending": "skipped"}}),
    "delivery_contents": PersonalTable(
        "delivery_id", of=("deliveries",), cleared=("subject", "body_text", "body_html", "blocks")
    ),
    "access_log": PersonalTable("actor", cleared=("address",)),
}
