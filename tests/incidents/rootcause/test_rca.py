"""Root causes as chains: what a step is worth, what one chain takes from another, when there is no conclusion."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.incidents.review.durations import span
from engine.incidents.rootcause.rca import Analysis, Incident, analyse, band
from engine.incidents.rootcause.rca_chain import decay
from engine.incidents.rootcause.rca_estate import Estate, Suspect, Trouble
from engine.incidents.rootcause.rca_history import PastIncident
from engine.incidents.rootcause.rca_reading import PlaceNames, plain
from engine.incidents.rootcause.rca_weights import HALF_LIVES, STEPS, VALUES
from engine.incidents.rootcause.rca_words import KINDS
from engine.model.thresholds import Thresholds

ONSET = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
NOW = ONSET + timedelta(minutes=20)
NEEDS = {"web": ["api"], "api": ["db", "vendors:v"], "db": ["disk"]}
CALLED = {
    "web": ("web",),
    "api": ("api",),
    "db": ("db",),
    "disk": ("disk",),
    "far": ("far",),
    "vendors:v": ("payfast",),
}
NAMES = {**{name: name for name in CALLED}, "vendors:v": "Payfast"}


def before(minutes):
    return ONSET - timedelta(minutes=minutes)


def deploy(name="d1", minutes=12, place="api", **given):
    return Suspect("deploy", f"deploys:{name}", before(minutes), f"{name} of {place}", place, "deploy", place, **given)


def alert(name="a1", minutes=5, place="db", kind="upstream", title="errors", severity="high", **given):
    return Suspect(
        kind,
        f"incidents:{name}",
        before(minutes),
        f"{name}, {title}",
        place,
        kind,
        place,
        plain(title),
        severity,
        **given,
    )


def run(*suspects, title="API errors", service="api", past=(), limits=None, seen=(), ended_at=None, **estate):
    """``seen`` are further symptoms; those of incidents that began elsewhere are taken from the suspects."""
    troubles = {}
    for one in sorted(suspects, key=lambda each: each.at):
        if not one.is_change and not str(one.place).startswith("vendors:"):
            symptom = Trouble(one.id, one.place, one.at, one.told, one.severity, one.ended_at)
            troubles.setdefault(one.place, []).append(symptom)
    for one in seen:
        troubles.setdefault(one.place, []).append(one)
    incident = Incident("i1", title, ONSET, service, plain(title), ended_at=ended_at)
    around = Estate(**{"names": NAMES, "called": PlaceNames(CALLED), "needs": NEEDS, "troubles": troubles, **estate})
    return analyse(incident, suspects, around, past, NOW, limits)


def features(*suspects, **given):
    return run(*suspects, **given).candidates[0].features


def ranking(*suspects, **given):
    return [(one.kind, one.evidence_ids[0]) for one in run(*suspects, **given).candidates]


def test_nothing_recorded_is_inconclusive_and_says_what_to_look_at():
    assert run() == Analysis(
        incident_id="i1",
        model_version="rca-3",
        onset_at=ONSET,
        hypothesis="inconclusive",
        confidence=0.0,
        band="low",
        conclusive=False,
        reason="Nothing that could explain it was recorded around the onset.",
        candidates=(),
        next_checks=tuple(hint for _, _, hint in KINDS.values()),
        similar_incident_ids=(),
    )


def test_a_deploy_shortly_before_on_the_service_itself_is_the_cause():
    process = run(deploy())
    (candidate,) = process.candidates
    assert candidate.features == {"origin": 0.9, "temporal": 0.758, "topological": 1.0}
    assert (process.hypothesis, process.confidence, process.conclusive) == (
        "A change went live: d1 of api.",
        0.784,
        True,
    )
    assert (
        candidate.explanation
        == process.reason
        == ("Confidence 0.784 (high). It went live 12 min before the onset. It is on the service itself.")
    )
    assert [(one.feature, one.weight, one.value, one.contribution) for one in candidate.contributions] == [
        ("origin", 1.0, 0.9, 0.9),
        ("temporal", 0.5, 0.758, -0.116),
        ("topological", 0.25, 1.0, 0.0),
    ]


def test_a_chain_goes_from_the_change_over_its_symptom_and_the_dependency_to_the_incident():
    process = run(deploy("d1", 20, "db"), alert("a1", 12, "db"))
    best, second = process.candidates
    assert best.evidence_ids == ("deploys:d1", "incidents:a1", "service_dependencies:api>db")
    assert best.features == {
        "origin": 0.9,
        "temporal": 0.831,
        "propagation": 0.871,
        "symptom": 1.0,
        "severity": 0.95,
        "topological": 0.5,
    }
    assert best.supports == (
        "db was in trouble 8 min after it (incidents:a1).",
        "The onset followed 12 min later.",
        "api needs db.",
    )
    assert process.conclusive
    assert second.kind == "upstream"
    assert second.contradictions == ("It may itself be the effect of something else: d1 of db.",)


def test_each_ground_names_the_rows_that_say_it():
    def grounds(candidate):
        found = (*candidate.grounds_for, *candidate.grounds_against)
        return {one.sentence: one.evidence_ids for one in found}

    best, _ = run(deploy("d1", 20, "db"), alert("a1", 12, "db")).candidates
    assert grounds(best) == {
        "db was in trouble 8 min after it (incidents:a1).": ("deploys:d1", "incidents:a1"),
        "The onset followed 12 min later.": ("incidents:a1", "incidents:i1"),
        "api needs db.": ("service_dependencies:api>db",),
    }
    (far,) = run(deploy("d1", 20, "disk")).candidates
    assert grounds(far) == {
        "It went live 20 min before the onset.": ("deploys:d1",),
        "No trouble of disk is recorded after it.": ("services:disk",),
        "api needs db needs disk.": ("service_dependencies:api>db", "service_dependencies:db>disk"),
        "Nothing is recorded of db.": ("services:db",),
    }


def test_what_no_dependency_says_cites_none():
    said = {"needs": {"api": ["db"]}, "said": {("api", "db")}, "title": "API errors, db refuses"}
    (candidate,) = run(deploy("d1", 5, "db"), **said).candidates
    cited = {one.sentence: one.evidence_ids for one in candidate.grounds_against}
    assert cited["No dependency on db is recorded; the incident names it."] == ("incidents:i1",)
    assert not [one for one in candidate.evidence_ids if one.startswith("service_dependencies:")]


def test_what_is_on_no_way_from_the_service_is_no_candidate():
    assert run(deploy(place="far"), deploy(place="web"), alert(place="far"), alert(place="web")).candidates == ()


def test_a_change_after_the_onset_is_no_cause_but_clocks_may_differ_by_two_minutes():
    assert run(deploy(minutes=-3)).candidates == ()
    assert features(deploy(minutes=-2))["temporal"] == 1.0
    assert ranking(alert(minutes=-9)) == [("upstream", "incidents:a1")]
    assert run(alert(minutes=-11)).candidates == ()


@pytest.mark.parametrize(
    ("suspects", "given", "value", "said"),
    [
        ((), {}, "effect_unknown", "No trouble of db is recorded after it."),
        ((), {"healthy": {"db"}}, "effect_none", "The events of db were counted, and it was healthy."),
        ((alert("a0", 60),), {}, "effect_before", "db was in trouble before it (incidents:a0)."),
        (
            (alert("a1", 5, kind="certificate", title="certificate expired"),),
            {},
            "effect_other",
            "What was seen there is of another nature (incidents:a1).",
        ),
    ],
)
def test_a_change_that_nobody_saw_an_effect_of_explains_little(suspects, given, value, said):
    process = run(deploy(place="db", minutes=10), *suspects, **given)
    (change,) = [one for one in process.candidates if one.kind == "deploy"]
    assert change.features["symptom"] == VALUES[value].value
    assert said in change.contradictions


def test_bad_events_are_a_symptom_too():
    burning = Trouble("slo_buckets:db", "db", before(5), seen="effect_burning", severity="high")
    assert features(deploy(place="db", minutes=10), seen=[burning])["symptom"] == 0.95


def test_a_service_that_the_incident_blames_needs_no_alert_of_its_own():
    found = features(deploy(place="db", minutes=10), title="Timeouts to db")
    assert (found["symptom"], found["words"]) == (0.75, 1.0)


def test_a_plain_symptom_is_not_the_cause_where_a_deeper_one_came_first():
    assert ranking(alert("a1", 4, "db"), alert("a2", 9, "disk")) == [
        ("upstream", "incidents:a2"),
        ("upstream", "incidents:a1"),
    ]
    assert run(alert("a1", 4, "db"), alert("a2", 9, "disk")).conclusive


def test_a_release_of_the_service_counts_for_less_while_what_it_needs_is_in_trouble():
    alone = run(deploy()).confidence
    (own,) = [one for one in run(deploy(), alert(minutes=4)).candidates if one.kind == "deploy"]
    assert own.confidence < alone


def test_a_vendor_is_on_the_way_where_a_dependency_or_a_text_says_so():
    outage = Suspect(
        "vendor_outage",
        "incidents:v1",
        before(5),
        "Payfast outage",
        "vendors:v",
        "vendor_outage",
        told="payfast outage",
        severity="high",
    )
    named = {"needs": {"api": ["db"]}, "title": "Errors of Payfast"}
    assert features(outage)["link"] == 1.0
    assert features(outage, flows={("api", "vendors:v")})["link"] == 0.85
    assert features(outage, **named)["link"] == 0.95
    assert features(outage, needs={})["link"] == 0.5
    assert features(outage, needs={}, vital={"vendors:v"})["link"] == 0.75
    assert features(outage, needs={"far": ["vendors:v"]})["link"] == 0.15
    assert run(outage).candidates[0].evidence_ids == ("incidents:v1", "vendors:v")
    assert run(outage).conclusive
    assert not run(outage, needs={}).conclusive


@pytest.mark.parametrize(
    ("due", "title", "value"),
    [
        (before(60), "errors", 1.0),
        (before(-60), "errors", 0.7),
        (before(-60), "TLS errors", 1.0),
        (before(-60 * 48), "errors", 0.12),
        (None, "TLS errors", 0.75),
        (None, "errors", 0.35),
    ],
)
def test_a_certificate_does_harm_when_it_ends(due, title, value):
    warned = alert("c", 3 * 1440, "db", "certificate", "certificate expires", "medium", due_at=due)
    assert features(warned, title=title)["expiry"] == value


def test_what_the_incident_says_of_itself_is_not_conclusive_but_for_an_expired_certificate():
    def own(kind, begins, title):
        return Suspect(kind, "incidents:i1", ONSET, title, "api", begins, "api", plain(title), "high")

    full = run(own("capacity", "own_words", "Disk full"), title="Disk full")
    expired = run(own("certificate", "own_expired", "Certificate expired"), title="Certificate expired")
    assert (full.candidates[0].kind, full.conclusive) == ("capacity", False)
    assert (expired.candidates[0].kind, expired.conclusive) == ("certificate", True)
    assert full.candidates[0].supports[-1] == "The incident says so itself; no other record does."


def test_a_release_ends_no_certificate():
    assert features(deploy(), title="Certificate of api expired")["words"] == 0.35


@pytest.mark.parametrize(
    ("suspect", "said"),
    [
        (deploy(failed=True), "It failed, so it may never have been live."),
        (deploy(environment="staging"), "It concerns staging, the incident production."),
        (alert(ended_at=before(3)), "It was over 3 min before the onset."),
        (alert(minutes=90, ended_at=before(30)), "It was over 30 min before the onset."),
        (alert(severity="low"), "Its severity is only low."),
        (alert(minutes=-4), "It was noticed 4 min after the onset."),
    ],
)
def test_what_speaks_against_it_is_said(suspect, said):
    (candidate,) = run(suspect).candidates
    assert said in candidate.contradictions
    assert f"Against it: {said}" in candidate.explanation


def test_production_has_several_names():
    assert "environment" not in features(deploy(environment="prod"))


def test_an_outage_that_ended_long_before_the_incident_did_is_less_likely_its_cause():
    over = run(alert(ended_at=before(-1)), service="api")
    assert over.candidates[0].features.get("overlap") is None
    late = analyse(
        Incident("i1", "e", ONSET, "api"),
        [alert(ended_at=before(-1))],
        Estate(NAMES, PlaceNames(CALLED), NEEDS),
        (),
        ONSET + timedelta(hours=3),
    )
    assert late.candidates[0].contradictions == ("The incident went on for 3.0 h after it was over.",)


def past(name, root_cause=None, days=10, same_key=True):
    return PastIncident(name, "errors", ONSET - timedelta(days=days), root_cause, same_key)


def test_an_established_cause_of_the_same_key_is_a_candidate_and_agreement_makes_it_stronger():
    process = run(past=[past("p1", "Query without an index"), past("p2", "query without an index"), past("p3")])
    assert process.similar_incident_ids == ("p1", "p2", "p3")
    (known,) = process.candidates
    assert (known.kind, known.evidence_ids[0]) == ("recurrence", "incidents:p2")
    assert known.features == {"origin": 0.53, "temporal": 0.962, "history": 1.0}
    assert not run(past=[past("p1", "Query without an index", same_key=False)]).conclusive


def test_a_known_cause_speaks_for_what_is_recorded_today_and_against_itself_where_nothing_is():
    bad = [past("p1", "Bad release of checkout")]
    (change,) = run(deploy(), past=bad).candidates
    assert "Its like was the established cause of p1." in change.supports
    (again,) = run(past=bad).candidates
    assert again.contradictions == ("That would have left a record, and there is none this time.",)


def test_two_causes_that_are_close_are_inconclusive():
    close = run(deploy("d1", 12), deploy("d2", 14))
    assert (close.hypothesis, [one.confidence for one in close.candidates]) == ("inconclusive", [0.784, 0.766])
    assert close.reason == "The best two hypotheses are 0.018 apart; 0.10 is needed."
    assert run(deploy("d1", 12), deploy("d2", 14), limits=Thresholds(1, {"rca_gap": 0.01})).conclusive


def test_the_steps_of_one_release_are_one_cause():
    (release,) = run(deploy("d1", 12, same_as="api 7"), deploy("d2", 14, same_as="api 7")).candidates
    assert release.evidence_ids == ("deploys:d1", "deploys:d2")


def test_a_weak_best_is_inconclusive():
    weak = run(deploy(minutes=200))
    assert (weak.hypothesis, weak.conclusive) == ("inconclusive", False)
    assert weak.reason == "The best hypothesis reaches 0.090; 0.40 is needed."


def test_alerts_of_one_nature_at_one_service_are_one_hypothesis_with_all_their_evidence():
    (candidate,) = run(alert("a1", 9), alert("a2", 3), alert("a3", 6)).candidates
    assert candidate.evidence_ids[:3] == ("incidents:a2", "incidents:a3", "incidents:a1")


def test_an_incident_without_a_service_has_only_its_words_and_vendors():
    assert run(deploy(), alert(), service=None).candidates == ()


@pytest.mark.parametrize(
    ("value", "name"), [(1.0, "high"), (0.7, "high"), (0.699, "medium"), (0.4, "medium"), (0.399, "low"), (0, "low")]
)
def test_bands(value, name):
    assert band(value) == name


def test_nearness_halves_every_half_life():
    assert [decay(timedelta(minutes=one), HALF_LIVES["deploy"]) for one in (0, 12, 30, 60, -5)] == [
        1.0,
        0.758,
        0.5,
        0.25,
        0.5,
    ]


def test_every_number_has_its_reason():
    assert [name for name, entry in (*STEPS.items(), *VALUES.items()) if not entry.why] == []
    assert HALF_LIVES.keys() == KINDS.keys()


def test_spans_are_said_in_the_unit_that_people_use():
    lengths = [timedelta(seconds=20), timedelta(minutes=90), timedelta(hours=5), timedelta(days=10)]
    assert [span(length) for length in lengths] == ["less than a minute", "90 min", "5.0 h", "10.0 days"]


def test_trouble_that_goes_on_for_days_is_no_step_of_a_chain():
    old = Trouble("incidents:old", "db", before(3 * 1440), "errors", "high")
    process = run(deploy(place="disk", minutes=10), seen=[old])
    assert "incidents:old" not in process.candidates[0].evidence_ids
    assert features(deploy(place="db", minutes=10), seen=[old])["symptom"] == VALUES["effect_unknown"].value
