"""What the pages of services, requests and incidents begin with: how each stands, whose turn it is, what it did."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from engine.model.days import spelled_day
from engine.model.documents.document import FrameRow
from engine.model.vocabulary import LIVE_INCIDENTS, SEVERITIES
from engine.render import words
from engine.render.links import ThingKey
from engine.reporting.site.list_tables import BROKEN
from engine.reporting.site.portrait import Portrait, number, part
from engine.reporting.snapshot.snapshot import Snapshot

_MONTH = timedelta(days=30)


def services(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    health = {row["service_id"]: row for row in snapshot.fact("service_health").iter_rows(named=True)}
    unheard = _unheard(snapshot, health)
    of_service: dict[str, list[FrameRow]] = defaultdict(list)
    for row in snapshot.fact("incidents").sort("opened_at", "id", descending=[True, False]).iter_rows(named=True):
        of_service[row["service_id"] or ""].append(row)
    findings: dict[str, list[FrameRow]] = defaultdict(list)
    for row in snapshot.fact("findings").filter(status="open").iter_rows(named=True):
        findings[row["service"] or ""].append(row)
    for row in snapshot.fact("services_rows").iter_rows(named=True):
        every = of_service[row["id"]]
        live = [one for one in every if one["status"] in LIVE_INCIDENTS]
        recent = [one for one in every if one["opened_at"].date() > snapshot.as_of - _MONTH]
        text = (
            f"{unheard.get(row['id'], '')}{_objective(health.get(row['id']), row['id'] in unheard)} "
            f"{number(len(recent), 'incident')} in thirty days, {len(live)} open."
            f"{_findings(findings.get(row['id'], ()), snapshot.as_of)}"
        )
        live.sort(key=lambda one: SEVERITIES.index(one["severity"]))
        shown = [*live, *(one for one in every if one not in live)]
        work = [part("Next", [_next_of_incident(live[0])])] if live else []
        yield ("service", row["id"]), Portrait(text, [*work, part("Incidents", [_incident(one) for one in shown])])


def _findings(rows: Sequence[FrameRow], today: date) -> str:
    """How many open findings there are of a service, and how many are past their day."""
    late = [row for row in rows if row["due_on"] is not None and row["due_on"] < today]
    overdue = f", {len(late):,} of them overdue" if late else ""
    return f" {number(len(rows), 'open finding')}{overdue}." if rows else ""


def _unheard(snapshot: Snapshot, health: Mapping[str, FrameRow]) -> dict[str, str]:
    """What is to be said of services whose every monitor is silent: since then nobody knows how they are.

    One that failed its objective when it was last heard still stands as failing, here as in lists.
    """
    silent = snapshot.fact("service_watch").filter(watch="silent")
    last = {
        f"{row['token']} / {row['source']}": row
        for row in snapshot.fact("senders").filter(sender_state="silent").iter_rows(named=True)
    }
    said = {}
    for service, senders in silent.select("service_id", "senders").iter_rows():
        heard = [last[one] for one in senders or () if one in last]
        if not heard:
            continue
        newest = max(heard, key=lambda row: row["last_message_at"])
        day = spelled_day(newest["last_message_at"].date())
        known = "Nothing heard" if service in health and health[service]["level"] in BROKEN else "Not known"
        said[service] = f"{known} since {day}: its monitor {newest['source']} is silent. "
    return said


def _objective(health: FrameRow | None, unheard: bool = False) -> str:
    if health is None or health["objective_pct"] is None:
        return "No objective is recorded for it."
    if health["used_30d_pct"] is None:
        return f"Objective {health['objective_pct']:g} %: too little was measured to say how it stands."
    level = f"{words.spell(health['level'])} by what was heard before" if unheard else words.spell(health["level"])
    return (
        f"Objective {health['objective_pct']:g} %: {level}, {health['used_30d_pct']:,.0f} % of "
        "its error budget of thirty days is used."
    )


def _next_of_incident(row: FrameRow) -> str:
    """Who does what next about an incident that is not over."""
    what = "removes the cause of" if row["status"] == "mitigated" else "restores the service in"
    return f"{row['owner'] or 'Nobody yet'} {what} {row['id']} {row['title']}"


def _incident(row: FrameRow) -> str:
    return f"{spelled_day(row['opened_at'].date())}: {row['id']} {row['title']} ({row['severity']}, {row['status']})"


def requests(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    for row in snapshot.fact("requests").iter_rows(named=True):
        name = snapshot.framework_name(row["framework"])
        about = f" for {name} {row['control_id']}" if row["framework"] and row["control_id"] else ""
        text = f"{_clock(row, snapshot.as_of)}, {_turn(row, about)}."
        lines = [str(one) for one in row["evidence_ids"] or ()]
        further = [part("Next", [_answer(row, snapshot.as_of)])] if row["finished_on"] is None else []
        if lines:
            further.append(part("Evidence sent", lines))
        yield ("request", row["id"]), Portrait(text, further)


def _clock(request: FrameRow, today: date) -> str:
    """How a request stands by its clock; by how many days it is or was late."""
    due, ended = request["due_on"], request["finished_on"] or today
    clock = words.spell(request["clock"]).capitalize()
    if request["clock"] not in ("overdue", "closed_late") or due is None or ended <= due:
        return clock
    late = number((ended - due).days, "day")
    return f"Overdue for {late}" if request["clock"] == "overdue" else f"Closed {late} late"


def _answer(request: FrameRow, today: date) -> str:
    """Who does what next about an open request, and by when."""
    if request["submitted_on"] is not None and request["status"] == "submitted":
        return f"{request['owner'] or 'Nobody'} asks {request['requester'] or 'the auditor'} for the decision"
    stands_in = f"; {request['backup']} stands in" if request["backup"] else ""
    due = request["due_on"]
    by = "" if due is None else " now" if due < today else f" by {spelled_day(due)}"
    return f"{request['owner'] or 'Nobody'} sends the evidence{by}{stands_in}"


def _turn(request: FrameRow, about: str) -> str:
    """Whose turn it is with a request, and by when."""
    due = f"due {spelled_day(request['due_on'])}" if request["due_on"] else "without a day"
    if request["finished_on"] is not None:
        return f"{due}: finished on {spelled_day(request['finished_on'])}{about}"
    if request["submitted_on"] is not None and request["status"] == "submitted":
        sent = f"sent on {spelled_day(request['submitted_on'])}{about}"
        return f"{due}: {sent}; it waits for {request['requester'] or 'the auditor'}"
    return f"{due}: {request['owner'] or 'nobody'} answers it{about}"


def incidents(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    details = {row["id"]: row for row in snapshot.fact("incident_details_rows").iter_rows(named=True)}
    health = {row["service_id"]: row for row in snapshot.fact("service_health").iter_rows(named=True)}
    unheard = _unheard(snapshot, health)
    rows = snapshot.fact("incidents").sort("opened_at", "id").rows(named=True)
    every = {row["id"]: row for row in rows}
    names = dict(snapshot.fact("services_rows").select("id", "name").iter_rows())
    families: dict[str, list[FrameRow]] = defaultdict(list)
    for row in rows:
        if row["parent_id"]:
            families[row["parent_id"]].append(row)
    for row in rows:
        detail = details.get(row["id"], {})
        parts = [part("Cause", [detail.get("root_cause") or "Not established."])]
        if impact := _impact(detail):
            parts.append(part("Impact", impact))
        if row["status"] in LIVE_INCIDENTS:
            parts.insert(0, part("Next", [_next_of_incident(row)]))
        if row["service_id"] and row["status"] in LIVE_INCIDENTS:  # how the service stands now says nothing of others
            name = names.get(row["service_id"]) or row["service_id"]
            objective = _objective(health.get(row["service_id"]), row["service_id"] in unheard)
            parts.append(part("Objective", [f"{name}: {objective}"]))
        if family := _family(row, detail, every, families):
            parts.append(part("Family", family))
        yield ("incident", row["id"]), Portrait(_course(row, snapshot.as_of), parts)


def _course(row: FrameRow, today: date) -> str:
    opened = f"opened on {spelled_day(row['opened_at'].date())}"
    if row["status"] in LIVE_INCIDENTS:
        days = number((today - row["opened_at"].date()).days, "day")
        who = row["owner"] or "nobody"
        return f"{row['severity'].capitalize()}, {row['status']}: {opened}, {days} ago; {who} has it."
    took = (
        f", resolved after {words.in_unit(row['minutes_to_resolve'], 'minutes')}" if row["minutes_to_resolve"] else ""
    )
    return f"{row['severity'].capitalize()}, {row['status']}: {opened}{took}."


def _impact(detail: Mapping[str, Any]) -> list[str]:
    users = detail.get("impact_users")
    hit = [f"{users:,} {'user' if users == 1 else 'users'}"] if users is not None else []
    return [*hit, *filter(None, [detail.get("summary")])]


def _family(
    row: FrameRow, detail: Mapping[str, Any], every: Mapping[str, FrameRow], families: Mapping[str, Sequence[FrameRow]]
) -> list[str]:
    """The incident that it belongs to and why, and those that belong to it."""
    parent = every.get(row["parent_id"] or "")
    above = [f"Part of {_incident(parent)}{_reason(detail)}"] if parent else []
    return [*above, *(_incident(one) for one in families.get(row["id"], ()))]


def _reason(detail: Mapping[str, Any]) -> str:
    return f": {detail['parent_reason']}" if detail.get("parent_reason") else ""
