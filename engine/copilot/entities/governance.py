"""Who decides and who works: committees and their meetings, people, relief of peak weeks."""

import msgspec
import polars as pl

from engine.copilot.entities.entity import Records, RowState, is_in, none, past, phrases
from engine.copilot.entities.wordbook import thing


def _meetings(records: Records) -> pl.DataFrame:
    frame = records.fact("committee_decisions").select("decisions", meeting_id="id")
    return (
        records.fact("meetings")
        .join(frame, on="meeting_id", how="left")
        .with_columns(
            decided=pl.col("decisions").map_elements(_decision_text, return_dtype=pl.String),
            decision_count=pl.col("decisions").map_elements(_decision_count, return_dtype=pl.Int64),
        )
    )


def _decision_count(text: str) -> int:
    return len(msgspec.json.decode(text))


def _decision_text(text: str) -> str:
    """The decisions of a meeting in one line."""
    made = msgspec.json.decode(text)
    return "; ".join(str(one.get("decision", one)) if isinstance(one, dict) else str(one) for one in made)


def _decisions(records: Records) -> pl.DataFrame:
    """What committees decided, one row each, with whoever carries it out until when."""
    held = records.fact("committee_decisions").select("id", "held_on", "name", "decisions")
    rows = [
        {"id": f"{meeting}#{number}", "meeting_id": meeting, "committee": name, "decided_on": held_on,
         "title": one.get("decision"), **{key: one.get(key) for key in ("owner", "status", "due_on")}}
        for meeting, held_on, name, text in held.iter_rows()
        for number, one in enumerate(msgspec.json.decode(text), 1)
        if isinstance(one, dict)
    ]  # fmt: skip
    texts = phrases("id, meeting_id, committee, title, owner, status, due_on")
    frame = pl.DataFrame(rows, schema={**dict.fromkeys(texts, pl.String), "decided_on": pl.Date})
    links = records.fact("meetings").select("meeting_id", "committee_id")
    return frame.with_columns(pl.col("due_on").str.to_date()).join(links, on="meeting_id", how="left")


def _people(records: Records) -> pl.DataFrame:
    users = records.table("users").select("email", "name", "title", "active")
    members = records.table("memberships").select("email", "role", "status", "since_on")
    return members.join(users, on="email", how="left")


MEETING = thing(
    "meeting",
    _meetings,
    RowState("cancelled", is_in("status", "cancelled")),
    RowState("held", is_in("status", "held")),
    RowState("planned", is_in("status", "planned")),
)

DECISION = thing(
    "committee decision",
    _decisions,
    RowState("open", is_in("status", "open")),
    RowState("overdue", past("due_on", "open")),
    RowState("done", is_in("status", "done")),
    RowState("unowned", none("owner"), aside=True),
    RowState(
        "of the last meeting",
        lambda _: pl.col("decided_on") == pl.col("decided_on").max().over("committee_id"),
        after=True,
        aside=True,
    ),
)

COMMITTEE = thing("committee", lambda records: records.fact("committees"))

PERSON = thing(
    "person", _people, RowState("active", is_in("status", "active")), RowState("removed", is_in("status", "removed"))
)

STAFFING = thing(
    "staffing action",
    lambda records: records.fact("staffing_actions"),
    RowState("open", is_in("status", "open")),
    RowState("under way", is_in("status", "tracked", "open")),
    RowState("proposed", is_in("status", "proposed")),
    RowState("blocked", lambda _: pl.col("blocked_reason").is_not_null()),
    RowState("completed", is_in("status", "completed")),
    RowState("in breach of the SLA", is_in("standing", "breached"), after=True),
)
GOVERNANCE = (MEETING, DECISION, COMMITTEE, PERSON, STAFFING)
