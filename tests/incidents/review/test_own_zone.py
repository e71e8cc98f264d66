"""Reviews and files of incidents speak in the organization's time zone alone."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from engine.incidents.review.evidence import content_sha256, evidence_pack
from engine.incidents.review.export import export
from engine.incidents.review.own_zone import in_own_zone
from engine.incidents.review.review import review
from engine.model.documents.document import Organization
from tests.incidents.records import record

BEFORE, AGAIN = datetime(2026, 10, 24, 23, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
ACTOR = "ann@acme.example"


def in_zone(zone, **lists):
    """An incident that is open while Europe's clocks are put back."""
    incident = {
        "opened_at": BEFORE,
        "resolved_at": AGAIN,
        "last_seen_at": AGAIN,
        "dedupe_key": None,
        "status": "resolved",
    }
    return replace(record(incident=incident, **lists), organization=Organization("acme", "Acme", zone))


def note(at):
    return {
        "happened_at": at,
        "kind": "communication",
        "actor": ACTOR,
        "body": "Told",
        "payload_id": None,
        "revision": 1,
    }


def zone_texts(zone):
    return in_zone(
        zone,
        timeline=[note(BEFORE + timedelta(minutes=60)), note(AGAIN)],
        deploys=[
            {
                "id": "DEP-1",
                "service_id": "checkout",
                "version": "42",
                "change_ref": None,
                "status": "live",
                "deployed_at": BEFORE - timedelta(hours=2),
                "actor": ACTOR,
                "hops": 0,
                "revision": 1,
            }
        ],
        events=[
            {
                "seq": 1,
                "occurred_at": BEFORE,
                "action": "incident.opened",
                "actor": ACTOR,
                "outcome": "success",
                "hash": "ab" * 32,
            }
        ],
    )


def test_every_moment_of_a_review_is_in_the_zone_that_it_names_once():
    text = review(zone_texts("Europe/Berlin"), date(2026, 10, 26)).decode()
    assert text.count("All times are in Europe/Berlin.") == text.count("Europe/Berlin") == 1
    assert sorted(set(re.findall(r"2026-10-2. [0-9:]{8}(?: [(].*?[)])?", text))) == [
        "2026-10-24 23:30:00",
        "2026-10-25 01:30:00",
        "2026-10-25 02:30:00",
        "2026-10-25 02:30:00 (UTC+01:00)",
    ]
    assert "On 25 Oct 2026 at 01:30 “Checkout is slow”" in text
    assert "2 h" in text


def test_durations_are_right_where_the_clocks_are_put_back():
    text = review(zone_texts("Europe/Berlin"), date(2026, 10, 26)).decode()
    assert "| 2026-10-25 02:30:00 (UTC+01:00) | +2 h | Resolved |" in text
    assert "It was resolved after 2 h." in text


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_the_file_of_an_incident_speaks_in_the_same_zone(zone):
    text = export(zone_texts(zone)).decode()
    shown = {"UTC": "2026-10-24 23:30:00", "Asia/Kolkata": "2026-10-25 05:00:00"}
    assert text.count(f"All times are in {zone}.") == 1
    assert shown.get(zone, "2026-10-24 21:00:00") in text


def test_the_evidence_and_its_hash_stay_in_utc():
    pack = zone_texts("Europe/Berlin")
    assert evidence_pack(in_own_zone(pack)) == evidence_pack(pack)
    assert content_sha256(pack) in review(pack, date(2026, 10, 26)).decode()


def test_a_record_without_moments_in_its_lists_is_moved_all_the_same():
    empty = in_zone("Asia/Tokyo")
    assert in_own_zone(empty) == empty
    assert str(in_own_zone(empty).incident["opened_at"]) == "2026-10-25 08:30:00+09:00"
