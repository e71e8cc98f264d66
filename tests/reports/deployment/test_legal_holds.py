"""What the report on legal holds says."""

from datetime import date

from reports.deployment.legal_holds import REPORT
from tests.factories import document, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow


def hold(identifier, **given):
    row = {
        "id": identifier,
        "matter": "Acme v. Doe",
        "custodian": "ann@acme.example",
        "active": True,
        "age_days": 10,
        "flagged": 2,
        "purges_blocked": 0,
        "flagged_by_any": 2,
    }
    return {**row, **given}


def report(*holds):
    return document(REPORT, legal_holds=rows("legal_holds", *holds))


def test_active_holds_come_oldest_first_and_released_ones_apart():
    held = report(
        hold(
            "h1",
            flagged_by_any=5,
            incident_id="i1",
            purges_blocked=3,
            first_flagged_at=moment("2026-01-01 10:00"),
            last_flagged_at=moment("2026-02-01 10:00"),
        ),
        hold(
            "h2",
            flagged_by_any=5,
            incident_id="i1",
            age_days=20,
            flagged=4,
            purges_blocked=1,
            first_flagged_at=moment("2026-01-15 10:00"),
            last_flagged_at=moment("2026-03-01 10:00"),
        ),
        hold("h3", active=False, released_on=date(2026, 10, 1), purges_blocked=9, flagged_by_any=5),
    )
    assert [table.frame["id"].to_list() for table in held.tables] == [["h2", "h1"], ["h3"]]
    assert dict(held.summary) == {
        "holds_active": 2,
        "incidents_held": 1,
        "held_events": 5,
        "held_events_first_at": moment("2026-01-01 10:00"),
        "held_events_last_at": moment("2026-03-01 10:00"),
        "purges_blocked": 4,
        "holds_released": 1,
    }
    assert lead(held) == (
        "2 legal holds cover 5 audit events, which no purge takes.",
        "Ask whether the hold on “Acme v. Doe” is still needed (with ann@acme.example): it is 20 days old.",
    )
    assert held.warnings == []


def test_holds_that_are_old_empty_or_ownerless_are_named():
    assert report(hold("h1", age_days=366, flagged=0, flagged_by_any=0, custodian=None)).warnings == [
        "1 hold older than a year: ask whether the matter still needs it.",
        "1 hold without a custodian: whoever placed it names one.",
        "1 hold without a single audit event: check the incident and the scope.",
    ]


def test_without_holds_retention_decides():
    held = report()
    assert lead(held) == (
        "No legal hold is in force; retention alone decides what is kept.",
        "Import legal_holds.csv with hq import to fill this report.",
    )
    assert (held.summary["held_events"], held.summary["purges_blocked"]) == (0, 0)
    assert all(table.frame.is_empty() for table in held.tables)


def test_every_figure_is_what_its_rows_give():
    holds = rows(
        "legal_holds",
        hold("h1", flagged_by_any=5, incident_id="i1", purges_blocked=3),
        hold("h2", flagged_by_any=5, flagged=4),
        hold("h3", active=False, released_on=date(2026, 10, 1)),
    )
    values_follow(REPORT, legal_holds=holds)
    values_follow(REPORT)
    assert explained_rows(REPORT, "held_events", legal_holds=holds).select("id", "reason", "value").rows() == [
        ("h1", "2 events under this hold, 5 under all holds together", 5),
        ("h2", "4 events under this hold, 5 under all holds together", 5),
    ]
