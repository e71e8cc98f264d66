"""What a delivery remembers of the rows that it told: written by digests, read back by facts for years."""

import polars as pl

from engine.facts.schemas import FLAG, TEXT, TEXTS, WHOLE, Schema

# columns of a row that are kept where a table has them; days are ISO text, as in every JSON
DELIVERED: Schema = {
    **dict.fromkeys(("id", "item", "action_id", "alert_id", "gap_id", "obligation_id", "reminder_id"), TEXT),
    **dict.fromkeys(("framework", "control_id", "week", "level", "status", "state", "previous_state"), TEXT),
    **dict.fromkeys(("severity", "owner", "recipient", "escalate_to", "due_on", "news"), TEXT),
    **dict.fromkeys(("owed", "late", "send"), FLAG),
    "recipients": TEXTS,
    "step": WHOLE,
}


def payload_of(*tables: str, rows: tuple[str, ...]) -> pl.Struct:
    """The type of a stored payload, as far as these columns of the rows of these tables go."""
    row = pl.Struct({name: DELIVERED[name] for name in rows})
    return pl.Struct({table: pl.List(row) for table in tables})
