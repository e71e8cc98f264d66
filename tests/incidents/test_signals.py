"""Incidents that share a host belong together, even where one of them names no service."""

from engine.incidents.rca_features import Signal
from engine.incidents.signals import incident_signals, to_explain
from tests.incidents.records import INCIDENT, OPENED

FULL = {**INCIDENT, "id": "inc-2", "title": "Node alarm", "service_id": None, "host": "db1",
        "annotations": {"description": "The disk is full"}}  # fmt: skip


def signals(*rows, host="db1"):
    return list(incident_signals(rows, "checkout", {}, {}, [], host=host))


def test_an_incident_without_a_service_on_the_same_host_is_a_sign_of_capacity():
    assert signals(FULL) == [
        Signal(
            "capacity",
            "incidents:inc-2",
            OPENED,
            "inc-2, Node alarm",
            severity="medium",
            host="db1",
        )
    ]


def test_another_host_no_host_or_other_words_are_no_sign():
    assert signals(FULL, host="db2") == signals(FULL, host=None) == signals({**FULL, "host": None}, host=None) == []
    assert signals({**FULL, "annotations": None}) == []
    assert signals() == []


def test_the_incident_to_explain_has_its_host():
    assert to_explain({**INCIDENT, "dedupe_key": "k", "host": "db1"}, {}).host == "db1"
