"""What records are called, from the facts and scans that a report looks at and from nothing else."""

import polars as pl
import pytest

from engine.facts.memory import FactCache
from engine.reporting.snapshot.record_titles import person_names, record_titles
from tests.factories import rows

FRAMES = {
    "event_ids_rows": pl.DataFrame({"event_id": ["AE-1", "AE-2"], "action": ["log.review.completed", "mfa.enforced"]}),
    "scenarios": pl.DataFrame({"scenario": ["pci-2027"], "title": ["PCI DSS of 2027"]}),
    "testing_schedules_rows": pl.DataFrame({"id": ["TST-1", "TST-2"], "procedure": ["Draw a sample", None]}),
}


@pytest.mark.parametrize(
    ("facts", "titles"),
    [
        ((), {}),
        (("testing_schedules_rows",), {"TST-1": "Draw a sample"}),
        (("scenarios",), {"pci-2027": "PCI DSS of 2027"}),
        (("event_ids_rows",), {"AE-1": "Log review completed", "AE-2": "MFA enforced"}),
    ],
)
def test_titles_come_from_what_a_report_looks_at(facts, titles):
    assert record_titles(facts, FRAMES.__getitem__, FactCache(8)) == titles


def test_of_who_has_left_their_name_says_so():
    facts = {
        "people": rows(
            "people",
            {"email": "ann@acme.example", "active": True},
            {"email": "bob@acme.example", "active": False},
            {"email": "cy@acme.example", "active": None},
        ),
        "names": rows(
            "names", *({"email": f"{name}@acme.example", "name": name.capitalize()} for name in ("ann", "bob", "cy"))
        ),
    }
    assert person_names(facts.__getitem__) == {
        "ann@acme.example": "Ann",
        "bob@acme.example": "Bob (has left)",
        "cy@acme.example": "Cy",
    }
