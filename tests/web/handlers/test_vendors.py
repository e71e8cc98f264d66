"""Adding vendors over HTTP."""

import pytest
from sqlalchemy import select

from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organization_frameworks, organization_settings
from engine.store.schema.risk import vendors
from tests.conftest import NOW

PATH = "/api/governance/third-party/vendors"
OWNER, MEMBER = "owner@acme.example", "member@acme.example"
BODY = {
    "name": "Ample Cloud",
    "category": "cloud",
    "stores_customer_data": True,
    "privileged_access": False,
    "outage_stops_service": True,
}


def word(answer):
    return answer.status, answer.json.get("error")


def stored_vendors(store, org="acme"):
    with store.reader() as connection:
        return [dict(row) for row in connection.execute(select(vendors).where(vendors.c.org_id == org)).mappings()]


def test_a_vendor_is_answered_with_everything_that_was_derived(sign_in, with_people):
    head = with_people.head("acme").seq
    answer = sign_in(OWNER).post(PATH, {**BODY, "data_classes": ["names", "names"], "service": " hosting  of all "})
    assert answer.status == 201, answer.body
    content = answer.json
    assert content["vendor"] == {
        "id": "ample-cloud",
        "name": "Ample Cloud",
        "service": "hosting of all",
        "owner": OWNER,
        "category": "cloud",
        "tier": "critical",
        "data_classes": "names",
        "stores_customer_data": True,
        "privileged_access": False,
        "outage_stops_service": True,
        "likelihood": None,
        "impact": None,
        "status": "not_assessed",
        "region": None,
        "handles_phi": None,
        "onboarded_on": "2026-11-20",
        "next_review_on": "2026-12-20",
    }
    derived = content["derived"]
    assert derived["tier_reasons"] == ["it stores customer data", "its outage stops our service"]
    assert (derived["review_every_months"], derived["first_review_on"]) == (12, "2026-12-20")
    assert derived["inherited_controls"] == len(content["inherited"]) > 10
    assert {control["framework"] for control in content["inherited"]} == {"soc2"}
    assert derived["documents_to_ask_for"] == sorted({c["expected_evidence"] for c in content["inherited"]})
    (row,) = stored_vendors(with_people)
    assert (row["id"], row["revision"]) == ("ample-cloud", head + 1)
    with with_people.reader() as connection:
        (event,) = connection.execute(select(audit_log).where(audit_log.c.seq > head)).mappings().all()
    assert (event["action"], event["object_id"], event["controls"], event["seq"]) == (
        "vendor.created",
        "ample-cloud",
        None,
        head + 1,
    )
    assert event["details"]["inherited_controls"] == derived["inherited_controls"]
    assert event["details"]["answers"]["privileged_access"] is False


def test_the_register_and_the_gaps_show_it_with_the_same_controls(sign_in):
    client = sign_in(OWNER)
    content = client.post(PATH, BODY).json
    (row,) = client.get(PATH).json["vendors"]
    assert (row["tier"], row["assurance"], row["next_review_on"]) == ("critical", "not_assessed", "2026-12-20")
    inherited = {(c["framework"], c["control_id"], c["expected_evidence"]) for c in content["inherited"]}
    gaps = client.get("/api/governance/compliance/inherited-control-gaps").json["gaps"]
    assert {(c["framework"], c["control_id"], c["expected_evidence"]) for c in gaps} == inherited


@pytest.mark.parametrize("name", ["Ample Cloud", "ample  CLOUD", " Ample-Cloud "])
def test_a_vendor_is_registered_once(name, sign_in, with_people):
    client = sign_in(OWNER)
    assert client.post(PATH, BODY).status == 201
    head = with_people.head("acme")
    answer = client.post(PATH, {**BODY, "name": name})
    assert word(answer) == (409, "vendor_exists")
    assert answer.json["details"] == [{"field": "name", "id": "ample-cloud", "name": "Ample Cloud"}]
    assert with_people.head("acme") == head
    assert len(stored_vendors(with_people)) == 1


def test_organizations_do_not_know_of_each_others_vendors(sign_in, with_people):
    assert sign_in(OWNER).post(PATH, BODY).status == 201
    assert sign_in("owner@other.example", "other").post(PATH, BODY).status == 201
    assert [row["id"] for row in stored_vendors(with_people, "other")] == ["ample-cloud"]


def test_settings_and_scope_of_the_organization_count(sign_in, with_people):
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            organization_settings,
            [{"name": "vendor_first_review_days", "value": 7}, {"name": "vendor_review_low_months", "value": 18}],
        )
        revision.insert(organization_frameworks, [{"framework": "hipaa"}])
        revision.record("settings.changed")
    body = {"name": "Billing Inc", "category": "saas", "tier": "low", "handles_phi": True}
    content = sign_in(OWNER).post(PATH, body).json
    assert content["derived"]["tier_reasons"] == ["it handles health data", "which is higher than low, as given"]
    assert content["derived"]["first_review_on"] == "2026-11-27"
    assert {control["framework"] for control in content["inherited"]} == {"soc2", "hipaa"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "!!"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"category": "catering"}, "category"),
        ({"tier": "severe"}, "tier"),
        ({"likelihood": 6}, "likelihood"),
        ({"impact": 0}, "impact"),
        ({"stores_customer_data": "yes"}, "stores_customer_data"),
        ({"owner": "somebody"}, "owner"),
        ({"data_classes": ["a; b"]}, "data_classes"),
        ({"data_classes": "cards"}, "data_classes"),
        ({"onboarded_on": "1999-12-31"}, "onboarded_on"),
        ({"onboarded_on": "soon"}, "onboarded_on"),
        ({"next_review_on": "2026-11-19"}, "next_review_on"),
        ({"storesCustomerData": True}, "body"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_and_changes_nothing(change, field, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in(OWNER).post(PATH, {**BODY, **change})
    assert word(answer) == (400, "invalid_body"), answer.body
    assert answer.json["details"][0]["field"] == field
    assert with_people.head("acme") == head


def test_a_tier_or_an_answer_is_needed(sign_in):
    answer = sign_in(OWNER).post(PATH, {"name": "Ample", "category": "cloud"})
    assert word(answer) == (400, "invalid_body")
    assert answer.json["details"][0]["field"] == "tier"


@pytest.mark.parametrize("role", ["operator", "member"])
def test_owners_and_admins_alone_add_vendors(role, sign_in, with_people):
    assert word(sign_in(f"{role}@acme.example").post(PATH, BODY)) == (403, "role_required")
    assert stored_vendors(with_people) == []
    assert sign_in("admin@acme.example").post(PATH, BODY).status == 201
