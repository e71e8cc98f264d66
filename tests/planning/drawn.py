"""Drawn organizations: controls with gaps of every sort, people with hours, absences and duties, for laws about plans."""

from datetime import timedelta

from hypothesis import strategies as st

from tests.factories import DAY
from tests.facts.conftest import control
from tests.planning.doing import noon

PEOPLE = ("ann", "ben", "cid")
KINDS = (
    ("attestation",),
    ("operation",),
    ("operation", "attestation"),
    ("policy", "attestation"),
    ("operation", "policy", "attestation"),
    ("test",),
)
CADENCES = ("monthly", "quarterly", "annual")


def _ago(draw, most):
    return DAY - timedelta(days=draw(st.integers(1, most)))


def _control_records(draw, name, kinds, rows, events):
    """What is on record of a control: nothing, or evidence of any age; signatures decided, open, or both."""
    key = {"framework": "soc2", "control_id": name}
    if "operation" in kinds and draw(st.booleans()):
        events.append(("backup.completed", noon(_ago(draw, 120)), {"controls": f"soc2:{name}"}))
    if "policy" in kinds and draw(st.booleans()):
        at = noon(_ago(draw, 420))
        policy = {"id": f"p-{name}", "policy": f"p-{name}", "version": 1, "state": "active"}
        rows["policies"].append({**policy, "accepted_by": "ann", "accepted_at": at})
        rows["policy_controls"].append({"policy_id": f"p-{name}", **key})
    if "test" in kinds:
        starts = DAY + timedelta(days=200)
        schedule = {"id": f"s-{name}", **key, "cadence": "annual", "starts_on": starts, "procedure": "p"}
        rows["testing_schedules"].append(schedule)
        if draw(st.booleans()):
            day = _ago(draw, 60)
            outcome = draw(st.sampled_from(("failed", "passed")))
            run = {"id": f"r-{name}", "schedule_id": f"s-{name}", "window_open_on": day, "window_close_on": day}
            rows["test_runs"].append({**run, "performed_on": day, "outcome": outcome})
    if "attestation" in kinds:
        owner = draw(st.sampled_from(PEOPLE))
        if draw(st.booleans()):
            day = _ago(draw, 400)
            signed = {"outcome": "attested", "attested_at": noon(day)}
            rows["attestations"].append({"id": f"a-{name}", **key, "owner": owner, "due_on": day, **signed})
        for number in range(draw(st.integers(0, 2))):
            due = DAY + timedelta(days=draw(st.integers(-20, 70)))
            rows["attestations"].append({"id": f"d{number}-{name}", **key, "owner": owner, "due_on": due})


@st.composite
def organizations(draw, most=12):
    """Controls, events and rows of an organization, the day and the target that are asked."""
    names = [f"X{number}" for number in range(1, draw(st.integers(1, most)) + 1)]
    rows = {name: [] for name in ("policies", "policy_controls", "testing_schedules", "test_runs", "attestations")}
    events, controls, owned, work = [], [], [], []
    for position, name in enumerate(names, 1):
        kinds = draw(st.sampled_from(KINDS))
        cadence = draw(st.sampled_from(CADENCES))
        controls.append(control(name, evidence_kinds=list(kinds), cadence=cadence, position=position))
        _control_records(draw, name, kinds, rows, events)
        owner = draw(st.sampled_from(PEOPLE))
        accountable = draw(st.sampled_from((owner, "ann")))
        key = {"framework": "soc2", "control_id": name}
        owned += [{**key, "email": owner, "raci": "R"}, {**key, "email": accountable, "raci": "A"}]
        if draw(st.booleans()):
            waits = draw(st.sampled_from((None, *(f"R-{one}" for one in names))))
            one = {"id": f"R-{name}", **key, "owner": owner, "opened_on": DAY - timedelta(days=30), "status": "open"}
            hours = draw(st.sampled_from((None, 1.0, 3.0, 6.0)))
            work.append({**one, "blocked_by": waits if waits != f"R-{name}" else None, "estimate_hours": hours})
    hours = [
        {"email": one, "week": "default", "hours": draw(st.sampled_from((0.0, 2.0, 5.0, 10.0))), "absence_hours": 0.0}
        for one in PEOPLE
    ]
    absent = (DAY + timedelta(weeks=draw(st.integers(1, 6)))).strftime("%G-W%V")
    hours.append({"email": "ben", "week": absent, "hours": 10.0, "absence_hours": 10.0})
    away = [
        {"id": "holiday", "starts_on": DAY + timedelta(days=draw(st.integers(0, 40)))},
        {
            "id": "leave",
            "email": draw(st.sampled_from(PEOPLE)),
            "starts_on": DAY + timedelta(days=draw(st.integers(-3, 30))),
            "ends_on": DAY + timedelta(days=draw(st.integers(30, 44))),
            "share_pct": draw(st.sampled_from((None, 40.0))),
        },
        {"id": "fridays", "email": "ann", "starts_on": DAY, "repeats": "FREQ=WEEKLY;BYDAY=FR"},
    ]
    by = DAY + timedelta(days=draw(st.integers(7, 56)))
    left = draw(st.booleans())
    records = {
        "organization_frameworks": [
            {"framework": "soc2", "in_scope": True, "adopted_on": DAY - timedelta(days=400), "target_on": by}
        ],
        "users": [{"email": one, "active": not (left and one == "cid")} for one in PEOPLE],
        "control_owners": owned,
        "owner_capacity": hours,
        "absences": away[: draw(st.integers(0, 3))],
        "remediations": work,
        **rows,
    }
    return controls, sorted(events, key=lambda one: one[1]), records, by, draw(st.sampled_from((50, 80, 100)))
