"""What the report on scope and boundary says."""

from datetime import date, datetime, time

import pytest

from engine.model.documents.document import Coverage
from reports.ownership.scope_boundary import REPORT
from tests.factories import DAY, document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

SYSTEM = {
    "id": "sys-web",
    "name": "Web",
    "owner": "ann@acme.example",
    "service_id": "web",
    "data_classes": ["contact data"],
    "region": "eu",
    "boundary": "inside",
    "frameworks": ["soc2"],
    "last_reviewed_on": date(2026, 5, 1),
    "in_scope": True,
    "controls_named": 1,
}
FLOW = {
    "id": "F1", "from_system": "sys-web", "from_name": "Web", "from_boundary": "inside", "from_region": "eu",
    "to_system": "sys-db", "to_name": "Database", "to_boundary": "inside", "to_region": "eu",
    "data_class": "contact data", "protocol": "tls", "encrypted": True, "leaves": False,
}  # fmt: skip
SEEN = {
    "name": "Web",
    "service_id": "web",
    "seen_in": ["alerts", "services"],
    "alerts": 2,
    "findings": 0,
    "dependencies": 0,
    "criticality": 3,
    "system_id": "sys-web",
}


def facts(systems=(SYSTEM,), flows=(), seen=(SEEN,), frameworks=("soc2",)):
    return {
        "systems": rows("systems", *systems),
        "data_flows": rows("data_flows", *flows),
        "observations": rows("observations", *seen),
        "organization": rows("organization", {"frameworks": list(frameworks)}),
    }


def report(**given):
    return document(REPORT, **facts(**given))


def frame(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def gaps(**given):
    return frame(report(**given), "gaps").select("gap", "subject").rows()


def test_a_declared_scope_that_is_observed_has_no_gaps():
    held = report(flows=[FLOW])
    assert frame(held, "gaps").is_empty()
    assert lead(held) == ("Every observed system is declared, 1 in all; the declared scope has no gaps.", "")
    assert held.coverage == Coverage(1, 1)


def test_what_is_observed_and_not_declared_comes_first():
    wiki = {**SEEN, "name": "wiki", "service_id": "wiki", "criticality": 1, "system_id": None}
    host = {
        **SEEN,
        "name": "10.0.0.9",
        "service_id": None,
        "criticality": None,
        "seen_in": ["findings"],
        "findings": 4,
        "alerts": 0,
        "system_id": None,
    }
    held = report(seen=[SEEN, wiki, host])
    assert frame(held, "undocumented")["name"].to_list() == ["10.0.0.9", "wiki"]
    assert frame(held, "gaps").select("gap", "name", "detail").rows() == [
        ("undocumented_system", "10.0.0.9", "seen in findings"),
        ("undocumented_system", "wiki", "seen in alerts, services"),
    ]
    assert lead(held) == (
        "2 of 3 observed systems are not declared; in all the scope has 2 gaps.",
        "For the system 10.0.0.9 (seen in findings): declare it with owner, data and boundary, or switch it off "
        "(nobody owns it).",
    )
    assert frame(held, "observed_in").rows() == [
        ("alerts", 2, 1, 1, 50.0),
        ("findings", 1, 0, 1, 0.0),
        ("services", 2, 1, 1, 50.0),
    ]


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        ({"frameworks": [], "controls_named": 0}, "no_controls"),
        ({"owner": None}, "no_owner"),
        ({"last_reviewed_on": None}, "review_overdue"),
        ({"last_reviewed_on": date(2025, 11, 19)}, "review_overdue"),
        ({"frameworks": ["pci-dss"]}, "unclassified"),
        ({"service_id": "gone"}, "unknown_service"),
        ({"in_scope": False, "boundary": "outside", "justification": " "}, "excluded_without_reason"),
    ],
)
def test_gaps_of_a_declared_system(change, gap):
    assert gaps(systems=[{**SYSTEM, **change}]) == [(gap, "sys-web")]


@pytest.mark.parametrize(
    "change",
    [
        {"last_reviewed_on": date(2025, 11, 20)},
        {"frameworks": ["pci-dss"], "pci_class": "cde"},
        {"frameworks": []},
        {"in_scope": False, "boundary": "outside", "justification": "static pages", "last_reviewed_on": None},
    ],
)
def test_what_is_no_gap_of_a_system(change):
    assert gaps(systems=[{**SYSTEM, **change}]) == []


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        ({"leaves": True}, "flow_without_agreement"),
        ({"encrypted": False}, "flow_unencrypted"),
        ({"encrypted": None}, "flow_unencrypted"),
        ({"to_name": None}, "flow_to_undeclared"),
        ({"to_region": "us"}, "flow_crosses_region"),
    ],
)
def test_gaps_of_a_flow(change, gap):
    assert gaps(flows=[{**FLOW, **change}]) == [(gap, "F1")]


def test_a_flow_that_leaves_under_an_agreement_is_no_gap():
    held = report(flows=[FLOW, {**FLOW, "id": "F2", "leaves": True, "agreement_ref": "DPA 7", "vendor": "Mail"}])
    assert frame(held, "gaps").is_empty()
    assert held.summary["flows_leaving"] == 1
    assert frame(held, "flows")["id"].to_list() == ["F2", "F1"]


def test_a_flow_is_with_the_owner_of_the_system_that_it_comes_from():
    held = report(flows=[{**FLOW, "leaves": True, "encrypted": False}])
    assert frame(held, "gaps").select("gap", "detail", "owner").rows() == [
        (
            "flow_without_agreement",
            "contact data by tls, which encrypts, yet declared as not encrypted: one of both is wrong",
            "ann@acme.example",
        ),
        (
            "flow_unencrypted",
            "contact data by tls, which encrypts, yet declared as not encrypted: one of both is wrong",
            "ann@acme.example",
        ),
    ]
    assert lead(held)[0] == (
        "Every observed system is declared, 1 in all; the declared scope has 2 gaps: 1 data flow without an agreement "
        "and 1 not encrypted first."
    )


def test_a_framework_without_systems_is_shown_with_none():
    held = report(frameworks=("soc2", "hipaa"))
    assert frame(held, "frameworks").rows() == [("SOC 2", 1, 1), ("HIPAA", 0, 0)]


def test_where_no_control_names_a_system_it_is_said():
    assert report(systems=[{**SYSTEM, "controls_named": 0}]).warnings == [
        "No control names the systems that it protects, so the frameworks of a system stand for its controls: "
        "fill in the systems of control profiles."
    ]


@pytest.mark.parametrize(
    ("systems", "seen", "headline"),
    [
        ((), (), "No system is declared and none was observed: the scope is not known."),
        ((), (SEEN,), "No system is declared, yet 1 system was observed."),
        ((SYSTEM,), (), "Nothing was observed to compare with 1 declared system; the declared scope has 1 gap."),
    ],
)
def test_what_is_not_known_is_said(systems, seen, headline):
    assert report(systems=systems, seen=seen).headline == headline


def test_nothing_observed_has_no_percentage():
    assert report(systems=(), seen=()).summary["systems_documented_pct"] is None


def test_every_figure_is_what_its_rows_give():
    wiki = {**SEEN, "name": "wiki", "service_id": "wiki", "system_id": None}
    given = facts(
        systems=[{**SYSTEM, "owner": None}], flows=[{**FLOW, "leaves": True, "to_region": "us"}], seen=[SEEN, wiki]
    )
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "scope_gaps", **given).select("name", "reason").rows() == [
        ("Web to Database", "flow_without_agreement: contact data by tls"),
        ("wiki", "undocumented_system: seen in alerts, services"),
        ("Web to Database", "flow_crosses_region: contact data by tls"),
        ("Web", "no_owner: in scope without an owner"),
    ]
    assert document(REPORT, **given).summary["scope_no_owner"] == 1


def test_without_any_facts_the_scope_is_not_known():
    held = document(REPORT)
    assert lead(held) == (
        "No system is declared and none was observed: the scope is not known.",
        "Import systems.csv with hq import to fill this report.",
    )
    assert set(held.summary.values()) == {0, None}
    assert [list(table.frame.columns) for table in held.tables] == [
        list(table.frame.columns) for table in report().tables
    ]


# -- what did not arrive ---------------------------------------------------------------------------------------------

SENDER = {"token": "prod", "source": "alertmanager", "sender_state": "live", "messages": 4, "services": 1}
WATCH = {"service_id": "web", "service": "Web", "frameworks": ["soc2"], "senders": ["prod / alertmanager"]}


def arrivals(senders=(SENDER,), watch=("live", "not_declared"), letters=(), seen=(), incidents=()):
    services = [{**WATCH, "service_id": f"s{n}", "watch": state, "is_monitored": True} for n, state in enumerate(watch)]
    return document(
        REPORT,
        **facts(seen=seen),
        senders=rows("senders", *senders),
        service_watch=rows("service_watch", *services),
        dead_letters=rows("dead_letters", *letters),
        incidents=rows("incidents", *incidents),
    )


def test_monitoring_is_covered_by_live_senders_alone():
    held = arrivals()
    assert held.summary["monitoring_coverage_pct"] == 50.0
    assert frame(held, "monitoring")["service_id"].to_list() == ["s1", "s0"], "those that nobody watches first"
    assert next(table for table in held.tables if table.name == "arrivals").note == (
        "1 of 2 services in scope have a sender that is heard (50.0 %); 0 senders silent, 0 declared and not heard, "
        "0 messages not readable."
    )


def test_without_a_sender_nothing_is_said_of_monitoring():
    held = arrivals(senders=(), watch=())
    assert held.summary["monitoring_coverage_pct"] is None
    (table,) = [table for table in held.tables if table.name == "arrivals"]
    assert (table.frame.height, table.note) == (
        0,
        "No sender is known, so nothing can be said of whether monitoring worked.",
    )


def test_what_did_not_arrive_has_a_row_each_the_most_urgent_first():
    silent = {**SENDER, "sender_state": "silent", "silent_hours": 30.5, "days_of_seven": 6}
    never = {"token": "lab", "source": "nagios", "sender_state": "never_heard", "messages": 0, "services": 2}
    unused = {**never, "token": "old", "services": 0}
    letter = {"token": "prod", "reason": "no title", "messages": 3, "last_id": "pay_1"}
    came = datetime.combine(DAY, time(8, 17))
    stranger = {"name": "Shadow", "service_id": None, "seen_in": ["alerts"], "alerts": 2, "last_alert_at": came}
    before = {**stranger, "name": "Earlier", "seen_in": ["alerts", "findings"], "last_seen_on": DAY}
    before["last_alert_at"] = datetime.fromisoformat("2026-01-01 08:00")
    owned = {"name": "Web", "service_id": "web", "seen_in": ["services"], "owner": "ann@acme.example"}
    moments = {
        "opened_at": datetime.fromisoformat("2026-11-10 08:00"),
        "resolved_at": datetime.fromisoformat("2026-11-10 09:00"),
    }
    incident = {
        "title": "Down",
        "severity": "high",
        "status": "resolved",
        "source": "nagios",
        "has_cause": True,
        **moments,
    }
    incidents = [
        {**incident, "id": "nobody"},
        {**incident, "id": "of-service", "service_id": "web"},
        {**incident, "id": "by-hand", "source": None},
        {**incident, "id": "no-cause", "owner": "bob@acme.example", "has_cause": False},
        {**incident, "id": "of-family", "owner": "bob@acme.example", "has_cause": False, "family_id": "of-service"},
        {**incident, "id": "planned", "has_cause": False, "maintenance_state": "planned"},
        {
            **incident,
            "id": "long-ago",
            "has_cause": False,
            **dict.fromkeys(moments, datetime.fromisoformat("2026-01-01")),
        },
    ]
    held = arrivals((silent, never, unused), ("silent",), (letter,), (stranger, before, owned), incidents)
    assert frame(held, "arrivals").select("kind", "subject", "messages", "detail").rows() == [
        (
            "silent_sender",
            "prod / alertmanager",
            4,
            "on 6 of 7 days, then nothing for 30 hours; services that it watches: 1",
        ),
        ("sender_not_heard", "lab / nagios", None, "no message in the period; services that it is declared for: 2"),
        ("dead_letter", "prod", 3, "no title"),
        ("unknown_service", "Shadow", 2, "named by alerts, no such service is declared"),
        ("alert_without_owner", "nobody", None, "high, sent by nagios; neither it nor its service has an owner"),
        ("incident_without_cause", "no-cause", None, "high, resolved, no cause on record"),
    ]
    assert frame(held, "arrivals").filter(kind="unknown_service")["last_at"].to_list() == [came]
    names = ("senders_silent", "senders_not_heard", "messages_unread", "unknown_services_in_alerts")
    counted = [*names, "alerts_without_owner", "incidents_without_cause", "monitoring_coverage_pct"]
    assert [held.summary[name] for name in counted] == [1, 1, 3, 1, 1, 1, 0.0]
