"""What a proposed version of a framework of one's own would change."""

import json

from tests.facts.controls.test_own import ANNEX, controls

OLD = [{"id": "A.1", "title": "One", "text": "Text"}, {"id": "A.2"}, {"id": "A.3"}, {"id": "A.4"}]


def new(name, title, text=None, replaces=None):
    return {"id": name, "title": title, "text": text, "replaces": replaces}


def test_a_row_is_renamed_by_its_wording_or_by_what_it_replaces(facts_with):
    rows = [
        new("B.1", "One", "Text"),
        new("A.2", "Another title"),
        new("B.3", "Elsewhere", replaces="A.3"),
        new("B.5", "New"),
    ]
    proposal = {
        "framework": "annex",
        "version": "2",
        "proposed_on": "2026-11-19",
        "sha256": "0",
        "content": json.dumps({"framework_controls": rows}),
    }
    facts = facts_with(**ANNEX, framework_controls=controls(*OLD), framework_proposals=[proposal])
    assert facts["framework_proposals"].select("change", "control_id", "target_id").rows() == [
        ("added", "B.5", None),
        ("gone", "A.4", None),
        ("renamed", "A.1", "B.1"),
        ("renamed", "A.3", "B.3"),
        ("reworded", "A.2", None),
    ]


def test_without_a_proposal_there_is_nothing(facts_with):
    assert facts_with(**ANNEX)["framework_proposals"].is_empty()
