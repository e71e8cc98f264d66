"""Incidents that share a host belong together, even where one of them names no service."""

from engine.incidents.rootcause.signals import Places, incident_suspects, to_explain
from tests.incidents.records import INCIDENT

FULL = {
    **INCIDENT,
    "id": "inc-2",
    "title": "Node alarm",
    "service_id": None,
    "host": "db1",
    "annotations": {"description": "The disk is full"},
}
NOWHERE = Places({}, {})


def suspects(*rows, host="db1"):
    found = incident_suspects(rows, NOWHERE, "checkout", host)
    return [(each.kind, each.id, each.place) for each in found]


def test_an_incident_without_a_service_on_the_same_host_is_a_sign_of_capacity():
    assert suspects(FULL) == [("capacity", "incidents:inc-2", "checkout")]


def test_another_host_no_host_or_other_words_are_no_sign():
    assert suspects(FULL, host="db2") == suspects(FULL, host=None) == suspects({**FULL, "host": None}, host=None) == []
    assert suspects({**FULL, "annotations": None}) == []
    assert suspects() == []


def test_the_incident_to_explain_has_its_host():
    assert to_explain({**INCIDENT, "dedupe_key": "k", "host": "db1"}, NOWHERE).host == "db1"
