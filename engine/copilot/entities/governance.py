"""Who decides and who works: committees and their meetings, people, relief of peak weeks."""

import msgspec
import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, is_in, none, past, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED


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


MEETING = Entity(
    "meeting", "meetings", ("meeting", "meet", "session", "decided", "decide", "minutes", "met", "meets"), _meetings,
    "meeting_id", "{meeting_id} {name}: {status}, {held_on}, chair {chair}; decided: {decided}",
    names=("meeting_id",),
    states=(
        RowState("cancelled", ("canceled", "called off", "dropped"), is_in("status", "cancelled")),
        RowState("held", ("took place", "happened"), is_in("status", "held")),
        RowState(
            "planned",
            phrases("upcoming, scheduled, coming up, still to come, to come, in the future, future, ahead"),
            is_in("status", "planned")
        )
    ),
    dates={"held_on": ("held", "meet", "met", "place", "take place")}, due="held_on",
    people={"chair": ("chair", "chairs", *OWNER)}, links={"committee": "committee_id"},
    attributes={
        "decided": ("decision", "decide", "decided", "agree", "agreed"),
        "decision_count": ("decision", "number of decisions"), "status": ("status",)
    },
    fillers=("committee",),
)  # fmt: skip

DECISION = Entity(
    "committee decision", "committee decisions",
    ("committee decision", "decision", "resolution", "action of a committee", "committee action"), _decisions, "id",
    "{title}: {status}, due {due_on}, owner {owner}, {committee} of {decided_on}", names=("id", "title"),
    states=(
        RowState("open", ("outstanding", "pending", "not done", "unfinished"), is_in("status", "open")),
        RowState("overdue", ("late", "past due", "behind", "missed"), past("due_on", "open")),
        RowState("done", ("finished", "completed", "closed", "carried out"), is_in("status", "done")),
        RowState("unowned", UNOWNED, none("owner"), aside=True)
    ),
    dates={"decided_on": ("decided", "made", "taken"), "due_on": ("due", "deadline")}, due="due_on",
    people={"owner": OWNER}, links={"committee": "committee_id"},
    attributes={"status": ("status", "state"), "committee": ("committee",)}, fillers=("committee", "made", "taken"),
)  # fmt: skip

COMMITTEE = Entity(
    "committee", "committees", ("committee", "board", "steering group", "governance body"),
    lambda records: records.fact("committees"), "committee_id",
    "{committee_id} {name}: {cadence}, chair {chair}, members {members}", names=("committee_id", "name"),
    people={
        "chair": ("chair", "chairs", "chaired", "heads", "leads", "run", "runs", *OWNER),
        "members": (
            "member", "members", "sit on", "sits on", "sit in", "sits in", "belong to", "belongs to", "attend"
        )
    },
    links={"committee": "committee_id"},
    attributes={"cadence": ("cadence", "often", "frequency"), "members": ("on",)}, choices={"cadence": {}},
)  # fmt: skip

PERSON = Entity(
    "person", "people",
    phrases(
        "person, people, member, user, colleague, staff, account, team member, work here, works here, named, "
        "somebody, somone, employee account"
    ),
    _people, "email", "{name} {email}: {title}, role {role}, {status}", names=("email", "name"),
    states=(
        RowState(
            "active",
            phrases("active, current, sign in, log in, access, use the console, have access, can sign in, login"),
            is_in("status", "active")
        ),
        RowState(
            "removed",
            phrases("removed, former, left, deactivated, offboarded, inactive, departed, lost access, leaver"),
            is_in("status", "removed")
        )
    ),
    choices={"role": {"administrator": "admin", "admins": "admin", "admin role": "admin"}},
    dates={"since_on": ("since", "joined", "join", "added", "start", "started", "hired", "begin", "began")},
    links={"person": "email"},
    attributes={
        "role": ("role", "permission", "right"), "title": ("title", "job", "do", "position"),
        "email": ("email", "address", "mail", "reach", "contact"), "status": ("status",)
    },
    presumed="active", dated=False, fillers=("console", "role", "rights", "team"),
    hints=(
        "departed", "hired", "joined", "join", "joiners", "access", "leavers", "admin", "admins", "administrator",
        "role", "operator", "operators"
    ),
    loose=phrases("account"),
)  # fmt: skip

STAFFING = Entity(
    "staffing action", "staffing actions", ("staffing action", "staffing", "relief", "staffing proposal"),
    lambda records: records.fact("staffing_actions"), "action_id",
    "{action_id} {kind} in {week}: {status}, {relief_hours} h, owner {owner}, helped by {assignee}",
    names=("action_id",),
    states=(
        RowState("open", ("outstanding",), is_in("status", "open")),
        RowState("under way", ("running", "tracked", "taken up"), is_in("status", "tracked", "open")),
        RowState("proposed", ("suggested",), is_in("status", "proposed")),
        RowState("blocked", ("stuck", "held up", "stalled"), lambda _: pl.col("blocked_reason").is_not_null()),
        RowState("completed", ("done", "finished", "closed"), is_in("status", "completed")),
        RowState(
            "in breach of the SLA", phrases("breached, breach, past sla, overdue, late"),
            is_in("standing", "breached"), after=True
        )
    ),
    choices={"kind": {}}, dates={"proposed_on": ("proposed", "new"), "completed_on": ("completed", "done")},
    people={"owner": OWNER, "assignee": ("assignee", "helps", "help", "helper")},
    measures={
        "relief_hours": phrases(
            "relief, hours, planned relief, planned hours, planned, supposed to bring, should bring, meant to "
            "bring, would bring, will bring, expected, promised, estimated, planned to save, planned to bring, "
            "supposed to save, should save, meant to save, expected to bring, expected to save"
        ),
        "relief_actual_hours": phrases(
            "brought, bring, really brought, actually brought, did bring, saved, save, delivered, achieved, "
            "actually achieved, relieved, relieve, actual, actually, actual relief, actual hours, actual relief "
            "hours"
        )
    },
    attributes={"status": ("status", "state"), "blocked_reason": ("blocking", "blocks")}, reason="blocked_reason",
    report="staffing-actions", fillers=("action",), hints=("helps", "helped", "relieves"),
)  # fmt: skip
GOVERNANCE = (MEETING, DECISION, COMMITTEE, PERSON, STAFFING)
