"""Who was on call in the last weeks, and two windows of maintenance, of which one was declared after the fact."""

from dataclasses import replace
from datetime import datetime, timedelta

from data.demo.history.story import Row, Story
from engine.model.days import local_day

ORG = "aurora"
WEEKS = range(8, -2, -1)  # so many weeks ago each shift begins, the last of them still to come
HANDOVER = 9 * 60  # on Mondays
BEFORE, AFTER = timedelta(hours=1), timedelta(hours=2)  # of what happened in a window


def fill(story: Story) -> None:
    """One person a week for every service, by turns; four of five incidents are taken by who is on duty."""
    if story.profile.org != ORG:
        return
    members = [row for row in story.tables["memberships"] if (row["role"], row["status"]) == ("operator", "active")]
    rota = sorted(row["email"] for row in members if row["email"] != f"operator@{ORG}.example")
    shifts = []
    for number, week in enumerate(WEEKS):
        ago = story.today.weekday() + 7 * week
        shifts.append(
            story.add(
                "on_call_shifts",
                since=story.day(max(ago + 7, 0)),
                id=f"SHIFT-{number + 1:02}",
                person=rota[number % len(rota)],
                starts_at=story.at(ago, HANDOVER),
                ends_at=story.at(ago - 7, HANDOVER),
                rota="primary",
            )
        )
    for number, incident in enumerate(story.tables["incidents"]):
        on_duty = _on_duty(shifts, incident["opened_at"])
        if on_duty is not None and incident["acknowledged_at"] is not None:
            incident["acknowledged_by"] = incident["owner"] if number % 5 == 0 else on_duty
    _set_takers(story)
    small = [
        row for row in story.tables["incidents"] if row["severity"] == "info" and row["opened_at"] < story.at(5, 0)
    ]
    for incident, noted, reason in zip(
        small[-2:], (-2, 1), ("move to new disks", "network switch replaced"), strict=True
    ):
        opened = incident["opened_at"]
        story.add(
            "maintenance_windows",
            since=local_day(opened, story.profile.time_zone) + timedelta(days=noted),
            id=f"MW-{incident['id']}",
            reason=reason,
            created_by=rota[0],
            service_id=incident["service_id"],
            starts_at=opened - BEFORE,
            ends_at=opened + AFTER,
        )


def _set_takers(story: Story) -> None:
    """The history of each incident and the audit log name who acknowledged it, as the incident does."""
    by = {row["id"]: row["acknowledged_by"] for row in story.tables["incidents"] if row.get("acknowledged_by")}
    for line in story.tables["incident_timeline"]:
        if line["kind"] == "status" and line["body"].startswith("Acknowledged") and line["incident_id"] in by:
            line["actor"] = by[line["incident_id"]]
    events = {f"AE-{key}-acknowledged": person for key, person in by.items()}
    story.events = [replace(event, actor=events.get(event.id, event.actor)) for event in story.events]


def _on_duty(shifts: list[Row], at: datetime) -> str | None:
    return next((one["person"] for one in shifts if one["starts_at"] <= at < one["ends_at"]), None)
