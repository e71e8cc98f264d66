"""Accepted plans week by week over a demo: `python -m tests.planning.weeks FOLDER --day 2026-11-27`.

FOLDER is what `hq demo --no-serve` filled on that day. For each framework of each organization the highest target that its
plan reaches is accepted; each week its work is done by imports, and so are all other duties of the week, since a plan
counts on their hours; monitors go on sending what they sent. No control may be worse than the plan said, and planning
again must reach the target. Prints a line for each week; exit code 1 where one does not hold.
"""

import argparse
import csv
import io
import json
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import polars as pl

import tests.conftest  # noqa: F401 - makes clocks that stand still safe for Polars
from engine.planning.exports.rows import REPORT as PLAN_ROWS
from engine.planning.exports.rows import import_csv
from engine.planning.question import PlanQuestion
from engine.store.schema.controls import test_runs
from reports.shared.ordering import STATES_WORST_FIRST
from tests.planning.doing import carried_out, signatures_beside, with_signatures
from tests.planning.doors import Doors, named_events

HORIZON = timedelta(days=94)
PLANLESS = "fedramp-poam"  # it has no controls of its own
SENT = timedelta(days=35)  # of what monitors sent before, as much as they send again: whatever comes monthly is in it
RANKS = {state: rank for rank, state in enumerate(STATES_WORST_FIRST)}


class Demo:
    """One organization of a copy of the demo, its rows as they were when it was copied or as they are."""

    def __init__(self, store, org, folder, day):
        shutil.copy(store, folder / "hq.db")
        self.org, self.day, self.owner = org, day, f"owner@{org}.example"
        self.doors = Doors(folder, f"sqlite:///{folder / 'hq.db'}", org=org, actor=self.owner, cell=str_of)
        self.connection = sqlite3.connect(folder / "hq.db")
        self.connection.row_factory = sqlite3.Row

    def close(self):
        self.connection.close()
        self.doors.close()

    def rows(self, table):
        return [dict(row) for row in self.connection.execute(f"SELECT * FROM {table} WHERE org_id = ?", (self.org,))]

    def importable(self, table, name, **changes):
        """A row as an import takes it, with other cells."""
        row = next(row for row in self.rows(table) if row["id"] == name)
        return {key: cell for key, cell in row.items() if key not in ("org_id", "revision", "moves")} | changes

    def highest_plan(self, framework, by):
        """The highest target that a plan reaches by a day, its question and the plan."""
        target, plan = 100, self.doors.plan(self.day, PlanQuestion.of(framework, 100, by))
        if not plan.is_reached:
            states = states_of(plan.with_plan.on(by), framework)
            applicable = sum(state != "not_applicable" for state in states.values())
            target = int(100 * plan.goals[0].effective_with / applicable) + 1
        while not plan.is_reached and target > 1:
            target -= 1
            plan = self.doors.plan(self.day, PlanQuestion.of(framework, target, by))
        return PlanQuestion.of(framework, target, by), plan

    def accept(self, goal):
        """Import the plan as its own CSV; its rows."""
        query = {"framework": goal.framework, "target": str(goal.target), "by": goal.by.isoformat()}
        with self.doors.snapshot(self.day) as opened:
            text = import_csv(opened.edition(PLAN_ROWS, query).document)
        rows = list(csv.DictReader(io.StringIO(text)))
        if rows:
            path = self.doors.folder / "accept.csv"
            path.write_text(text)
            self.doors.import_folder(self.day, path)
        return rows

    def states(self, day, framework):
        with self.doors.snapshot(day) as opened:
            return states_of(opened.fact("control_status"), framework)

    def other_duties(self, plan, day):
        """What does all duties that fall due by a day but for signatures: rows to import, and runs of pulls."""
        with self.doors.snapshot(day) as opened:
            duties = opened.fact("obligations").filter(
                pl.col("due_on") <= day, pl.col("state").is_in(["open", "overdue"])
            )
        tables, pulled = {}, []
        for duty in duties.iter_rows(named=True):
            name, on = (duty["source_ref"] or "").partition("/")[2], duty["due_on"]
            window = {"window_open_on": on, "window_close_on": on, "performed_on": min(on, day), "outcome": "passed"}
            match duty["kind"]:
                case "test_window" if self.importable("testing_schedules", name)["check_id"]:
                    pulled += self._next_run(name, f"again-{duty['obligation_id']}", window, day)
                case "test_window":
                    run = {"id": f"again-{duty['obligation_id']}", "schedule_id": name, **window}
                    tables.setdefault("test_runs", []).append(run)
                case "vendor_review":
                    row = self.importable("vendors", name, last_review_on=day, next_review_on=day + timedelta(days=365))
                    tables.setdefault("vendors", []).append(row)
                case "evidence_request":
                    days = dict.fromkeys(("submitted_on", "accepted_on", "closed_on"), day)
                    row = self.importable("evidence_requests", name, status="closed", auditor_status="accepted", **days)
                    tables.setdefault("evidence_requests", []).append(row)
                case "exception_expiry":
                    tables.setdefault("exceptions", []).append(self.importable("exceptions", name, status="resolved"))
                case "committee":
                    meeting = {"id": duty["obligation_id"].partition(":")[2], "committee_id": name, "status": "held"}
                    tables.setdefault("committee_meetings", []).append(meeting | {"held_on": on})
                case "policy_review":
                    self._review(tables, name, day)
                case "poam_milestone":
                    row = self.importable("poam_items", name, status="completed", closed_on=day)
                    if row["weakness_key"] not in {step.work.id for step in plan.steps}:
                        tables.setdefault("poam_items", []).append(row)
        return tables, pulled

    def _next_run(self, schedule, name, window, day):
        """The next run of a check that is pulled, with the rows of the one before."""
        runs = [row for row in self.rows("test_runs") if row["schedule_id"] == schedule]
        if not runs or any(row["id"] == name for row in runs):
            return []
        newest = max(runs, key=lambda row: row["sequence"] or 0)
        kept = {key: cell for key, cell in newest.items() if key not in ("org_id", "revision")}
        days = {"since_on": None, "until_on": None, "ran_at": datetime.combine(day, time(12), UTC)}
        return [kept | window | days | {"id": name, "sequence": (newest["sequence"] or 0) + 1}]

    def _review(self, tables, name, day):
        """A policy's next version, accepted on the day."""
        row = self.importable("policies", name)
        new = f"{row['policy']}-{day}"
        accepted = {"accepted_by": self.owner, "accepted_at": datetime.combine(day, time(9))}
        tables.setdefault("policies", []).append(
            row | {"id": new, "version": row["version"] + 1, "review_due_on": day + timedelta(days=365)} | accepted
        )
        tables.setdefault("policy_controls", []).extend(
            {"policy_id": new, "framework": link["framework"], "control_id": link["control_id"]}
            for link in self.rows("policy_controls")
            if link["policy_id"] == name
        )

    def messages(self, after, until):
        """What monitors sent, five weeks later."""
        names = ("actor", "action", "controls", "object_type", "object_id")
        for row in self.rows("audit_log"):
            at = datetime.fromisoformat(row["occurred_at"]).replace(tzinfo=None)
            later = at + SENT
            if (
                row["outcome"] == "success"
                and not row["event_id"].startswith("hq:")
                and at.date() <= self.day
                and after < later.date() <= until
            ):
                yield {
                    **{name: row[name] for name in names},
                    "event_id": f"again-{row['event_id']}",
                    "occurred_at": later,
                }

    def do(self, plan, records, accepted, beside, since, day):
        """The work of the plan that ends by a day, the signatures beside it, and all other duties."""
        known = {
            "attestations": _with_new(records["attestations"], accepted),
            "testing_schedules": records["testing_schedules"],
        }
        events, rows = carried_out(plan, known, until=day)
        rows = with_signatures(rows, beside)
        tables, pulled = self.other_duties(plan, day)
        for name in ("test_runs", "policies", "policy_controls"):
            tables[name] = [*rows[name], *tables.get(name, ())]
        for row in tables["policies"]:
            row["accepted_by"] = self.owner
        names = ("id", "framework", "control_id", "owner", "due_on", "outcome", "attested_at")
        tables["attestations"] = [
            {name: row[name] for name in names} | {"attestor": row["owner"] or self.owner}
            for row in rows["attestations"]
            if isinstance(row.get("attested_at"), datetime)
        ]
        tables["remediations"] = list(_closing_rows(plan, accepted, day))
        mine = [{**event, "actor": self.owner} for event in named_events(events)]
        tables["audit_log"] = [*mine, *self.messages(since, day)]
        if pulled:
            self.doors.write(day, test_runs, pulled)
        self.doors.import_rows(day, tables)


def str_of(value):
    """A cell of a file."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case datetime():
            return value.replace(tzinfo=UTC).isoformat()
    return str(value)


def states_of(frame, framework):
    """The state of each control of a framework."""
    return dict(frame.filter(pl.col("framework") == framework).select("control_id", "state").iter_rows())


def _with_new(attestations, accepted):
    known = {row["id"] for row in attestations}
    names = ("id", "framework", "control_id", "owner")
    new = [
        {name: row[name] for name in names} | {"due_on": date.fromisoformat(row["due_on"])}
        for row in accepted
        if row["table"] == "attestations" and row["id"] not in known
    ]
    return [*map(dict, attestations), *new]


def _closing_rows(plan, accepted, day):
    """Remediations whose work is over, and hours of those whose evidence comes later."""
    waiting = {step.work.id for step in plan.steps if step.ready_on > day}
    for row in accepted:
        if row["table"] != "remediations":
            continue
        given = {key: cell for key, cell in row.items() if key != "table" and cell}
        asked = json.loads(row["details"])["plan"]
        if f"{row['framework']}:{row['control_id']}" not in waiting:
            yield {**given, "status": "closed", "closed_on": day}
        elif asked["work_hours"] and asked["due_on"] <= day.isoformat():
            yield {**given, "status": "open", "done_hours": asked["work_hours"], "left_hours": 0}


def week_by_week(demo, framework, weeks):
    """(day, controls worse than the plan said, whether planning again reaches the target) of each week; None without a plan."""
    by = demo.day + HORIZON
    question, plan = demo.highest_plan(framework, by)
    if not plan.is_reached:
        return None, []
    agreed = demo.accept(question.first)
    plan = demo.doors.plan(demo.day, question)
    records = {name: demo.rows(name) for name in ("attestations", "testing_schedules")}
    for row in records["attestations"]:
        row["due_on"] = date.fromisoformat(row["due_on"])
    results, since = [], demo.day
    for week in range(1, weeks + 1):
        day = demo.day + timedelta(days=7 * week + 6 - demo.day.weekday())  # a Sunday: what was due in the week is done
        beside = signatures_beside(plan, records, day)
        demo.do(plan, records, agreed, beside, since, day)
        simulation = plan.with_plan.simulation
        foreseen = replace(plan.with_plan, simulation=replace(simulation, evidence=(*simulation.evidence, *beside))).on(
            day
        )
        states = demo.states(day, framework)
        worse = {
            control: (state, states[control])
            for control, state in states_of(foreseen, framework).items()
            if RANKS[states[control]] < RANKS[state]
        }
        since = day
        results.append((day, worse, demo.doors.plan(day, question).is_reached))
    return question.first.target, results


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.planning.weeks", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--day", type=date.fromisoformat, required=True)
    parser.add_argument("--weeks", type=int, default=3)
    parser.add_argument("--org", action="append")
    asked = parser.parse_args()
    with closing(sqlite3.connect(asked.folder / "hq.db")) as store:
        pairs = store.execute(
            "SELECT org_id, framework FROM organization_frameworks WHERE in_scope ORDER BY 1, 2"
        ).fetchall()
    holds = True
    for org, framework in pairs:
        if framework == PLANLESS or (asked.org and org not in asked.org):
            continue
        with tempfile.TemporaryDirectory(prefix="hq-weeks-") as folder:
            demo = Demo(asked.folder / "hq.db", org, Path(folder), asked.day)
            try:
                target, results = week_by_week(demo, framework, asked.weeks)
            finally:
                demo.close()
        print(f"{org} {framework}: {'no plan reaches 1 %' if target is None else f'{target} %'}", flush=True)
        for day, worse, is_reached in results:
            print(
                f"  {day} {'reached' if is_reached else 'NOT REACHED'}{f', worse: {worse}' if worse else ''}",
                flush=True,
            )
            holds = holds and is_reached and not worse
    sys.exit(not holds)


if __name__ == "__main__":
    main()
