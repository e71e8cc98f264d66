"""An organization with people and duties, and the services that its digests are delivered with."""

from datetime import date, timedelta

import polars as pl
import pyarrow.dataset  # noqa: F401 - loaded late it would meet the frozen clock's date class
import pytest

from engine.catalogue import catalogue
from engine.delivery.webhook import new_secret
from engine.digests.content import content
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import set_endpoint
from engine.store.rows import many
from engine.store.schema.controls import attestations, evidence_requests
from engine.store.schema.organizations import memberships, organization_frameworks
from engine.store.schema.outputs import deliveries, delivery_contents
from engine.store.schema.work import staffing_actions
from tests.conftest import NOW

TODAY = date(2026, 11, 20)  # a Friday
HOOK = "https://hooks.example.com/in"

# met first under the frozen clock, its classes would be the only ones that polars knows
pl.DataFrame([{"day": NOW.date(), "at": NOW}], schema={"day": pl.Date, "at": pl.Datetime}, orient="row")

CONTROL = {"framework": "soc2", "control_id": "CC6.1"}
CONTROLS = [
    row
    for row in catalogue().controls.filter(catalogue().controls["assessable"])["control_id", "framework"].to_dicts()
    if row["framework"] == "soc2"
]


class House:
    """A store with one organization, everything configured, and shorthands to look at what was queued."""

    def __init__(self, store, folder):
        self.store = store
        self.environment = {
            "SVC_DATA_DIR": str(folder),
            "SVC_BASE_URL": "https://hq.example",
            "SVC_SMTP_URL": "smtp://127.0.0.1:2525",
            "SVC_SMTP_FROM": "Compliance <compliance@acme.example>",
            "SVC_CHAT_WEBHOOK_URL": "http://127.0.0.1:2526/x",
        }
        self.replica = Replica(store.url, None)
        self.snapshots = Snapshots(store, self.replica, Artifacts(folder / "artifacts"), {})

    @property
    def services(self):
        return Services(Settings.of(self.environment), self.store, self.snapshots, NOW)

    def content(self, digest, org="acme"):
        """What the digest would say now."""
        with self.snapshots.open(org, now=NOW) as snapshot:
            return content(snapshot, digest, {})

    def write(self, *tables, org="acme", now=NOW):
        with self.store.revision(org, "setup", now=now) as revision:
            for table, rows in tables:
                revision.insert(table, rows)
            revision.record("records.prepared")

    def endpoints(self, *channels, org="acme"):
        address = {"chat": "#compliance", "webhook": HOOK}
        for channel in channels:
            secrets = [new_secret()] if channel == "webhook" else []
            self.store.write(
                org, "t", lambda revision, c=channel, s=secrets: set_endpoint(revision, c, address[c], s), now=NOW
            )

    def rows(self, table=deliveries, org="acme", **where):
        with self.store.reader() as connection:
            return many(connection, table, org, **where)

    def mails(self, kind, **where):
        """What each address was sent, as (recipient, text)."""
        texts = {row["delivery_id"]: row["body_text"] for row in self.rows(delivery_contents)}
        rows = self.rows(kind=kind, channel="email", **where)
        return {row["recipient"]: texts[row["id"]] for row in rows}

    def close(self):
        self.snapshots.close()
        self.replica.close()


@pytest.fixture
def house(store, tmp_path):
    made = House(store, tmp_path)
    members = [("owner", "owner"), ("admin", "admin"), ("ann", "member"), ("bob", "member")]
    made.write(
        (memberships, [{"email": f"{name}@acme.example", "role": role} for name, role in members]),
        (organization_frameworks, [{"framework": "soc2"}]),
    )
    yield made
    made.close()


def request(number, owner="ann@acme.example", days=10, **more):
    """An evidence request of priority P1, ``days`` old: due three business days after."""
    return {
        "id": f"R{number}",
        **CONTROL,
        "title": f"Sample {number}",
        "requester": "auditor@firm.example",
        "owner": owner,
        "priority": "P1",
        "opened_on": TODAY - timedelta(days=days),
        **more,
    }


def action(number, week="2026-W44", status="open", **more):
    """A staffing action that was taken up; W44 ended on 1 November, so it is long past its SLA."""
    return {
        "id": f"a{number}",
        "week": week,
        "kind": "borrow",
        "owner": "ann@acme.example",
        "relief_hours": 4.0,
        "status": status,
        "proposed_on": date(2026, 10, 1),
        "tracked_on": date(2026, 10, 2),
        **more,
    }


__all__ = ["CONTROL", "HOOK", "NOW", "TODAY", "action", "evidence_requests", "request", "staffing_actions"]


def renewals(count, owner="ann@acme.example", due=TODAY + timedelta(days=12)):
    """Attestations of as many controls, due on one day."""
    return [
        {"id": f"{owner[:3]}{number}", **CONTROLS[number], "owner": owner, "due_on": due} for number in range(count)
    ]


@pytest.fixture
def peak(house):
    """Ann has ten hours due in W49, bob and eve half an hour each."""
    rows = [*renewals(20), *renewals(1, "bob@acme.example"), *renewals(1, "eve@acme.example")]
    seen = {}
    for number, row in enumerate(rows):  # one attestation for each control and day
        row |= CONTROLS[number]
        seen[row["id"]] = row
    house.write((attestations, list(seen.values())))
    return house
