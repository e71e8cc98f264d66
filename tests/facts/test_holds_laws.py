"""What legal holds keep and retention may purge, counted event by event."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import DAY, moment
from tests.laws import examples

NOON = moment(f"{DAY} 12:00")
ACTIONS = ("access.granted", "access.revoked", "deploy.done", "accession")
OBJECTS = ("i1", "i2", "run1", "other", None)

events = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, 420), st.sampled_from(OBJECTS)).map(
        lambda drawn: (drawn[0], NOON - timedelta(days=drawn[1]), {"object_id": drawn[2]})
    ),
    max_size=12,
)
is_met = st.lists(
    st.tuples(
        st.sampled_from(["all", "incident", "access.*", "access", "deploy.", None]),
        st.sampled_from(["i1", "i2", None]),
        st.sampled_from([None, NOON - timedelta(days=2), NOON + timedelta(days=2)]),
    ),
    max_size=3,
)


def concerns(hold, event):
    """Whether a hold keeps an event: by its incident and what was run for it, by the beginning of its action, or all."""
    scope, incident, _ = hold
    action, _, more = event
    if scope == "all" or (incident is None and scope in (None, "incident")):
        return True
    objects = {incident, *(["run1"] if incident == "i1" else [])} - {None}
    by_action = scope not in (None, "incident") and action.startswith(scope.rstrip("*"))
    return more["object_id"] in objects or by_action


def active(hold):
    return hold[2] is None or hold[2].date() > DAY


@pytest.mark.real
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events, is_met)
def test_every_event_counts_once(facts_with, recorded, placed):
    facts = facts_with(
        events=recorded,
        dry_runs=[
            {"id": "run1", "incident_id": "i1", "playbook": "p", "outcome": "ok", "actor": "ann", "ran_at": NOON}
        ],
        legal_holds=[
            {
                "id": f"h{number}",
                "matter": "m",
                "reason": "r",
                "placed_by": "ann",
                "placed_at": moment("2025-01-01 00:00"),
                "scope": scope,
                "incident_id": incident,
                "released_at": released,
            }
            for number, (scope, incident, released) in enumerate(placed)
        ],
    )
    kept = [[event[1] for event in recorded if concerns(hold, event)] for hold in placed]
    by_any = sum(any(active(hold) and concerns(hold, event) for hold in placed) for event in recorded)
    told = facts["legal_holds_rows"].sort("id")
    assert told.select("flagged", "first_flagged_at", "last_flagged_at", "flagged_by_any").rows() == [
        (len(times), min(times, default=None), max(times, default=None), by_any) for times in kept
    ]

    limit = DAY - timedelta(days=400)  # of the shared tier
    old = [event[1].date() < limit for event in recorded]
    held = [any(active(hold) and concerns(hold, event) for hold in placed) for event in recorded]
    young = old.index(False) if False in old else len(old)
    purgeable = min(young, held.index(True) if True in held else len(held))
    (row,) = facts["audit_retention_rows"].to_dicts()
    assert {name: row[name] for name in ("rows", "eligible", "purgeable", "held", "waiting")} == {
        "rows": len(recorded),
        "eligible": sum(old),
        "purgeable": purgeable,
        "held": young - purgeable,
        "waiting": sum(old) - young,
    }
    assert row["next_at"] == (None if not recorded or held[0] else recorded[0][1])
