"""What the report on legal holds says."""

from datetime import date

from reports.deployment.legal_holds import REPORT
from tests.factories import ask, moment, rows


def hold(identifier, **given):
    row = {"id": identifier, "matter": "Acme v. Doe", "custodian": "ann@acme.example", "active": True, "age_days": 10,
           "flagged": 2, "purges_blocked": 0, "flagged_by_any": 2}  # fmt: skip
    return {**row, **given}


def report(*holds):
    return REPORT.build(rows("legal_holds", *holds), ask())


def test_active_holds_come_oldest_first_and_released_ones_apart():
    document = report(
        hold("h1", flagged_by_any=5, incident_id="i1", purges_blocked=3, first_flagged_at=moment("2026-01-01 10:00"),
             last_flagged_at=moment("2026-02-01 10:00")),
        hold("h2", flagged_by_any=5, incident_id="i1", age_days=20, flagged=4, purges_blocked=1,
             first_flagged_at=moment("2026-01-15 10:00"), last_flagged_at=moment("2026-03-01 10:00")),
        hold("h3", active=False, released_on=date(2026, 10, 1), purges_blocked=9, flagged_by_any=5),
    )  # fmt: skip
    assert [table.frame["id"].to_list() for table in document.tables] == [["h2", "h1"], ["h3"]]
    assert dict(document.summary) == {
        "active_holds": 2, "incidents_held": 1, "flagged_audit_rows": 5,
        "first_flagged_at": moment("2026-01-01 10:00"), "last_flagged_at": moment("2026-03-01 10:00"),
        "purges_blocked": 4, "released_holds": 1,
    }  # fmt: skip
    assert document.headline == (
        "2 legal holds keep 5 audit events from being purged; the oldest, h2 (Acme v. Doe), is 20 days old."
    )
    assert document.warnings == []


def test_holds_that_are_old_empty_or_ownerless_are_named():
    assert report(hold("h1", age_days=366, flagged=0, flagged_by_any=0, custodian=None)).warnings == [
        "1 hold older than a year: ask whether the matter still needs it.",
        "1 hold without a custodian.",
        "1 hold without a single audit event: check the incident and the scope.",
    ]


def test_without_holds_retention_decides():
    document = report()
    assert document.headline == "No legal hold is in force; retention alone decides what is kept."
    assert (document.summary["flagged_audit_rows"], document.summary["purges_blocked"]) == (0, 0)
    assert all(table.frame.is_empty() for table in document.tables)
