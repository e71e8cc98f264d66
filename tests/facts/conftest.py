"""Facts over a few rows: an in-memory replica is filled by hand, and the fact graph runs as it does in production."""

from contextlib import ExitStack
from datetime import date, datetime

import polars as pl
import pytest

from engine.facts import CachedFacts, FactQuestion, Facts
from engine.facts.controls.readiness import POSTURE_FORMULAS, READINESS_FORMULAS
from engine.facts.memory import FactMemory, same_content
from engine.model.documents.document import Position
from engine.model.figures.versions import versions_of
from engine.model.thresholds import Thresholds
from engine.replica.replica import Replica
from engine.replica.scans.registry import SCANS
from engine.reporting.snapshot.record_parts import scan_tables
from engine.store.database.bulk_read import sql_type
from engine.store.schema import REPLICATED
from engine.store.types import canonical_json
from tests.factories import DAY, ORG, rows

_TYPES = {
    "TIMESTAMP": pl.Datetime("us"),
    "DATE": pl.Date,
    "BOOLEAN": pl.Boolean,
    "BIGINT": pl.Int64,
    "DOUBLE": pl.Float64,
    "VARCHAR": pl.String,
}


# snapshots are by today's formulas, unless a test says otherwise
FORMULAS = {
    "readiness_snapshots": {"formulas": canonical_json(versions_of(tuple(READINESS_FORMULAS.values())))},
    "posture_snapshots": {"formulas": canonical_json(versions_of(POSTURE_FORMULAS))},
}
# what somebody of the organization approved long ago, unless a test says otherwise
APPROVER = "bob"
APPROVED = {
    "policies": {"accepted_by": APPROVER},
    "control_profiles": {"approved_by": APPROVER},
    "exceptions": {"approver": APPROVER, "approved_on": "2026-01-02"},
}


def value(column, given):
    """A date or an instant may be written as text."""
    kinds = {"DATE": date, "TIMESTAMP": datetime}
    kind = kinds.get(sql_type(column))
    return kind.fromisoformat(given) if kind and isinstance(given, str) else given


def fill(view, table, given):
    """Add rows to a table of the replica; what is not given is the column's default, else null."""
    columns = REPLICATED[table].columns
    owner = {} if table == "organizations" else {"org_id": ORG}
    defaults = (
        {column.name: column.info.get("default") for column in columns}
        | owner
        | {"revision": 1}
        | APPROVED.get(table, {})
        | FORMULAS.get(table, {})
    )
    unknown = {name for row in given for name in row} - set(defaults)
    assert not unknown, f"{table} has no column {sorted(unknown)}"
    complete = [{c.name: value(c, row.get(c.name, defaults[c.name])) for c in columns} for row in given]
    frame = pl.DataFrame(complete, schema={c.name: _TYPES[sql_type(c)] for c in columns}, orient="row")
    view.offer("given", frame)
    view._cursor.execute(f"INSERT INTO {table} SELECT * FROM given")


def event(seq, action, at, **more):
    """A row of the audit log from the instant ``at``."""
    return {
        "seq": seq,
        "event_id": f"e{seq}",
        "occurred_at": at,
        "recorded_at": at,
        "actor": "ann",
        "action": action,
        "outcome": "success",
        **more,
    }


def _rows_read(scan, contents):
    """The rows that a scan looks at, as they are written in a test."""
    return [(table, repr(contents[table])) for table in sorted(scan_tables(SCANS[scan])) if contents.get(table)]


@pytest.fixture(scope="session")
def replica():
    made = Replica("sqlite:///nowhere", None, threads=1)
    yield made
    made.close()


class Versions(FactMemory):
    """What tests of one process have computed, from whatever rows: most differ in a table or two, and share the rest."""

    def get(self, key, sources):
        return super().get((key, _identity(sources)), sources)

    def settle(self, key, sources, frame):
        settled = next((before for before in self.last(key) or () if same_content(before, frame)), frame)
        self.put(key, (), [*(before for before in self.last(key) or () if before is not settled), settled][-8:])
        self.put((key, _identity(sources)), sources, settled)
        return settled


def _identity(sources):
    return tuple(id(source) if isinstance(source, pl.DataFrame) else repr(source) for source in sources)


@pytest.fixture(scope="session")
def memory():
    return Versions(20_000)


def facts_over(view, tables):
    """The facts of the organization of ``tables`` on the day of tests, in an empty view; ``audit_log`` in its order."""
    recorded = [
        {"recorded_at": row["occurred_at"], "revision": 1, **row, "seq": n}
        for n, row in enumerate(tables["audit_log"], 2)
    ]
    for table, given in {**tables, "audit_log": recorded}.items():
        fill(view, table, given)
    zone = tables["organizations"][0]["time_zone"]
    return Facts(view, [FactQuestion(ORG, zone, DAY, 30, Thresholds(0, {}))])


@pytest.fixture
def facts_with(replica, memory):
    """``known(vendors=[…], …)`` gives the facts of an organization with these rows.

    ``controls`` replaces the controls of the frameworks in scope, so that a test chooses kinds, cadence and weight.
    ``events`` are (action, instant[, more]) and are recorded in that order.
    """
    with ExitStack() as views:

        def make_facts(
            *, as_of=DAY, zone="UTC", period_days=30, settings=None, controls=None, events=(), orgs=(ORG,), **tables
        ):
            view = views.enter_context(replica.view())
            named = [{"id": org, "name": org, "time_zone": zone} for org in orgs]
            recorded = [
                event(seq, *given[:2], **(given[2] if len(given) > 2 else {})) for seq, given in enumerate(events, 2)
            ]
            if not {"users", "memberships"} & set(tables) and set(APPROVED) & set(tables):
                tables["memberships"] = [{"email": email, "role": "admin"} for email in ("ann", APPROVER)]
            contents = {"organizations": named, "audit_log": recorded, **tables}
            for table, given in contents.items():
                fill(view, table, given)
            settings = Thresholds(0, settings or {})
            questions = [FactQuestion(org, zone, as_of, period_days, settings) for org in orgs]
            recall = CachedFacts(memory, Position(0, ""), lambda scan: (_rows_read(scan, contents), False))
            facts = Facts(view, questions, recall=recall)
            if controls is not None:
                facts._frames["controls"] = memory.settle("controls", (), rows("controls", *controls))
            return facts

        yield make_facts


def control(control_id="X1", **more):
    """A control of a made-up part of SOC 2, for ``known(controls=[…])``."""
    return {"framework": "soc2", "control_id": control_id, "title": f"Control {control_id}", "position": 1, **more}


def on(control_id="X1", framework="soc2"):
    """The columns that name a control."""
    return {"framework": framework, "control_id": control_id}


def naming(*control_ids):
    """What an event says that names controls itself."""
    return {"controls": "; ".join(f"soc2:{name}" for name in control_ids)}


def only(frame, *columns):
    """The one row of a frame: the given columns as a tuple, or a single value."""
    assert frame.height == 1, frame
    values = frame.select(columns).row(0)
    return values[0] if len(columns) == 1 else values
