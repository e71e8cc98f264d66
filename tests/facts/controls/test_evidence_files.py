"""Evidence items whose bytes are held: held or told, and no evidence where their bytes are not what was put there."""

SOC2 = {"framework": "soc2", "control_id": "CC6.1"}
AT = "2026-11-18T09:00:00"
HELD = {"held_sha256": "1" * 64, "held_bytes": 5, "held_state": "whole", "checked_at": AT}


def records(*items):
    return {
        "organization_frameworks": [{"framework": "soc2"}],
        "evidence_items": [{"title": item["id"], "captured_at": AT, **item} for item in items],
        "evidence_links": [{"evidence_id": item["id"], **SOC2} for item in items],
    }


def newest(facts):
    frame = facts["control_evidence"].filter(control_id="CC6.1", source="item")
    return frame.select("events", "last_id", "evidence_place").rows()


def test_an_item_is_held_or_told(facts_with):
    erased = {**HELD, "removed": "erased", "removed_at": AT}
    facts = facts_with(**records({"id": "i1", **HELD}, {"id": "i2", "location": "vault://2"}, {"id": "i3", **erased}))
    rows = facts["evidence_files"].select("id", "evidence_place", "held_state", "evidence_bytes").rows()
    assert rows == [("i1", "held", "whole", 5), ("i2", "told", None, None), ("i3", "told", "erased", 5)]
    assert newest(facts) == [(3, "i3", "told")]


def test_changed_and_missing_bytes_are_no_evidence(facts_with):
    changed, missing = {**HELD, "held_state": "changed"}, {**HELD, "held_state": "missing"}
    facts = facts_with(**records({"id": "i1", **HELD}, {"id": "i2", **changed}, {"id": "i3", **missing}))
    assert newest(facts) == [(1, "i1", "held")]
    states = facts["evidence_files"].select("id", "held_state").rows()
    assert states == [("i1", "whole"), ("i2", "changed"), ("i3", "missing")]
