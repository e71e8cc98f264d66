"""GDPR Article 32: what can be demonstrated, the risk that stays, tests, and processors."""

from datetime import date

import pytest

from reports.frameworks.gdpr.gdpr_art32 import REPORT
from tests.factories import lead, moment
from tests.reports.frameworks.packs import one, pack, report, table

MEASURE, RESTORE = "Art.32(1)(a)", "Art.32(1)(c)"


def assess(but=None, default="effective", **facts):
    return report(REPORT, *pack("gdpr-art32", default=default, but=but or {}), **facts)


@pytest.mark.parametrize(
    ("state", "standing"),
    [
        ("effective", "demonstrated"),
        ("partial", "demonstrated in part"),
        ("stale", "demonstrated in part"),
        ("ineffective", "not demonstrated"),
        ("no_data", "not demonstrated"),
        ("not_applicable", "not applicable"),
    ],
)
def test_what_cannot_be_shown_is_missing(state, standing):
    document = assess({MEASURE: state})
    assert one(document, "measures", MEASURE, "standing", "measure_type") == (standing, "technical")
    others = 5  # of seven: neither a risk nor a test is on record for 32(2) and 32(1)(d) to be about
    assert document.summary["gdpr_demonstrated"] == others + (standing == "demonstrated")


def test_what_is_about_every_measure_is_shown_in_part_while_one_is_unknown():
    every = [row["control_id"] for row in pack("gdpr-art32")[0]]
    linked = [{"framework": "gdpr-art32", "control_id": name, "risk_ref": "R-1"} for name in every]
    runs = [
        {"framework": "gdpr-art32", "control_id": name, "run_id": name, "performed_on": date(2026, 9, 1)}
        for name in every
    ]

    def lines(risks, tests):
        document = assess(
            control_profiles=linked[:risks],
            risks=[{"id": "R-1", "level": "low", "unknown": False}],
            test_windows=[{**run, "outcome": "passed"} for run in runs[:tests]],
        )
        found = table(document, "open").select("control_id", "standing", "why").rows()
        return found, document.summary["gdpr_demonstrated"], document.summary["gdpr_demonstrated_in_part"]

    risks = ("Art.32(2)", "demonstrated in part", "1 of 8 measures without an assessed risk to persons")
    tests = ("Art.32(1)(d)", "demonstrated in part", "2 of 8 measures without a test")
    assert lines(8, 8) == ([], 8, 0)
    assert lines(7, 6) == ([tests, risks], 6, 2)


def test_the_risk_to_persons_is_that_of_the_linked_risk():
    def measure_row(**risk):
        profile = {
            "framework": "gdpr-art32",
            "control_id": MEASURE,
            "risk_ref": "R-1",
            "systems": "db",
            "implementation": "AES",
        }
        document = assess(
            control_profiles=[profile], risks=[{"id": "R-1", "level": "moderate", "unknown": False, **risk}]
        )
        return one(document, "measures", MEASURE, "residual_risk", "systems", "state_of_the_art")

    assert measure_row() == ("moderate", "db", "AES")
    assert measure_row(unknown=True) == ("critical", "db", "AES")
    assert one(assess(), "measures", MEASURE, "residual_risk") == ("not assessed",)


def test_the_last_test_and_the_median_restore_stand_beside_the_measure():
    run = {"framework": "gdpr-art32", "control_id": RESTORE}
    document = assess(
        test_windows=[
            {**run, "run_id": "1", "performed_on": date(2026, 9, 1), "outcome": "failed"},
            {**run, "run_id": "2", "performed_on": date(2026, 10, 1), "outcome": "passed"},
            {**run, "run_id": "3"},
        ],
        incidents=[
            {"id": str(minutes), "opened_at": moment(opened), "minutes_to_resolve": minutes}
            for minutes, opened in (
                (60.0, "2026-11-01"),
                (90.0, "2026-11-02"),
                (500.0, "2026-11-03"),
                (1.0, "2026-01-01"),
            )
        ],
    )
    columns = ("last_tested_on", "test_outcome", "restore_objective_minutes", "restore_measured_minutes")
    assert one(document, "measures", RESTORE, *columns) == (date(2026, 10, 1), "passed", None, 90.0)
    assert one(document, "measures", MEASURE, *columns) == (None, None, None, None)


def test_processors_need_a_contract_that_binds_sub_processors():
    def vendor(name, **given):
        return {"vendor_id": name, "name": name, "tier": "high", "data_classes": "health", **given}

    def dpa(name, **given):
        return {"vendor_id": name, "kind": "dpa", "document_id": f"D-{name}", "flows_down": True, **given}

    document = assess(
        vendors=[
            vendor("a"),
            vendor("b", owner="ann@acme.example"),
            vendor("c"),
            vendor("d"),
            vendor("e", data_classes=None),
            vendor("f", data_classes=" ", handles_phi=True),
            vendor("g", data_classes=None),
        ],
        agreements=[dpa("a"), dpa("b", valid_until=date(2026, 11, 19)), dpa("c", flows_down=False), dpa("e")],
    )
    assert table(document, "processors").select("name", "finding").rows() == [
        ("d", "no agreement on file"),
        ("f", "no agreement on file"),
        ("b", "agreement expired"),
        ("c", "sub-processors not known to be bound"),
        ("e", "not known which data it handles"),
        ("a", None),
    ]
    assert (document.summary["gdpr_processors"], document.summary["gdpr_processors_without_agreement"]) == (6, 2)
    assert [str(warning) for warning in document.warnings[2:]] == [
        "No agreement is on file with d, f: whoever buys from them has to conclude one.",
        "The agreement has expired with b: their owners (ann@acme.example) renew it.",
        "Not known to bind their sub-processors: c: whoever buys from them has to ask for the proof.",
        "Not known which personal data they handle: e.",
    ]
    assert one(document, "measures", "Art.32(4)", "processors_open") == (5,)


def test_without_evidence_nothing_is_demonstrated():
    document = assess(default="no_data")
    assert (document.summary["gdpr_demonstrated_pct"], document.coverage.assessed) == (0.0, 0)
    assert " ".join(lead(document)).startswith(
        "0 of 8 Article 32 measures can be demonstrated; 8 were never tested. Start with Art.32(1) Risk"
    )


def test_what_cannot_be_shown_stands_first():
    document = assess({"Art.32(4)": "no_data", RESTORE: "partial"})
    assert table(document, "measures")["control_id"].to_list()[:3] == ["Art.32(4)", RESTORE, "Art.32(1)(d)"]
    assert lead(document)[0] == "4 of 8 Article 32 measures can be demonstrated, 3 in part; 8 were never tested."
    assert lead(assess())[0] == "6 of 8 Article 32 measures can be demonstrated, 2 in part; 8 were never tested."


def test_the_picture_says_of_each_measure_what_it_lacks():
    run = {"framework": "gdpr-art32", "control_id": RESTORE, "run_id": "1", "performed_on": date(2026, 9, 1)}
    (picture,) = assess({MEASURE: "no_data"}, test_windows=[{**run, "outcome": "failed"}]).pictures
    assert picture.cells[MEASURE, "shown"] == ("no", "bad")
    assert picture.cells[MEASURE, "tested"] == ("never", "watch")
    assert picture.cells[RESTORE, "shown"] == ("yes", "good")
    assert picture.cells[RESTORE, "tested"] == ("failed", "bad")
    assert picture.cells[RESTORE, "risk assessed"] == ("no", "watch")


def test_out_of_scope_is_said():
    document = report(REPORT, vendors=[{"vendor_id": "a", "name": "a", "data_classes": "health"}])
    assert lead(document) == (
        "GDPR Article 32 is not in scope, so there is nothing to assess.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(table.frame.is_empty() for table in document.tables)
