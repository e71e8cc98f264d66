"""What speaks against the likeliest record is listed with its rows, and lowers it."""

from datetime import timedelta

import pytest

from engine.incidents.rootcause.rca_estate import Trouble
from engine.incidents.rootcause.rca_history import PastIncident
from engine.store import Store
from tests.incidents.causes.adversaries import SEEDS, SHAPES, adversaries
from tests.incidents.causes.judging import analyse, load
from tests.incidents.rootcause.test_rca import ONSET, alert, before, deploy, run


def against(candidate):
    return [(one.sentence, one.evidence_ids, one.factor) for one in candidate.grounds_against]


def failing(place, seconds=20):
    return Trouble(f"incidents:{place}", place, ONSET + timedelta(seconds=seconds), "errors", "high")


@pytest.fixture(scope="module")
def analyses(sqlite_template, tmp_path_factory):
    """Analyses of the forty by shape, each with its case."""
    path = tmp_path_factory.mktemp("adversaries") / "hq.db"
    path.write_bytes(sqlite_template.read_bytes())
    store = Store(f"sqlite:///{path}")
    found = {shape: [] for shape in SHAPES}
    for number, case in enumerate(adversaries()):
        load(store, f"a{number}", case)
        found[case.kind].append((case, analyse(store, f"a{number}", case)))
    yield found
    store.close()


def test_at_most_one_in_twenty_of_the_adversarial_shapes_is_sure_and_wrong(analyses):
    every = [one for several in analyses.values() for one in several]
    sure = [(case, found) for case, found in every if found.conclusive]
    wrong = [case.kind for case, found in sure if found.candidates[0].evidence_ids[0] not in case.causes]
    assert (len(every), len(SHAPES)) == (8 * SEEDS, 8)
    assert len(wrong) <= 0.05 * len(every), wrong


def test_what_speaks_against_a_release_or_a_resource_is_listed_with_rows_in_every_shape(analyses):
    for shape, several in analyses.items():
        for case, found in several:
            other = [one for one in found.candidates if one.evidence_ids[0] not in case.causes]
            looked = next(one for one in other if one.kind in ("deploy", "capacity"))
            lowering = [one for one in looked.grounds_against if one.factor <= 0.55]
            assert lowering, shape
            assert all(one.sentence and one.evidence_ids for one in lowering), shape


def test_services_that_nothing_leads_from_speak_against_a_release_when_they_fail_in_the_same_minutes():
    alone, together = run(deploy()), run(deploy(), seen=[failing("far"), failing("web")])
    assert (alone.conclusive, against(alone.candidates[0])) == (True, [])
    # web needs api, so a release of api explains it; nothing leads from far to api
    sentence = "far failed in the same minutes, and nothing leads from there to it."
    assert against(together.candidates[0]) == [(sentence, ("incidents:far",), 0.85)]
    many = run(deploy(), seen=[failing("far"), failing("farther"), failing("farthest", 400)])
    assert against(many.candidates[0]) == [
        (
            "far and farther failed in the same minutes, and nothing leads from there to it.",
            ("incidents:far", "incidents:farther"),
            0.4,
        )
    ]
    assert not many.conclusive


def test_what_several_failing_services_need_is_a_candidate_of_its_own_below_a_conclusion():
    needs = {"api": ["db"], "far": ["db"], "farther": ["db"]}
    process = run(deploy(), seen=[failing("far"), failing("farther")], needs=needs)
    assert [(one.kind, one.evidence_ids[0]) for one in process.candidates] == [
        ("common_need", "services:db"),
        ("deploy", "deploys:d1"),
    ]
    assert process.candidates[0].supports == ("far and farther failed in the same minutes and need db, too.",)
    assert "All of them need db." in against(process.candidates[1])[0][0]
    assert not process.conclusive


@pytest.mark.parametrize(
    ("minutes", "ended", "sentence", "factor"),
    [
        (-10, None, "", None),
        (11, None, "It was taken back 11 min before the onset.", 0.3),
        (-10, -50, "It was taken back at 2026-11-20 08:10 UTC, and the trouble went on for 40 min.", 0.3),
    ],
)
def test_a_release_that_was_taken_back_without_effect_is_lowered(minutes, ended, sentence, factor):
    release = deploy(minutes=12, taken_back_at=before(minutes), taken_back_by="deploys:d0")
    candidate = run(release, ended_at=None if ended is None else before(ended)).candidates[0]
    assert against(candidate) == ([] if factor is None else [(sentence, ("deploys:d0",), factor)])


def test_trouble_that_ends_when_a_release_is_taken_back_speaks_for_it():
    candidate = run(deploy(taken_back_at=before(-10)), ended_at=before(-14)).candidates[0]
    assert ("The trouble ended 4 min after it was taken back.", ("deploys:d1",), 1.0) in [
        (one.sentence, one.evidence_ids, one.factor) for one in candidate.grounds_for
    ]


def test_load_at_the_callee_after_a_change_of_the_caller_may_come_from_there():
    changed = deploy("d9", 14, "api")
    full = alert(minutes=6, kind="capacity", title="too many connections")
    plainly, found = run(full), run(full, changes=[changed])
    assert (plainly.conclusive, found.conclusive) == (True, False)
    sentence = "api, which calls db, was changed 8 min before: the load may come from there."
    assert against(found.candidates[0]) == [(sentence, ("deploys:d9",), 0.42)]


def test_what_comes_at_the_same_hour_without_a_release_needs_none_today():
    past = [
        PastIncident(f"p{day}", "API errors", ONSET, began_at=ONSET - timedelta(days=day, minutes=day))
        for day in (1, 2, 3)
    ]
    process = run(deploy(), past=past)
    assert [one.kind for one in process.candidates] == ["recurrence", "deploy"]
    sentence = "The like began at about 08:00 UTC on 3 earlier days without such a change before."
    rows = ("incidents:p1", "incidents:p2", "incidents:p3")
    assert against(process.candidates[1]) == [(sentence, rows, 0.4)]
    assert not process.conclusive
    released = {"api": [one.began_at - timedelta(minutes=20) for one in past]}
    assert against(run(deploy(), past=past, releases=released).candidates[-1]) == []
    assert against(run(deploy(), past=past[:2]).candidates[-1]) == []


def test_a_third_party_that_nobody_linked_speaks_against_a_release():
    outage = alert("v1", 3, "vendors:x", "vendor_outage", "Mailer down", "critical")
    process = run(deploy(), outage, names={"vendors:x": "Mailer", "api": "api"})
    release = next(one for one in process.candidates if one.kind == "deploy")
    sentence = "Mailer had trouble at the onset, and who needs it is not recorded."
    assert (sentence, ("incidents:v1",), 0.55) in against(release)
    assert not process.conclusive
