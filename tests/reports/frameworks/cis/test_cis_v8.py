"""CIS Controls v8: implementation groups are cumulative."""

from engine.catalogue import catalogue
from reports.frameworks.cis.cis_v8 import REPORT
from tests.factories import lead
from tests.reports.frameworks.packs import pack, report, table

CONTROLS = catalogue().details("cis-v8")
IG1 = CONTROLS.filter("ig1")["control_id"].to_list()
IG2_OWN = CONTROLS.filter("ig2", ~CONTROLS["ig1"])["control_id"].to_list()


def assess(but=None, default="effective", **facts):
    return report(REPORT, *pack("cis-v8", default=default, but=but or {}), **facts)


def groups(document):
    columns = ("group", "safeguards", "applicable", "in_place", "complete")
    return table(document, "implementation_groups").select(columns).rows()


def test_groups_hold_56_130_and_153_safeguards():
    document = assess()
    assert groups(document) == [("IG1", 56, 56, 56, True), ("IG2", 130, 130, 130, True), ("IG3", 153, 153, 153, True)]
    assert document.summary["cis_group_reached"] == "IG3"
    assert document.headline.startswith("IG3 is complete")


def test_a_group_is_not_complete_while_the_one_below_is_not():
    document = assess({IG1[0]: "stale"})
    assert groups(document) == [
        ("IG1", 56, 56, 55, False),
        ("IG2", 130, 130, 129, False),
        ("IG3", 153, 153, 152, False),
    ]
    assert document.summary["cis_group_reached"] is None


def test_the_lowest_group_comes_first_in_the_work():
    document = assess({IG2_OWN[0]: "no_data", IG1[5]: {"state": "stale", "weight": 1}})
    assert table(document, "missing")["control_id"].to_list() == [IG1[5], IG2_OWN[0]]
    assert lead(document) == (
        "55 of 56 IG1 safeguards are in place.",
        "Start with 3.1 Data management process (a required kind of evidence lapsed; with "
        "ann@acme.example, not planned yet).",
    )


def test_a_complete_group_is_named_before_the_next():
    document = assess({IG2_OWN[0]: "partial"})
    assert document.summary["cis_group_reached"] == "IG1"
    assert document.headline.startswith("IG1 is complete; 129 of 130 IG2 safeguards are in place.")


def test_what_does_not_apply_leaves_the_group():
    document = assess({IG1[0]: "not_applicable"})
    assert groups(document)[0] == ("IG1", 56, 55, 55, True)


def test_a_group_in_which_nothing_applies_is_not_complete():
    document = assess(default="not_applicable")
    assert [complete for *_, complete in groups(document)] == [False] * 3
    assert lead(document) == ("No safeguard of IG1 applies, so nothing can be said about it.", "")


def test_percentages_are_declared_silence_is_0_and_decides_nothing():
    profile = {"framework": "cis-v8", "control_id": "1.1", "implemented_pct": 100, "policy_pct": 50}
    document = assess({"1.1": "no_data"}, control_profiles=[profile])
    first = table(document, "controls").row(0, named=True)
    assert (first["control"], first["safeguards"], first["in_place"]) == (1, 5, 4)
    assert (first["implemented_pct"], first["policy_pct"]) == (20.0, 10.0)
    assert table(document, "controls").row(1, named=True)["implemented_pct"] is None
    assert document.summary["cis_self_assessed"] == 1
    assert (document.summary["cis_implemented_pct"], document.summary["cis_automated_pct"]) == (0.7, None)
    assert document.warnings == [
        "Nothing is declared for 152 applicable safeguards: counted as 0 %.",
        "1 safeguard declared as fully implemented without any evidence.",
    ]


def test_without_evidence_no_safeguard_is_in_place():
    document = assess(default="no_data")
    assert (document.summary["cis_in_place"], document.summary["cis_ig3_in_place_pct"]) == (0, 0.0)
    assert document.coverage.assessed == 0


def test_out_of_scope_is_said():
    document = report(REPORT)
    assert lead(document) == (
        "CIS Controls v8.1 are not in scope, so there is nothing to assess.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(table.frame.is_empty() for table in document.tables)
