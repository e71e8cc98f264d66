"""What changed since the last digest."""

from datetime import date

from engine.model.documents.document import Coverage
from reports.programme.digest.compliance_digest import REPORT
from reports.programme.digest.digest_changes import base_day
from tests.factories import DAY, ask, document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

KEY = {"framework": "soc2"}


def snapshot(day, strict, **more):
    return {**KEY, "taken_on": date.fromisoformat(day), "strict_pct": strict, "weighted_pct": strict, **more}


def change(control, day, state, previous=None):
    return {**KEY, "control_id": control, "observed_on": date.fromisoformat(day), "state": state, "previous": previous}


def control(control_id, state, **more):
    return {**KEY, "control_id": control_id, "state": state, "position": 1, **more}


def digest_row(day, kind="compliance-digest"):
    return {"kind": kind, "last_on": date.fromisoformat(day)}


READINESS = {
    **KEY,
    "name": "SOC 2",
    "applicable": 10,
    "assessed": 6,
    "strict_pct": 40.0,
    "weighted_pct": 52.5,
    "coverage_pct": 60.0,
}


def facts(
    readiness=(READINESS,),
    snapshots=(),
    days=(),
    status=(),
    changes=(),
    gaps=(),
    duties=(),
    exceptions=(),
    attestations=(),
    movements=(),
):
    return {
        "readiness": rows("readiness", *readiness),
        "readiness_days": rows("readiness_days", *snapshots),
        "digest_days": rows("digest_days", *days),
        "control_status": rows("control_status", *status),
        "state_changes": rows("state_changes", *changes),
        "gaps": rows("gaps", *gaps),
        "obligations": rows("obligations", *duties),
        "exceptions": rows("exceptions", *exceptions),
        "attestations": rows("attestations", *attestations),
        "movements": rows("movements", *movements),
    }


def report(**given):
    return document(REPORT, **facts(**given))


def base(snapshots, days=()):
    return base_day(rows("readiness_days", *snapshots), rows("digest_days", *days), ask(DAY, 30))


def test_it_compares_with_the_snapshot_of_the_last_digest():
    taken = [snapshot("2026-10-01", 1), snapshot("2026-11-09", 2), snapshot("2026-11-16", 3), snapshot("2026-11-20", 4)]
    assert base(taken, [digest_row("2026-11-09"), digest_row("2026-11-16", "mapping-digest")]) == date(2026, 11, 9)
    assert base(taken, [digest_row("2026-11-12")]) == date(2026, 11, 9)


def test_without_a_digest_before_it_compares_with_the_last_snapshot_before_the_period():
    taken = [snapshot("2026-10-01", 1), snapshot("2026-10-21", 2), snapshot("2026-10-22", 3)]
    assert base(taken) == date(2026, 10, 21)
    assert base(taken, [digest_row("2026-11-20")]) == date(2026, 10, 21)
    assert base([]) is None


def test_readiness_controls_and_gaps_against_that_day():
    made = report(
        snapshots=[snapshot("2026-11-16", 45.0)],
        days=[digest_row("2026-11-16")],
        status=[
            control("A", "no_data"),
            control("B", "effective"),
            control("C", "stale"),
            control("D", "partial"),
            control("E", "effective"),
            control("N", "ineffective"),
        ],
        changes=[
            change("A", "2026-11-02", "effective"),
            change("B", "2026-11-02", "stale"),
            change("C", "2026-11-02", "partial"),
            change("D", "2026-11-02", "effective"),
            change("D", "2026-11-09", "partial", "effective"),
            change("E", "2026-11-20", "effective", "stale"),
            change("E", "2026-11-02", "stale"),
        ],
        gaps=[
            {**KEY, "control_id": "A", "gap_id": "soc2:A", "severity": "high"},
            {**KEY, "control_id": "C", "gap_id": "soc2:C"},
        ],
        movements=[
            {
                "kind": "control",
                "framework": "soc2",
                "thing": "SOC 2 C",
                "state": "stale",
                "moved_on": date(2026, 11, 17),
                "because": "when backup evidence stopped",
            }
        ],
    )
    (row,) = made.tables[0].frame.to_dicts()
    assert (row["strict_pct"], row["prior_strict_pct"], row["strict_points"], row["weighted_points"]) == (
        40,
        45,
        -5,
        7.5,
    )
    moved = made.tables[1].frame.select("direction", "control_id", "previous_state", "state").rows()
    assert moved == [
        ("worse", "A", "effective", "no_data"),
        ("worse", "C", "partial", "stale"),
        ("better", "B", "stale", "effective"),
        ("better", "E", "stale", "effective"),
    ]
    tables = {table.name: table.frame for table in made.tables}
    assert tables["new_gaps"].select("gap_id", "severity").rows() == [("soc2:A", "high")]
    assert tables["closed_gaps"]["control_id"].to_list() == ["B", "E"]
    assert dict(list(made.summary.items())[:5]) == {
        "digest_compared_on": date(2026, 11, 16),
        "digest_controls_worse": 2,
        "digest_controls_better": 2,
        "digest_gaps_new": 1,
        "digest_gaps_closed": 2,
    }
    assert lead(made) == (
        "Since 16 Nov 2026 SOC 2 is down 5.0 points to 40.0 % strict: 1 control went stale on 17 Nov 2026 "
        "when backup evidence stopped.",
        "",
    )
    assert made.coverage == Coverage(6, 10)


def test_what_is_overdue_expires_or_comes_next():
    def duty(number, on, **more):
        day = date.fromisoformat(on)
        return {
            "obligation_id": f"o{number}",
            "title": f"Duty {number}",
            "due_on": day,
            "owner": "ann@acme.example",
            "days_left": (day - DAY).days,
            **more,
        }

    made = report(
        attestations=[
            {
                **KEY,
                "control_id": "CC1.1",
                "id": "a1",
                "title": "A control",
                "status": "overdue",
                "due_on": date(2026, 11, 10),
                "days_left": -10,
            }
        ],
        duties=[
            duty(1, "2026-11-10", state="overdue"),
            duty(2, "2026-11-11", state="overdue", kind="bundle"),
            duty(3, "2026-12-04"),
            duty(4, "2026-12-05"),
            duty(5, "2026-11-20", owner=None),
            duty(6, "2026-11-25", state="done"),
        ],
        exceptions=[
            {**KEY, "control_id": "A", "id": f"E{left}", "expires_on": DAY, "days_left": left, "standing": "approved"}
            for left in (30, 31)
        ]
        + [{**KEY, "control_id": "A", "id": "X", "expires_on": DAY, "days_left": -1, "standing": "expired"}],
    )
    tables = {table.name: table.frame for table in made.tables}
    assert tables["overdue_attestations"].select("control", "title", "days_late").rows() == [
        ("SOC 2 CC1.1", "A control", 10)
    ]
    assert tables["next_14_days"]["title"].to_list() == ["Duty 5", "Duty 3"]
    assert tables["expiring_exceptions"]["id"].to_list() == ["E30"]
    assert tables["owners"].select("recipient", "message").rows() == [
        ("ann@acme.example", "1 overdue. Begin with SOC 2 CC1.1 (due 2026-11-10).")
    ]


def test_without_a_snapshot_nothing_is_said_to_have_changed():
    made = report(status=[control("A", "no_data")], changes=[change("A", "2026-11-19", "effective")])
    assert made.tables[1].frame.is_empty()
    assert made.summary["digest_controls_worse"] is None
    assert made.warnings == ["No snapshot is stored yet, so no change can be told."]
    assert made.headline == "Nothing to compare with yet: sending this digest stores the first snapshot."


def test_an_old_snapshot_and_thin_coverage_are_warned_of():
    thin = {**READINESS, "coverage_pct": 49.9}
    made = report(readiness=[thin], snapshots=[snapshot("2026-09-01", 40.0)])
    assert made.warnings == [
        "The snapshot compared with is of 2026-09-01, 80 days ago.",
        "Too little is assessed to rely on: SOC 2.",
    ]
    assert lead(made) == ("Since 1 Sep 2026 readiness is as it was, and no control has a state to compare with.", "")


def test_nothing_in_scope():
    made = report(readiness=[])
    assert lead(made) == (
        "No framework is in scope, so there is nothing to be ready for.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(table.frame.is_empty() for table in made.tables)


def test_every_figure_is_what_its_rows_give():
    given = facts(
        snapshots=[snapshot("2026-10-20", 45.0)],
        status=[control("A", "no_data"), control("B", "effective")],
        changes=[change("A", "2026-10-02", "effective"), change("B", "2026-10-02", "effective")],
        duties=[{"obligation_id": "o1", "due_on": DAY}],
        attestations=[{**KEY, "control_id": "A", "id": "a1", "status": "overdue"}],
    )
    values_follow(REPORT, **given)
    values_follow(REPORT, **facts(snapshots=[snapshot("2026-10-20", 45.0)]))
    values_follow(REPORT)
    assert explained_rows(REPORT, "digest_gaps_new", **given).select("control_id", "reason", "amount").rows() == [
        ("A", "was effective, is no_data", 1),
        ("B", "was effective, is effective", 0),
    ]
    assert document(REPORT, **given).summary["attestations_overdue"] == 1


def test_a_signature_that_somebody_else_owes_is_told_to_that_person():
    late = {
        **KEY,
        "control_id": "A",
        "id": "a1",
        "status": "overdue",
        "due_on": DAY,
        "days_left": 0,
        "delegated_to": "bob@acme.example",
    }
    tables = {table.name: table.frame for table in report(attestations=[late]).tables}
    assert tables["owners"]["recipient"].to_list() == ["bob@acme.example"]


def test_without_any_facts_nothing_is_in_scope():
    made = document(REPORT)
    assert lead(made) == (
        "No framework is in scope, so there is nothing to be ready for.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert [table.frame.schema for table in made.tables] == [table.frame.schema for table in report().tables]
