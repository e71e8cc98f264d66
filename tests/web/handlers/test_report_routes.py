"""Reports over HTTP: formats, entity tags, walls between organizations."""

from base64 import b64encode
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest
from sqlalchemy import select

import api
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifact_space import BLOCK, LEFT_PCT, Quota
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.schema.audit import access_log
from engine.store.schema.controls import attestations
from engine.web.app import Console
from reports import CATALOGUE
from tests.conftest import NOW
from tests.contract import REPORT_ROUTES
from tests.web.client import Client

BASE = "/api/governance/compliance/"
PATHS = sorted(REPORT_ROUTES.values())
TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@pytest.mark.real
def test_every_report_comes_in_every_format_even_for_an_organization_without_records(sign_in):
    client = sign_in()
    for path in PATHS:
        for form, content_type in TYPES.items():
            answer = client.get(f"{path}?format={form}")
            assert (answer.status, answer.headers["content-type"]) == (200, content_type), (path, answer.body[:300])
            assert answer.body


def test_json_is_the_default_and_accept_is_honoured(sign_in):
    client = sign_in()
    path = f"{BASE}summary"
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    wanted = {
        "": "json",
        "*/*": "json",
        browser: "html",
        "text/csv": "csv",
        "image/png": "json",
        "text/html;q=0": "json",
        "text/markdown;q=0.5, text/csv;q=0.9": "csv",
    }
    assert {a: client.get(path, accept=a).headers["content-type"] for a in wanted} == {
        a: TYPES[form] for a, form in wanted.items()
    }


@pytest.mark.real
def test_any_route_of_a_report_answers_with_the_rows_behind_a_figure(sign_in, with_people):
    client = sign_in()
    summary = client.get(f"{BASE}program").json["summary"]
    explained = client.get(f"{BASE}program?explain=gaps_open").json
    assert (len(explained["rows"]), explained["summary"]) == (summary["gaps_open"], {"gaps_open": summary["gaps_open"]})
    answer = client.get(f"{BASE}program?explain=gaps_open&format=csv")
    assert answer.headers["content-type"] == TYPES["csv"]
    assert len(answer.body.splitlines()) == summary["gaps_open"] + 1
    feed = client.get(f"{BASE}obligation-ics?explain=obligations_pending")  # a feed has no rows to read; these are
    assert (feed.headers["content-type"], feed.json["report"]) == (TYPES["json"], "obligation-ics")


def test_a_figure_that_the_report_does_not_show_is_refused_with_those_that_it_does(sign_in):
    answer = sign_in().get(f"{BASE}program?explain=nothing")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    assert answer.json["message"].startswith("The parameter explain must be one of weighted_pct, ")


def test_a_plan_has_no_figure_to_explain(sign_in):
    answer = sign_in().get(f"{BASE}iso-assessment?explain=iso_improvements&by=2027-03-01")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    assert answer.json["message"].endswith("has no figure of which rows could be shown; leave explain out.")


def test_the_calendar_feed_is_text_calendar(sign_in):
    answer = sign_in().get(f"{BASE}obligation-ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.body.startswith(b"BEGIN:VCALENDAR\r\n")


def test_downloads_are_named_and_dated(sign_in):
    answer = sign_in().get(f"{BASE}posture-score?format=csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-posture-score-2026-11-20.csv"'


@pytest.mark.real
def test_html_may_run_its_own_script_and_nothing_else_and_load_nothing(sign_in):
    answer = sign_in().get(f"{BASE}summary?format=html")
    script = answer.body.decode().rpartition("<script>")[2].partition("</script>")[0]
    own = b64encode(sha256(script.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert policy == f"default-src 'none'; script-src 'sha256-{own}'; style-src 'unsafe-inline'; img-src data:"


def attest(store, org="acme"):
    row = {
        "id": "a1",
        "framework": "soc2",
        "control_id": "CC6.1",
        "owner": "ann@acme.example",
        "due_on": date(2026, 11, 30),
        "outcome": "attested",
        "attested_at": NOW,
    }
    with store.revision(org, "ann@acme.example", now=NOW) as revision:
        revision.insert(attestations, [row])
        revision.record("attestation.signed", object_id="a1")


@pytest.mark.real
def test_a_report_is_not_sent_again_until_something_was_written(sign_in, with_people):
    client = sign_in()
    first = client.get(f"{BASE}posture-score")
    again = client.get(f"{BASE}posture-score", if_none_match=first.headers["etag"])
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    attest(with_people)
    changed = client.get(f"{BASE}posture-score", if_none_match=first.headers["etag"])
    assert changed.status == 200
    assert changed.headers["etag"] != first.headers["etag"]
    before = {c["component"]: c["value_pct"] for c in first.json["components"]}
    after = {c["component"]: c["value_pct"] for c in changed.json["components"]}
    assert (before["attestation"], after["attestation"] > 0) == (0.0, True)
    assert changed.json["revision"]["seq"] == with_people.head("acme").seq


@pytest.mark.parametrize("header", ['W/"{}"', '"x", "{}"', "*"])
def test_entity_tags_compare_weakly_and_in_lists(header, sign_in):
    client = sign_in()
    tag = client.get(f"{BASE}summary").headers["etag"].strip('"')
    assert client.get(f"{BASE}summary", if_none_match=header.replace("{}", tag)).status == 304


def test_another_day_is_another_report(sign_in, clock):
    client = sign_in()
    first = client.get(f"{BASE}summary")
    clock.move_to(datetime(2026, 11, 20, 20, tzinfo=UTC))
    assert client.get(f"{BASE}summary").headers["etag"] == first.headers["etag"]
    clock.move_to(NOW + timedelta(hours=11.9))
    assert client.get(f"{BASE}summary").headers["etag"] == first.headers["etag"]


def test_downloads_leave_a_line_in_the_access_log_and_no_revision(sign_in, with_people):
    head = with_people.head("acme")
    sign_in("member@acme.example").get(f"{BASE}attestations?format=csv")
    sign_in("member@acme.example").get(f"{BASE}attestations")
    with with_people.reader() as connection:
        rows = connection.execute(select(access_log)).mappings().all()
    assert [(r["org_id"], r["actor"], r["resource"], r["format"]) for r in rows] == [
        ("acme", "member@acme.example", f"{BASE}attestations", "csv")
    ]
    assert with_people.head("acme") == head


@pytest.mark.real
def test_organizations_are_walls(sign_in, with_people):
    """Every report route shows the caller's organization and nothing that another one wrote."""
    attest(with_people, "other")
    ours, theirs = sign_in(), sign_in("owner@other.example", "other")
    stood = (with_people.head("acme"), *with_people.part_heads("acme").values())
    own = {(position.seq, position.hash) for position in stood}
    for route in api.ROUTES:
        if route.method != "GET" or route.path not in PATHS:
            continue
        mine = ours.get(f"{route.path}?format=json").json
        assert mine["organization"]["id"] == "acme"
        assert tuple(mine["revision"].values()) in own
        assert theirs.get(f"{route.path}?format=json").json["organization"]["id"] == "other"
    assert ours.get(f"{BASE}attestations?format=json").json["coverage"]["assessed"] == 0


@pytest.mark.parametrize("query", ["", "?shiftWeeks=0", "?shiftWeeks=3&framework=soc2", "?descope=soc2"])
def test_a_scenario_writes_nothing(query, sign_in, with_people):
    before = with_people.head("acme")
    answer = sign_in().get(f"{BASE}obligation-whatif{query}")
    assert (answer.status, answer.json["report"]) == (200, "obligation-whatif")
    assert with_people.head("acme") == before


def test_a_parameter_that_names_nothing_is_refused_and_leaves_no_artifact(sign_in, tmp_path):
    client, folder = sign_in(), tmp_path / "artifacts"
    before = list(folder.glob("*/*/*"))
    for query in ("?id=any+text", "?id=another&shiftWeeks=2", "?id=theirs&explain=obligations_pending"):
        answer = client.get(f"{BASE}obligation-whatif{query}")
        assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
        assert answer.json["message"].startswith("The parameter id must be the obligation_id of one of the ")
    assert list(folder.glob("*/*/*")) == before


@pytest.mark.real
def test_equal_questions_have_one_artifact(sign_in):
    """However they are written: order, leading zeros, a default said or left out."""
    client = sign_in()
    for same in (
        ("crosswalk?view=soa&periodDays=90", "crosswalk?periodDays=090&view=soa"),
        ("obligation-whatif", "obligation-whatif?shiftWeeks=0", "obligation-whatif?shiftWeeks=-0"),
        ("summary", "summary?periodDays=30&format=json"),
    ):
        assert len({client.get(f"{BASE}{query}").headers["etag"] for query in same}) == 1


def test_no_parameter_of_a_report_is_free_text():
    """Each value that is taken is a number within bounds, a word of a list, or names a record that is there.

    But for the caller, whom the route sets.
    """
    free = {
        (report.name, parameter.name)
        for report in CATALOGUE.values()
        for parameter in report.parameters
        if parameter.minimum is None and not parameter.choices and parameter.found_in is None
    }
    assert free == {("policy-blocks-summary", "actor")}


@pytest.mark.real
def test_one_who_asks_for_ever_new_reports_does_not_fill_the_disk(with_people, environment, tmp_path, clock):
    most = 100
    quota = Quota(organization=most * BLOCK, total=10 * most * BLOCK)
    artifacts = Artifacts(tmp_path / "few", memory_bytes=0, quota=quota)
    replica = Replica(with_people.url, None)
    with closing(replica), closing(Snapshots(with_people, replica, artifacts, CATALOGUE)) as snapshots:
        console = Console(api.ROUTES, Services(Settings.of(environment), with_people, snapshots, NOW))
        neighbour, member = (
            Client(console, console.gate.sessions.issue(f"member@{org}.example", org, now=NOW))
            for org in ("other", "acme")
        )
        assert neighbour.get(f"{BASE}crosswalk").status == 200
        theirs = sorted((tmp_path / "few" / "other").glob("*/*"))
        sizes = []
        for days in range(1, 41):
            assert member.get(f"{BASE}crosswalk?periodDays={days}&view=soa").status == 200
            files = (tmp_path / "few" / "acme").glob("*/*")
            sizes.append(sum(-(-path.stat().st_size // BLOCK) for path in files))
    assert sorted((tmp_path / "few" / "other").glob("*/*")) == theirs
    assert max(sizes) <= most < len(sizes) * sizes[0]
    settled = sizes[most // sizes[0] :]
    assert min(settled) > most * LEFT_PCT // 100 - sizes[0], "a sweep leaves nine tenths of the quota, and no less"
