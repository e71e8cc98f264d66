"""Root causes: the worked examples, what counts, when there is no conclusion."""

from datetime import UTC, datetime, timedelta

import pytest
from engine.incidents.rca_features import (
    WEIGHTS,
    Features,
    Incident,
    PastIncident,
    Signal,
    cause_kind,
    confidence,
    contradictions,
    span,
    temporal,
)

from engine.incidents.rca import (
    Analysis,
    Candidate,
    Contribution,
    analyse,
    band,
)
from engine.incidents.rca_words import KINDS
from engine.model.thresholds import Thresholds

ONSET = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
NOW = ONSET + timedelta(minutes=20)
HOPS = {"checkout": 0, "payments": 1, "db": 2}
INCIDENT = Incident("i1", "Checkout error rate", ONSET, "checkout")


def before(minutes):
    return ONSET - timedelta(minutes=minutes)


def deploy(name="d1", minutes=12, **given):
    known = {"text": "checkout 2.4.1", "service_id": "checkout", **given}
    return Signal("deploy", f"deploys:{name}", before(minutes), **known)


def run(*signals, past=(), incident=INCIDENT, now=NOW, limits=None):
    return analyse(incident, signals, past, HOPS, now, limits)


def test_the_worked_examples():
    assert confidence(Features(0.8, 0.5, 0.6, 0.2, 1.0), 0) == 0.605
    assert band(0.605) == "medium"
    assert temporal(before(12), ONSET) == 0.758


def test_time_halves_every_half_hour_and_counts_nothing_after_the_onset():
    assert [temporal(before(minutes), ONSET) for minutes in (0, 30, 60, -1)] == [1.0, 0.5, 0.25, 0.0]


@pytest.mark.parametrize(
    ("value", "name"),
    [(1.0, "high"), (0.7, "high"), (0.699, "medium"), (0.4, "medium"), (0.399, "low"), (0, "low")],
)
def test_bands(value, name):
    assert band(value) == name


def test_a_contradiction_takes_a_tenth_and_confidence_stays_between_0_and_1():
    features = Features(0.8, 0.5, 0.6, 0.2, 1.0)
    assert [confidence(features, count) for count in (1, 2, 9)] == [0.505, 0.405, 0.0]
    assert confidence(Features(1, 1, 1, 1, 1), 0) == 1.0


def test_a_deploy_shortly_before_is_the_cause():
    explanation = (
        "Confidence 0.703 (high): it began 12 min before the onset (0.758), on the service itself (1.000), place and "
        "words match by 0.750, 0 % of similar incidents had this cause, severity high (0.75)."
    )
    signal = deploy(text="checkout 2.4.1", severity="high")
    assert run(signal) == Analysis(
        incident_id="i1",
        model_version="rca-1",
        onset_at=ONSET,
        hypothesis="A change went live: checkout 2.4.1.",
        confidence=0.703,
        band="high",
        conclusive=True,
        reason=explanation,
        candidates=(
            Candidate(
                rank=1,
                kind="deploy",
                hypothesis="A change went live: checkout 2.4.1.",
                confidence=0.703,
                band="high",
                features=Features(0.758, 1.0, 0.75, 0.0, 0.75),
                contributions=(
                    Contribution("temporal", 0.35, 0.758, 0.265),
                    Contribution("topological", 0.25, 1.0, 0.25),
                    Contribution("signal_match", 0.2, 0.75, 0.15),
                    Contribution("historical_prior", 0.15, 0.0, 0.0),
                    Contribution("severity", 0.05, 0.75, 0.038),
                ),
                contradictions=(),
                evidence_ids=("deploys:d1",),
                explanation=explanation,
            ),
        ),
        next_checks=("Compare errors before and after checkout 2.4.1, and rehearse its rollback with a dry-run.",),
        similar_incident_ids=(),
    )


def test_nothing_recorded_is_inconclusive_and_says_what_to_look_at():
    assert run() == Analysis(
        incident_id="i1",
        model_version="rca-1",
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


def test_a_weak_best_is_inconclusive():
    weak = run(Signal("vendor_outage", "vendors:v1", before(90), "Mail provider down", subject="Postmaster"))
    assert (weak.hypothesis, weak.confidence, weak.conclusive) == ("inconclusive", 0.069, False)
    assert weak.reason == "The best hypothesis reaches 0.069; 0.40 is needed."
    assert weak.next_checks[0] == "Compare the times of Postmaster's status page with the onset."
    assert not any("vendor outage is recorded" in check for check in weak.next_checks)


def test_two_causes_that_are_close_are_inconclusive():
    close = run(deploy("d1", 12), deploy("d2", 14))
    assert (close.hypothesis, [c.confidence for c in close.candidates]) == ("inconclusive", [0.69, 0.678])
    assert close.reason == "The best two hypotheses are 0.012 apart; 0.10 is needed."
    assert close.next_checks[:1] == (
        "Compare errors before and after checkout 2.4.1, and rehearse its rollback with a dry-run.",
    )
    assert run(deploy("d1", 12), deploy("d2", 14), limits=Thresholds(1, {"rca_gap": 0.01})).conclusive


def test_alerts_of_one_upstream_service_are_one_hypothesis_with_all_their_evidence():
    alerts = [
        Signal("upstream", f"incidents:u{i}", before(i), "Payments timeouts", "payments", severity="critical")
        for i in (9, 3, 6)
    ]
    (candidate,) = run(*alerts).candidates
    assert candidate.evidence_ids == ("incidents:u3", "incidents:u6", "incidents:u9")
    assert candidate.features == Features(temporal(before(3), ONSET), 0.5, 0.0, 0.0, 1.0)
    assert "1 dependency away (0.500)" in candidate.explanation


def test_signals_long_before_count_only_while_they_last():
    day = 25 * 60
    old_deploy, still_down = deploy(minutes=day), Signal("upstream", "incidents:u", before(day), "Down", "db")
    over = Signal("upstream", "incidents:w", before(day), "Down", "db", ended_at=before(day - 5))
    late = deploy("late", minutes=-31)
    assert [c.evidence_ids for c in run(old_deploy, still_down, over, late).candidates] == [("incidents:u",)]


@pytest.mark.parametrize(
    ("signal", "now", "expected"),
    [
        (deploy(), NOW, ()),
        (deploy(minutes=-5), NOW, ("It began 5 min after the incident did.",)),
        (deploy(ended_at=before(4)), NOW, ("It was over 4 min before the incident began.",)),
        (deploy(ended_at=ONSET), NOW, ()),
        (deploy(ended_at=ONSET), ONSET + timedelta(hours=3), ("The incident went on for 3.0 h after it was over.",)),
        (deploy(environment="prod"), NOW, ()),
        (deploy(environment="staging"), NOW, ("It concerns staging, the incident production.",)),
        (deploy(failed=True), NOW, ("It failed, so it may never have been live.",)),
    ],
)
def test_contradictions(signal, now, expected):
    assert contradictions(signal, INCIDENT, now) == expected


def test_an_incident_that_ended_with_the_rollback_is_no_contradiction():
    ended = Incident("i1", "Checkout errors", ONSET, "checkout", ended_at=ONSET + timedelta(minutes=20))
    rolled_back = deploy(ended_at=ONSET + timedelta(minutes=10))
    assert contradictions(rolled_back, ended, ONSET + timedelta(days=3)) == ()


def test_contributions_of_a_contradicted_candidate_still_sum_to_its_confidence():
    (candidate,) = run(deploy(failed=True)).candidates
    assert candidate.contributions[-1] == Contribution("contradictions", -0.1, 1, -0.1)
    assert candidate.explanation.endswith("It failed, so it may never have been live.")


def past(name, root_cause=None, title="Checkout error rate", days=10, **given):
    return PastIncident(name, title, ONSET - timedelta(days=days), root_cause, "checkout", **given)


def test_similar_incidents_set_the_prior_and_come_back_as_known_problems():
    earlier = [
        past("p1", "Bad release of checkout"),
        past("p2", "Bad release of checkout"),
        past("p3", "Disk full on the database"),
        past("p4"),
        past("other", "Bad release", title="Login mail missing"),
        past("future", "Bad release", days=-1),
    ]
    result = run(deploy(), past=earlier)
    assert result.similar_incident_ids == ("p1", "p2", "p3", "p4")
    assert [(c.kind, c.features.historical_prior, c.evidence_ids) for c in result.candidates] == [
        ("deploy", 0.667, ("deploys:d1",)),
        ("recurrence", 0.667, ("incidents:p1", "incidents:p2")),
        ("recurrence", 0.333, ("incidents:p3",)),
    ]


def test_the_same_alert_is_similar_whatever_its_words():
    incident = Incident("i1", "A", ONSET, "checkout", dedupe_key="k")
    earlier = [past("p1", title="Quite different", dedupe_key="k"), past("p2", title="Quite different")]
    assert run(past=earlier, incident=incident).similar_incident_ids == ("p1",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A configuration change", "deploy"),
        ("Connections exhausted", "capacity"),
        ("Upstream timeouts", "upstream"),
        ("Cloud provider network", "vendor_outage"),
        ("Guardrail stopped the failover", "policy_block"),
        ("Somebody tripped", None),
        ("", None),
    ],
)
def test_an_established_cause_has_the_kind_that_its_words_say(text, kind):
    assert cause_kind(text) == kind


def test_spans_are_said_in_the_unit_that_people_use():
    lengths = [timedelta(seconds=20), timedelta(minutes=90), timedelta(hours=5), timedelta(days=10)]
    assert [span(length) for length in lengths] == ["less than a minute", "90 min", "5.0 h", "10.0 days"]


def test_the_weights_are_one_together():
    assert sum(WEIGHTS.values()) == pytest.approx(1)
