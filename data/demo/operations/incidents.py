"""Incidents with their histories and follow-ups."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.frames import json_text
from data.demo.history.story import Row, Story
from data.demo.operations import deploys, services
from engine.model.days import local_day

KINDS: tuple[tuple[str, str, str], ...] = (
    ("Error rate above objective", "metrics", "a release that was rolled back"),
    ("Latency above one second", "metrics", "a query without an index"),
    ("Certificate close to expiry", "prober", "a renewal that waited for approval"),
    ("Queue backlog growing", "metrics", "a consumer that stopped after a restart"),
    ("Repeated failed sign-ins", "siem", "password spraying from one network"),
    ("Disk almost full", "metrics", "log rotation that was not configured"),
    ("Backup did not finish", "backup", "a snapshot limit that was reached"),
    ("Unusual data export", "siem", "a report that was run with a wrong filter"),
    ("Replica lagging", "metrics", "a long migration on the primary"),
    ("Suspicious sign-in from a new country", "siem", "travel of a member of staff"),
    ("Endpoint quarantined", "edr", "a macro in a mailed document"),
    ("Upstream provider degraded", "prober", "an outage at a vendor"),
)
MINUTES = {
    "critical": (4, 38, 95),
    "high": (9, 70, 180),
    "medium": (25, 160, 420),
    "low": (90, 420, 1400),
    "info": (200, 700, 2600),
}


def fill(story: Story) -> None:
    rng = story.rng("incidents")
    recent = [1, 2, 3, 6]
    drawn = [rng.randint(5, HISTORY_DAYS) for _ in range(story.profile.incidents - len(recent) - 1)]
    moments = [(story.at(ago, rng.uniform(0, 1439)), ago, False) for ago in (*drawn, *recent)]
    moments.append((story.at(services.DEPLOYED_AGO, services.DEPLOYED_AT + 12), services.DEPLOYED_AGO, True))
    for opened, ago, caused_by_release in sorted(moments):
        _incident(story, opened, ago, rng, caused_by_release)


def _incident(story: Story, opened: datetime, ago: int, rng: Random, caused_by_release: bool) -> None:
    org = story.profile.org
    title, source, cause = KINDS[0] if caused_by_release else rng.choice(KINDS)
    severity = "high" if caused_by_release else rng.choices(tuple(MINUTES), (4, 15, 42, 32, 7))[0]
    service = services.service_id(services.BURNED[org]) if caused_by_release else rng.choice(services.ids(story))
    to_acknowledge, to_mitigate, to_resolve = (minutes * rng.uniform(0.4, 1.9) for minutes in MINUTES[severity])
    steps = {
        "acknowledged": opened + timedelta(minutes=round(to_acknowledge)),
        "mitigated": opened + timedelta(minutes=round(to_acknowledge + to_mitigate)),
        "resolved": opened + timedelta(minutes=round(to_acknowledge + to_mitigate + to_resolve)),
    }
    steps["closed"] = steps["resolved"] + timedelta(days=rng.randint(1, 9))
    if caused_by_release:
        steps["mitigated"] = story.at(services.DEPLOYED_AGO, services.DEPLOYED_AT + services.BURNED_MINUTES)
        steps["resolved"] = steps["mitigated"] + timedelta(minutes=45)
    left_open = not caused_by_release and (ago < 4 or (ago < 24 and rng.random() < 0.25))
    reached = ("open", "acknowledged", "mitigated")[ago % 3] if left_open else "closed"
    done = {"open": 0, "acknowledged": 1, "mitigated": 2}.get(reached, 4)
    happened = {name: at for name, at in list(steps.items())[:done] if at < story.at(0, 0)}
    status = list(happened)[-1] if happened else "open"
    identifier = story.yearly("INC", opened.date())
    owner = rng.choice(people.active(story))
    release = deploys.culprit(story)
    row = story.add(
        "incidents",
        id=identifier,
        title=title,
        severity=severity,
        status=status,
        service_id=service,
        workspace_id=rng.choice(people.workspaces(story)),
        source=source,
        dedupe_key="release" if caused_by_release else f"{source}/{service}/{title.lower().replace(' ', '-')}",
        alert_count=rng.randint(1, 14),
        started_at=opened - timedelta(minutes=rng.randint(1, 11)),
        opened_at=opened,
        acknowledged_at=happened.get("acknowledged"),
        mitigated_at=happened.get("mitigated"),
        resolved_at=happened.get("resolved"),
        closed_at=happened.get("closed"),
        last_seen_at=happened.get("mitigated", opened),
        owner=owner if happened else None,
        summary=f"{title} on {service.removeprefix('svc-')}.",
        root_cause=(f"release {release}" if caused_by_release else cause) if "resolved" in happened else None,
        impact_users=rng.randint(5, 4000) if severity in ("critical", "high") else None,
    )
    _record_incident(story, row, happened, release if caused_by_release else None, rng)


def _record_incident(
    story: Story, incident: Row, happened: Mapping[str, datetime], release: str | None, rng: Random
) -> None:
    """The lines of the timeline, the follow-ups, and an audit event for each step."""
    identifier, opened, severe = incident["id"], incident["opened_at"], incident["severity"] in ("critical", "high")
    details = json_text({"service": incident["service_id"], "severity": incident["severity"]})
    owner, workspace = incident["owner"] or f"operator@{story.profile.org}.example", incident["workspace_id"]
    lines: list[tuple[datetime, str, str, str]] = [
        (opened, "alert", incident["source"], f"{incident['title']}: alert received")
    ]
    steps = [("opened", opened, incident["source"])]
    if "acknowledged" in happened:
        lines.append((happened["acknowledged"], "status", owner, "Acknowledged, looking into it"))
        steps.append(("acknowledged", happened["acknowledged"], owner))
        if severe:
            at = happened["acknowledged"] + timedelta(minutes=9)
            lines.append((at, "communication", owner, "Affected customers and the status page informed"))
            steps += [("escalated", at - timedelta(minutes=4), owner), ("notified", at, owner)]
    if "mitigated" in happened:
        what = f"Rolled back {release}" if release else "Effect ended after a configuration change"
        lines.append((happened["mitigated"], "action", owner, what))
        steps.append(("contained", happened["mitigated"], owner))
    if "resolved" in happened:
        lines.append((happened["resolved"], "status", owner, "Resolved and watched for half an hour"))
        lines.append((happened["resolved"] + timedelta(minutes=35), "rca", owner, f"Cause: {incident['root_cause']}"))
        steps.append(("resolved", happened["resolved"], owner))
    if "closed" in happened:
        lines.append((happened["closed"], "note", owner, "Closed after review"))
    story.tables["incident_timeline"] += [
        {
            "id": f"{identifier}-{number:02d}",
            "incident_id": identifier,
            "happened_at": at,
            "kind": kind,
            "actor": actor,
            "body": body,
        }
        for number, (at, kind, actor, body) in enumerate(lines, start=1)
    ]
    for step, at, actor in steps:
        story.event(
            f"AE-{identifier}-{step}",
            at,
            actor,
            f"incident.{step}",
            "incident",
            identifier,
            workspace_id=workspace,
            details=details,
        )
    if "closed" in happened and severe:
        at = happened["closed"]
        for action in ("incident.postmortem.completed", "rca.completed", "evidence.preserved", "breach.assessed"):
            if action != "breach.assessed" or incident["source"] == "siem":
                story.event(
                    f"AE-{identifier}-{action.split('.')[0]}-{action.split('.')[1]}",
                    at,
                    owner,
                    action,
                    "incident",
                    identifier,
                )
    if "resolved" in happened and (severe or rng.random() < 0.2):
        ago = (story.today - happened["resolved"].date()).days
        due, finished = ago - rng.randint(10, 40), rng.random() < 0.78 and ago > 14
        story.add(
            "incident_actions",
            since=local_day(happened["resolved"], story.profile.time_zone),
            id=story.number("ACT"),
            incident_id=identifier,
            owner=owner,
            due_on=story.day(due),
            title=rng.choice(
                (
                    "Alert earlier on this signal",
                    "Test the rollback",
                    "Document the manual steps",
                    "Remove the single node",
                )
            ),
            kind=rng.choice(("prevent", "detect", "mitigate", "process")),
            status="done" if finished else "open",
            closed_on=story.day(max(1, due + rng.randint(-6, 9))) if finished else None,
        )
