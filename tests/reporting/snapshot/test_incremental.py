"""What is remembered is never visible: after any writes, facts and reports are what they are from scratch."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from engine.facts import FACTS
from engine.facts.continuations import CONTINUATIONS
from engine.store import EventRow
from engine.store.rows import all_rows
from engine.store.schema import metadata
from reports import CATALOGUE
from tests.laws import WHOLE, examples, share_of
from tests.reports.test_as_it_was import change, changed_store, snapshots  # noqa: F401 - fixtures

pytestmark = pytest.mark.real

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ACTIONS = ("backup.completed", "backup.failed", "access.review.completed", "policy.accepted", "alert.ingested", "odd")
TAGS = (None, "soc2:CC6.1", "soc2:CC6.1; soc2:A1.2", "iso27001:A.8.13; soc2:CC7.2; soc2:CC7.2")


def happen(store, org, draw, now):
    """A few events, some of them late, some early, some of things that claims rest on."""
    with store.reader() as connection:
        named = [row["id"] for row in all_rows(connection, metadata.tables["evidence_items"], org)][:5]
    events = [
        EventRow(
            f"{now:%m%d%H}-{number}",
            now - timedelta(days=draw.choice((-1, 0, 0, 0, 1, 31, 200))),
            "me",
            draw.choice(ACTIONS),
            object_type="thing",
            object_id=draw.choice([*named, "thing"]),
            outcome=draw.choice(("success", "success", "failure")),
            controls=draw.choice(TAGS),
        )
        for number in range(draw.randint(1, 6))
    ]
    with store.revision(org, "me", now=now) as revision:
        revision.append_events(events)


def differing(org, remembered, fresh, now):
    """What two processes do not say alike: facts, scans that go on, and reports."""
    with remembered.open(org, now=now) as ours, fresh.open(org, now=now) as plain:
        rows = [name for name in CONTINUATIONS if not in_order(ours.fact(name)).equals(in_order(plain.fact(name)))]
        facts = [name for name in FACTS if not ours.fact(name).equals(plain.fact(name), null_equal=True)]
        names = [name for name in share_of(CATALOGUE) if ours.bytes(name, {}).data != plain.bytes(name, {}).data]
    return rows, facts, names


def in_order(frame):
    return frame.sort(frame.columns)


@pytest.mark.parametrize(
    ("database_url", "org", "writes", "every"),
    [
        pytest.param("sqlite", "cobalt", examples(100, share=5), 10, id="many"),
        pytest.param(
            "postgresql", "cobalt", examples(40, share=4), 10, id="many-postgresql", marks=pytest.mark.postgresql
        ),
        *([pytest.param("sqlite", "dune", 4, 2, id="few")] if WHOLE else []),
    ],
    indirect=["database_url"],
)
def test_what_is_remembered_is_what_is_computed_from_scratch(changed_store, snapshots, org, writes, every):  # noqa: F811 - fixtures
    """Looked at after each write, and compared after some; days pass meanwhile, a copy of the records is lost, and other
    processes go on from what was kept of the facts."""
    draw, remembered = random.Random(11), snapshots()
    for number in range(writes):
        now = NOW + timedelta(hours=7 * number)
        draw.choice((change, happen, happen))(changed_store, org, draw, now)
        with remembered.open(org, now=now) as snapshot:
            for name in draw.sample(list(CATALOGUE), 5):
                snapshot.edition(name, {})
        if number % every == every // 2:
            remembered.close()
            remembered = snapshots(before=remembered)
        if number % every == every - 1:
            assert differing(org, remembered, snapshots(), now) == ([], [], [])
        if number == writes // 2:
            remembered = snapshots()
