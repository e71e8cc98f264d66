"""Doing a plan: the records that each piece of its work leaves on its day, as whoever does it would write them."""

from datetime import datetime, time

from tests.facts.conftest import on as control_key


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


def is_behind(plan):
    """Whether somebody who does work of a plan has overdue work beside it."""
    return any(plan.people[step.owner].overdue for step in plan.steps)
