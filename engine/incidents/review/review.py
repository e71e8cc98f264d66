"""The post-incident review (REPORTS 14): facts from the records, explicit blanks, prompts for what people must add."""

from collections.abc import Iterator, Sequence
from datetime import date

from engine.incidents.alerts.alert_text import alert_blocks
from engine.incidents.review.durations import incident_times
from engine.incidents.review.evidence import content_sha256
from engine.incidents.review.export import actions_table, clocks, family, handling, times_table
from engine.incidents.review.factors import factors
from engine.incidents.review.lessons import Lesson, lessons
from engine.incidents.review.markdown import (
    FILL_IN,
    automation_tables,
    document,
    duration,
    event_table,
    facts,
    instant_words,
    moment,
    table,
    timeline_table,
    zone_sentence,
)
from engine.incidents.review.own_zone import in_own_zone
from engine.incidents.review.records import IncidentRecord
from engine.model.days import spelled_day
from engine.model.records import AuditLogRow
from engine.render.text.prose import heading, inline, paragraph

PERSONAL_DATA = ("gdpr", "hipaa")  # laws under which an assessment is of a breach of personal data
REVIEWED = "incident.postmortem.completed"


def review(record: IncidentRecord, as_of: date) -> bytes:
    """The review as it stands on a day: a follow-up is overdue on that day or not."""
    return document(_blocks(in_own_zone(record), as_of))


def _blocks(record: IncidentRecord, as_of: date) -> Iterator[str]:
    incident, told = record.incident, lessons(record, as_of)
    yield heading(1, f"Post-incident review: {incident['title']}")
    yield (
        f"**{inline(record.organization.name)}** · {inline(record.id)} · severity {incident['severity']} · "
        f"{incident['status']} · as of {spelled_day(as_of)}. {zone_sentence(record)}"
    )
    yield _status_line(record)
    yield "## 1. Summary"
    yield _summary(record)
    yield "## 2. Impact"
    yield _impact(record)
    yield "## 3. Timeline"
    yield timeline_table(record)
    yield "## 4. Detection"
    yield _detection(record)
    yield from alert_blocks(incident)
    yield "## 5. Response"
    yield times_table(record)
    yield facts(handling(record))
    yield _response(record)
    yield from clocks(record)
    yield from family(record)
    yield "## 6. What went well"
    yield _lessons(told, good=True, ask="what helped, and should be kept?")
    yield "## 7. What went poorly"
    yield _lessons(told, good=False, ask="what was missing, late or confusing? Where were we lucky?")
    yield "## 8. Contributing factors"
    yield from factors(record)
    yield "## 9. Actions"
    yield actions_table(record, nothing="No follow-up action is recorded.")
    if not record.actions:
        yield f"{FILL_IN} what will be done, by whom, until when, and whether it prevents, detects or mitigates?"
    yield "## 10. Execution evidence"
    yield from automation_tables(record)
    yield "## 11. Audit snapshot"
    yield facts(
        (
            ("Audit chain head", f"position {record.head.seq}, hash {record.head.hash}"),
            ("Evidence pack", f"/api/incidents/{record.id}/evidence"),
            ("SHA-256 of its content", content_sha256(record)),
        )
    )
    yield event_table(record)


def _status_line(record: IncidentRecord) -> str:
    """Whether this is a draft, and whether the records are held."""
    reviewed = [row for row in record.events if row["action"] == REVIEWED and row["outcome"] == "success"]
    if record.incident["resolved_at"] is None:
        text = "> **Preliminary:** the incident is not resolved."
    elif reviewed:
        last = reviewed[-1]
        text = (
            f"> **Review recorded as completed** by {inline(last['actor'])} on {instant_words(last['occurred_at'])} "
            f"(audit position {last['seq']})."
        )
    else:
        text = "> **Draft:** no completed review is recorded."
    held = [row["matter"] for row in record.holds if row["released_at"] is None]
    return text + (f" **Legal hold:** {inline('; '.join(held))}." if held else "")


def _summary(record: IncidentRecord) -> str:
    incident, times, cost = record.incident, incident_times(record.incident), record.impact
    source = f"was reported by {inline(incident['source'])}" if incident["source"] else "was detected"
    said = [f"On {instant_words(incident['opened_at'])} “{inline(incident['title'])}” {source}{_on(record)}."]
    steps = (("acknowledged", times.tta_minutes), ("mitigated", times.ttm_minutes), ("resolved", times.ttr_minutes))
    done = [f"{step} after {duration(minutes)}" for step, minutes in steps if minutes is not None]
    missing = [step for step, minutes in steps if minutes is None]
    if done:
        said.append(f"It was {_join(done)}.")
    if missing:
        said.append(f"When it was {_join(missing)} is not recorded.")
    if cost.minutes is not None:
        reach = f" and reached {cost.users:,} users" if cost.users is not None else ""
        said.append(f"The effect lasted {duration(cost.minutes)}{reach}.")
    if cost.used_pct is not None:
        said.append(f"It used {cost.used_pct:,.1f} % of the service's 30-day error budget.")
    cause = incident["root_cause"]
    said.append(f"Established cause: {inline(cause)}." if cause else "No cause is established.")
    waiting = sum(row["status"] == "open" for row in record.actions)
    if record.actions:
        counted = (
            "1 follow-up action was" if len(record.actions) == 1 else f"{len(record.actions)} follow-up actions were"
        )
        said.append(f"{counted} agreed, of which {waiting} {'is' if waiting == 1 else 'are'} open.")
    text = " ".join(said)
    given = incident["summary"]
    return f"{paragraph(given)}\n\n{text}" if given and given.rstrip(".") != incident["title"] else text


def _on(record: IncidentRecord) -> str:
    if record.name is None:
        return ""
    rank = f" (criticality {record.service['criticality']} of 5)" if record.service else ""
    return f" on **{inline(record.name)}**{rank}"


def _impact(record: IncidentRecord) -> str:
    cost, service = record.impact, record.service
    still = "" if cost.over else " so far: the effect goes on"
    if cost.used_pct is not None and cost.bad is not None and cost.budget is not None:
        budget = (
            f"{cost.used_pct:,.1f} % of the 30 days that end with the incident: {cost.bad:,} bad of {cost.total:,} "
            f"events; the objective of {cost.objective_pct:g} % allows {cost.budget:,.1f} in that time{still}"
        )
    else:
        budget = f"blank: {cost.blank}"
    breach = next((row for row in reversed(record.events) if _is_breach(row)), None)
    lasted = duration(cost.minutes) if cost.minutes is not None else "blank: its end is not recorded"
    rows: list[tuple[str, object]] = [
        ("Users affected", cost.users if cost.users is not None else "blank: not recorded"),
        ("Effect lasted", lasted),
        ("Error budget used", budget),
        ("Customer data on the service", _data(service["holds_customer_data"]) if service else "blank: no service"),
        (
            "Assessed as a breach of personal data",
            f"yes, on {moment(breach['occurred_at'])} by {breach['actor']} (audit position {breach['seq']})"
            if breach
            else "no assessment is recorded",
        ),
    ]
    return f"{facts(rows)}\n\n{FILL_IN} what customers noticed, contractual or legal consequences, cost."


def _is_breach(event: AuditLogRow) -> bool:
    """Whether an event assesses the incident as a breach of personal data: as a monitor of such says, or by law."""
    if event["action"] != "incident.assessed":
        return event["action"] == "breach.assessed"
    details = event["details"]
    return isinstance(details, dict) and details.get("law") in PERSONAL_DATA


def _data(held: bool | None) -> str:
    return "not recorded" if held is None else "held" if held else "none held"


def _detection(record: IncidentRecord) -> str:
    incident, times = record.incident, incident_times(record.incident)
    took = (
        f"{duration(times.ttd_minutes)} after the trouble began"
        if times.ttd_minutes is not None
        else f"blank: {times.blanks['ttd_minutes']}"
    )
    return facts(
        (
            ("Detected", took),
            ("Reported by", incident["source"] or "blank: no source is recorded"),
            ("Alerts received", incident["alert_count"]),
            ("Last alert", incident["last_seen_at"]),
            ("Dedupe key", incident["dedupe_key"]),
        )
    )


def _response(record: IncidentRecord) -> str:
    timeline_rows = [row for row in record.timeline if row["kind"] == "communication"]
    rows = [(row["happened_at"], row["actor"], row["body"]) for row in timeline_rows]
    owner = record.incident["owner"]
    led = f"Led by {inline(owner)}." if owner else "Who led the response is not recorded."
    return f"{led}\n\n" + table(("Told at", "By", "What"), rows, nothing="No communication is recorded.")


def _lessons(told: Sequence[Lesson], *, good: bool, ask: str) -> str:
    lines = [f"- {inline(lesson.text)}" for lesson in told if lesson.good == good]
    return "\n".join([*lines, f"- {FILL_IN} {ask}"])


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
