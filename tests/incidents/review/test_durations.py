"""Times of an incident, and the words that two incidents share."""

from datetime import UTC, datetime

from engine.incidents.review.durations import IncidentTimes, incident_times, similarity, tokens


def at(clock):
    return datetime.fromisoformat(f"2026-11-20 {clock}").replace(tzinfo=UTC)


def test_all_four_times():
    row = {
        "started_at": at("08:00"),
        "opened_at": at("08:04:30"),
        "acknowledged_at": at("08:10"),
        "mitigated_at": at("08:34:30"),
        "resolved_at": at("10:04:30"),
    }
    assert incident_times(row) == IncidentTimes(4.5, 5.5, 30.0, 120.0, {})


def test_what_is_missing_is_none_and_says_why():
    assert incident_times({"opened_at": at("08:00")}) == IncidentTimes(
        None,
        None,
        None,
        None,
        {
            "ttd_minutes": "when the trouble began is not recorded",
            "tta_minutes": "not acknowledged",
            "ttm_minutes": "not mitigated",
            "ttr_minutes": "not resolved",
        },
    )


def test_an_empty_row_has_no_times():
    times = incident_times({})
    assert (times.ttd_minutes, times.ttr_minutes) == (None, None)
    assert set(times.blanks.values()) == {"when it was opened is not recorded"}


def test_a_time_is_never_negative():
    times = incident_times({"started_at": at("09:00"), "opened_at": at("08:00"), "resolved_at": at("08:00")})
    assert (times.ttd_minutes, times.ttr_minutes) == (None, 0.0)
    assert times.blanks["ttd_minutes"] == "opened_at is before started_at"


def test_tokens_are_the_words_that_tell_incidents_apart():
    assert tokens("[FIRING] Checkout-API: 5xx errors on db01 is HIGH", None) == {"checkout", "api", "errors"}
    assert tokens("Überlast Straße") == tokens("ÜBERLAST STRASSE") == {"überlast", "strasse"}
    assert tokens(None, "") == frozenset()


def test_similarity_is_the_share_of_common_words():
    left, right = tokens("checkout latency rising"), tokens("checkout latency spike seen")
    assert similarity(left, right) == similarity(right, left) == 4 / 7
    assert similarity(left, left) == 1
    assert similarity(left, frozenset()) == similarity(frozenset(), frozenset()) == 0
