"""A person is taken out of rows and history, and the rest is still proved."""

import json
import zlib
from datetime import date, timedelta

import pytest
from sqlalchemy import select, text

from engine.model.records.pseudonyms import Pseudonym
from engine.store.log.log_lines import pack, read_part
from engine.store.removal.person_erasure import erase_person, events_naming
from engine.store.removal.retention import purge_incidents
from engine.store.schema import metadata
from engine.store.schema.audit import access_log, change_log, legal_holds
from engine.store.schema.controls import attestations, control_owners
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.organizations import memberships, users
from engine.store.schema.outputs import deliveries, delivery_contents
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.store.log.test_row_check import by_hand, log_bodies

ANN = "ann@acme.example"
SAID = "erased:0123456789abcdef"
ROW = {"framework": "soc2", "control_id": "CC6.1", "due_on": date(2026, 12, 1)}


def write(store, *rows, at=NOW, actor="me"):
    with store.revision("acme", actor, now=at) as revision:
        for table, values in rows:
            revision.upsert(table, [values])
        revision.record("rows.written")


def erase(store, *names, email=ANN, said=SAID, at=NOW):
    with store.revision("acme", "console", now=at) as revision:
        return erase_person(revision, Pseudonym(email, names, said))


def rows_of(store, table):
    with store.reader() as connection:
        found = connection.execute(
            select(table).where(table.c.org_id == "acme").order_by(*table.primary_key)
        ).mappings()
        return [{name: value for name, value in row.items() if name not in ("org_id", "revision")} for row in found]


def everything(store):
    """All that the store holds of an organization but its events, as one text."""
    said = []
    with store.reader() as connection:
        for table in metadata.sorted_tables:
            if table.name == "change_log":
                said += [zlib.decompress(body).decode() for body in connection.execute(select(table.c.body)).scalars()]
            elif table.name != "audit_log":
                said += [str(tuple(row)) for row in connection.execute(select(table))]
    return "\n".join(said)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ann@acme.example", SAID),
        ("Ask <Ann@ACME.example>.", f"Ask <{SAID}>."),
        ("mailto:ann@acme.example?subject=x", f"mailto:{SAID}?subject=x"),
        ("?to=ann%40acme.example&x", f"?to={SAID}&x"),
        ("joann@acme.example, ann@acme.example.org, ann@acme.examples", None),
        ("ann.o@acme.example ann-ann@acme.example", None),
        (r'{"text":"Ask:\nann@acme.example\tor Ann\nNguyen"}', rf'{{"text":"Ask:\n{SAID}\tor {SAID}"}}'),
        ("mailto%3Aann%40acme.example%2Cjo%2Eann%40acme.example", f"mailto%3A{SAID}%2Cjo%2Eann%40acme.example"),
        ("ann@acme.example_ ann@acme.example- ann@acme.example-x.org", f"{SAID}_ {SAID}- ann@acme.example-x.org"),
        ("o'ann@acme.example 'ann@acme.example'", f"o'ann@acme.example '{SAID}'"),
        ("ann+x@acme.example x+ann@acme.example x%2Bann@acme.example", None),
        ("ann  NGUYEN said so, Joann Nguyen did not", f"{SAID} said so, Joann Nguyen did not"),
        ("ann", None),
        ("", None),
    ],
)
def test_an_address_is_found_where_it_stands_for_itself(before, after):
    assert Pseudonym(ANN, ["Ann Nguyen", "Ann"], SAID).in_text(before) == (before if after is None else after)


@pytest.mark.parametrize(
    ("email", "name", "text"),
    [
        ("a+b@x.example", "", "a+b@x.example a%2Bb%40x.example A%2bB@x.example"),
        (
            "jürgen@x.example",
            "",
            "JÜRGEN@x.example j%C3%BCrgen%40x.example J%C3%9CRGEN@x.example ju\u0308rgen@x.example",
        ),
        ("ju\u0308rgen@x.example", "", "jürgen@x.example ju\u0308rgen@x.example"),
        ("c@x.example", "Conor O'Brien", "Conor O'Brien Conor O’Brien CONOR O&#39;BRIEN Conor%20O%27Brien"),
        ("c@x.example", "José Núñez", "JOSÉ NÚÑEZ Jose\u0301 Nu\u0301n\u0303ez José\xa0Núñez"),
    ],
)
def test_a_person_is_found_however_letters_are_spelled(email, name, text):
    person = Pseudonym(email, [name], "~")
    assert set(person.in_text(text)) == {"~", " "}
    lowered = text.lower()
    assert all(part in lowered for parts in person.needles[-1:] for part in parts)


def test_a_name_of_one_word_is_found_where_nothing_else_is_said():
    person = Pseudonym(ANN, ["Ann"], SAID)
    assert person.in_people("Ann; ben@acme.example; Annette") == f"{SAID}; ben@acme.example; Annette"
    assert person.in_value({"by": ["Ann", ANN, 1, None]}) == {"by": ["Ann", SAID, 1, None]}


def test_rows_and_their_history_no_longer_name_the_person_and_all_of_it_holds(any_store):
    store = any_store
    write(
        store,
        (users, {"email": ANN, "name": "Ann Nguyen"}),
        (memberships, {"email": ANN, "role": "member", "display_name": "Ann"}),
    )
    write(store, (attestations, {"id": "a", "owner": ANN, "statement": "Ann Nguyen asked Ben", **ROW}))
    write(store, (control_owners, {"framework": "soc2", "control_id": "CC6.1", "email": ANN, "raci": "R"}))
    write(store, (attestations, {"id": "a", "owner": "ben@acme.example", **ROW}))
    write(store, (attestations, {"id": "b", "owner": "ben@acme.example", **ROW}))
    roots = _roots(store)
    done = erase(store, "Ann Nguyen")
    assert (dict(done.rows), done.versions, dict(done.held)) == (
        {"users": 1, "memberships": 1, "attestations": 1, "control_owners": 1},
        5,
        {},
    )
    assert "ann" not in everything(store).lower()
    assert rows_of(store, memberships) == [
        {
            "email": SAID,
            "role": "member",
            "status": "removed",
            "workspace_id": None,
            "since_on": None,
            "display_name": None,
        }
    ]
    assert [row["statement"] for row in rows_of(store, attestations)] == [f"{SAID} asked Ben", None]
    assert [
        values["owner"] for _, name, key, values in log_bodies(store) if (name, key) == ("attestations", ("a",))
    ] == [SAID, "ben@acme.example", "ben@acme.example"]
    assert _roots(store)[: len(roots)] == roots
    assert store.verify("acme").problem is None
    assert store.verify_rows("acme").problem is None
    with store.reader() as connection:
        assert connection.execute(text("SELECT details FROM audit_log WHERE action = 'person.erased'")).scalar() == (
            '{"rows":{"attestations":1,"control_owners":1,"memberships":1,"users":1},"versions":5}'
        )


@pytest.mark.real
def test_row_and_history_are_one_however_a_name_is_spelled(any_store):
    """What looks for rows finds all that is looked for in versions: else the two differ, and nothing holds."""
    spelled = {
        "a": "ann  NGUYEN",
        "b": "Ann\nNguyen",
        "c": "ÅSA müller",
        "d": "Asa Müller",
        "e": "Åſa  Müller",
        "f": "İda",
    }
    for place, name in spelled.items():
        write(any_store, (attestations, {"id": place, "owner": f"{name}; Ida", "statement": f"By {name}.", **ROW}))
    done = erase(any_store, "Ann Nguyen", "Åsa Müller", "Ida")
    assert (done.rows, done.versions) == ({"attestations": 6}, 6)
    expected = [
        (f"{SAID}; {SAID}", f"By {SAID}."),
        (f"{SAID}; {SAID}", f"By {SAID}."),
        (f"{SAID}; {SAID}", f"By {SAID}."),
        (f"Asa Müller; {SAID}", "By Asa Müller."),
        (f"{SAID}; {SAID}", f"By {SAID}."),
        (f"İda; {SAID}", "By İda."),
    ]
    assert [(row["owner"], row["statement"]) for row in rows_of(any_store, attestations)] == expected
    found = [values for _, name, _, values in log_bodies(any_store) if name == "attestations"]
    assert [(values["owner"], values["statement"]) for values in found] == [*expected, *expected]
    assert any_store.verify_rows("acme").problem is None


def _roots(store):
    with store.reader() as connection:
        return connection.execute(text("SELECT changes FROM audit_log WHERE org_id = 'acme' ORDER BY seq")).all()


def test_who_is_in_no_row_leaves_the_store_as_it_was(any_store):
    write(any_store, (attestations, {"id": "a", "owner": "ben@acme.example", **ROW}), actor=ANN)
    before = any_store.head("acme")
    assert erase(any_store).is_empty
    assert any_store.head("acme") == before
    write(any_store, (attestations, {"id": "b", "owner": "ben@acme.example", **ROW}), actor=f"jo{ANN}")
    with any_store.reader() as connection:
        assert events_naming(connection, "acme", Pseudonym(ANN, [], SAID)) == 1


@pytest.mark.real
def test_another_person_is_erased_after_the_first(any_store):
    """A version that named both is replaced twice; what the first erasure said of it holds no longer."""
    write(any_store, (attestations, {"id": "a", "owner": ANN, "attestor": "ben@acme.example", **ROW}))
    write(any_store, (attestations, {"id": "a", "owner": "eve@acme.example", "attestor": None, **ROW}))
    assert erase(any_store).versions == 1
    assert erase(any_store, email="Ben@acme.example ", said="erased:ben").versions == 1
    assert "ben@" not in everything(any_store)
    assert log_bodies(any_store)[1][3]["attestor"] == "erased:ben"
    assert any_store.verify_rows("acme").problem is None
    assert erase(any_store).is_empty


def test_two_spellings_of_one_owner_are_one_row(any_store):
    owner = {"framework": "soc2", "control_id": "CC6.1", "raci": "R"}
    write(any_store, (control_owners, {**owner, "email": ANN}), (control_owners, {**owner, "email": ANN.title()}))
    assert erase(any_store).rows == {"control_owners": 2}
    assert [row["email"] for row in rows_of(any_store, control_owners)] == [SAID]
    assert any_store.verify_rows("acme").problem is None


def test_a_line_that_is_read_in_place_of_another_cannot_be_changed(store):
    write(store, (attestations, {"id": "a", "owner": ANN, **ROW}))
    erase(store)
    with store.reader() as connection:
        body = connection.execute(select(change_log.c.body).where(change_log.c.revision == 2)).scalar_one()
    (line,) = read_part(body)
    for stored in (line.stored.replace(b"CC6.1", b"CC6.2"), line.leaf.hex().encode()):
        by_hand(store, f"UPDATE change_log SET body = x'{pack([stored]).hex()}' WHERE revision = 2")
        assert store.verify_rows("acme").problem.startswith("line 1 of part 0 of what revision 2 changed is ")
    by_hand(store, f"UPDATE change_log SET body = x'{body.hex()}' WHERE revision = 2")
    assert store.verify_rows("acme").problem is None


def test_what_was_sent_and_read_and_received_is_without_the_person(any_store):
    delivery = {
        "id": "d",
        "kind": "digest",
        "period": "2026-W47",
        "channel": "email",
        "recipient": ANN,
        "status": "pending",
        "payload": {"to": "you"},
        "created_at": NOW,
        "attempts": 1,
    }
    write(
        any_store,
        (deliveries, delivery),
        (deliveries, {**delivery, "id": "e", "recipient": "Ann@acme.example", "status": "sent"}),
        (delivery_contents, {"delivery_id": "d", "subject": "Dear Ann", "body_text": "Ann,", "body_html": "x"}),
    )
    body = zlib.compress(json.dumps({"by": "ANN@acme.example", "at": "ann@acme.examples"}).encode())
    read = {"id": "r", "org_id": "acme", "accessed_at": NOW, "actor": ANN, "resource": "/x", "status": 200}
    with raw_transaction(any_store) as connection:
        connection.execute(access_log.insert(), [{**read, "address": "192.0.2.7"}])
        connection.execute(
            ingest_payloads.insert(),
            [
                {
                    "org_id": "acme",
                    "id": "p",
                    "route": "alerts",
                    "state": "unread",
                    "received_at": NOW,
                    "actor": "t",
                    "size_bytes": 1,
                    "sha256": "0" * 64,
                    "body": body,
                    "records": 0,
                    "applied": 0,
                    "times": 1,
                }
            ],
        )
    done = erase(any_store)
    assert done.rows == {"deliveries": 2, "delivery_contents": 1, "access_log": 1, "ingest_payloads": 1}
    assert [(row["recipient"], row["status"], row["payload"]) for row in rows_of(any_store, deliveries)] == [
        (SAID, "skipped", None),
        (f"{SAID}.e", "sent", None),
    ]
    (content,) = rows_of(any_store, delivery_contents)
    assert (content["subject"], content["body_text"], content["body_html"]) == (SAID, SAID, None)
    (access,) = rows_of(any_store, access_log)
    assert (access["actor"], access["address"]) == (SAID, None)
    (payload,) = rows_of(any_store, ingest_payloads)
    assert json.loads(zlib.decompress(payload["body"])) == {"by": SAID, "at": "ann@acme.examples"}
    assert any_store.verify_rows("acme").problem is None


def test_what_a_legal_hold_names_stays_as_it_is(any_store):
    incident = {"title": "Down", "severity": "high", "status": "closed", "opened_at": NOW, "owner": ANN}
    line = {"id": "l", "incident_id": "held", "happened_at": NOW, "kind": "note", "actor": ANN, "body": "x"}
    write(
        any_store,
        (incidents, {"id": "held", **incident}),
        (incidents, {"id": "free", **incident}),
        (incident_timeline, line),
        (
            legal_holds,
            {"id": "h", "matter": "m", "incident_id": "held", "reason": "r", "placed_by": ANN, "placed_at": NOW},
        ),
    )
    done = erase(any_store)
    assert (done.rows, done.held) == ({"incidents": 1}, {"incidents": 1, "incident_timeline": 1, "legal_holds": 1})
    assert [row["owner"] for row in rows_of(any_store, incidents)] == [SAID, ANN]
    assert [values["owner"] for _, name, _, values in log_bodies(any_store) if name == "incidents"] == [ANN, SAID, SAID]
    assert any_store.verify_rows("acme").problem is None


def test_retention_goes_on_after_an_erasure(any_store):
    closed = {"title": "Down", "severity": "high", "status": "closed", "opened_at": NOW, "owner": ANN}
    write(any_store, (incidents, {"id": "old", **closed, "closed_at": NOW - timedelta(days=99)}))
    erase(any_store)
    with any_store.revision("acme", "retention", now=NOW) as revision:
        assert purge_incidents(revision, NOW - timedelta(days=1)).rows == 1
    assert any_store.verify_rows("acme").problem is None
    assert any_store.verify("acme").problem is None


def test_every_column_that_names_people_says_so():
    """Who adds a column with such a name says that it holds a person, or here why it does not."""
    names = {"owner", "email", "actor", "recipient", "assignee", "approver", "chair", "members", "attestor"}
    # a token; what it waits for; the execution that used it up
    others = {("ingest_payloads", "actor"), ("remediations", "blocked_by"), ("approvals", "spent_by")}
    undeclared = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if (column.name in names or column.name.endswith("_by")) and not column.info.get("person")
    }
    assert undeclared == others
