"""What the report on the lineage of evidence says."""

from engine.model.documents.document import Coverage
from reports.testing.evidence_lineage import REPORT
from tests.factories import document as edition
from tests.factories import explained_rows, lead, rows
from tests.reports.explanations import values_follow

HASH = "ab" * 32


def claim(control_id="C1", source="operation", **more):
    return {
        "framework": "soc2",
        "control_id": control_id,
        "title": f"Control {control_id}",
        "source": source,
        "control_state": "effective",
        "evidence_id": "e1",
        "record": "audit event",
        "event_id": "e1",
        "seq": 7,
        "event_hash": HASH,
        "state": "complete",
        "position": int(control_id[1:]),
        **more,
    }


def facts(*claims, controls=(), orphans=(), proofs=()):
    status = rows(
        "control_status", *({"framework": "soc2", "control_id": name, "position": n} for n, name in enumerate(controls))
    )
    return {
        "claims": rows("claims", *claims),
        "orphan_evidence": rows("orphan_evidence", *orphans),
        "control_status": status,
        "bundle_proofs": rows("bundle_proofs", *proofs),
    }


def report(*claims, **given):
    return edition(REPORT, **facts(*claims, **given))


def frame(document, name):
    return document.table(name).frame


def test_a_claim_leads_from_the_control_to_the_hash_of_its_event():
    document = report(claim(), controls=["C1"])
    row = frame(document, "claims").row(0, named=True)
    assert {name: row[name] for name in ("file", "row", "evidence_id", "event_id", "event_hash", "state")} == {
        "file": "soc2.csv",
        "row": "C1",
        "evidence_id": "e1",
        "event_id": "e1",
        "event_hash": HASH,
        "state": "complete",
    }
    assert lead(document) == (
        "1 of 1 claim of evidence for a control can be followed to a verified audit event (100.0 %).",
        "",
    )
    assert document.coverage == Coverage(1, 1)


def test_what_is_not_bundled_is_said_and_is_no_fault():
    document = report(claim(), claim("C2", bundle_id="B1"), controls=["C1", "C2"])
    assert frame(document, "claims").select("bundle", "merkle_leaf").rows() == [("not bundled", None), ("B1", None)]
    assert [document.summary[name] for name in ("claims_complete", "claims_bundled", "claims_not_bundled")] == [2, 1, 1]
    assert document.warnings == []
    assert report(claim()).warnings == [
        "No claim is in a sealed bundle: the lineage ends at the audit log, without a Merkle leaf."
    ]


def test_a_broken_claim_is_named_with_its_problem():
    broken = claim("C2", "item", state="broken", problem="event no longer in the log", event_id=None, event_hash=None)
    document = report(claim(), broken, controls=["C1", "C2"])
    assert (document.summary["claims_broken"], document.summary["lineage_completeness_pct"]) == (1, 50.0)
    assert lead(document) == (
        "1 of 2 claims of evidence for a control can be followed to a verified audit event (50.0 %).",
        "Start with SOC 2 C2, item evidence e1: event no longer in the log.",
    )
    assert frame(document, "faults").select("control_id", "problem").rows() == [("C2", "event no longer in the log")]


def test_a_changed_event_comes_before_everything():
    broken = claim("C1", "item", state="broken", problem="evidence not found")
    changed = claim("C2", state="hash_mismatch", problem="event differs from its hash")
    document = report(broken, changed, controls=["C1", "C2"])
    assert frame(document, "faults")["state"].to_list() == ["hash_mismatch", "broken"]
    assert lead(document) == (
        "0 of 2 claims of evidence for a control can be followed to a verified audit event (0.0 %); 1 claim rests on an event that was "
        "changed afterwards.",
        "Run hq verify at once.",
    )


def test_controls_without_evidence_are_orphans_and_make_no_claim():
    document = report(claim(), controls=["C1", "C2", "C3"])
    assert frame(document, "orphan_controls")["control_id"].to_list() == ["C2", "C3"]
    assert lead(document) == (
        "1 of 1 claim of evidence for a control can be followed to a verified audit event (100.0 %); 2 controls have no evidence "
        "at all.",
        "Collect evidence for SOC 2 C2 A control (with ann@acme.example), which has none of any kind.",
    )
    assert frame(document, "frameworks").select("framework", "claims", "orphan_controls").rows() == [("SOC 2", 1, 2)]


def test_a_framework_without_any_claim_is_shown():
    document = report(controls=["C1"])
    assert frame(document, "frameworks").rows() == [("SOC 2", 0, 0, 0, 0, None, 0, 1)]
    assert lead(document) == (
        "The one applicable control makes no claim, so there is nothing to trace.",
        "Import audit_log.csv, evidence_items.csv or attestations.csv with hq import to fill this report.",
    )


def test_evidence_items_without_a_hash_are_a_warning():
    item = claim("C1", "item", record="evidence item", evidence_id="i1", bundle_id="B1")
    document = report(item, claim("C2", "item", record="evidence item", evidence_id="i1"))
    assert document.warnings == ["1 evidence item without SHA-256: nothing shows that the content is unchanged."]


def test_orphan_evidence_is_listed():
    document = report(orphans=[{"kind": "evidence item", "id": "i9", "title": "Screenshot"}])
    assert (document.summary["orphan_evidence"], frame(document, "orphan_evidence")["id"].to_list()) == (1, ["i9"])


def test_without_controls_there_is_nothing_to_trace():
    document = report()
    assert lead(document) == (
        "No control is in scope, so there is no claim to trace.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert document.summary["lineage_completeness_pct"] is None


SEVERAL = (
    claim(bundle_id="B1"),
    claim("C1", "item", event_id="e2"),
    claim("C2", state="broken", problem="evidence not found"),
    claim("C3", state="hash_mismatch", problem="event differs from its hash", event_id=None),
)


def test_each_figure_counts_claims_or_what_none_is_about():
    given = {"controls": ["C1", "C2", "C3", "C4"], "orphans": [{"kind": "evidence item", "id": "i9"}]}
    assert dict(report(*SEVERAL, **given).summary) == {
        "claims": 4,
        "claims_complete": 2,
        "claims_broken": 1,
        "claims_hash_mismatch": 1,
        "lineage_completeness_pct": 50.0,
        "claims_bundled": 1,
        "claims_not_bundled": 3,
        "claims_audit_events": 2,
        "orphan_evidence": 1,
        "orphan_controls": 1,
        "evidence_held_pct": None,
        "evidence_not_whole": 0,
    }


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(*SEVERAL, controls=["C1", "C4"], orphans=[{"kind": "policy", "id": "p1"}]))
    values_follow(REPORT)


def test_a_broken_claim_says_what_is_wrong():
    found = explained_rows(REPORT, "claims_broken", **facts(*SEVERAL))
    assert found.select("control_id", "reason").rows() == [("C2", "operation evidence e1: evidence not found")]


def test_coverage_is_that_of_all_reports_and_not_the_share_of_claims():
    assert report(*SEVERAL, controls=["C1", "C2"]).coverage == Coverage(2, 2)


def test_what_is_held_and_whole_is_a_share_of_all_linked_items():
    items = [
        {"id": "i1", "evidence_place": "held", "held_state": "whole", "sha256": "1" * 64},
        {"id": "i2", "evidence_place": "held", "held_state": "changed", "sha256": "2" * 64},
        {"id": "i3", "evidence_place": "told", "held_state": None},
        {"id": "i4", "evidence_place": "told", "held_state": "erased", "sha256": "4" * 64},
    ]
    document = edition(REPORT, **facts(), evidence_files=rows("evidence_files", *items))
    assert (document.summary["evidence_held_pct"], document.summary["evidence_not_whole"]) == (25.0, 1)
    shown = frame(document, "evidence_files").select("id", "evidence_place", "held_state").rows()
    assert shown[0] == ("i2", "held", "changed")
    assert "1 evidence item with changed or missing bytes: no evidence until put back." in document.warnings


def test_the_picture_has_what_is_under_a_seal_and_a_broken_claim_leads_the_figures():
    document = report(claim(), claim("C2", bundle_id="B1"), claim("C2", "test", state="broken", problem="no event"))
    assert document.charts[0].frame.rows() == [
        ("operation", "in a sealed bundle", 1),
        ("test", "in a sealed bundle", 0),
        ("operation", "in none", 1),
        ("test", "in none", 1),
    ]
    assert list(document.foremost)[:2] == ["claims_broken", "lineage_completeness_pct"]
    assert report().charts == []
