"""No figure improves by knowing less: the reduced harness, and that each fault of its kind would be noticed."""

from datetime import date

import polars as pl
import pytest

from engine.facts.controls import detection, status
from engine.facts.governance import risk
from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import KINDS
from tests.claims.exceptions import EXEMPT, reason_of
from tests.claims.harness import deteriorations, look
from tests.claims.mutations import Mutation, claims, mutations, places
from tests.claims.organizations import FURTHER, MOST_ROWS, Organization, edge, small, young
from tests.claims.values import World, better, worlds
from tests.claims.whole_tables import look_at_tables, table_states
from tests.laws import WHOLE, examples

DAY = date(2026, 11, 20)


@pytest.fixture(scope="module")
def cobalt():
    return small("cobalt", DAY, seed=1)


@pytest.mark.real
def test_a_few_claims_of_every_kind_improve_nothing_by_being_less(cobalt):
    findings = look(cobalt, seed=33, each=1, most=examples(40))
    assert (findings.tried, dict(findings.improved), dict(findings.beyond)) == (examples(40), {}, {})


@pytest.mark.real
def test_a_good_row_that_is_added_worsens_nothing(cobalt):
    assert deteriorations(cobalt) == {}


def test_every_claim_of_the_organization_is_in_the_harness(cobalt):
    mutated = {(table, column) for table, column, _ in places(cobalt)}
    expected = {
        (table, column)
        for table, frame in cobalt.tables.items()
        for column in frame.columns
        if KINDS[table][column] == "claim"
        and column not in IMPORTABLE[table].info["primary"]
        and (IMPORTABLE[table].columns[column].nullable or frame.schema[column].is_temporal())
    }
    assert expected - mutated == set()
    assert cobalt.rows < MOST_ROWS


def test_the_same_seed_draws_the_same_mutations(cobalt):
    assert list(mutations(cobalt, 7, 1)) == list(mutations(cobalt, 7, 1)) != list(mutations(cobalt, 8, 1))


def test_what_speaks_against_us_is_no_claim():
    runs = pl.DataFrame({"id": ["a", "b"], "outcome": ["passed", "failed"]})
    assert claims(Organization("x", DAY, "UTC", {"test_runs": runs}), "test_runs") == [0]


def test_a_mutation_changes_one_cell_and_nothing_else(cobalt):
    changed = Mutation("vendors", "last_review_on", "ahead", 3).rows(cobalt)
    before, after = cobalt.tables["vendors"], changed["vendors"]
    assert after["last_review_on"][3] == date(2027, 6, 8)
    assert [number for number in range(before.height) if before.row(number) != after.row(number)] == [3]
    assert all(changed[name] is frame for name, frame in cobalt.tables.items() if name != "vendors")


def test_each_exception_has_a_reason_of_its_own():
    assert len({exempt.reason for exempt in EXEMPT}) == len(EXEMPT)
    assert all(exempt.reason.endswith(".") for exempt in EXEMPT)


def test_emptied_tables_are_tried_with_all_their_rows_and_with_their_claims_alone():
    ends = [date(2027, 1, 1), date(2026, 1, 1)]  # one that is over is no claim
    held = pl.DataFrame({"id": ["a", "b"], "expires_on": ends, "status": ["approved", "approved"]})
    states = list(table_states(Organization("x", DAY, "UTC", {"exceptions": held})))
    assert [(state.claims, state.tables["exceptions"]["id"].to_list()) for state in states] == [
        (False, []),
        (True, ["b"]),
    ]


@pytest.mark.real
def test_no_figure_improves_where_all_claims_of_a_table_go_and_rare_rows_move_what_one_cell_does_not():
    org = small("aurora", DAY, seed=1, frameworks=FURTHER)
    states = list(table_states(org)) if WHOLE else [state for state in table_states(org) if state.claims][::4]
    findings = look_at_tables(org, states)
    assert dict(findings.improved) == {}
    assert {"incidents_critical_in_period", "staffing_actions_lapsed", "requests_without_owner"} <= findings.moved
    assert not WHOLE or "csf_below_target" in findings.moved, "which takes a whole table"


@pytest.mark.parametrize(("ids", "reason"), [(["late"], True), (["early", "late", "other"], False)])
def test_what_is_new_is_let_pass_only_where_an_earlier_test_of_the_control_is_lost(ids, reason):
    """``other`` is a control that had no test: that it has one, by whatever loss, would be a fault."""
    days = {"early": date(2025, 1, 1), "late": DAY, "other": DAY}
    links = pl.DataFrame(
        [
            {"id": name, "framework": "soc2", "control_id": "x" if name == "other" else "CC1.1", "linked_at": at}
            | {"status": "linked", "outcome": "passed"}
            for name, at in days.items()
        ]
    )

    def world(kept, new):
        rows = links.filter(pl.col("id").is_in(kept))
        return World({(90, "test_links"): rows}, {"controls_newly_evidenced": new})

    found = reason_of("test_links.* withdraw", "controls_newly_evidenced", world(["early", "late"], 0), world(ids, 1))
    assert (found is not None) is reason


def whoever_approves(frame, approvers, by, on):
    """As it was: what is called approved is so."""
    return frame.with_columns(approved=pl.lit(True))


def as_old_as_the_records(frame):
    """As it was: what was never given is missing since the first record about its framework."""
    return detection.with_days(frame.with_columns(scope_since="known_since"))


APPROVAL = ("exceptions.approver", "exceptions.approved_on")


@pytest.mark.real
@pytest.mark.weekly
def test_with_the_rule_on_approvals_withdrawn_the_harness_finds_what_counts_without_one(monkeypatch):
    org = small("cobalt", DAY, seed=5)  # whose exception in force is for a control that the score counts
    assert look(org, seed=1, each=2, only=APPROVAL).beyond == {}
    monkeypatch.setattr(risk, "with_approval", whoever_approves)
    keys = look(org, seed=1, each=2, only=APPROVAL, figures=["sprs_score"]).beyond.keys()
    assert {(f"exceptions.{place}", "sprs_score") for place in ("approver unapprove", "approved_on ahead")} <= keys


@pytest.mark.real
@pytest.mark.weekly
def test_with_the_rule_on_detection_withdrawn_the_harness_finds_gaps_that_an_old_event_makes_late(monkeypatch):
    org, row = young(DAY, seed=1), "an event of long ago that names its control"
    assert deteriorations(org, only=[row]) == {}
    monkeypatch.setattr(status, "with_days", as_old_as_the_records)
    assert deteriorations(org, only=[row]) == {(row, "poam_items_late"): (0, 82)}


@pytest.mark.real
def test_a_review_dated_ahead_makes_no_vendor_better(cobalt):
    row = cobalt.tables["vendors"]["last_review_on"].is_not_null().arg_max()
    mutation = Mutation("vendors", "last_review_on", "ahead", row)
    figures = ("vendor_reviews_overdue", "vendor_reviews_current")
    before, after = worlds([cobalt.tables, mutation.rows(cobalt)], cobalt.day, cobalt.zone, figures=figures)
    assert better(before.values, after.values) == {}


@pytest.mark.weekly
@pytest.mark.real
def test_a_claim_of_each_place_improves_nothing_by_being_less_on_the_edge_of_the_calendar():
    findings = look(edge(date(2028, 2, 29), seed=1), seed=1, each=1, most=examples(120, share=6))
    assert (dict(findings.improved), dict(findings.beyond)) == ({}, {})
    assert not WHOLE or deteriorations(edge(date(2028, 2, 29), seed=1)) == {}
