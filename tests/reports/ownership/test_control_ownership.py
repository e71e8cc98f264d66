"""What the report on control ownership says."""

import polars as pl

from engine.model.documents.document import Coverage
from reports.ownership.control_ownership import REPORT
from reports.ownership.raci import FINDINGS
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

ANN, BOB, CYD = (f"{name}@acme.example" for name in ("ann", "bob", "cyd"))


def facts(controls, *roles):
    """``controls``: id → whether complete; ``roles``: (control, role, email[, active])."""
    status = rows(
        "control_status",
        *(
            {
                "framework": "soc2",
                "control_id": name,
                "title": f"Control {name}",
                "position": number,
                "ownership_complete": complete,
            }
            for number, (name, complete) in enumerate(controls.items())
        ),
    )
    raci = rows(
        "raci",
        *(
            {"framework": "soc2", "control_id": name, "role": role, "email": email, "active": rest[0] if rest else True}
            for name, role, email, *rest in roles
        ),
    )
    return {"raci": raci, "control_status": status}


def report(controls, *roles):
    return document(REPORT, **facts(controls, *roles))


def frame(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def finding_rows(held):
    return frame(held, "findings").select("finding", "control_id").rows()


def test_one_who_does_and_another_who_answers_is_complete():
    held = report({"A1": True}, ("A1", "R", ANN), ("A1", "A", BOB), ("A1", "C", CYD), ("A1", "I", CYD))
    assert finding_rows(held) == []
    shown = ("responsible", "accountable", "consulted", "informed", "complete", "findings")
    assert frame(held, "controls").select(shown).rows() == [([ANN], [BOB], [CYD], [CYD], True, [])]
    assert held.coverage == Coverage(1, 1)
    assert (held.summary["ownership_complete"], held.summary["ownership_complete_pct"]) == (1, 100.0)


def test_each_fault_is_found():
    held = report(
        dict.fromkeys(("A1", "A2", "A3", "A4", "A5", "A6"), False),
        ("A1", "R", ANN),
        ("A2", "R", ANN),
        ("A2", "A", BOB),
        ("A2", "A", CYD),
        ("A3", "R", ANN),
        ("A3", "A", BOB, False),
        ("A4", "A", BOB),
        ("A5", "R", ANN, None),
        ("A5", "A", BOB),
        ("A6", "R", ANN),
        ("A6", "A", ANN),
    )
    assert finding_rows(held) == [
        ("no_accountable", "A1"),
        ("several_accountable", "A2"),
        ("accountable_without_authority", "A3"),
        ("no_responsible", "A4"),
        ("responsible_left", "A5"),
        ("same_person", "A6"),
    ]
    assert {name: held.summary[f"controls_{name}"] for name in FINDINGS} == {
        **dict.fromkeys(FINDINGS, 1),
        "too_many_consulted": 0,
    }


def test_more_than_five_consulted_people_are_too_many():
    def consulted_findings(number):
        people = [("A1", "C", f"p{n}@acme.example") for n in range(number)]
        return finding_rows(report({"A1": True}, ("A1", "R", ANN), ("A1", "A", BOB), *people))

    assert (consulted_findings(5), consulted_findings(6)) == ([], [("too_many_consulted", "A1")])


def test_a_key_person_holds_more_than_40_percent_of_all_accountable_roles():
    roles = [("A1", "A", ANN), ("A2", "A", ANN), ("A3", "A", BOB), ("A4", "A", CYD), ("A5", "A", BOB)]
    controls = dict.fromkeys(("A1", "A2", "A3", "A4", "A5"), True)
    assert not frame(report(controls, *roles), "people")["key_person"].any()
    held = report({**controls, "A6": True}, *roles, ("A6", "A", ANN))
    people = frame(held, "people").select("email", "accountable", "share_pct", "key_person").rows()
    assert people == [(ANN, 3, 50.0, True), (BOB, 2, 33.3, False), (CYD, 1, 16.7, False)]
    assert held.warnings == [f"Key-person risk: {ANN} holds 3 accountable roles, 50.0 % of all."]
    assert held.next_step == f"Relieve {ANN}, who alone holds 50.0 % of all accountable roles."


def test_roles_on_controls_that_do_not_apply_do_not_count():
    status = rows("control_status", {"framework": "soc2", "control_id": "A1", "applicable": False, "position": 1})
    raci = rows("raci", {"framework": "soc2", "control_id": "A1", "role": "A", "email": ANN})
    held = document(REPORT, raci=raci, control_status=status)
    assert (held.summary["controls_applicable"], held.summary["people_with_roles"], finding_rows(held)) == (0, 0, [])
    assert lead(held) == (
        "No control is in scope, so there is nothing to own.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )


def test_where_nobody_is_accountable_nobody_has_a_share():
    held = report({"A1": False}, ("A1", "I", ANN))
    assert held.next_step == "An administrator names who answers for SOC 2 A1 Control A1."
    assert frame(held, "people")["share_pct"].to_list() == [None]


def test_without_any_owner_the_matrix_is_not_praised():
    held = report({"A1": False, "A2": False})
    assert lead(held) == (
        "Nobody is named for any of the 2 controls.",
        "Import control_owners.csv with hq import to fill this report.",
    )
    assert held.coverage == Coverage(0, 2)
    assert held.summary["ownership_complete_pct"] == 0.0


def test_findings_stand_by_urgency_then_weight():
    status = rows(
        "control_status",
        *(
            {"framework": "soc2", "control_id": name, "weight": weight, "position": n}
            for n, (name, weight) in enumerate([("A1", 2), ("A2", 5)])
        ),
    )
    held = document(REPORT, control_status=status)
    assert finding_rows(held) == [
        ("no_accountable", "A2"),
        ("no_accountable", "A1"),
        ("no_responsible", "A2"),
        ("no_responsible", "A1"),
    ]
    assert frame(held, "frameworks").select(pl.col("framework", "controls", "no_accountable")).rows() == [
        ("SOC 2", 2, 2)
    ]


def test_the_first_sentence_is_short_and_the_next_one_says_where_to_start():
    held = report({"A1": True, "A2": False}, ("A1", "R", ANN), ("A1", "A", BOB), ("A2", "R", ANN))
    assert lead(held) == (
        "1 of 2 controls has exactly one accountable person and somebody to do it (50.0 %).",
        f"An administrator names who answers for SOC 2 A2 Control A2, whose work is with {ANN}.",
    )
    assert lead(report({"A1": False})) == (
        "Nobody is named for the one control in scope.",
        "Import control_owners.csv with hq import to fill this report.",
    )


def test_every_figure_is_what_its_rows_give():
    given = facts({"A1": True, "A2": False}, ("A1", "R", ANN), ("A1", "A", BOB), ("A2", "R", CYD), ("A2", "A", CYD))
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "controls_same_person", **given).select("control_id", "reason").rows() == [
        ("A2", f"responsible: {CYD}; accountable: {CYD}; consulted: ")
    ]


def test_without_any_facts_there_is_nothing_to_own():
    held = document(REPORT)
    assert set(held.summary.values()) == {0, None}
    assert lead(held) == (
        "No control is in scope, so there is nothing to own.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
