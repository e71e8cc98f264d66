"""Five levels out of everybody's words."""

import pytest

from engine.intake.alerts.alert import Alert, severity_after
from engine.intake.severity import SeverityRating, severity
from engine.model.vocabulary import SEVERITIES


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("critical", "critical"),
        ("FATAL", "critical"),
        ("P1", "critical"),
        ("sev-1", "critical"),
        ("SEV 1", "critical"),
        ("error", "high"),
        ("Major", "high"),
        ("SEV2", "high"),
        ("warning", "medium"),
        ("average", "medium"),
        ("P3", "medium"),
        ("minor", "low"),
        ("notice", "low"),
        ("none", "info"),
    ],
)
def test_usual_words_map_to_a_level(word, level):
    assert severity(word) == SeverityRating(level, word, True)


@pytest.mark.parametrize("word", [None, "", "null", {}, []])
def test_nothing_is_medium_and_not_given(word):
    assert severity(word) == SeverityRating("medium", None, False)


def test_an_unknown_word_is_medium_and_kept():
    assert severity("purple") == SeverityRating("medium", "purple", False)
    assert severity("purple", "P1") == SeverityRating("critical", "P1", True)


@pytest.mark.parametrize("current", SEVERITIES)
@pytest.mark.parametrize("sent", SEVERITIES)
def test_a_severity_only_rises_and_only_by_a_live_problem(current, sent):
    def after(state, given=True):
        alert = Alert("a", "k", state, "t", severity=sent, severity_given=given)
        return severity_after(current, alert)

    worse = min(current, sent, key=SEVERITIES.index)
    assert [after("firing"), after("update")] == [worse, worse]
    assert [after("resolved"), after("ignored"), after("firing", given=False)] == [current] * 3


def test_an_incident_that_opens_takes_the_default_too():
    assert severity_after(None, Alert("a", "k", "firing", "t")) == "medium"
