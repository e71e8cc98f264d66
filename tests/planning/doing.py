"""Doing a plan: the records that each piece of its work leaves on its day, as whoever does it would write them."""

from datetime import datetime, time

from engine.planning.check import Evidence
from engine.planning.needs import RENEWAL_HOURS
from engine.planning.signatures import SIGNATURE
from tests.facts.conftest import on as control_key

SIGNING = RENEWAL_HOURS[SIGNATURE]


def noon(day):
    return datetime.combine(day, time(12))


def key_of(control):
    framework, _, name = control.partition(":")
    return {**control_key(name), "framework": framework}


def controls_of(step, kind):
    """The control of a step and those that its evidence is linked to as well."""
    others = [need.rpartition("/")[0] for need in step.action.closes if need.endswith(f"/{kind}")]
    return sorted({step.work.id, *others})


def carried_out(plan, records, until=None):
    """The records after the steps that end by a day are done: events, and rows by table in place of ``records``."""
    events = []
    rows = {name: [dict(row) for row in given] for name, given in records.items()}
    for name in ("attestations", "test_runs", "policies", "policy_controls"):
        rows.setdefault(name, [])
    for number, step in enumerate(plan.steps):
        for kind in step.kinds:
            at = step.ready_on
            if until is not None and at > until:
                continue
            name = f"done-{number}-{kind}"
            match kind:
                case "operation":
                    events.append(("backup.completed", noon(at), {"controls": "; ".join(controls_of(step, kind))}))
                case "test":
                    schedule = next(
                        row["id"] for row in rows["testing_schedules"] if row["control_id"] == step.work.control_id
                    )
                    rows["test_runs"].append(
                        {
                            "id": name,
                            "schedule_id": schedule,
                            "window_open_on": at,
                            "window_close_on": at,
                            "performed_on": at,
                            "outcome": "passed",
                        }
                    )
                case "policy":
                    rows["policies"].append(
                        {
                            "id": name,
                            "policy": name,
                            "version": 1,
                            "state": "active",
                            "accepted_by": "ann",
                            "accepted_at": noon(at),
                        }
                    )
                    rows["policy_controls"] += [{"policy_id": name, **key_of(one)} for one in controls_of(step, kind)]
                case "attestation":
                    signed = {"outcome": "attested", "attested_at": noon(at)}
                    mine = next((row for row in rows["attestations"] if row["id"] == step.duty), None)
                    if mine is None:
                        new = {"id": name, **key_of(step.work.id), "owner": step.owner, "due_on": at}
                        rows["attestations"].append(new | signed)
                    else:
                        mine.update(signed)
    return sorted(events, key=lambda event: event[1]), rows


def signatures_beside(plan, records, until):
    """The signatures that no step makes and that a plan counts as made by a day, as evidence: duties on record come first,
    each person's in the order in which they fall due, as far as the hours reach that the plan has for duties."""
    found = []
    for owner, capacity in plan.people.items():
        mine = sorted((row["due_on"], row["id"]) for row in records["attestations"] if _is_open_of(row, owner))
        done = _hours_of_duties(capacity)
        weeks = [max(plan.weeks.last_week_by(due), 0) if due >= plan.as_of else -1 for due, _ in mine]
        for number, ((_, name), week) in enumerate(zip(mine, weeks, strict=True)):
            if week >= len(done):
                continue
            before = 0.0 if week < 0 else capacity.overdue + sum(capacity.due[:week])
            asked = before + SIGNING * (1 + number - weeks.index(week))
            made = next((at for at in range(max(week, 0), len(done)) if done[at] >= asked - 1e-6), None)
            if made is not None and plan.weeks.ends[made] <= until:
                found.append((name, plan.weeks.ends[made]))
    signed = {step.duty for step in plan.steps}
    rows = {row["id"]: row for row in records["attestations"]}
    return [
        Evidence(f"{rows[name]['framework']}:{rows[name]['control_id']}", SIGNATURE, day, name)
        for name, day in found
        if name not in signed
    ]


def _is_open_of(row, owner):
    return row["owner"] == owner and not row.get("outcome")


def _hours_of_duties(capacity):
    """The hours of duties that somebody did by the end of each week, as the plan has it."""
    behind, asked, duties = capacity.overdue, capacity.overdue, []
    for available, due in zip(capacity.available, capacity.due, strict=True):
        behind, asked = max(behind + due - available, 0.0), asked + due
        duties.append(asked - behind)
    return duties


def with_signatures(rows, made):
    """Rows with signatures that were made, as evidence names them."""
    days = {one.duty: one.on for one in made}
    signed = [
        {**row, "outcome": "attested", "attested_at": noon(days[row["id"]])} if row["id"] in days else row
        for row in rows["attestations"]
    ]
    return {**rows, "attestations": signed}
