"""acme with a few services, people, an incident and findings."""

from datetime import timedelta

import pytest

from engine.store.schema.organizations import memberships, users
from engine.store.schema.services import deploys, findings, incidents, service_dependencies, services
from tests.conftest import NOW

OWNER, ADMIN, LEFT = "owner@acme.example", "admin@acme.example", "left@acme.example"


@pytest.fixture
def acme(store):
    """payments (vital, internet facing) is needed by web, web by portal; ledger is needed by payments."""
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            services,
            [
                {"id": "payments", "name": "Payments", "criticality": 5, "internet_facing": True, "owner": OWNER},
                {"id": "web", "name": "Web", "criticality": 3, "owner": ADMIN},
                {"id": "portal", "name": "Portal", "criticality": 2, "owner": ADMIN},
                {"id": "ledger", "name": "Ledger", "criticality": 4, "owner": None, "environment": "staging"},
            ],
        )
        pairs = (("web", "payments"), ("portal", "web"), ("payments", "ledger"))
        revision.insert(service_dependencies, [{"service_id": one, "depends_on_id": two} for one, two in pairs])
        revision.insert(
            memberships,
            [{"email": OWNER, "role": "owner"}, {"email": ADMIN, "role": "admin"}, {"email": LEFT, "role": "operator"}],
        )
        revision.insert(users, [{"email": LEFT, "name": "Lee Left", "active": False}])
        seen = {"source": "scanner", "first_seen_at": NOW, "last_seen_at": NOW, "service_id": "payments"}
        revision.insert(
            findings,
            [
                {
                    "id": f"F{number}",
                    "finding_key": f"k{number}",
                    "title": f"CVE {number}",
                    "severity": severity,
                    "status": status,
                    **seen,
                }
                for number, (severity, status) in enumerate(
                    [("high", "open"), ("critical", "open"), ("low", "open"), ("critical", "fixed")]
                )
            ],
        )
        revision.insert(
            deploys,
            [
                {
                    "id": f"D{hours}",
                    "service_id": "payments",
                    "version": f"1.{100 - hours}",
                    "deployed_at": NOW - timedelta(hours=hours),
                    "actor": "ci",
                }
                for hours in (5, 30)
            ],
        )
        revision.record("organization.prepared")
    return store


def open_incident(store, service="payments", severity="high", name="INC-1"):
    with store.revision("acme", "setup", now=NOW) as revision:
        row = {
            "id": name,
            "title": "Trouble",
            "severity": severity,
            "status": "open",
            "service_id": service,
            "opened_at": NOW - timedelta(minutes=20),
        }
        revision.insert(incidents, [row])
        revision.record("incident.opened", object_id=name)
    return name
