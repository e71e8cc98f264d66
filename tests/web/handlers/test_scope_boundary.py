"""What monitoring names and nobody declared shows up in the scope."""

import pytest

from engine.store.schema.risk import systems
from engine.store.schema.services import services
from tests.conftest import NOW

SCOPE = "/api/governance/compliance/scope-boundary"


@pytest.fixture
def with_service(with_people):
    """acme has the service Web and has declared it."""
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(services, [{"id": "svc-web", "name": "Web", "criticality": 3}])
        revision.insert(systems, [{"id": "sys-web", "name": "Shop", "service_id": "svc-web"}])
        revision.record("import.completed")
    return with_people


def undocumented_rows(client):
    return [(row["name"], row["seen_in"], row["alerts"]) for row in client.get(SCOPE).json["undocumented"]]


def test_an_alert_about_a_service_that_nobody_knows_makes_an_undocumented_system(with_service, sign_in):
    owner = sign_in()
    token = owner.post("/api/user/alert-ingest-tokens", {"label": "monitor"}).json["secret"]
    sender = sign_in(None)
    for service in ("Web", "shadow-api", "shadow-api"):
        alert = {"title": f"{service} is down", "status": "firing", "service": service}
        answer = sender.post("/api/integrations/alerts", alert, authorization=f"Bearer {token}")
        assert answer.status in (200, 201, 202), answer.body
    assert undocumented_rows(owner) == [("shadow-api", ["alerts"], 2)]
    assert undocumented_rows(sign_in("owner@other.example", "other")) == []
