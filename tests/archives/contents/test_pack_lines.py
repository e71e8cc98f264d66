"""Lines of an evidence pack without frames: those that frames of the same events have."""

from datetime import timedelta

import pytest

from engine.archives.contents import pack_lines
from engine.archives.contents.evidence_pack import open_pack, rows_of
from engine.archives.contents.pack_lines import PackLines
from engine.render.tables.csv import csv_chunks
from engine.store import EventRow
from engine.store.chain.chain_segments import stored_events
from engine.store.queries.history.audit import events_between
from engine.store.schema.automation import policies
from engine.store.schema.organizations import organization_frameworks
from engine.store.types import instant_text
from tests.conftest import NOW

POLICY = {
    "id": "p1",
    "policy": "access",
    "version": 3,
    "kind": "governance",
    "title": "Access",
    "state": "active",
    "accepted_by": "ann",
    "accepted_at": NOW,
}
ABOUT = (
    (None, None), ("evidence", "E-1"), ("evidence_item", None), ("evidence", ""), ("", None), ("", ""), (None, "x"),
    ("asset", None), ("policy", "p1"), ("policy", "p2"), ("=a", "b,c"), ("asset", 'say "x"'), ("-", "\u200b=1"),
)  # fmt: skip
CONTROLS = (None, "soc2:CC1.1; iso27001:A.5.1; soc2:XX9.9", "soc2:CC1.1; soc2:CC1.2", "none")


@pytest.fixture
def pack(any_store):
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(organization_frameworks, [{"framework": "soc2", "in_scope": True}])
        revision.insert(policies, [POLICY])
        revision.record("policy.prepared")
        revision.append_events(
            EventRow(
                f"{prefix}{action}{at}",
                NOW - timedelta(hours=at),
                "ann",
                action,
                object_type=kind,
                object_id=about,
                outcome=outcome,
                controls=CONTROLS[at % len(CONTROLS)],
            )
            for prefix in ("e", "=", "é,")
            for action, outcome in (("attestation.signed", "success"), ("coffee.made", "success"), ("x", "failure"))
            for at, (kind, about) in enumerate(ABOUT)
        )
    return open_pack(any_store, "acme", since=None, framework=None, now=NOW)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("hours", [None, 5, -1])
def test_lines_are_those_of_the_frames(hours, size, any_store, pack, monkeypatch):
    monkeypatch.setattr(pack_lines, "MOST_KINDS", 3)
    since = "" if hours is None else instant_text(NOW - timedelta(hours=hours))
    (entries,) = events_between(any_store, "acme", 1, 10_000)
    with any_store.reader() as connection:
        events = list(stored_events(connection, "acme", 1, 10_000))
    before = [entry.previous_hash for entry in entries]
    lines, count, found = PackLines(pack), 0, []
    for start in range(0, len(events), size):
        rows, data = lines.of(events[start : start + size], before[start : start + size], since)
        count += rows
        found.append(data)
    expected = rows_of([entry for entry in entries if entry.occurred_at >= since], pack)
    assert b"".join(csv_chunks([expected.head(0)])) + b"".join(found) == b"".join(csv_chunks([expected]))
    assert count == expected.height
    assert {tuple(each) for each in expected["control_tags"]} >= ({("soc2:CC1.1",), ()} if hours is None else set())
