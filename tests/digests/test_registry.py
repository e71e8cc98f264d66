"""The declarations fit their reports, their routes and the flags with which people switch them off."""

import pytest

import api
from engine.accounts.preferences import DIGESTS as FLAGS
from reports.digests import DIGESTS
from scheduler import TASKS
from tests.digests.registry import CHAIN, DIGEST

BASE = "/api/governance/compliance"


@pytest.mark.parametrize("digest", DIGESTS, ids=lambda digest: digest.name)
def test_what_is_declared_is_in_the_report(digest, house):
    """Of an organization without records, which has every table and no row."""
    made = house.content(digest)
    assert set(digest.news) <= set(made.edition.document.summary)
    for items in digest.items:
        wanted = {*items.shows, *items.to, *([items.only] if items.only else [])}
        assert wanted <= set(made.table(items.table).frame.columns)
    assert made.empty
    if digest.people:
        assert {"recipient", "message"} <= set(made.table("owners").frame.columns)


def test_each_has_its_routes_and_secret():
    routes = {(route.method, route.path): route.access.code for route in api.ROUTES}
    for digest in DIGESTS:
        expected = "S(owner, admin)" if digest.for_admins else "S"
        assert routes["POST", f"{BASE}/{digest.route}"] == expected
        assert routes["POST", f"{BASE}/{digest.route}/scheduled"] == f"CRON({digest.cron_setting})"
        assert (("GET", f"{BASE}/{digest.route}") in routes) == (digest.name != "compliance-digest")


def test_each_can_be_switched_off():
    assert {digest.preference for digest in DIGESTS} | {"bundle_created"} == set(FLAGS)


def test_each_is_owed_by_a_task_and_the_chained_ones_by_the_chain():
    assert [task.name for task in TASKS] == [
        "snapshot:readiness",
        "snapshot:week",
        *(f"digest:{digest.name}" for digest in DIGESTS if digest not in CHAIN),
        "digest:staffing-digest-auto-chain",
        "bundle",
    ]
    assert all(DIGEST[digest.name] is digest for digest in DIGESTS)
