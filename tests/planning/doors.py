"""The law of plans through the doors that people use: a drawn organization is imported, its plan accepted by the import
of its own CSV, its work done by imports on its days, and what HTTP answers on each day is held against the plan."""

import csv
import io
import json
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time
from importlib import import_module

from freezegun import freeze_time

import api
from engine.frameworks.importing import import_framework
from engine.intake.imports.imports import import_paths
from engine.intake.imports.tables import IMPORTABLE, importable
from engine.planning.exports.rows import REPORT as PLAN_ROWS
from engine.planning.exports.rows import import_csv
from engine.planning.outlook import make_plan
from engine.planning.question import PlanQuestion
from engine.planning.signatures import NEW_DUTY
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.web.app import Console
from reports import CATALOGUE
from tests.factories import DAY
from tests.planning.doing import carried_out, signatures_beside, with_signatures
from tests.planning.drawn import PEOPLE
from tests.web.client import Client

OWN, ORG = "drawn", "acme"
COMPLIANCE = "/api/governance/compliance"
SECRET = "0123456789abcdef0123456789abcdef"
ADDRESSES = {name: f"{name}@acme.example" for name in PEOPLE}
CONTROL = ("id", "kind", "title", "weight", "cadence", "evidence_kinds")


for known in IMPORTABLE:
    importable(known)  # what a day is in each column is looked up once: not while another clock shows others
with suppress(ImportError):
    import_module(
        "pandas"
    )  # which DuckDB loads where it is installed, and which crashes when that happens on another clock


def instant(day):
    """The end of a working day: what was done on it is there."""
    return datetime.combine(day, time(18), UTC)


def plain(value):
    """A cell as people write it, names as addresses and the framework by its own name."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.replace(tzinfo=UTC).isoformat()
        case date():
            return value.isoformat()
        case "soc2":
            return OWN
        case str():
            return ADDRESSES.get(value, value.replace("soc2:", f"{OWN}:"))
    return str(value)


class Doors:
    """The console over one organization, at whatever day it is asked."""

    def __init__(self, folder, url, *, org=ORG, actor="ann@acme.example", cell=plain):
        self.folder, self.files = folder, 0
        self.org, self.actor, self.cell = org, actor, cell
        self.store = Store(url)
        self.replica = Replica(url, None)
        self.snapshots = Snapshots(self.store, self.replica, Artifacts(folder / "artifacts"), CATALOGUE)
        settings = Settings.of({"SVC_DATA_DIR": str(folder / "var"), "SVC_SESSION_SECRET": SECRET})
        self.console = Console(api.ROUTES, Services(settings, self.store, self.snapshots, instant(DAY)))

    def close(self):
        self.snapshots.close()
        self.replica.close()
        self.store.close()

    @contextmanager
    def snapshot(self, day):
        with freeze_time(instant(day)), self.snapshots.open(self.org, now=instant(day)) as opened:
            yield opened

    def begin(self, controls, records, events):
        """The organization with its own framework and everything that is on record."""
        with freeze_time(instant(DAY)):
            with self.store.revision(self.org, "setup", now=instant(DAY), create={"name": "Acme"}) as revision:
                revision.record("organization.created")
            own = self.folder / f"{OWN}.csv"
            rows = [
                {
                    "id": one["control_id"],
                    "kind": "control",
                    "title": one["title"],
                    "weight": 3,
                    "cadence": one["cadence"],
                    "evidence_kinds": ";".join(one["evidence_kinds"]),
                }
                for one in controls
            ]
            self._write(own, CONTROL, rows)
            import_framework(self.store, own, org_id=self.org, actor=self.actor, now=instant(DAY))
        members = [{"email": name, "role": "admin"} for name in PEOPLE]
        self.import_rows(DAY, {"memberships": members, **records, "audit_log": named_events(events)})

    def import_rows(self, day, tables):
        """One import of a folder with a file for each table, on a day."""
        self.files += 1
        folder = self.folder / f"import-{self.files}"
        folder.mkdir()
        for name, rows in tables.items():
            if name == "policies":
                rows = [{"title": row["policy"], **row} for row in rows]
            if rows:
                columns = list(dict.fromkeys(column for row in rows for column in row))
                self._write(folder / f"{name}.csv", columns, rows)
        if any(tables.values()):
            self.import_folder(day, folder)

    def import_folder(self, day, path):
        with freeze_time(instant(day)):
            import_paths(self.store, [path], org_id=self.org, actor=self.actor, now=instant(day))

    def write(self, day, table, rows):
        """One revision with rows of a table that nobody imports."""
        with freeze_time(instant(day)), self.store.revision(self.org, self.actor, now=instant(day)) as revision:
            revision.insert(table, rows)
            revision.record("row.created")

    def _write(self, path, columns, rows):
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([self.cell(row.get(column)) for column in columns] for row in rows)

    def get(self, path, day):
        """What HTTP answers on a day."""
        with freeze_time(instant(day)):
            client = Client(self.console, self.console.gate.sessions.issue(self.actor, self.org, now=instant(day)))
            client.declared = False
            answer = client.get(f"{COMPLIANCE}/{path}")
            assert answer.status == 200, answer.body
            return answer.json

    def states(self, day):
        """The state of each control, as the framework's own page has it."""
        rows = self.get(f"baseline-comparison?framework={OWN}", day)["controls"]
        return {row["control_id"]: row["state"] for row in rows}

    def week_hours(self, day):
        """Hours that are asked of each owner in each week, as the capacity budget counts them."""
        rows = self.get("committee-capacity-budget", day)["owner_weeks"]
        return {(row["owner"], row["week"]): row["demand_hours"] for row in rows if row["owner"]}

    def plan(self, day, question):
        with self.snapshot(day) as opened:
            return make_plan(opened.fact, question, day)

    def accept(self, day, goal):
        """Import the plan as its own CSV; its rows by table. The same CSV comes again once it is accepted."""
        texts = []
        for turn in range(2):
            with self.snapshot(day) as opened:
                query = {"framework": OWN, "target": str(goal.target), "by": goal.by.isoformat()}
                texts.append(import_csv(opened.edition(PLAN_ROWS, query).document))
            path = self.folder / f"accept-{turn}.csv"
            path.write_text(texts[-1])
            rows = list(csv.DictReader(io.StringIO(texts[-1])))
            if rows and not turn:
                self.import_folder(day, path)
        assert texts[0] == texts[1], "accepting a plan changes it"
        names = ("remediations", "attestations")
        return {
            name: [
                {column: cell for column, cell in one.items() if column != "table"}
                for one in rows
                if one["table"] == name
            ]
            for name in names
        }


def named_events(events):
    """Events as rows of the audit log, named after what they say."""
    return [
        {
            "event_id": f"{action}-{at:%Y%m%d}-{more['controls']}",
            "occurred_at": at,
            "actor": "ann",
            "action": action,
            **more,
        }
        for action, at, more in events
    ]


def check(folder, url, drawn, *, every_week):
    """The law on one drawn organization, on an empty store; what it tried."""
    controls, events, records, by, target = drawn
    question = PlanQuestion.of(OWN, target, by)
    doors = Doors(folder, url)
    try:
        doors.begin(controls, records, events)
        before, first = doors.week_hours(DAY), doors.plan(DAY, question)
        accepted = doors.accept(DAY, question.first)
        plan = doors.plan(DAY, question)
        assert (plan.is_reached, plan.choice.done) == (first.is_reached, first.choice.done)
        _hold_hours(first, before, doors.week_hours(DAY))
        known = {**records, "attestations": _with_new(records["attestations"], accepted.get("attestations", ()))}
        days = _days(plan, by, every_week)
        for day in days:
            beside = signatures_beside(plan, records, day)
            _do(doors, plan, known, accepted, beside, day)
            foreseen = _foreseen(plan, beside, day)
            states = doors.states(day)
            other = {name: (state, states.get(name)) for name, state in foreseen.items() if states.get(name) != state}
            assert not other, f"{day}: the plan said, the reports say {other}"
            if day == by:
                assert sum(state == "effective" for state in states.values()) >= plan.goals[0].effective_with
            if day < by and plan.is_reached:
                _hold_rest(doors, plan, day, question)
        return {"weeks": len(days), "pieces of work": len(plan.steps), "reached": int(plan.is_reached)}
    finally:
        doors.close()


def _days(plan, by, every_week):
    fridays = [plan.weeks.end(number) for number in range(len(plan.weeks.mondays))]
    between = sorted({day for day in fridays if DAY < day < by})
    return [*(between if every_week else between[len(between) // 2 :][:1]), by]


def _with_new(rows, accepted):
    """The duties of the records, and those that the plan asked for."""
    known = {row["id"] for row in rows}
    names = ("id", "framework", "control_id", "owner", "due_on")
    new = [{name: row[name] for name in names} for row in accepted if row["id"] not in known]
    return [*rows, *new]


def _hold_hours(plan, before, after):
    """The capacity budget asks of each owner in each week what it asked before, and what the plan has there."""
    new = {(a.id, n) for a in plan.chosen for n, part in enumerate(a.parts) if part.duty in (None, NEW_DUTY)}
    aside = {person for action in plan.chosen for person, _ in action.asides_of(plan.choice.done[action.id])}
    planned = {}
    for item in plan.items:
        if (item.action, item.part) in new:
            key = item.owner, f"{plan.weeks.mondays[item.week]:%G-W%V}"
            planned[key] = planned.get(key, 0.0) + item.hours
    grown = {key: hours - before.get(key, 0.0) for key, hours in after.items()}
    for key in {*planned, *grown}:
        if key[0] not in aside:
            assert abs(grown.get(key, 0.0) - planned.get(key, 0.0)) < 0.02, (key, planned.get(key), grown.get(key))


def _foreseen(plan, beside, day):
    """The state of each control on a day, with the signatures that are made beside the plan."""
    simulation = plan.with_plan.simulation
    also = replace(simulation, evidence=(*simulation.evidence, *beside))
    return dict(replace(plan.with_plan, simulation=also).on(day).select("control_id", "state").iter_rows())


def _do(doors, plan, known, accepted, beside, day):
    """Import what the steps that end by a day and the signatures beside them leave on record, and close what is done."""
    events, rows = carried_out(plan, known, until=day)
    rows = with_signatures(rows, beside)
    waiting = {step.work.id for step in plan.steps if step.ready_on > day}
    closed = [
        {**row, "status": "closed", "closed_on": day}
        for row in accepted.get("remediations", ())
        if f"{OWN}:{row['control_id']}" not in waiting
    ]
    for row in accepted.get("remediations", ()):  # hours are recorded where the work is done, its evidence comes later
        asked = json.loads(row["details"])["plan"]
        if f"{OWN}:{row['control_id']}" in waiting and asked["work_hours"] and asked["due_on"] <= day.isoformat():
            closed.append({**row, "status": "open", "done_hours": asked["work_hours"], "left_hours": 0})
    evidence = ("attestations", "policies", "policy_controls", "test_runs")
    tables = {name: rows.get(name, ()) for name in evidence} | {"remediations": closed}
    doors.import_rows(day, {**tables, "audit_log": named_events(events)})


def _hold_rest(doors, plan, day, question):
    """Planning again has nothing in it but what is still to be done, by whose it was."""
    waiting = {step.work.id for step in plan.steps if step.ready_on > day}
    owner = {step.work.id: step.owner for step in plan.steps}
    again = doors.plan(day, question)
    assert again.is_reached, f"planned again on {day}"
    assert {step.work.id for step in again.steps} <= waiting
    assert all(step.owner == owner[step.work.id] for step in again.steps)
