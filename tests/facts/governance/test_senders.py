"""A sender is a token and a monitor: it is missed when it was regular, and a service is covered by one that lives."""

import json

import pytest

ALIVE = {"id": "sys-api", "name": "API", "service_id": "api", "boundary": "inside", "frameworks": "soc2"}
SERVICES = [{"id": "api", "name": "API", "criticality": 5}, {"id": "web", "name": "Web", "criticality": 3}]
SCOPE = [ALIVE, {**ALIVE, "id": "sys-web", "name": "Web", "service_id": "web"}]
FOLLOWED = [{"framework": "soc2", "in_scope": True}]
WATCH = [{"service_id": "api", "token": "prod", "source": "alertmanager"}]


def message(at, *, token="prod", source="alertmanager"):
    details = json.dumps({"messages": 1, "source": source})
    return "message.arrived", at, {"actor": f"token:{token}", "details": details}


def daily(first, last, hour="10:00", **more):
    return [message(f"2026-11-{day:02d} {hour}", **more) for day in range(first, last + 1)]


@pytest.fixture
def states(facts_with):
    def by_sender(*events, **tables):
        senders = facts_with(events=events, **tables)["senders"]
        return {
            f"{token} / {source}": (state, days)
            for token, source, state, days in senders.select(
                "token", "source", "sender_state", "days_of_seven"
            ).iter_rows()
        }

    return by_sender


# the day of the tests is 2026-11-20
@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (daily(13, 20), ("live", 7)),
        (daily(13, 19), ("live", 7)),  # nothing of today, which has only begun
        (daily(12, 18), ("silent", 7)),
        (daily(14, 18), ("silent", 5)),
        (daily(15, 18), ("live", 4)),  # was never regular: heard in the period, missed by nobody
        (daily(1, 6), ("silent", 6)),
        ([message("2026-10-01 10:00")], ("not_heard", 1)),
        ([message(f"2026-10-{day:02d} 10:00") for day in range(1, 8)], ("silent", 7)),
    ],
)
def test_silent_is_who_was_heard_on_five_of_seven_days_and_then_not_for_a_day(events, expected, states):
    assert states(*events) == {"prod / alertmanager": expected}


def test_what_others_send_moves_the_clock(states):
    others = daily(13, 20, "09:59", token="lab")
    assert states(*daily(13, 19), *others)["prod / alertmanager"] == ("live", 7)
    others = daily(13, 20, "10:00", token="lab")
    assert states(*daily(13, 19), *others)["prod / alertmanager"] == ("silent", 7)


def test_a_tick_of_the_job_moves_it_where_nobody_sends(states):
    tick = ("messages.absent", "2026-11-20 10:05", {"actor": "arrivals"})
    assert states(*daily(13, 19), tick) == {"prod / alertmanager": ("silent", 7)}


def test_a_token_has_as_many_senders_as_monitors(states):
    found = states(*daily(12, 18), *daily(13, 20, source="grafana"))
    assert found == {"prod / alertmanager": ("silent", 7), "prod / grafana": ("live", 7)}


def test_a_revoked_token_is_missed_by_nobody_until_it_is_heard_again(states):
    revoked = ("ingest_token.revoked", "2026-11-18 11:00", {"details": '{"label":"prod"}'})
    assert states(*daily(12, 18), revoked) == {"prod / alertmanager": ("retired", 7)}
    assert states(*daily(13, 18), revoked, *daily(19, 19)) == {"prod / alertmanager": ("live", 7)}


def token_event(what, identifier, at, label="prod"):
    details = json.dumps({"label": label})
    return f"ingest_token.{what}", at, {"object_type": "ingest_token", "object_id": identifier, "details": details}


def test_a_sender_is_retired_with_the_last_token_of_its_label(states):
    made = [token_event("created", name, f"2026-11-01 0{n}:00") for n, name in enumerate(("t1", "t2"))]
    unused = token_event("revoked", "t2", "2026-11-19 11:00")
    assert states(*daily(13, 19), *made, unused) == {"prod / alertmanager": ("live", 7)}
    assert states(*daily(12, 18), *made, unused) == {"prod / alertmanager": ("silent", 7)}
    used = token_event("revoked", "t1", "2026-11-19 12:00")
    assert states(*daily(12, 18), *made, unused, used) == {"prod / alertmanager": ("retired", 7)}
    other = token_event("created", "t3", "2026-11-19 13:00", "lab")
    assert states(*daily(12, 18), *made, unused, used, other) == {"prod / alertmanager": ("retired", 7)}
    again = token_event("created", "t4", "2026-11-19 13:00")
    assert states(*daily(12, 18), *made, unused, used, again) == {"prod / alertmanager": ("silent", 7)}


def test_a_new_token_of_the_same_label_goes_on_where_the_old_one_ended(states, watch):
    old, new = token_event("created", "t1", "2026-11-01 00:00"), token_event("created", "t2", "2026-11-15 00:00")
    rotated = (old, new, token_event("revoked", "t1", "2026-11-19 23:00"))
    assert states(*daily(13, 19), *rotated) == {"prod / alertmanager": ("live", 7)}
    assert watch(*daily(13, 19), *rotated)["api"] == "live"


def test_storms_of_one_sender_hide_no_other(states):
    storm = [message("2026-11-20 08:00", token="storm") for _ in range(2_000)]
    found = states(*daily(12, 17), *storm)
    assert found == {"prod / alertmanager": ("silent", 6), "storm / alertmanager": ("live", 1)}


def test_what_was_read_later_says_nothing_of_its_day(states):
    incident = {"id": "i1", "title": "Down", "severity": "high", "status": "open", "opened_at": "2026-11-12 10:00"}
    alert = {"actor": "token:prod", "object_type": "incident", "object_id": "i1", "revision": 99}
    again = ("alert.ingested", "2026-11-20 08:00", alert)
    read = ("message.replayed", "2026-11-20 08:00", {"actor": "token:prod", "object_id": "p1", "revision": 99})
    watched = [{**incident, "source": "alertmanager"}]
    assert states(*daily(12, 17), again, read, incidents=watched) == {"prod / alertmanager": ("silent", 6)}
    assert states(*daily(12, 17), again, incidents=watched) == {"prod / alertmanager": ("live", 5)}


def test_an_alert_is_of_the_monitor_of_its_incident(states):
    incident = {"id": "i1", "title": "Down", "severity": "high", "status": "open", "opened_at": "2026-11-19 10:00"}
    old = ("alert.ingested", "2026-11-19 10:00", {"actor": "token:prod", "object_type": "incident", "object_id": "i1"})
    assert states(old, incidents=[{**incident, "source": "sentry"}]) == {"prod / sentry": ("live", 1)}


def test_messages_are_counted_by_their_notes_and_since_the_last_note_by_what_they_changed(facts_with):
    incident = {"id": "i1", "title": "Down", "severity": "high", "status": "open", "opened_at": "2026-11-19 10:00"}
    watched = [{**incident, "source": "alertmanager"}]

    def alert(at, revision):
        about = {"actor": "token:prod", "object_type": "incident", "object_id": "i1", "revision": revision}
        return "alert.ingested", at, about

    def count(*events):
        (row,) = facts_with(events=events, incidents=watched)["senders"].iter_rows(named=True)
        return row["messages"], row["sender_state"]

    of_one_body = [alert("2026-11-19 09:00", 7), alert("2026-11-19 09:00", 7)]
    assert count(*of_one_body) == (1, "live")
    assert count(*of_one_body, alert("2026-11-19 09:05", 8)) == (2, "live")
    noted = message("2026-11-19 09:05")
    assert count(*of_one_body, alert("2026-11-19 09:05", 8), noted) == (1, "live")
    assert count(*of_one_body, noted, alert("2026-11-19 09:06", 9)) == (2, "live")


@pytest.mark.parametrize("told", [-7, 0, "many", None])
def test_a_note_tells_of_one_message_at_least(told, facts_with):
    noted = {"actor": "token:prod", "details": json.dumps({"messages": told, "source": "nagios"})}
    senders = facts_with(events=[("message.arrived", "2026-11-19 09:00", noted)])["senders"]
    assert senders.select("messages", "sender_state").rows() == [(1, "live")]


def test_people_and_broken_details_are_no_senders(states):
    person = ("alert.ingested", "2026-11-19 10:00", {"actor": "ann", "details": '{"source":"x"}'})
    broken = ("alert.ingested", "2026-11-19 10:00", {"actor": "token:prod", "details": '{"source":'})
    assert states(person, broken) == {}


@pytest.fixture
def watch(facts_with):
    def by_service(*events, senders=WATCH, systems=SCOPE):
        service_watch = facts_with(
            events=events, services=SERVICES, systems=systems, service_senders=senders, organization_frameworks=FOLLOWED
        )["service_watch"]
        return dict(service_watch.filter("is_monitored").select("service_id", "watch").iter_rows())

    return by_service


def test_a_service_is_covered_by_the_heartbeat_of_its_sender_alone(watch):
    assert watch(*daily(13, 20)) == {"api": "live", "web": "not_declared"}
    assert watch(*daily(13, 18)) == {"api": "silent", "web": "not_declared"}
    assert watch() == {"api": "never_heard", "web": "not_declared"}


def test_the_best_of_several_senders_counts(watch):
    second = {**WATCH[0], "source": "grafana"}
    assert watch(*daily(13, 20, source="grafana"), senders=[*WATCH, second])["api"] == "live"


def test_without_any_sender_nothing_is_known(watch):
    assert watch(senders=()) == {}


@pytest.mark.parametrize("change", [{"boundary": "outside"}, {"frameworks": None}, {"frameworks": "pci-dss"}])
def test_only_systems_in_scope_of_a_framework_that_is_followed_ask_for_cover(change, watch):
    assert watch(*daily(13, 20), systems=[{**ALIVE, **change}]) == {}


def test_dead_letters_are_those_that_nobody_read_later(facts_with):
    def unread(at, name, reason="no title"):
        details = json.dumps({"reason": reason})
        about = {"actor": "token:prod", "object_type": "payload", "object_id": name, "details": details}
        return "message.refused", at, about

    later = ("message.replayed", "2026-11-19 10:00", {"object_type": "payload", "object_id": "p1"})
    events = [unread(f"2026-11-18 10:0{number}", f"p{number}") for number in range(4)]
    events += [unread("2026-09-01 10:00", "old"), unread("2026-11-18 11:00", "q", "gzip"), later]
    found = facts_with(events=events)
    columns = found["dead_letters"].select("token", "reason", "messages", "last_id").rows()
    assert columns == [("prod", "gzip", 1, "q"), ("prod", "no title", 3, "p3")]
    many = [unread("2026-11-18 10:00", f"p{number}", f"reason {number:02d}") for number in range(25)]
    rest = facts_with(events=many)["dead_letters"].filter(reason="other reasons")
    assert rest["messages"].to_list() == [5]
