"""What the deployment profile says."""

from datetime import date

import pytest

from engine.web import http
from engine.web.admission import limits
from reports.deployment.profile import LIMITS, REPORT
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

PROFILE = {
    "tier": "shared",
    "plan": "team",
    "data_region": "eu-west",
    "boundary": "vendor runs it",
    "key_custody": "vendor",
    "auth_mode": "single sign-on",
    "modules": ["slo"],
    "version": 7,
    "changed_on": date(2026, 11, 1),
}


def vendor(name, region, **given):
    return {"vendor_id": name, "name": name, "data_classes": "customer", "region": region, **given}


def place(channel, destination, region=None, **given):
    return {"channel": channel, "destination": destination, "region": region, "deliveries": 3, **given}


def facts(vendors=(), destinations=(), **profile):
    return {
        "deployment": rows("deployment", {**PROFILE, **profile}),
        "organization": rows("organization", {}),
        "vendors": rows("vendors", *vendors),
        "destinations": rows("destinations", *destinations),
    }


def report(**given):
    return document(REPORT, **facts(**given))


def table(held, name):
    return next(table.frame for table in held.tables if table.name == name)


def exceptions(held):
    return table(held, "residency_exceptions").select("kind", "name", "reason").rows()


def test_the_summary_is_the_profile():
    assert dict(report().summary) == {
        "deployment_tier": "shared",
        "tenancy": "one store for several organizations, kept apart by the credential of every request",
        "data_region": "eu-west",
        "boundary": "vendor runs it",
        "key_custody": "vendor",
        "auth_mode": "single sign-on",
        "plan": "team",
        "modules": ["slo"],
        "subprocessors": 0,
        "residency_exceptions": 0,
        "residency_exceptions_outside": 0,
        "residency_exceptions_with_data": 0,
        "profile_version": 7,
        "profile_changed_on": date(2026, 11, 1),
    }
    assert lead(report()) == (
        "Acme keeps its data in eu-west (shared tier); nothing is known to leave it.",
        "Nobody has to act: every place on record is in the region; what nobody declared is not known.",
    )
    assert report().warnings == []


def test_data_outside_the_region_comes_before_data_nobody_knows_about():
    held = report(
        vendors=[
            vendor("Home", "EU-West"),
            vendor("Away", "us-east"),
            vendor("Dark", None),
            vendor("Blank", "us-east", data_classes=None),
            vendor("No data", "us-east", data_classes="None"),
        ],
        destinations=[
            place("email", "acme.example"),
            place("webhook", "hooks.example", "eu-west"),
            place("chat", "board", "us-east"),
        ],
    )
    assert exceptions(held) == [
        ("subprocessor", "Away", "outside the region"),
        ("chat", "board", "outside the region"),
        ("subprocessor", "Blank", "outside the region"),
        ("subprocessor", "Dark", "region unknown"),
        ("email", "acme.example", "region unknown"),
    ]
    assert (held.summary["subprocessors"], held.summary["residency_exceptions"]) == (4, 5)
    assert held.summary["residency_exceptions_with_data"] == 2
    assert held.headline.endswith("; 2 places outside it have data; of 3 more nobody says.")


def test_of_a_vendor_outside_whose_data_nobody_declared_it_is_not_known_whether_there_is_any():
    held = report(vendors=[vendor("Blank", "us-east", data_classes=None)])
    assert held.headline.endswith(
        "keeps its data in eu-west (shared tier); of 1 place nobody says whether data is outside."
    )
    assert report(vendors=[vendor("Away", "us-east")]).headline.endswith("; 1 place outside it has data.")


def test_the_picture_has_our_region_first_and_what_is_not_declared_apart():
    (chart,) = report(
        vendors=[vendor("Home", "eu-west"), vendor("Away", "us-east"), vendor("Blank", "us-east", data_classes=None)]
    ).charts
    assert chart.frame.rows() == [
        ("eu-west (ours)", "data declared", 1),
        ("us-east", "data declared", 1),
        ("us-east", "not declared", 1),
    ]


def test_the_most_critical_is_settled_first_by_whoever_has_it():
    held = report(
        vendors=[
            vendor("Alder", "us-east", tier="low", owner="ann"),
            vendor("Birch", "us-east", tier="critical", data_classes="health records", owner="ben"),
        ]
    )
    places = table(held, "residency_exceptions").select("name", "tier", "data_classes", "owner").rows()
    assert places == [("Birch", "critical", "health records", "ben"), ("Alder", "low", "customer", "ann")]
    assert lead(held)[1] == (
        "Move the data of Birch (critical, health records) into the region or have the exception approved (outside the region): "
        "ben decides."
    )


def test_without_a_declared_region_every_place_is_an_exception():
    held = report(vendors=[vendor("Home", "eu-west")], data_region=None, key_custody=None)
    assert exceptions(held) == [("subprocessor", "Home", "no data region declared")]
    assert held.warnings == ["Not declared in the profile: data region, key custody."]


@pytest.mark.parametrize(
    ("tier", "servers"), [("shared", "vendor"), ("dedicated", "vendor"), ("self-hosted", "organization")]
)
def test_who_runs_the_servers_follows_the_tier_and_keys_the_declared_custody(tier, servers):
    operators = dict(table(report(tier=tier, key_custody="customer HSM"), "operators").iter_rows())
    assert (operators["servers and network"], operators["encryption keys"]) == (servers, "customer HSM")
    assert operators["records, evidence and their accuracy"] == "organization"


def test_the_limits_are_those_in_force():
    known = {
        "body of a request": http.MAX_BODY,
        "proxied requests": limits.PROXY.count,
        "sensitive requests": limits.SENSITIVE.count,
        "ingested bodies, unless the operator set another number": limits.INGEST.count,
        "turns of the copilot": limits.COPILOT_TURNS.count,
        "contact form": limits.CONTACT.count,
    }
    assert {name: amount for name, amount, _, _ in LIMITS} == known
    seconds = [limits.PROXY, limits.SENSITIVE, limits.INGEST, limits.COPILOT_TURNS, limits.CONTACT]
    assert [unit for _, _, unit, _ in LIMITS[1:]] == [f"in {limit.seconds} seconds" for limit in seconds]


def test_every_figure_is_what_its_rows_give():
    given = facts([vendor("Away", "us-east"), vendor("Dark", None)], [place("chat", "board", "us-east")])
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "residency_exceptions_outside", **given).select("name", "reason").rows() == [
        ("board", "chat in us-east"),
        ("Away", "subprocessor in us-east"),
    ]


def test_without_a_profile_nothing_is_known_and_nobody_is_said_to_operate_anything():
    held = document(REPORT)
    assert lead(held) == (
        "No deployment profile is on record: where data is kept and who operates what is not known.",
        "Import organizations.csv with hq import to fill this report.",
    )
    assert set(table(held, "operators")["operator"]) == {"not declared"}
    assert held.warnings == ["Not declared in the profile: data region, boundary, key custody, sign-in."]
    assert [table.frame.schema for table in held.tables] == [table.frame.schema for table in report().tables]
    assert (held.summary["deployment_tier"], held.summary["residency_exceptions"]) == (None, 0)
