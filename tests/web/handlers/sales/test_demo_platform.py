"""What a platform administrator sees in the demo."""

import pytest

from data.demo.cast.platform import PLATFORM_ADMIN, fill_platform
from engine.runtime.settings import Settings
from tests.conftest import NOW


@pytest.fixture
def environment(environment):
    return {**environment, "SVC_PLATFORM_ADMIN_EMAILS": PLATFORM_ADMIN}


def test_the_administrator_of_the_demo_sees_leads_pilots_and_proposals(with_people, sign_in):
    fill_platform(with_people, Settings(), NOW)
    admin = sign_in(PLATFORM_ADMIN, "platform")
    figures = admin.get("/api/admin/dashboard").json
    assert (figures["leads"]["total"], figures["leads"]["open"], figures["follow_ups"]["overdue"]) == (21, 13, 6)
    assert (figures["stale"]["count"] > 0, figures["response_times"]["waiting"]) == (True, 4)
    assert admin.get("/api/admin/leads?spam=all").json["total"] == 24
    export = admin.get("/api/admin/leads/export").body.decode()
    assert ",'+Nine Logistics," in export
    pilots = admin.get("/api/admin/pilots").json["pilots"]
    for pilot in pilots:
        page = admin.get(f"/api/admin/pilots/{pilot['id']}/proposal?format=html")
        assert (page.status, pilot["name"].replace("&", "&amp;") in page.body.decode()) == (200, True)
        assert admin.get(f"/api/admin/pilots/{pilot['id']}/calendar").status == 200
    assert len(pilots) == 4


def test_other_people_of_the_demo_see_none_of_it(with_people, sign_in):
    fill_platform(with_people, Settings(), NOW)
    for who, org in (("owner@acme.example", "acme"), ("idris.obeng@hq.example", "platform")):
        assert sign_in(who, org).get("/api/admin/leads").status == 403
