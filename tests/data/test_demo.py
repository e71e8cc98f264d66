"""The demo organizations are valid, deterministic, as large as promised, and have their stories in them."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import polars as pl
import pytest

from data.demo import DEMO_ORGANIZATIONS, generate
from data.demo.cast.organizations import PROFILES
from data.demo.frames import columns, dtype
from data.demo.programme.practice import WINDOWS
from engine.catalogue import catalogue
from engine.model.thresholds import thresholds
from engine.store import Store
from engine.store.schema import IMPORTABLE
from engine.store.types import Json
from tests.demo import DAY, demo
from tests.frames import import_frames
from tests.laws import WHOLE, share_of

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
# a leap day, both ends of a year, a year of 53 weeks, a Monday and a Sunday
OTHER_DAYS = (date(2028, 2, 29), date(2026, 12, 31), date(2027, 1, 1), date(2026, 11, 23), date(2026, 11, 29))
ESTABLISHED = ("aurora", "brightline", "cobalt")  # the fourth is in its first month: test_dune.py
PEAK = date(2026, 12, 21), date(2026, 12, 27)


def table(org, name, today=DAY):
    return demo(org, today)[name]


def fingerprint(frames):
    digest = sha256()
    for name in sorted(frames):
        digest.update(name.encode())
        digest.update(frames[name].write_csv().encode())
    return digest.hexdigest()


def control(frame, key):
    framework, control_id = key.split(":", 1)
    return frame.filter(framework=framework, control_id=control_id)


def state(org, key):
    return control(table(org, "control_state_changes"), key).sort("observed_on").row(-1, named=True)


def readiness(org, framework, weeks_ago):
    snapshots = table(org, "readiness_snapshots").filter(framework=framework).sort("taken_on")
    return snapshots["strict_pct"][-1 - weeks_ago]


def person(org, name):
    return table(org, "users").filter(name=name)["email"].item()


# validity


def problems(frames):
    """What the generic rules of the schema say is wrong, one line each."""
    found = []
    ids = {name: set(frame["id"]) for name, frame in frames.items() if "id" in frame.columns}
    controls = set(catalogue().controls.select("framework", "control_id").iter_rows())
    for name, frame in frames.items():
        expected = {column.name: dtype(column) for column in columns(IMPORTABLE[name])}
        if dict(frame.schema) != expected:
            found.append(f"{name}: columns {frame.schema}")
            continue
        primary = list(IMPORTABLE[name].info["primary"])
        if primary and frame.select(primary).is_duplicated().any():
            found.append(f"{name}: a key twice")
        for column in columns(IMPORTABLE[name]):
            series = frame[column.name]
            values, info = series.drop_nulls(), column.info
            low, high, target = info.get("low"), info.get("high"), info.get("references")
            wrong = {
                "is missing": not column.nullable and series.null_count() > 0,
                "is no choice": "choices" in info and not set(values) <= set(info["choices"]),
                "is too low": low is not None and len(values) > 0 and values.min() < low,
                "is too high": high is not None and len(values) > 0 and values.max() > high,
                "refers to nothing": target is not None and not set(values) <= ids.get(target, set()),
                "is empty text": series.dtype == pl.String and (values == "").any(),
                "is no JSON": isinstance(column.type, Json) and any(json_broken(text) for text in values),
                "names no control": column.name == "controls" and not control_keys(values) <= controls,
            }
            found += [f"{name}.{column.name} {what}" for what, is_so in wrong.items() if is_so]
        if {"framework", "control_id"} <= set(frame.columns):
            named = frame.drop_nulls("framework").select("framework", "control_id")
            found += [f"{name}: {key}" for key in named.iter_rows() if key not in controls]
    return found


def json_broken(text):
    """Not JSON, or not in the canonical form of the store."""
    return json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) != text


def control_keys(values):
    return {tuple(key.split(":", 1)) for text in set(values) for key in text.split("; ")}


@pytest.mark.parametrize("org", ["dune", *(pytest.param(org, marks=pytest.mark.real) for org in ESTABLISHED)])
def test_every_cell_is_what_its_column_asks_for(org):
    assert problems(demo(org)) == []


@pytest.mark.parametrize(
    "today", [OTHER_DAYS[0], *(pytest.param(day, marks=pytest.mark.real) for day in share_of(OTHER_DAYS[1:]))]
)
def test_every_cell_is_what_its_column_asks_for_on_odd_days(today, monkeypatch):
    monkeypatch.setitem(PROFILES, "cobalt", replace(PROFILES["cobalt"], weeks=4))  # a shorter past is told sooner
    assert problems(generate("cobalt", today)) == []


def test_a_broken_row_would_be_found():
    frames = {"workspaces": pl.DataFrame({"id": ["w", "w"], "name": ["a", None]}, schema_overrides={"name": pl.String})}
    assert problems(frames) == ["workspaces: a key twice", "workspaces.name is missing"]


@pytest.mark.real
@pytest.mark.parametrize("org", ESTABLISHED)
def test_every_importable_table_but_bundles_has_rows(org):
    own = {"organization_rules", "tool_rules", "schedule_controls"}  # rules, frameworks and checks that somebody brings
    own |= {"absences", "audit_windows"}  # calendars that somebody brings
    own |= (
        {"service_senders", "on_call_shifts", "maintenance_windows"} if org != "aurora" else set()
    )  # who watches what
    own |= {name for name in IMPORTABLE if name.startswith(("own_framework", "framework_"))}
    without = {"bundles", *own} if org != "brightline" else {"bundles", "poam_items", *own}
    assert set(IMPORTABLE) - set(demo(org)) == without
    assert [name for name, frame in demo(org).items() if frame.is_empty()] == []


@pytest.mark.real
def test_who_acknowledged_an_incident_is_the_same_in_its_history_and_in_the_audit_log():
    taken = table("aurora", "incidents").filter(pl.col("acknowledged_by").is_not_null())
    by = dict(taken.select("id", "acknowledged_by").iter_rows())
    told = table("aurora", "incident_timeline").filter(pl.col("body").str.starts_with("Acknowledged"))
    events = table("aurora", "audit_log").filter(action="incident.acknowledged")
    assert len(by) > 20
    for found, key in ((told, "incident_id"), (events, "object_id")):
        said = dict(found.select(key, "actor").iter_rows())
        assert {one: said[one] for one in by} == by


@pytest.mark.real
@pytest.mark.parametrize("org", ESTABLISHED)
def test_audit_events_come_in_order_from_the_last_400_days_and_none_is_of_today(org):
    events = table(org, "audit_log")
    assert events["occurred_at"].is_sorted()
    days = events["occurred_at"].dt.date()
    assert timedelta(398) <= DAY - days.min() <= timedelta(401)
    assert events["occurred_at"].max().isoformat() < "2026-11-20T08:00"


@pytest.mark.parametrize("org", ESTABLISHED)
def test_between_one_and_five_percent_of_the_events_are_of_actions_that_no_map_knows(org):
    known = pl.col("action").is_in(catalogue().actions["action"].implode())
    share = table(org, "audit_log").select((~known).mean()).item()
    assert 0.01 < share < 0.05


@pytest.mark.parametrize("org", ESTABLISHED)
def test_people_work_on_weekdays(org):
    logins = table(org, "audit_log").filter(action="login.succeeded")
    assert logins.select((pl.col("occurred_at").dt.weekday() > 5).mean()).item() < 0.08


@pytest.mark.parametrize("org", ESTABLISHED)
def test_relief_is_recorded_in_quarters_of_an_hour_as_pages_show_it(org):
    quarters = table(org, "staffing_actions").select(pl.col("relief_hours", "relief_actual_hours") * 4)
    assert quarters.equals(quarters.select(pl.all().round()))


@pytest.mark.parametrize("org", DEMO_ORGANIZATIONS)
def test_vendor_categories_are_those_of_the_inheritance_rules(org):
    assert set(table(org, "vendors")["category"]) <= set(catalogue().vendor_inheritance["category"])


@pytest.mark.parametrize("org", ESTABLISHED)
def test_playbooks_are_those_of_the_runbooks(org):
    assert set(table(org, "dry_runs")["playbook"]) <= set(catalogue().runbooks["playbook"].drop_nulls())


@pytest.mark.parametrize("org", ESTABLISHED)
def test_settings_are_at_most_three_and_within_their_ranges(org):
    overrides = {name: json.loads(value) for name, value in table(org, "organization_settings").iter_rows()}
    assert 1 <= len(overrides) <= 3
    assert thresholds(1, overrides).overrides == overrides


@pytest.mark.parametrize("org", DEMO_ORGANIZATIONS)
def test_everybody_named_is_a_user(org):
    known = set(table(org, "users")["email"])
    named = set()
    for name, frame in demo(org).items():
        if name not in ("audit_log", "evidence_requests"):
            for column in ("owner", "attestor", "accepted_by", "approver", "performer", "assignee", "email", "chair"):
                named |= set(frame[column].drop_nulls()) if column in frame.columns else set()
    assert named - known == set()


@pytest.mark.parametrize("org", ESTABLISHED)
def test_the_four_desks_have_their_roles_and_everybody_is_a_member(org):
    roles = dict(table(org, "memberships").select("email", "role").iter_rows())
    desks = {role: roles[f"{role}@{org}.example"] for role in ("owner", "admin", "operator", "member")}
    assert desks == {role: role for role in desks}
    assert set(table(org, "users")["email"]) == set(roles)


@pytest.mark.parametrize("org", ESTABLISHED)
def test_incidents_take_their_steps_in_order(org):
    steps = table(org, "incidents").select("opened_at", "acknowledged_at", "mitigated_at", "resolved_at", "closed_at")
    for row in steps.iter_rows():
        happened = [at for at in row if at is not None]
        assert happened == sorted(happened)
        assert row[: len(happened)] == tuple(happened)


@pytest.mark.parametrize("org", DEMO_ORGANIZATIONS)
def test_nothing_is_closed_before_it_is_opened_nor_after_today(org):
    for name, opened, closed in (
        ("remediations", "opened_on", "closed_on"),
        ("evidence_requests", "opened_on", "closed_on"),
        ("evidence_requests", "opened_on", "submitted_on"),
        ("poam_items", "detected_on", "closed_on"),
        ("staffing_actions", "proposed_on", "completed_on"),
        ("findings", "first_seen_at", "fixed_at"),
        ("test_runs", "window_open_on", "performed_on"),
    ):
        if name in demo(org):
            wrong = (pl.col(closed) < pl.col(opened)) | (pl.col(closed).cast(pl.Date) > DAY)
            assert table(org, name).filter(wrong).rows() == [], f"{name}.{closed}"


# the same day, another day


@pytest.mark.parametrize("org", ["dune", *([pytest.param("brightline", marks=pytest.mark.real)] if WHOLE else [])])
def test_the_same_day_gives_the_same_bytes(org):
    assert fingerprint(generate(org, DAY)) == fingerprint(demo(org))


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("attestations", "due_on"),
        ("deploys", "deployed_at"),
        ("incidents", "opened_at"),
        ("slo_buckets", "bucket_at"),
        ("vendors", "next_review_on"),
        ("readiness_snapshots", "taken_on"),
    ],
)
def test_another_day_shifts_the_dates_by_the_difference(name, column):
    order = table("cobalt", name)[column].sort()
    later = table("cobalt", name, DAY + timedelta(7))[column].sort()
    assert later.to_list() == (order + timedelta(7)).to_list()


def test_there_is_no_other_organization():
    with pytest.raises(KeyError):
        generate("acme", DAY)


# sizes


@pytest.mark.parametrize(
    ("org", "expected"),
    [
        ("aurora", {"audit_log": 100_056, "services": 40, "incidents": 300, "vendors": 60, "risks": 25}),
        ("brightline", {"audit_log": 30_000, "services": 18, "incidents": 120, "vendors": 28, "risks": 14}),
        ("cobalt", {"audit_log": 20_000, "services": 25, "incidents": 90, "vendors": 22, "risks": 12}),
    ],
)
def test_sizes_are_as_promised(org, expected):
    assert {name: table(org, name).height for name in expected} == expected


@pytest.mark.parametrize(("org", "services"), [("aurora", 8), ("brightline", 4), ("cobalt", 4)])
def test_slo_buckets_cover_31_days_and_a_sample_of_them_the_time_before(org, services):
    buckets = table(org, "slo_buckets")
    recent = buckets["bucket_at"] >= buckets["bucket_at"].max() - timedelta(days=31) + timedelta(minutes=5)
    assert buckets.filter(recent).height == services * 31 * 288
    began = buckets.filter(~recent).group_by("service_id").agg(pl.col("bucket_at").dt.date().min())["bucket_at"]
    expected = [430, 430, 320, 265, 210, 150, 105, 70][:services]
    assert sorted((DAY - on).days for on in began) == sorted(expected)


@pytest.mark.parametrize(
    ("org", "packs"),
    [
        ("aurora", "soc2 iso27001 pci-dss hipaa nist-csf cis-v8 cmmc-l2 gdpr-art32 fedramp-poam"),
        ("brightline", "soc2 iso27001 pci-dss gdpr-art32"),
        ("cobalt", "soc2 iso27001 nist-csf cis-v8 cmmc-l2 fedramp-poam"),
    ],
)
def test_the_packs_in_scope_are_as_promised(org, packs):
    assert set(table(org, "organization_frameworks")["framework"]) == set(packs.split())


def test_an_attestation_cycle_of_aurora_is_at_most_900_rows():
    assert 500 < table("aurora", "attestations").filter(pl.col("outcome").is_null()).height <= 900


@pytest.mark.parametrize(("org", "low", "high"), [("aurora", 68, 85), ("brightline", 82, 92), ("cobalt", 50, 66)])
def test_posture_ends_where_the_maturity_of_the_organization_puts_it(org, low, high):
    assert low <= table(org, "posture_snapshots").sort("taken_on")["score"][-1] <= high


def test_aurora_soc2_is_on_its_way():
    last = table("aurora", "readiness_snapshots").filter(framework="soc2").sort("taken_on").row(-1, named=True)
    assert 55 <= last["strict_pct"] <= 75
    assert 70 <= last["weighted_pct"] <= 85


@pytest.mark.parametrize("org", DEMO_ORGANIZATIONS)
def test_snapshots_agree_with_the_states_of_the_controls(org):
    changes = table(org, "control_state_changes").sort("observed_on")
    latest = changes.group_by("framework", "control_id").agg(pl.col("state").last())
    effective = dict(latest.filter(state="effective").group_by("framework").len().iter_rows())
    snapshots = table(org, "readiness_snapshots").sort("taken_on").group_by("framework").agg(pl.col("effective").last())
    assert {name: count for name, count in snapshots.iter_rows() if count} == effective


@pytest.mark.parametrize("org", DEMO_ORGANIZATIONS)
def test_posture_components_blend_to_the_score(org):
    shares = {
        "readiness": 0.35,
        "freshness": 0.2,
        "attestation": 0.15,
        "vendor": 0.1,
        "remediation": 0.1,
        "operations": 0.1,
    }
    for _, score, components, _ in table(org, "posture_snapshots").iter_rows():
        present = json.loads(components)
        blended = sum(shares[name] * value for name, value in present.items()) / sum(shares[name] for name in present)
        assert score == pytest.approx(blended, abs=0.051)


def acyclic(edges):
    while leaves := {needed for _, needed in edges} - {needs for needs, _ in edges}:
        edges = {edge for edge in edges if edge[1] not in leaves}
    return not edges


# stories


def test_auroras_iso_certificate_slipped_in_the_last_ten_weeks():
    slipped = {name: readiness("aurora", name, 11) - readiness("aurora", name, 0) for name in ("iso27001", "soc2")}
    assert slipped["iso27001"] > 12
    assert slipped["iso27001"] > 2 * slipped["soc2"]


def test_aurora_stopped_its_quarterly_access_reviews():
    reviews = table("aurora", "audit_log").filter(action="access.review.completed")
    assert WINDOWS["quarterly"] + 70 <= (DAY - reviews["occurred_at"].max().date()).days <= WINDOWS["quarterly"] + 80
    assert reviews.height >= 2


def test_two_policies_of_aurora_lapsed():
    active = table("aurora", "policies").filter(kind="governance", state="active")
    lapsed = active.filter(pl.col("review_due_on") < DAY)
    assert sorted(lapsed["title"]) == ["Access Control Policy", "Supplier Security Policy"]
    expired = table("aurora", "audit_log").filter(action="policy.expired")
    assert set(expired["object_id"]) == {"POL-AC-v2", "POL-SUP-v2"}


@pytest.mark.parametrize("org", ESTABLISHED)
def test_the_soc2_report_of_the_most_important_vendor_expired_two_months_ago(org):
    vendor = table(org, "vendors").filter(id="VEN-tarnfield-cloud").row(0, named=True)
    assert (vendor["tier"], vendor["outage_stops_service"]) == ("critical", True)
    held = table(org, "vendor_documents").filter(vendor_id=vendor["id"], kind="soc2_type2")
    assert (DAY - held["expires_on"].max()).days == 61
    assert table(org, "vendor_documents").filter(vendor_id=vendor["id"], kind="bridge_letter").is_empty()


@pytest.mark.parametrize(
    ("org", "name", "least"),
    [("aurora", "Priya Raman", 20), ("brightline", "Aoife Brennan", 12), ("cobalt", "Wade Thornton", 12)],
)
def test_in_a_week_five_weeks_ahead_one_owner_has_more_to_do_than_time(org, name, least):
    owner = person(org, name)
    due = table(org, "attestations").filter(pl.col("outcome").is_null() & pl.col("due_on").is_between(*PEAK))
    assert due.filter(owner=owner).height >= least
    available = table(org, "owner_capacity").filter(email=owner, week="2026-W52").row(0, named=True)
    assert (available["hours"] - available["absence_hours"]) * 0.8 < least
    others = due.filter(pl.col("owner") != owner).group_by("owner").len()
    assert others["len"].max() < least / 2


@pytest.mark.parametrize(
    ("org", "key"), [("aurora", "soc2:CC6.1"), ("brightline", "pci-dss:8.4.2"), ("cobalt", "iso27001:A.8.13")]
)
def test_a_test_of_a_key_control_failed_last_week(org, key):
    schedules = control(table(org, "testing_schedules"), key)
    runs = table(org, "test_runs").join(schedules.select("id"), left_on="schedule_id", right_on="id")
    newest = runs.drop_nulls("performed_on").sort("performed_on").row(-1, named=True)
    assert (newest["outcome"], newest["performed_on"]) == ("failed", date(2026, 11, 13))
    change = state(org, key)
    assert (change["previous"], change["state"], change["observed_on"]) == (
        "effective",
        "ineffective",
        date(2026, 11, 16),
    )
    event = table(org, "audit_log").filter(event_id=change["trigger_event"]).row(0, named=True)
    assert (event["action"], event["controls"], event["object_id"]) == ("control.test.failed", key, newest["id"])


@pytest.mark.parametrize(
    ("org", "key"),
    [("aurora", "pci-dss:3.5.1"), ("brightline", "pci-dss:11.3.1.1"), ("cobalt", "cmmc-l2:SC.L2-3.13.11")],
)
def test_an_expired_exception_is_still_relied_upon(org, key):
    exception = table(org, "exceptions").filter(id="EXC-001").row(0, named=True)
    assert f"{exception['framework']}:{exception['control_id']}" == key
    assert (exception["status"], (DAY - exception["expires_on"]).days) == ("approved", 25)
    assert state(org, key)["state"] not in ("effective", "not_applicable")
    relied = table(org, "remediations").filter(pl.col("compensating") == "EXC-001", pl.col("status") != "closed")
    assert relied.height >= 1


@pytest.mark.parametrize("org", ESTABLISHED)
def test_an_urgent_evidence_request_is_overdue(org):
    open_p1 = table(org, "evidence_requests").filter(pl.col("closed_on").is_null() & (pl.col("priority") == "P1"))
    overdue = open_p1.filter(pl.col("title") == "Evidence that access reviews were held").row(0, named=True)
    assert (DAY - overdue["due_on"]).days == 15


@pytest.mark.parametrize(
    ("org", "service"), [("aurora", "svc-claims-api"), ("brightline", "svc-checkout"), ("cobalt", "svc-control-plane")]
)
def test_a_release_burned_an_error_budget_and_caused_an_incident(org, service):
    release = (
        table(org, "deploys").filter(service_id=service, status="rolled_back").sort("deployed_at").row(-1, named=True)
    )
    incident = table(org, "incidents").filter(dedupe_key="release").row(0, named=True)
    assert incident["service_id"] == service
    assert incident["opened_at"] - release["deployed_at"] == timedelta(minutes=12)
    assert incident["root_cause"] == f"release {release['id']}"
    month = pl.col("bucket_at") >= release["deployed_at"] - timedelta(days=27)
    buckets = table(org, "slo_buckets").filter(month, service_id=service)
    assert buckets["bad"].sum() > 0.001 * buckets["total"].sum()
    since = pl.col("bucket_at").is_between(release["deployed_at"], release["deployed_at"] + timedelta(minutes=90))
    assert buckets.filter(since)["bad"].sum() > 0.8 * buckets["bad"].sum() * 0.6


@pytest.mark.parametrize("org", ESTABLISHED)
def test_attestations_are_overdue_and_somebody_is_named(org):
    overdue = table(org, "attestations").filter(pl.col("outcome").is_null() & (pl.col("due_on") < DAY))
    assert overdue.height >= 5
    assert overdue["owner"].null_count() == 0


@pytest.mark.parametrize("org", ESTABLISHED)
def test_one_control_is_excluded_with_a_justification_and_one_without(org):
    excluded = table(org, "control_profiles").filter(~pl.col("applicable"))
    reasoned = excluded.drop_nulls(["justification", "approved_by", "approved_on"])
    assert reasoned.height >= 1
    assert excluded.filter(pl.col("justification").is_null()).height == 1


@pytest.mark.parametrize(
    ("org", "name"), [("aurora", "Greg Halloran"), ("brightline", "Colm Keating"), ("cobalt", "Victor Strand")]
)
def test_somebody_who_left_is_still_accountable(org, name):
    gone = table(org, "users").filter(name=name).row(0, named=True)
    assert gone["active"] is False
    assert table(org, "control_owners").filter(email=gone["email"], raci="A").height >= 3
    assert table(org, "memberships").filter(email=gone["email"])["status"].item() == "removed"


def test_most_controls_of_aurora_have_exactly_one_accountable_person():
    accountable = (
        table("aurora", "control_owners").group_by("framework", "control_id").agg((pl.col("raci") == "A").sum())
    )
    shares = accountable["raci"].value_counts(normalize=True)
    assert dict(shares.iter_rows())[1] > 0.9
    assert set(accountable["raci"]) == {0, 1, 2}


def test_one_person_is_accountable_for_almost_everything_at_cobalt():
    accountable = table("cobalt", "control_owners").filter(raci="A")
    assert accountable.select((pl.col("email") == person("cobalt", "Wade Thornton")).mean()).item() > 0.4


@pytest.mark.parametrize("org", ESTABLISHED)
def test_risks_are_over_appetite_and_some_are_not_rated(org):
    risks = table(org, "risks").filter(status="open")
    over = risks.filter(pl.col("residual_likelihood") * pl.col("residual_impact") > pl.coalesce("appetite", 9))
    assert over.height >= 2
    assert risks["residual_impact"].null_count() >= 1


def leverage(org, key):
    """Requirements of frameworks in scope that full edges of the crosswalk unlock, itself included."""
    full = catalogue().crosswalk.filter(pl.col("relation").is_in(["equal", "superset"]), pl.col("strength") >= 0.8)
    framework, control_id = key.split(":", 1)
    out = full.filter(source_framework=framework, source_id=control_id).select("target_framework", "target_id")
    back = full.filter(relation="equal", target_framework=framework, target_id=control_id)
    edges = set(out.iter_rows()) | set(back.select("source_framework", "source_id").iter_rows())
    packs = set(table(org, "organization_frameworks")["framework"])
    return 1 + sum(1 for name, _ in edges if name in packs)


@pytest.mark.parametrize(
    ("org", "keys"),
    [
        ("aurora", ("soc2:A1.2", "soc2:CC6.8", "soc2:CC8.1")),
        ("brightline", ("soc2:A1.2", "soc2:CC6.8", "soc2:CC8.1")),
        ("cobalt", ("soc2:A1.2", "soc2:CC6.8", "soc2:CC8.1")),
    ],
)
def test_quick_wins_lack_nothing_but_the_first_signature_and_unlock_three_requirements(org, keys):
    for key in keys:
        assert control(table(org, "attestations"), key)["outcome"].to_list() == [None]
        assert state(org, key)["state"] == "partial"
        assert control(table(org, "remediations"), key).filter(pl.col("status") != "closed").height == 1
        assert leverage(org, key) >= 3


@pytest.mark.parametrize("org", ESTABLISHED)
def test_services_form_one_cycle(org):
    edges = set(table(org, "service_dependencies").select("service_id", "depends_on_id").iter_rows())
    both = {edge for edge in edges if edge[::-1] in edges}
    assert len(both) == 2
    assert any(acyclic(edges - {edge}) for edge in both)


@pytest.mark.parametrize("org", ESTABLISHED)
def test_data_leaves_the_boundary_without_an_agreement_and_a_service_is_undocumented(org):
    systems = table(org, "systems")
    outside = systems.filter(boundary="outside")["id"].implode()
    assert (
        table(org, "data_flows").filter(pl.col("to_system").is_in(outside), pl.col("agreement_ref").is_null()).height
        == 1
    )
    assert len(set(table(org, "services")["id"]) - set(systems["service_id"])) == 1


@pytest.mark.parametrize("org", ESTABLISHED)
def test_staffing_actions_are_proposed_for_the_peak_and_two_of_the_past_are_still_open(org):
    actions = table(org, "staffing_actions")
    assert set(actions.filter(status="proposed")["week"]) == {"2026-W52"}
    assert actions.filter(pl.col("status") == "open", pl.col("week") < "2026-W47").height == 2
    assert actions.filter(status="completed")["completed_on"].null_count() == 0


@pytest.mark.parametrize("org", ESTABLISHED)
def test_identifiers_are_for_people(org):
    assert all(re.fullmatch(r"INC-20\d\d-\d{4}", name) for name in table(org, "incidents")["id"])
    assert all(re.fullmatch(r"VEN-[a-z-]+", name) for name in table(org, "vendors")["id"])


@pytest.mark.parametrize("org", ESTABLISHED)
def test_a_weakness_that_attackers_use_is_open_past_its_date_on_a_public_service(org):
    weak = table(org, "findings").filter("known_exploited", "internet_reachable", status="open", severity="critical")
    overdue = weak.filter(pl.col("due_on") < DAY).row(0, named=True)
    assert (overdue["cvss"], overdue["due_on"]) == (9.8, DAY - timedelta(9))
    assert table(org, "services").filter(id=overdue["service_id"])["internet_facing"].item()


@pytest.mark.parametrize("org", ["aurora", "cobalt"])
def test_a_rule_of_hours_refuses_whoever_tries_outside_of_them(org):
    zone = table(org, "organizations")["time_zone"].item()
    refused = table(org, "policy_blocks").filter(reason="working-hours")
    clock = refused["blocked_at"].dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.hour()
    assert clock.filter(clock.is_between(6, 21)).to_list() == []
    assert clock.len()


@pytest.mark.parametrize("org", ["aurora", "cobalt"])
def test_the_overdue_access_review_is_not_outweighed_by_a_later_one(org):
    events = table(org, "audit_log").filter(pl.col("action").str.starts_with("access.review"))
    assert events.row(-1, named=True)["action"] == "access.review.overdue"
    assert set(events["outcome"]) == {"success"}


@pytest.mark.parametrize("org", ESTABLISHED)
def test_what_a_past_week_held_is_completed_or_slipped(org):
    weeks = table(org, "obligation_snapshots")
    assert weeks.height == 26
    assert (weeks["completed"] + weeks["slipped"]).to_list() == weeks["planned"].to_list()


@pytest.mark.parametrize("org", ["dune", *([pytest.param("cobalt", marks=pytest.mark.real)] if WHOLE else [])])
def test_a_demo_organization_can_be_imported_and_a_second_time_changes_nothing(sqlite_url, org):
    store = Store(sqlite_url)
    first = import_frames(store, demo(org), org_id=org, actor="admin@hq.example", now=NOW)
    again = import_frames(store, demo(org), org_id=org, actor="admin@hq.example", now=NOW)
    store.close()
    assert {name: counts.created for name, counts in first.tables.items()} == {
        name: frame.height for name, frame in demo(org).items()
    }
    assert not again.has_changes
