from datetime import date

from hypothesis import given, settings

from reports.obligations.crossover.clusters import clusters, topic
from reports.obligations.crossover.obligation_crossover import REPORT
from reports.shared.ledger import pending
from tests.factories import ask, document, explained_rows, lead, rows
from tests.laws import examples
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, ledgers


def clusters_of(*duties, evidence=(), edges=()):
    return clusters(
        pending(ledger(*duties), ask()), rows("linked_evidence", *evidence), rows("crosswalk", *edges), ask()
    )


def item(evidence_id, tag):
    framework, control = tag.split(":")
    return {"evidence_id": evidence_id, "framework": framework, "control_id": control}


def edge(source, target, relation="superset", strength=0.9, full=True, reviewer=None):
    (source_framework, source_id), (target_framework, target_id) = source.split(":"), target.split(":")
    return {
        "source_framework": source_framework,
        "source_id": source_id,
        "target_framework": target_framework,
        "target_id": target_id,
        "relation": relation,
        "strength": strength,
        "full": full,
        "reviewer": reviewer,
    }


def members(clustered):
    return [[duty.id for duty in cluster.members] for cluster in clustered]


def test_efforts_of_6_4_and_5_hours_save_6_75():
    duties = [
        duty(key, 20, effort_hours=hours, controls=["soc2:C1"]) for key, hours in (("a", 6.0), ("b", 4.0), ("c", 5.0))
    ]
    (cluster,) = clusters_of(*duties)
    assert cluster.hours == (15.0, 8.25)
    row = document(REPORT, obligations=ledger(*duties)).table("clusters").frame.row(0, named=True)
    assert (row["hours_alone"], row["hours_together"], row["hours_to_save"]) == (15.0, 8.25, 6.75)


def test_duties_of_the_same_control_are_a_cluster_up_to_fourteen_days():
    assert members(clusters_of(duty("a", 10, controls=["soc2:C1"]), duty("b", 24, controls=["soc2:C1"]))) == [
        ["a", "b"]
    ]
    assert clusters_of(duty("a", 10, controls=["soc2:C1"]), duty("b", 25, controls=["soc2:C1"])) == []


def test_an_evidence_item_of_both_controls_joins_them():
    duties = (duty("a", 10, controls=["soc2:C1"]), duty("b", 12, controls=["hipaa:H1"]))
    (cluster,) = clusters_of(*duties, evidence=[item("E1", "soc2:C1"), item("E1", "hipaa:H1"), item("E2", "soc2:C1")])
    assert (cluster.bases, cluster.shared_things, cluster.confidence) == (["same evidence"], ["E1"], 1.0)
    assert clusters_of(*duties) == []


def test_a_full_mapping_joins_and_a_partial_one_does_not():
    duties = (duty("a", 10, controls=["soc2:C1"]), duty("b", 12, controls=["hipaa:H1"]))
    (cluster,) = clusters_of(*duties, edges=[edge("hipaa:H1", "soc2:C1", reviewer="ann")])
    assert (cluster.confidence, cluster.shared_things) == (0.9, ["hipaa:H1 → soc2:C1 (superset 0.9, reviewed by ann)"])
    assert clusters_of(*duties, edges=[edge("soc2:C1", "hipaa:H1", relation="subset", full=False)]) == []


def test_clusters_grow_through_their_members():
    duties = (
        duty("a", 10, controls=["soc2:C1"]),
        duty("b", 12, controls=["soc2:C1", "hipaa:H1"]),
        duty("c", 14, controls=["hipaa:H1"]),
    )
    assert members(clusters_of(*duties)) == [["a", "b", "c"]]


def test_a_chain_of_dates_is_cut_where_no_day_suits_everybody():
    duties = [duty(key, days, controls=["soc2:C1"]) for key, days in (("a", 10), ("b", 20), ("c", 30), ("d", 31))]
    assert members(clusters_of(*duties)) == [["a", "b"], ["c", "d"]]


def test_the_best_date_is_the_last_that_is_in_time_for_all():
    (cluster,) = clusters_of(duty("a", 20, controls=["soc2:C1"]), duty("b", 25, controls=["soc2:C1"]))
    assert cluster.window == (date(2026, 12, 1), date(2026, 12, 10))


def test_overdue_duties_are_due_today():
    (cluster,) = clusters_of(duty("a", -90, controls=["soc2:C1"]), duty("b", 5, controls=["soc2:C1"]))
    assert cluster.window == (date(2026, 11, 20), date(2026, 11, 20))


def test_two_occurrences_of_one_duty_need_evidence_of_their_own():
    weekly = [duty(f"w{n}", 7 * n, controls=["soc2:C1"], source_ref="testing_schedules/S") for n in (1, 2)]
    assert clusters_of(*weekly) == []
    assert members(clusters_of(*weekly, duty("x", 9, controls=["soc2:C1"], source_ref="other"))) == [["w1", "x"]]


def test_the_surest_of_two_reasons_is_given():
    duties = (duty("a", 10, controls=["soc2:C1"]), duty("b", 12, controls=["soc2:C1", "hipaa:H1"]))
    evidence = [item("E1", "soc2:C1"), item("E1", "hipaa:H1")]
    (cluster,) = clusters_of(*duties, evidence=evidence, edges=[edge("hipaa:H1", "soc2:C1")])
    assert (cluster.bases, cluster.shared_things) == (["same control"], ["soc2:C1"])


def test_an_item_of_one_control_shares_nothing():
    duties = (duty("a", 10, controls=["soc2:C1"]), duty("b", 12, controls=["soc2:C2"]))
    assert clusters_of(*duties, evidence=[item("E1", "soc2:C1"), item("E2", "soc2:C2")]) == []


def test_a_cluster_is_named_by_its_members_alone():
    one = clusters_of(duty("a", 10, controls=["soc2:C1"]), duty("b", 12, controls=["soc2:C1"]))
    two = clusters_of(duty("b", 15, controls=["soc2:C1"], effort_hours=9.0), duty("a", 14, controls=["soc2:C1"]))
    assert one[0].id == two[0].id
    assert one[0].id != clusters_of(duty("a", 10, controls=["soc2:C1"]), duty("c", 12, controls=["soc2:C1"]))[0].id


def test_duties_done_or_beyond_the_horizon_are_left_alone():
    assert clusters_of(duty("a", 10, controls=["soc2:C1"], state="done"), duty("b", 10, controls=["soc2:C1"])) == []
    assert clusters_of(duty("a", 200, controls=["soc2:C1"]), duty("b", 200, controls=["soc2:C1"])) == []


@settings(max_examples=examples(30), deadline=None)
@given(ledgers())
def test_no_duty_is_in_two_clusters_and_every_cluster_has_a_day(obligations):
    clustered = clusters(pending(obligations, ask()), rows("linked_evidence"), rows("crosswalk"), ask())
    names = [name for cluster in members(clustered) for name in cluster]
    assert len(names) == len(set(names))
    for cluster in clustered:
        assert cluster.window[0] <= cluster.window[1]
        assert all((duty.on - cluster.window[1]).days in range(15) for duty in cluster.members)
        alone, together = cluster.hours
        assert 0 < together < alone


LEDGER = ledger(
    duty("a", 20, controls=["soc2:C1"], frameworks=["soc2"]),
    duty("b", 20, controls=["soc2:C1"], frameworks=["soc2"]),
    duty("c", 30, controls=["hipaa:H1"], frameworks=["hipaa"], effort_hours=4.0),
    duty("d", 30, controls=["hipaa:H1"], frameworks=["hipaa"], effort_hours=4.0),
    duty("e", 5),
)


def test_the_report_starts_with_the_largest_saving():
    made = document(REPORT, obligations=LEDGER)
    assert lead(made) == (
        "Collecting evidence once for 2 clusters of duties that belong together would save 3.75 of 10 hours.",
        "Collect first for “Duty c and 1 more” of HIPAA (with ann, by 20 Dec 2026), which saves 3 hours.",
    )
    assert dict(made.summary) == {
        "crossover_clusters": 2,
        "obligations_in_clusters": 4,
        "obligations_up_to_horizon": 5,
        "obligations_without_control": 1,
        "crossover_hours_alone": 10.0,
        "crossover_hours_together": 6.25,
        "hours_to_save": 3.75,
    }
    assert made.tables[1].frame["obligation_id"].to_list() == ["c", "d", "a", "b"]


def test_without_duties_there_is_nothing_to_share():
    made = document(REPORT)
    assert lead(made) == (
        "No duty is due up to the horizon, so there is nothing to share.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert [table.frame.height for table in made.tables] == [0, 0]
    assert set(made.summary.values()) == {0}


def test_duties_that_share_nothing_are_said_to():
    assert lead(document(REPORT, obligations=ledger(duty("a", 5)))) == (
        "Of 1 duty up to the horizon none can share evidence with another.",
        "",
    )


def test_hours_to_save_are_explained_by_the_clusters():
    frame = explained_rows(REPORT, "hours_to_save", obligations=LEDGER)
    assert frame.select("reason", "amount").rows() == [
        ("2 duties, best on 2026-12-20", 3.0),
        ("2 duties, best on 2026-12-10", 0.75),
    ]
    assert frame["cluster_id"].n_unique() == 2


@settings(max_examples=examples(10), deadline=None)
@given(ledgers())
def test_each_figure_is_what_its_rows_give(obligations):
    values_follow(REPORT, obligations=obligations)
    made = document(REPORT, obligations=obligations)
    assert made.table("members").frame.height == made.summary["obligations_in_clusters"]


def test_a_cluster_is_about_the_control_that_is_attested():
    assert topic(["Test A.8.20: Inspect a sample for networks security", "Attest SC.1 Boundary Protection"]) == (
        "Boundary Protection and 1 more"
    )
    assert topic(["Test A.8.20: Inspect a sample for networks security"]) == "Networks security"
