"""Who decides and who works: committees and their meetings, people, relief of peak weeks."""

from datetime import date

import msgspec
import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, is_in, none, past, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED


def _meetings(records: Records) -> pl.DataFrame:
    frame = records.fact("committee_decisions").select("decisions", meeting_id="id")
    return (
        records.fact("meetings")
        .join(frame, on="meeting_id", how="left")
        .with_columns(decided=pl.col("decisions").map_elements(_decision_text, return_dtype=pl.String))
    )


def _decision_text(text: str) -> str:
    """The decisions of a meeting in one line."""
    made = msgspec.json.decode(text)
    return "; ".join(str(one.get("decision", one)) if isinstance(one, dict) else str(one) for one in made)


def _decisions(records: Records) -> pl.DataFrame:
    """What committees decided, one row each, with whoever carries it out until when."""
    rows = []
    for meeting, held_on, name, text in (
        records.fact("committee_decisions").select("id", "held_on", "name", "decisions").iter_rows()
    ):
        for number, one in enumerate(msgspec.json.decode(text), 1):
            if isinstance(one, dict):
                due = one.get("due_on")
                rows.append(
                    (
                        f"{meeting}#{number}",
                        meeting,
                        name,
                        held_on,
                        one.get("decision"),
                        one.get("owner"),
                        None if due is None else date.fromisoformat(due),
                        one.get("status"),
                    )
                )
    columns = {
        "id": pl.String,
        "meeting_id": pl.String,
        "committee": pl.String,
        "decided_on": pl.Date,
        "title": pl.String,
        "owner": pl.String,
        "due_on": pl.Date,
        "status": pl.String,
    }
    links = records.fact("meetings").select("meeting_id", "committee_id")
    return pl.DataFrame(rows, schema=columns, orient="row").join(links, on="meeting_id", how="left")


def _people(records: Records) -> pl.DataFrame:
    users = records.table("users").select("email", "name", "title", "active")
    members = records.table("memberships").select("email", "role", "status", "since_on")
    return members.join(users, on="email", how="left")


MEETING = Entity(
    "meeting",
    "meetings",
    ("meeting", "meet", "session", "decided", "decide", "minutes", "met", "meets"),
    _meetings,
    "meeting_id",
    "{meeting_id} {name}: {status}, {held_on}, chair {chair}; decided: {decided}",
    names=("meeting_id",),
    states=(
        RowState("cancelled", ("canceled", "called off", "dropped"), is_in("status", "cancelled")),
        RowState("held", ("took place", "happened"), is_in("status", "held")),
        RowState("planned", ("upcoming", "scheduled", "coming up"), is_in("status", "planned")),
    ),
    dates={"held_on": ("held", "meet", "met", "place", "take place")},
    due="held_on",
    people={"chair": ("chair", "chairs", *OWNER)},
    links={"committee": "committee_id"},
    attributes={"decided": ("decision", "decide", "decided", "agree", "agreed"), "status": ("status",)},
    fillers=("committee",),
)

DECISION = Entity(
    "committee decision",
    "committee decisions",
    ("committee decision", "decision", "resolution", "action of a committee", "committee action"),
    _decisions,
    "id",
    "{title}: {status}, due {due_on}, owner {owner}, {committee} of {decided_on}",
    names=("id", "title"),
    states=(
        RowState("open", ("outstanding", "pending", "not done", "unfinished"), is_in("status", "open")),
        RowState("overdue", ("late", "past due", "behind", "missed"), past("due_on", "open")),
        RowState("done", ("finished", "completed", "closed", "carried out"), is_in("status", "done")),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
    ),
    dates={"decided_on": ("decided", "made", "taken"), "due_on": ("due", "deadline")},
    due="due_on",
    people={"owner": OWNER},
    links={"committee": "committee_id"},
    attributes={"status": ("status", "state"), "committee": ("committee",)},
    fillers=("committee", "made", "taken"),
)

COMMITTEE = Entity(
    "committee",
    "committees",
    ("committee", "board", "steering group", "governance body"),
    lambda records: records.fact("committees"),
    "committee_id",
    "{committee_id} {name}: {cadence}, chair {chair}, members {members}",
    names=("committee_id", "name"),
    people={"chair": ("chair", "chairs", "chaired", "heads", "leads", "run", "runs", *OWNER)},
    links={"committee": "committee_id"},
    attributes={
        "cadence": ("cadence", "often", "frequency"),
        "members": ("member", "members", "sits on", "on", "belong to"),
    },
    choices={"cadence": {}},
)

PERSON = Entity(
    "person",
    "people",
    phrases(
        "person, people, member, user, colleague, staff, account, team member, work here, works here, named, "
        "somebody, somone, employee account"
    ),
    _people,
    "email",
    "{name} {email}: {title}, role {role}, {status}",
    names=("email", "name"),
    states=(
        RowState(
            "active",
            phrases("active, current, sign in, log in, access, use the console, have access, can sign in, login"),
            is_in("status", "active"),
        ),
        RowState(
            "removed",
            phrases("removed, former, left, deactivated, offboarded, inactive, departed, lost access, leaver"),
            is_in("status", "removed"),
        ),
    ),
    choices={"role": {"administrator": "admin", "admins": "admin", "admin role": "admin"}},
    dates={"since_on": ("since", "joined", "join", "added")},
    links={"person": "email"},
    attributes={
        "role": ("role", "permission", "right"),
        "title": ("title", "job", "do", "position"),
        "email": ("email", "address", "mail", "reach", "contact"),
        "status": ("status",),
    },
    presumed="active",
    dated=False,
    fillers=("console", "role", "rights"),
    hints=(
        "departed",
        "joined",
        "join",
        "joiners",
        "access",
        "leavers",
        "admin",
        "admins",
        "administrator",
        "role",
        "operator",
        "operators",
    ),
    loose=phrases("account"),
)

STAFFING = Entity(
    "staffing action",
    "staffing actions",
    ("staffing action", "staffing", "relief", "staffing proposal"),
    lambda records: records.fact("staffing_actions"),
    "action_id",
    "{action_id} {kind} in {week}: {status}, {relief_hours} h, owner {owner}, helped by {assignee}",
    names=("action_id",),
    states=(
        RowState("open", ("outstanding",), is_in("status", "open")),
        RowState("under way", ("running", "tracked", "taken up"), is_in("status", "tracked", "open")),
        RowState("proposed", ("suggested",), is_in("status", "proposed")),
        RowState("completed", ("done", "finished", "closed"), is_in("status", "completed")),
        RowState(
            "in breach of the SLA",
            phrases("breached, breach, past sla, overdue, late"),
            is_in("standing", "breached"),
            after=True,
        ),
    ),
    choices={"kind": {}},
    dates={"proposed_on": ("proposed", "new"), "completed_on": ("completed", "done")},
    people={"owner": OWNER, "assignee": ("assignee", "helps", "help", "helper")},
    measures={"relief_hours": ("relief", "hours")},
    attributes={"status": ("status", "state")},
    report="staffing-actions",
    fillers=("action",),
)
GOVERNANCE = (MEETING, DECISION, COMMITTEE, PERSON, STAFFING)
