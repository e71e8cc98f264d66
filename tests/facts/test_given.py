"""Facts that are known already are taken as they are given."""

import polars as pl

from engine.facts import FactQuestion, Facts
from engine.model.thresholds import Thresholds
from engine.replica.view import frame_view
from tests.factories import DAY, ORG

ASKED = [FactQuestion(ORG, "UTC", DAY, 30, Thresholds())]


def test_a_given_scan_is_not_read_again():
    with frame_view({}) as view:
        people = pl.DataFrame({"org_id": [ORG], "email": ["ann@acme.example"], "name": ["Ann"], "active": [True]})
        facts = Facts(view, ASKED, {"users_rows": people})
        assert facts["people"]["email"].to_list() == ["ann@acme.example"]


def test_without_given_facts_all_are_computed():
    with frame_view({}) as view:
        assert Facts(view, ASKED)["people"].is_empty()
