"""The audit log: what the other chapters told, the routine of every practice, and the traffic of every day.

Traffic is what fills the log up to the profile's size. It is drawn column by column: at 100,000 events a row at a
time is what would cost.
"""

from datetime import timedelta
from itertools import accumulate

import polars as pl

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.frames import INSTANT
from data.demo.history import stories
from data.demo.history.story import EPOCH, SECOND, Story
from data.demo.operations import senders, services
from data.demo.programme.practice import Practice

COLUMNS = (
    "event_id",
    "occurred_at",
    "actor",
    "action",
    "object_type",
    "object_id",
    "outcome",
    "workspace_id",
    "controls",
    "details",
)
# action: (share, made by a system, kind of object); the last are known to no map or support nothing
TRAFFIC: dict[str, tuple[float, bool, str]] = {
    "login.succeeded": (22, False, "user"),
    "alert.ingested": (9, True, "service"),
    "code.review.completed": (8, False, "repository"),
    "alert.triaged": (7, False, "service"),
    "backup.completed": (8, True, "service"),
    "log.collection.verified": (6, True, "service"),
    "change.approved": (5, False, "change"),
    "change.deployed": (4, True, "change"),
    "endpoint.compliance.verified": (5, True, "device"),
    "malware.scan.completed": (4, True, "device"),
    "patch.applied": (3, True, "service"),
    "access.granted": (2, False, "user"),
    "access.changed": (1.5, False, "user"),
    "remote.session.established": (3, False, "user"),
    "session.timed_out": (2, True, "user"),
    "privileged.session.recorded": (2, True, "service"),
    "data.validation.completed": (3, True, "service"),
    "login.failed": (2, False, "user"),
    "dependency.scan.completed": (2, True, "repository"),
    "config.baseline.applied": (2, True, "service"),
    "access.requested": (2.4, False, "user"),
    "export.completed": (1, False, "report"),
    "import.completed": (0.6, True, "file"),
    "digest.delivered": (0.8, True, "digest"),
    "crm.note.added": (1.8, False, "customer"),
    "billing.invoice.sent": (0.8, True, "customer"),
    "office.room.booked": (0.4, False, "room"),
}
TRAFFIC_ID = r"^AE-\d{6}$"
# What was tried and did not succeed, or was refused; it succeeded some hours later.
ATTEMPTS = (
    ("backup.completed", "failure"),
    ("patch.applied", "failure"),
    ("access.granted", "denied"),
    ("backup.restore_tested", "failure"),
    ("change.deployed", "denied"),
)
# How a mishap was noted: some systems call it a failure, some say that they refused, some that they noticed it.
WORDS = ("failure", "success", "denied")
# What goes wrong now and then: put right some hours later by the action beside it.
MISHAPS = {
    "backup.failed": "backup.completed",
    "config.drift.detected": "config.drift.corrected",
    "endpoint.noncompliant.detected": "endpoint.compliance.verified",
    "log.collection.stopped": "log.collection.verified",
    "vuln.overdue": "patch.applied",
    "account.orphan.detected": "account.disabled",
    "mfa.disabled": "mfa.enforced",
    "change.unapproved.detected": "change.approved",
    "security.test.failed": "security.test.completed",
}
SYSTEMS = ("ci", "scanner", "backup", "edr", "monitor")
HOURS = tuple(accumulate([1, 1, 1, 1, 1, 2, 5, 14, 40, 55, 58, 52, 36, 48, 54, 50, 44, 28, 12, 6, 4, 3, 2, 1]))
DETAILS = ('{"source":"console"}', '{"source":"api"}', '{"ticket":"OPS-%d"}', '{"duration_s":%d}', '{"batch":%d}')


def routine(story: Story, plan: list[Practice]) -> None:
    """Each practice back through the history at its interval, and what contradicts it now and then."""
    rng, org = story.rng("routine"), story.profile.org
    owned, crew = services.ids(story), people.active(story)
    for practice in plan:
        ago, number = float(practice.last), 0
        while ago <= HISTORY_DAYS:
            day = round(ago)
            manual = practice.period > 6
            actor = rng.choice(crew) if manual else f"{rng.choice(SYSTEMS)}@{org}.example"
            at = story.office(day, rng) if manual else story.at(day, rng.uniform(0, 1439))
            story.event(f"AE-{practice.action}-{number:03d}", at, actor, practice.action, "service", rng.choice(owned))
            number += 1
            ago += max(0.6, practice.period * rng.uniform(0.85, 1.15))
    seen = {practice.action: practice.last for practice in plan}
    for position, (wrong, right) in enumerate(MISHAPS.items()):
        for number in range(max(2, story.profile.services // 4)):
            ago, service = rng.randint(5, HISTORY_DAYS - 1), rng.choice(owned)
            if ago - 1 > seen.get(right, HISTORY_DAYS):
                story.event(
                    f"AE-mishap-{position}-{number}",
                    story.at(ago, 400),
                    f"monitor@{org}.example",
                    wrong,
                    "service",
                    service,
                    outcome=WORDS[(position + number) % len(WORDS)],
                )
                story.event(
                    f"AE-mended-{position}-{number}", story.at(ago, 700), rng.choice(crew), right, "service", service
                )
    for position, (action, outcome) in enumerate(ATTEMPTS):
        ago, service = rng.randint(5, HISTORY_DAYS - 1), rng.choice(owned)
        if ago - 1 > seen.get(action, HISTORY_DAYS):
            about = rng.choice(crew), action, "service", service
            story.event(f"AE-tried-{position}", story.at(ago, 430), *about, outcome=outcome)
            story.event(f"AE-done-{position}", story.at(ago, 760), *about)
    for number, (action, ago, outcome) in enumerate(stories.UNANSWERED[org]):
        story.event(
            f"AE-unanswered-{number}",
            story.at(ago, 545),
            f"console@{org}.example",
            action,
            "control",
            None,
            outcome=outcome,
        )
    framework, control = stories.RELIED_ON[org]
    story.event(
        "AE-finding-1",
        story.at(9, 610),
        people.lead(story, "audit"),
        "finding.opened",
        "finding",
        "AUD-1",
        controls=f"{framework}:{control}",
    )


def close(story: Story) -> None:
    """The log: every event told, and as much traffic as the profile's size leaves room for, in order of time."""
    story_events = story.events
    columns = {
        "event_id": [event.id for event in story_events],
        "occurred_at": [event.at for event in story_events],
        "actor": [event.actor for event in story_events],
        "action": [event.action for event in story_events],
        "object_type": [event.object_type for event in story_events],
        "object_id": [event.object_id for event in story_events],
        "outcome": [event.outcome for event in story_events],
        "workspace_id": [event.workspace_id for event in story_events],
        "controls": [event.controls for event in story_events],
        "details": [event.details for event in story_events],
    }
    schema = {name: pl.Int64 if name == "occurred_at" else pl.String for name in COLUMNS}
    frame = pl.DataFrame(columns, schema=schema)
    size = story.profile.events - sum(
        event.action != senders.ACTION for event in story_events
    )  # heartbeats come on top
    if size > 0:
        frame = pl.concat([frame, _traffic(story, size).match_to_schema(schema)])
    frame = frame.with_columns(pl.col("occurred_at").cast(INSTANT)).sort("occurred_at", "event_id")
    story.frames["audit_log"] = frame


def _traffic(story: Story, size: int) -> pl.DataFrame:
    rng, org = story.rng("traffic"), story.profile.org
    kept = {
        name: row
        for name, row in TRAFFIC.items()
        if name not in story.profile.never and name not in story.profile.lapsed
    }
    names = list(kept)
    actions = rng.choices(names, [kept[name][0] for name in names], k=size)
    crew = [f"{name}@{org}.example" for name in _desk(story)]
    people_drawn, systems = (
        rng.choices(crew, k=size),
        rng.choices([f"{name}@{org}.example" for name in SYSTEMS], k=size),
    )
    days, weekdays = list(range(1, HISTORY_DAYS + 1)), [story.day(ago).weekday() for ago in range(1, HISTORY_DAYS + 1)]
    # the organization grew: the newest day is busier than the oldest
    busy = [(1.25 - ago / 800) * (1.0 if weekday < 5 else 0.06) for ago, weekday in zip(days, weekdays, strict=True)]
    even = [1.25 - ago / 800 for ago in days]
    working, always = rng.choices(days, busy, k=size), rng.choices(days, even, k=size)
    hours, seconds = rng.choices(range(24), cum_weights=HOURS, k=size), rng.choices(range(3600), k=size)
    night = rng.choices(range(24), k=size)
    numbers = rng.choices(range(1, 400), k=size)
    shapes = rng.choices((None, None, None, *DETAILS), k=size)
    origin = (story.at(0, 0) - EPOCH) // timedelta(microseconds=1)
    machine = [kept[action][1] for action in actions]
    objects, owned = [kept[action][2] for action in actions], services.ids(story)
    spaces = [*people.workspaces(story), None, None]
    moments = [
        origin
        + (
            (night[at] if machine[at] else hours[at]) * 3600
            + seconds[at]
            - (always[at] if machine[at] else working[at]) * 86400
        )
        * SECOND
        for at in range(size)
    ]
    return pl.DataFrame(
        {
            "event_id": [f"AE-{at:06d}" for at in range(1, size + 1)],
            "occurred_at": moments,
            "actor": [systems[at] if machine[at] else people_drawn[at] for at in range(size)],
            "action": actions,
            "object_type": objects,
            "object_id": [
                owned[numbers[at] % len(owned)] if kind == "service" else f"{kind}-{numbers[at]}"
                for at, kind in enumerate(objects)
            ],
            "outcome": ["failure" if action == "login.failed" else "success" for action in actions],
            "workspace_id": rng.choices(spaces, k=size),
            "controls": pl.Series([None] * size, dtype=pl.String),
            "details": [shape % numbers[at] if shape and "%" in shape else shape for at, shape in enumerate(shapes)],
        }
    )


def _desk(story: Story) -> list[str]:
    """Local parts of the addresses of everybody who works: the staff more often than the desks."""
    staff = [address.split("@")[0] for address in people.active(story)]
    return [*staff, *staff, "operator", "member"]
