"""The console answers as its document says: schemathesis calls every operation with what the document allows."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import api
from engine.runtime.settings import Settings
from engine.store.schema import services
from tests import laws
from tests.conftest import NOW
from tests.copilot.standin import backend
from tests.sales.factories import lead, stored_leads
from tests.web import door
from tests.web.conftest import people
from tests.web.handlers.sales.test_billing import bank  # noqa: F401 - a fixture
from tests.web.interface import interface
from tests.whole_checks import assert_provable

pytestmark = pytest.mark.real
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SLOW = ("workbook", "committee-meeting-pack", "bundles")  # archives of everything: one call shows what they are
EXAMPLES = laws.examples(4)


@pytest.fixture(scope="module", autouse=True)
def document():
    """Built while no clock is frozen: msgspec knows no other instants than those of the library."""
    interface()


@pytest.fixture
def with_people(any_store):
    """On each engine in turn."""
    people(any_store)
    return any_store


@pytest.fixture
def environment(environment):
    secrets = {name: door.CRON_SECRET for name, _, _ in Settings().listing() if name.endswith("_CRON_SECRET")}
    with backend(lambda seen, wire: wire.json({"ok": True})) as connector:
        yield {
            **environment,
            **secrets,
            "SVC_CHAT_SIGNING_SECRET": door.CHAT_SECRET,
            "SVC_LEMONSQUEEZY_SIGNING_SECRET": door.LEMON_SECRET,
            "SVC_LEMONSQUEEZY_VARIANTS": "pro=111,team=222",
            "SVC_REASONING_URL": connector.url,
            "SVC_ROBOT_URL": connector.url,
        }


@pytest.fixture
def seller(bank, environment):  # noqa: F811 - the fixture of that name
    """The bank; here every plan has alerts."""
    del environment["SVC_ALERT_INGEST_PLANS"]
    return bank


@pytest.fixture
def free_caller(seller, console, sign_in, monkeypatch):
    """Who asks is known, and may ask as often as they like; the known identifiers name something."""
    monkeypatch.setattr(console.gate.limiter, "check", lambda *given: None)
    store, client = console.services.store, sign_in()
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            services.services, [{"id": "web", "name": "Api", "criticality": 5, "environment": "production"}]
        )
        revision.insert(
            services.incidents,
            [
                {
                    "id": "INC-1",
                    "title": "Down",
                    "severity": "high",
                    "status": "open",
                    "opened_at": NOW,
                    "service_id": "web",
                }
            ],
        )
        revision.record("records.added")
    stored_leads(store, lead("1"), lead("2"))
    thread = client.post("/api/copilot/threads", {"title": "Posture"}).json["thread"]["id"]
    pilot = client.post("/api/admin/pilots", {"lead_id": "2", "kickoff_at": "2026-12-01T09:00:00Z"}).json["pilot"]["id"]
    sealed = client.post("/api/governance/compliance/bundles", {"window": "7d"}).json["bundle"]["id"]
    known = {
        "incidents": "INC-1",
        "services": "web",
        "threads": thread,
        "leads": "1",
        "pilots": pilot,
        "bundles": sealed,
        "api-keys": client.post("/api/user/api-keys", {}).json["id"],
        "alert-ingest-tokens": client.post("/api/user/alert-ingest-tokens", {}).json["id"],
        "assessor-tokens": client.post("/api/governance/compliance/assessor-tokens", {"label": "firm"}).json["id"],
    }
    return door.Door(console, client.cookie, seller), known


def operations(application, chapter):
    schema = schemathesis.openapi.from_dict({**interface(), "servers": [{"url": "http://localhost"}]})
    schema.app = application
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if chapter in operation.definition.raw["tags"]]


def identifier_in(path, known):
    """The identifier of a record that there is, by the part of the path before it."""
    before, place, _ = path.partition("/{id}")
    return known.get(before.rpartition("/")[2]) if place else None


def examples(operation):
    """What the document shows of bodies, in each way in which they may come; one call without a body otherwise."""
    content = operation.definition.raw.get("requestBody", {}).get("content", {})
    shown = [{"media_type": media, "body": held["example"]} for media, held in content.items() if "example" in held]
    return shown or [{}]


@pytest.mark.parametrize("chapter", api.CHAPTERS)
def test_every_answer_is_one_that_the_document_allows(chapter, free_caller):
    application, known = free_caller
    for operation in operations(application, chapter):
        identifier = identifier_in(operation.path, known)
        place = {"id": identifier} if identifier else {}
        if identifier or "{" not in operation.path:
            for example in examples(operation):
                operation.Case(path_parameters=place, **example).call_and_validate(checks=CHECKS)
        _explore(operation, identifier)
    assert_provable(application.console.services.store)


def _explore(operation, identifier):
    """Calls the operation with what its parameters and body may be; every second time for the known record."""

    @settings(
        max_examples=1 if operation.path.endswith(SLOW) else EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def explore(case):
        if identifier and len(case.path_parameters["id"]) % 2:
            case.path_parameters["id"] = identifier
        case.call_and_validate(checks=CHECKS)

    explore()
