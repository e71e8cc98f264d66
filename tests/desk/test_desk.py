"""The desk: lists, forms and acts, who may do which; nothing that was typed is lost, and the chain holds."""

import re
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from sqlalchemy import select

from engine.desk import changes
from engine.desk.acts import ACTS
from engine.desk.records import list_columns
from engine.model.rights import DUTIES, RIGHTS, is_own, may
from engine.store.schema import IMPORTABLE, metadata
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organizations
from tests.conftest import NOW
from tests.desk.conftest import Browser

ROLES = ("owner", "admin", "operator", "member")
ROWS_OF_ACTS = (
    *(("remediations", "g1"), ("remediations", "g2"), ("attestations", "a1"), ("exceptions", "x1")),
    *(("vendors", "v1"), ("vendors", "v2"), ("incidents", "i1")),
)


def row(store, table, **key):
    found = metadata.tables[table]
    with store.reader() as connection:
        query = select(found).where(found.c.org_id == "acme", *(found.c[name] == value for name, value in key.items()))
        return dict(connection.execute(query).mappings().one())


def last_event(store):
    with store.reader() as connection:
        query = select(audit_log).where(audit_log.c.org_id == "acme").order_by(audit_log.c.seq.desc()).limit(1)
        return connection.execute(query).mappings().one()


def check(store):
    chain, rows = store.verify("acme"), store.verify_rows("acme")
    assert (chain.problem, rows.problem) == (None, None)


@pytest.mark.real
def test_every_importable_table_has_a_list_and_a_form(sign_in):
    owner = sign_in()
    for name, table in IMPORTABLE.items():
        form = owner.get(f"/tables/{name}/new")
        assert (owner.get(f"/tables/{name}").status, form.status) == (200, 200)
        columns = {field.removeprefix("cell.") for field in form.fields if field.startswith("cell.")}
        assert columns >= {column for column in table.info["primary"] if column not in ("org_id", "seq")}


def test_a_form_takes_a_framework_of_ones_own(sign_in, store):
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["own_frameworks"], [{"id": "annex", "title": "Security annex"}])
        revision.record("records.prepared")
    page = sign_in().get("/tables/control_owners/new").text
    assert [name in page for name in ('value="annex"', 'value="soc2"', 'value="other"')] == [True, True, False]


def test_a_list_says_what_a_control_of_ones_own_is_called(sign_in, store):
    with store.revision("acme", "ann@acme.example", now=NOW) as revision:
        revision.insert(metadata.tables["own_frameworks"], [{"id": "annex", "title": "Security annex"}])
        row = {"framework": "annex", "id": "A.1", "kind": "control", "title": "Keys are counted", "assessable": True}
        revision.insert(metadata.tables["framework_controls"], [{**row, "position": 0}])
        owner = {"framework": "annex", "control_id": "A.1", "email": "ann@acme.example", "raci": "R"}
        revision.insert(metadata.tables["control_owners"], [owner])
        revision.record("import.completed")
    assert "Keys are counted" in sign_in().get("/tables/control_owners").text


def test_a_week_is_of_seven_days_as_on_the_page_of_the_person(sign_in, store):
    days = {f"a{number}": NOW.date() + timedelta(days=number) for number in (6, 7, 30, 31)}
    with store.revision("acme", "ann@acme.example", now=NOW) as revision:
        about = {"framework": "soc2", "control_id": "CC1.1", "owner": "member@acme.example"}
        revision.insert(
            metadata.tables["attestations"], [{**about, "id": id, "due_on": day} for id, day in days.items()]
        )
        revision.record("import.completed")
    assert " 2 due within a week, 2 more within 30 days." in sign_in("member").get("/").words


def test_my_work_says_what_is_late_and_has_its_acts(sign_in):
    page = sign_in("member").get("/")
    assert "1 thing is late, the oldest by 5 days: Keys are shared. 2 due" not in page.words
    assert (
        "1 thing is late, the oldest by 5 days: Keys are shared. 1 due within a week, 0 more within 30 days."
        in page.words
    )
    assert re.findall(r"act/(\w+)\?", page.text) == ["move", "finish", "attest", "delegate"]
    assert "Waits for" not in page.words
    admin = sign_in("admin").get("/")
    assert "Waits for a decision or an owner 2" in admin.words
    assert (
        "2 records wait for a decision or an owner. Nothing of yours is late, and nothing is due in the next 30 days."
        in admin.words
    )
    assert "This week" not in admin.words


@pytest.mark.parametrize("path", ["/", "/tables/attestations"])
def test_of_an_address_only_what_the_desk_says_itself_is_shown(sign_in, path):
    member = sign_in("member")
    assert "Attest: written." in member.get(f"{path}?notice=Attest%3A+written.").words
    assert "Attestations: nothing was new." in member.get(f"{path}?notice=Attestations%3A+nothing+was+new.").words
    assert "evil" not in member.get(f"{path}?notice=Call+evil%40example.com%3A+written.").text


def test_an_owner_attests_moves_a_gap_and_the_chain_holds(sign_in, store):
    member = sign_in("member")
    answer = member.fill("/tables/attestations/act/attest?key.id=a1&back=%2F")
    assert (answer.status, answer.header("Location")) == (303, "/?notice=Attest%3A+written.")
    attested = row(store, "attestations", id="a1")
    assert (attested["outcome"], attested["attestor"], attested["attested_at"]) == (
        "attested",
        "member@acme.example",
        NOW,
    )
    event = last_event(store)
    assert (event["actor"], event["action"], event["object_id"]) == ("member@acme.example", "attestation.signed", "a1")
    assert event["controls"] == "soc2:CC1.1"
    before = store.head("acme").seq
    moved = member.fill("/tables/remediations/act/move?key.id=g1", due_on="2026-12-24")
    assert moved.status == 303
    assert (row(store, "remediations", id="g1")["due_on"].isoformat(), store.head("acme").seq) == (
        "2026-12-24",
        before + 1,
    )
    check(store)


def test_the_event_of_a_change_names_the_columns_that_changed_alone(sign_in, store):
    owner = sign_in()
    assert owner.fill("/tables/vendors/row?key.id=v1", tier="critical").status == 303
    about = {"table": "vendors", "act": "change", "columns": ["tier"]}
    assert last_event(store)["details"] == about
    assert owner.fill("/tables/remediations/act/take?key.id=g2", due_on="15 Dec 2026").status == 303
    assert last_event(store)["details"]["columns"] == ["owner", "due_on", "status"]
    assert owner.fill("/tables/vendors/new", name="New", category="saas", tier="low").status == 303
    assert last_event(store)["details"]["columns"] == ["name", "owner", "category", "tier", "status"]


@pytest.mark.parametrize("address", ["/tables/vendors/row?key.id=v1", "/tables/vendors/act/review?key.id=v1"])
def test_why_is_a_reason_and_no_document(sign_in, store, address):
    owner, head = sign_in(), store.head("acme")
    fields = owner.get(address).fields
    answer = owner.post(address, fields | {"why": "x" * 2_001})
    assert (answer.status, store.head("acme")) == (400, head)
    assert "Nothing was written: 1 field to correct." in answer.words
    assert "Expected at most 2,000 characters; got 2,001." in answer.words
    assert answer.fields["why"] == "x" * 2_001
    assert owner.post(address, fields | {"why": "x" * 2_000, "cell.tier": "low"}).status == 303


def test_nobody_attests_without_a_statement(sign_in, store):
    member, head = sign_in("member"), store.head("acme")
    address = "/tables/attestations/act/attest?key.id=a1"
    assert "Statement (needed)" in member.get(address).words
    answer = member.fill(address, statement="", outcome="rejected")
    assert (answer.status, store.head("acme")) == (400, head)
    assert "Expected what is attested; got nothing." in answer.words
    assert answer.fields["cell.outcome"] == "rejected"
    admin, row_address = sign_in("admin"), "/tables/attestations/row?key.id=a1"
    answer = admin.fill(row_address, statement=" ", outcome="attested")
    assert (answer.status, store.head("acme")) == (400, head)
    assert "Expected what is attested; got nothing." in answer.words
    assert admin.fill(row_address, statement="").status == 303
    assert admin.fill(row_address, statement="It held.", outcome="attested").status == 303
    assert admin.fill(row_address, statement="").status == 400


def test_what_was_attested_without_a_statement_may_stay_so(sign_in, store):
    with store.revision("acme", "setup", now=NOW) as revision:
        about = {**row(store, "attestations", id="a1"), "statement": None, "attested_at": NOW}
        revision.insert(metadata.tables["attestations"], [{**about, "id": "a2", "outcome": "attested"}])
        revision.record("records.prepared")
    assert sign_in().fill("/tables/attestations/row?key.id=a2", owner="admin@acme.example").status == 303
    assert row(store, "attestations", id="a2")["owner"] == "admin@acme.example"


def test_an_act_that_is_over_is_refused(sign_in):
    member = sign_in("member")
    page = member.get("/tables/attestations/act/attest?key.id=a1")
    assert member.post("/tables/attestations/act/attest?key.id=a1", page.fields).status == 303
    again = member.post("/tables/attestations/act/attest?key.id=a1", page.fields)
    assert (again.status, "it stands otherwise now" in again.words) == (409, True)


def test_an_exception_that_is_in_force_is_renewed_or_ended(sign_in, store):
    admin, until = sign_in("admin"), (NOW + timedelta(days=90)).date()
    assert "act/renew" not in admin.get("/tables/exceptions/row?key.id=x1").text
    assert admin.fill("/tables/exceptions/act/accept?key.id=x1").status == 303
    assert admin.fill("/tables/exceptions/act/renew?key.id=x1").status == 303
    renewed = row(store, "exceptions", id="x1")
    assert (renewed["expires_on"], renewed["approver"], renewed["renewals"]) == (until, "admin@acme.example", 1)
    assert last_event(store)["action"] == "exception.approved"
    assert admin.fill("/tables/exceptions/act/end?key.id=x1").status == 303
    assert row(store, "exceptions", id="x1")["status"] == "resolved"
    assert admin.get("/tables/exceptions/act/renew?key.id=x1").status == 409
    check(store)


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example", "x"])
def test_an_act_leads_back_to_a_page_of_the_desk_only(sign_in, back):
    owner = sign_in()
    page = owner.get("/tables/remediations/act/move?key.id=g1")
    done = owner.post("/tables/remediations/act/move?key.id=g1", page.fields | {"back": back})
    assert (done.status, done.header("location").partition("?")[0]) == (303, "/tables/remediations")


def test_a_day_that_is_set_is_not_over_and_the_one_on_record_may_stay(sign_in, store):
    owner, head, past = sign_in(), store.head("acme"), (NOW - timedelta(days=1)).date().isoformat()
    answer = owner.fill("/tables/exceptions/act/accept?key.id=x1", expires_on=past)
    assert (answer.status, store.head("acme")) == (400, head)
    assert f"Expected a day from {NOW.date()} up to 2036-11-20; got {past}." in answer.words
    assert row(store, "remediations", id="g1")["due_on"] < NOW.date()
    assert owner.fill("/tables/remediations/act/move?key.id=g1").status == 303


@pytest.mark.parametrize(
    ("act", "cells", "expected"),
    [
        ("attestations/act/attest?key.id=a1", {"outcome": ""}, "Expected one of attested, rejected; got nothing."),
        ("remediations/act/move?key.id=g1", {"due_on": ""}, "Expected a day; got nothing."),
        (
            "remediations/act/finish?key.id=g1",
            {"closed_on": "2020-01-01"},
            "Expected a day from 2026-11-20 on up to 2026-11-20; got 2020-01-01.",
        ),
        ("remediations/act/finish?key.id=g1", {"closed_on": "2030-01-01"}, "Expected a day up to 2026-11-20; got"),
        ("vendors/act/review?key.id=v1", {"last_review_on": "2031-01-01"}, "Expected a day up to 2026-11-20; got"),
        ("remediations/row?key.id=g1", {"closed_on": "2030-01-01"}, "Expected a day up to 2026-11-20; got"),
        ("attestations/act/delegate?key.id=a1", {"delegated_to": ""}, "Expected who signs in place of the owner;"),
        (
            "attestations/act/delegate?key.id=a1",
            {"delegated_to": "nobody@nowhere.example"},
            "Expected the address of an active member; got nobody@nowhere.example.",
        ),
    ],
)
def test_an_act_that_says_what_cannot_be_is_refused_at_the_field(sign_in, store, act, cells, expected):
    owner, head = sign_in(), store.head("acme")
    answer = owner.fill(f"/tables/{act}", **cells)
    assert (answer.status, store.head("acme")) == (400, head)
    assert expected in answer.words


def test_signing_out_ends_the_session_wherever_its_cookie_was_copied_to(sign_in, store):
    owner = sign_in()
    fields = {"form_token": owner.get("/import").fields["form_token"]}
    assert owner.post("/sign-out", fields).status == 303
    assert last_event(store)["action"] == "session.ended"
    assert Browser(owner.desk, owner.cookie).get("/").status == 401
    check(store)


def test_my_work_names_the_framework_of_a_control_and_the_organization(sign_in):
    words = sign_in("member").get("/").words
    assert ("CC1.1 Integrity and ethical values SOC 2" in words, "Acme · " in words) == (True, True)


def test_a_bad_cell_is_told_at_its_field_and_nothing_is_lost(sign_in, store):
    owner, head = sign_in(), store.head("acme")
    answer = owner.fill("/tables/vendors/new", name="Meety", category="saas", tier="huge", onboarded_on="soon")
    assert (answer.status, store.head("acme")) == (400, head)
    assert "Expected one of critical, high, medium, low; probably high; got huge." in answer.words
    assert "Expected a date such as 2026-11-20; got soon." in answer.words
    fields = answer.fields
    assert (fields["cell.name"], fields["cell.tier"], fields["cell.onboarded_on"]) == ("Meety", "huge", "soon")
    good = owner.post("/tables/vendors/new", fields | {"cell.tier": "high", "cell.onboarded_on": "2026-11-01"})
    assert (good.status, row(store, "vendors", id="meety")["tier"]) == (303, "high")
    twice = owner.post("/tables/vendors/new", fields | {"cell.tier": "low", "cell.onboarded_on": "2026-11-01"})
    assert (twice.status, row(store, "vendors", id="meety")["tier"]) == (409, "high")
    check(store)


def test_a_form_that_was_filled_while_the_record_changed_says_what_changed_and_keeps_what_was_typed(sign_in, store):
    owner, admin = sign_in(), sign_in("admin")
    page = owner.get("/tables/vendors/row?key.id=v1")
    assert admin.fill("/tables/vendors/row?key.id=v1", region="EU", tier="critical").status == 303
    mine = page.fields | {"cell.service": "Hosting", "cell.region": "US"}
    answer = owner.post("/tables/vendors/row?key.id=v1", mine)
    assert answer.status == 409
    assert "This record changed while you wrote" in answer.words
    assert "Region – EU US" in answer.words
    assert "Tier high critical –" in answer.words, "nothing was typed there"
    fields = answer.fields
    assert (fields["cell.service"], fields["cell.region"], fields["cell.tier"]) == ("Hosting", "US", "critical")
    assert row(store, "vendors", id="v1")["service"] is None
    assert owner.post("/tables/vendors/row?key.id=v1", fields).status == 303
    now = row(store, "vendors", id="v1")
    assert (now["service"], now["region"], now["tier"]) == ("Hosting", "US", "critical")
    check(store)


def test_an_empty_field_empties(sign_in, store):
    owner = sign_in()
    owner.fill("/tables/vendors/row?key.id=v1", service="Hosting")
    owner.fill("/tables/vendors/row?key.id=v1", service="")
    assert row(store, "vendors", id="v1")["service"] is None


def test_closing_an_incident_adds_to_its_timeline_in_the_same_revision(sign_in, store):
    head = store.head("acme").seq
    assert sign_in("operator").fill("/tables/incidents/act/close?key.id=i1", root_cause="a cable").status == 303
    incident = row(store, "incidents", id="i1")
    assert (incident["status"], incident["closed_at"], incident["root_cause"]) == ("closed", NOW, "a cable")
    assert row(store, "incident_timeline", incident_id="i1")["body"] == "Closed by hand at the desk"
    assert store.head("acme").seq == head + 2
    check(store)


def test_every_act_has_rights_and_every_right_an_act():
    named = {(table, act) for table, act in RIGHTS if act not in ("read", "add", "change", "import")}
    assert named == set(ACTS)
    assert set(DUTIES) <= set(IMPORTABLE)


@pytest.mark.real
def test_the_desk_does_what_the_table_of_rights_says(sign_in, store):
    """Each act of each table as each role, to a row of somebody else and to one of one's own."""
    people = {role: sign_in(role) for role in ROLES}
    tokens = {role: person.get("/import").fields["form_token"] for role, person in people.items()}
    done = 0
    for table, key, act in [(t, k, a) for t, k in ROWS_OF_ACTS for at, a in ACTS if at == t]:
        for role in ("member", "operator", "admin", "owner"):
            found = row(store, table, id=key)
            if not ACTS[table, act].applies(found):
                continue
            own = is_own(table, found, f"{role}@acme.example")
            allowed, head = may(role, table, act, own=own), store.head("acme")
            address = f"/tables/{table}/act/{act}?key.id={key}"
            page = people[role].get(address)
            assert page.status == (200 if allowed else 403), (role, table, act)
            fields = (page if allowed else people["owner"].get(address)).fields | {"form_token": tokens[role]}
            assert people[role].post(address, fields).status == (303 if allowed else 403), (role, table, act)
            assert allowed or store.head("acme") == head
            done += 1
    assert done > 20
    check(store)


@pytest.mark.real
def test_lists_and_forms_follow_the_table_of_rights(sign_in):
    for role in ROLES:
        person = sign_in(role)
        for table in IMPORTABLE:
            assert person.get(f"/tables/{table}").status == (200 if may(role, table, "read") else 403)
            assert person.get(f"/tables/{table}/new").status == (200 if may(role, table, "add") else 403)


def test_a_member_cannot_make_themselves_the_owner_of_what_is_not_theirs(sign_in, store):
    member = sign_in("member")
    token = member.get("/import").fields["form_token"]
    fields = {"form_token": token, "cell.owner": "member@acme.example", "seen": "1"}
    assert member.post("/tables/vendors/row?key.id=v2", fields).status == 403
    assert (
        member.post("/tables/memberships/new", fields | {"cell.email": "x@acme.example", "cell.role": "owner"}).status
        == 403
    )
    assert member.drop("vendors.csv", b"name,category,tier\nNew,saas,low\n").status == 403
    assert row(store, "vendors", id="v2")["owner"] is None


def test_the_last_owner_stays(sign_in):
    answer = sign_in().fill("/tables/memberships/row?key.email=owner%40acme.example", role="member")
    assert (answer.status, "at least one active owner" in answer.words) == (409, True)


def test_a_dropped_file_is_shown_cell_by_cell_corrected_and_applied(sign_in, store):
    owner, head = sign_in(), store.head("acme")
    content = b"id,name,category,tier,region\nv1,Cloudy,cloud,critical,EU\nv9,Newy,saas,huge,\nv2,Payo,payments,low,\n"
    shown = owner.drop("vendors.csv", content)
    assert (shown.status, store.head("acme")) == (400, head)
    assert "vendors.csv 3 tier one of critical, high, medium, low; probably high huge" in shown.words
    assert "vendors.csv: 0 new, 1 changed, 1 as they were, 1 refused." in shown.words
    assert "Tier: high → critical" in shown.words
    assert "Region: – → EU" in shown.words
    fields = shown.fields
    fixed = owner.post("/import/apply", fields | {"fix.3.tier.vendors.csv": "medium"})
    assert (fixed.status, "1 new, 1 changed, 1 as they were." in fixed.words) == (200, True)
    assert store.head("acme") == head
    applied = owner.post("/import/apply", fixed.fields | {"apply": "yes"})
    assert (applied.status, "vendors.csv, Vendors : 1 new, 1 changed, 1 as they were" in applied.words) == (200, True)
    assert row(store, "vendors", id="v9")["tier"] == "medium"
    assert last_event(store)["actor"] == "owner@acme.example"
    again = owner.post("/import/apply", fixed.fields | {"apply": "yes"})
    assert (again.status, "drop it again" in again.words) == (404, True)
    check(store)


def test_a_file_is_shown_again_where_its_records_changed_since(sign_in, store):
    owner, admin = sign_in(), sign_in("admin")
    shown = owner.drop("vendors.csv", b"id,name,category,tier\nv1,Cloudy,cloud,medium\n")
    assert admin.fill("/tables/vendors/row?key.id=v1", tier="critical").status == 303
    answer = owner.post("/import/apply", shown.fields | {"apply": "yes"})
    assert (answer.status, "Somebody changed these records since you looked" in answer.words) == (409, True)
    assert "Tier: critical → medium" in answer.words
    assert row(store, "vendors", id="v1")["tier"] == "critical"
    assert owner.post("/import/apply", answer.fields | {"apply": "yes"}).status == 200
    assert row(store, "vendors", id="v1")["tier"] == "medium"


def test_a_workbook_that_becomes_too_large_is_refused(sign_in, tmp_path, monkeypatch):
    with xlsxwriter.Workbook(tmp_path / "vendors.xlsx", {"constant_memory": True}) as book:
        sheet = book.add_worksheet("vendors")
        for row in range(3_000):
            sheet.write_string(row, 0, "a" * 500)
    monkeypatch.setattr(changes, "UNPACKED_BYTES", 1_000_000)
    answer = sign_in().drop("vendors.xlsx", (tmp_path / "vendors.xlsx").read_bytes())
    assert "has more than 1,000,000 bytes when unpacked: split it, or use hq import" in answer.words


def test_a_parquet_file_that_becomes_too_large_is_refused(sign_in, tmp_path, monkeypatch):
    pq.write_table(pa.table({"name": ["a" * 500] * 3_000}), tmp_path / "vendors.parquet")
    monkeypatch.setattr(changes, "UNPACKED_BYTES", 1_000_000)
    answer = sign_in().drop("vendors.parquet", (tmp_path / "vendors.parquet").read_bytes())
    said = "has more than 1,000,000 bytes of text: 1,500,000 came; split it, or use hq import where the console runs."
    assert (answer.status, said in answer.words) == (400, True)


def test_another_persons_upload_is_not_there(sign_in):
    shown = sign_in().drop("vendors.csv", b"name,category,tier\nNew,saas,low\n")
    admin = sign_in("admin")
    fields = {"form_token": admin.get("/import").fields["form_token"], "upload": shown.fields["upload"], "apply": "yes"}
    assert admin.post("/import/apply", fields).status == 404


def test_a_list_filters_sorts_counts_and_pages(sign_in):
    owner = sign_in()
    page = owner.get("/tables/remediations")
    assert "2 rows, 2 late." in page.words
    assert "1 row of 2" in owner.get("/tables/remediations?owner=-").words
    assert "1 row of 2" in owner.get("/tables/remediations?q=KEYS").words
    assert "0 rows of 2" in owner.get("/tables/remediations?state=closed").words
    titles = re.findall(r'<th scope="row"><a[^>]*>([^<]*)', owner.get("/tables/remediations?sort=-title").text)
    assert titles == ["No reviews", "Keys are shared"]
    assert owner.get("/tables/remediations?sort=nothing").status == 400
    assert owner.get("/tables/nothing").status == 404


def test_a_list_sorts_words_as_the_vocabulary_ranks_them_and_texts_by_their_letters(sign_in, store):
    about = {"framework": "soc2", "control_id": "CC6.1", "opened_on": NOW.date(), "status": "open"}
    severities = ("medium", "low", "critical", "high")
    rows = [{**about, "id": word, "title": word, "severity": word} for word in severities]
    with store.revision("other", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["remediations"], rows)
        revision.record("records.prepared")
    owner = sign_in("owner", "other")

    def sorted_by(column):
        return re.findall(r'<th scope="row"><a[^>]*>([^<]*)', owner.get(f"/tables/remediations?sort={column}").text)

    assert sorted_by("severity") == ["critical", "high", "medium", "low"]
    assert sorted_by("-severity") == ["low", "medium", "high", "critical"]
    assert sorted_by("title") == ["critical", "high", "low", "medium"]


def test_a_list_begins_with_what_is_late_and_ends_with_what_was_done_long_ago(sign_in, store):
    days = {"late": ("open", -9), "soon": ("open", 3), "undated": ("open", None)}
    days |= {"new": ("closed", -1), "old": ("closed", -90)}
    rows = [
        {"id": name, "framework": "soc2", "control_id": "CC6.1", "title": name, "severity": "low", "status": status}
        | {"opened_on": NOW.date(), "due_on": None if number is None else NOW.date() + timedelta(days=number)}
        for name, (status, number) in days.items()
    ]
    with store.revision("other", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["remediations"], rows)
        revision.record("records.prepared")
    page = sign_in("owner", "other").get("/tables/remediations")
    titles = re.findall(r'<th scope="row"><a[^>]*>([^<]*)', page.text)
    assert titles == ["late", "soon", "undated", "new", "old"]


def test_two_files_of_one_name_are_not_taken_for_one(sign_in):
    owner = sign_in()
    fields = {"form_token": owner.get("/import").fields["form_token"], "table": "vendors"}
    rows = "id,name,category,tier\n{0},New,saas,low\n"
    parts = "".join(
        f'--XX\r\nContent-Disposition: form-data; name="file"; filename="{name}.csv"\r\n\r\n{rows.format(name)}\r\n'
        for name in ("a", "b")
    )
    texts = "".join(
        f'--XX\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields.items()
    )
    body = f"{texts}{parts}--XX--\r\n".encode()
    answer = owner.call("POST", "/import", body, content_type="multipart/form-data; boundary=XX")
    assert (answer.status, "read as vendors.csv: drop them one by one" in answer.words) == (400, True)


def test_only_who_may_import_is_led_to_it(sign_in):
    led = {role: "Import a file" in sign_in(role).get("/").words for role in ROLES}
    assert led == {"owner": True, "admin": True, "operator": True, "member": False}
    assert "Your role imports no files." in sign_in("member").get("/import").words


def test_a_list_has_each_column_once_and_addresses_beside_names(sign_in, store):
    assert {name: columns for name in IMPORTABLE if len(set(columns := list_columns(name))) < len(columns)} == {}
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.upsert(metadata.tables["memberships"], [{"email": "member@acme.example", "display_name": "Mia"}])
        revision.insert(metadata.tables["users"], [{"email": "member@acme.example", "name": "Mia"}])
        owner = {"framework": "soc2", "control_id": "CC6.1", "email": "member@acme.example", "raci": "R"}
        revision.insert(metadata.tables["control_owners"], [owner])
        revision.record("records.prepared")
    page = sign_in().get("/tables/memberships?q=member@")
    assert re.findall(r'sort=(\w+)">([^<]*)', page.text)[:2] == [("display_name", "Display name"), ("email", "E-mail")]
    assert "To do Mia member@acme.example Member" in page.words
    page = sign_in().get("/tables/control_owners")
    assert (re.findall(r'sort=email">([^<]*)', page.text), "Person anybody Mia (1)" in page.words) == (["Person"], True)


def test_who_may_only_read_a_row_reads_words(sign_in, store):
    with store.revision("acme", "setup", now=NOW) as revision:
        change = {"id": "v2", "handles_phi": False, "onboarded_on": NOW.date(), "owner": "admin@acme.example"}
        revision.upsert(metadata.tables["vendors"], [{**change, "status": "in_progress"}])
        revision.insert(metadata.tables["users"], [{"email": "admin@acme.example", "name": "Ada"}])
        revision.record("records.prepared")
    page = sign_in("member").get("/tables/vendors/row?key.id=v2")
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page.text))
    wanted = {"Tier": "Low", "Handles PHI": "No", "Onboarded": "20 Nov 2026", "Owner": "Ada", "Status": "In progress"}
    assert {name: facts.get(name) for name in wanted} == wanted
    assert "your role does not change it" in page.words


def test_foreign_rows_do_not_exist(sign_in):
    assert sign_in("owner", "other").get("/tables/vendors/row?key.id=v1").status == 404
    assert "Nothing is recorded yet" in sign_in("owner", "other").get("/tables/vendors").words


def test_without_a_session_there_is_a_page_that_says_how(desk):
    page = Browser(desk).get("/tables/vendors")
    assert (page.status, "hq session --email you@example.com --link" in page.words) == (401, True)


def test_a_post_needs_the_token_of_its_session_and_its_own_origin(sign_in, store):
    owner, admin, head = sign_in(), sign_in("admin"), store.head("acme")
    fields = owner.get("/tables/vendors/new").fields | {"cell.name": "N", "cell.category": "c", "cell.tier": "low"}
    assert owner.post("/tables/vendors/new", fields | {"form_token": ""}).status == 403
    assert admin.post("/tables/vendors/new", fields).status == 403
    assert owner.post("/tables/vendors/new", fields, origin="https://evil.example").status == 403
    assert owner.post("/tables/vendors/new", fields, sec_fetch_site="same-site").status == 403
    assert store.head("acme") == head
    assert (
        owner.post("/tables/vendors/new", fields, origin="http://localhost:8090", sec_fetch_site="same-origin").status
        == 303
    )


def test_pages_run_no_script_and_cannot_be_framed(sign_in):
    page = sign_in().get("/")
    policy = page.header("Content-Security-Policy")
    assert ("default-src 'none'" in policy, "frame-ancestors 'none'" in policy, "script-src" in policy) == (
        True,
        True,
        False,
    )
    assert (page.header("X-Frame-Options"), "<script" in page.text, " style=" in page.text) == ("DENY", False, False)


def test_what_people_type_is_text_on_every_page(sign_in):
    owner = sign_in()
    owner.fill("/tables/vendors/row?key.id=v1", name="<script>alert(1)</script>", service='"><b>')
    for address in ("/tables/vendors", "/tables/vendors/row?key.id=v1", "/tables/vendors?q=%22%3E%3Cb%3E"):
        assert "<script" not in owner.get(address).text
        assert '"><b>' not in owner.get(address).text


def test_the_organization_itself_has_one_row(sign_in, store):
    owner = sign_in()
    assert owner.fill("/tables/organizations/row?key.id=acme", name="Acme Limited").status == 303
    with store.reader() as connection:
        names = connection.execute(select(organizations.c.name).where(organizations.c.id == "acme")).scalars().all()
    assert names == ["Acme Limited"]
    check(store)


def test_evidence_that_comes_with_an_act_is_held_in_the_same_revision(sign_in, store):
    member, head = sign_in("member"), store.head("acme").seq
    address = "/tables/attestations/act/attest?key.id=a1"
    answer = member.multipart(address, member.get(address).fields, "review.pdf", b"%PDF-1.7 minutes")
    assert (answer.status, row(store, "attestations", id="a1")["outcome"]) == (303, "attested")
    item = row(store, "evidence_items", title="review.pdf")
    assert (item["held_bytes"], item["owner"], item["source"]) == (16, "member@acme.example", "desk")
    assert row(store, "evidence_links", evidence_id=item["id"])["control_id"] == "CC1.1"
    with store.reader() as connection:
        ours = audit_log.c.org_id == "acme"
        actions = connection.execute(select(audit_log.c.action).where(ours, audit_log.c.seq > head)).scalars().all()
    assert actions == ["attestation.signed", "evidence.collected"]
    check(store)


def test_what_a_snapshot_saw_is_nothing_to_change(sign_in, store):
    """Another past would be a better change since."""
    with store.revision("acme", "system:snapshots", now=NOW) as revision:
        row = {"taken_on": NOW.date(), "score": 40.0}
        revision.insert(metadata.tables["posture_snapshots"], [row])
        revision.record("posture.snapshot")
    owner = sign_in("owner")
    address = f"/tables/posture_snapshots/row?key.taken_on={NOW.date()}"
    page = owner.get(address)
    assert (page.status, 'name="cell.score"' in page.text) == (200, False)
    assert owner.post(address, {**owner.get("/import").fields, "cell.score": "90"}).status == 403


def test_an_event_is_recorded_in_ones_own_name(sign_in, store):
    admin = sign_in("admin")
    form = admin.get("/tables/audit_log/new").text
    assert 'value="admin@acme.example"' in form
    cells = {"event_id": "review-1", "occurred_at": "2026-11-20T08:00:00Z", "action": "access.review.completed"}
    answer = admin.fill("/tables/audit_log/new", **{**cells, "actor": "ciso@acme.example"})
    assert (answer.status, "your own address, admin@acme.example" in answer.words) == (400, True)
    before = store.head("acme").seq
    answer = admin.fill("/tables/audit_log/new", **cells)
    assert answer.status == 303, answer.words
    assert store.head("acme").seq > before
    event = last_event(store)
    assert (event["action"], event["object_id"]) == ("record.added", "review-1")
