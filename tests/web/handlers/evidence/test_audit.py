"""Audit exports: whose rows, in which window, with the chain, safe for spreadsheets, in steady memory."""

import csv
import io
from datetime import timedelta

import polars as pl
import pytest
from sqlalchemy import select

from engine.render.tables.csv import csv_chunks
from engine.render.tables.csv_cells import joined_chunks
from engine.store import EventRow
from engine.store.chain.chain import GENESIS
from engine.store.queries.history import audit
from engine.store.queries.history import audit_text as pages
from engine.store.schema.audit import access_log, chain_cuts
from tests.conftest import NOW

OWN = "/api/audit/export"
CHAT = "/api/audit/slack-events/export"
MEMBER = "member@acme.example"
COLUMNS = [
    "seq", "event_id", "occurred_at", "recorded_at", "actor", "action", "object_type", "object_id", "outcome",
    "workspace_id", "controls", "details", "revision", "changes", "previous_hash", "hash",
]  # fmt: skip


def word(answer):
    return answer.status, answer.json.get("error")


def read(answer):
    assert answer.status == 200, answer.body
    return list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))


def event(name, actor=MEMBER, ago=timedelta(), **values):
    return EventRow(name, NOW - ago, actor, values.pop("action", "access.granted"), **values)


def append(store, *events, org="acme"):
    with store.revision(org, "import", now=NOW) as revision:
        revision.append_events(events)


def test_the_export_has_the_rows_of_the_caller_in_chain_order(sign_in, with_people):
    append(with_people, event("e1"), event("e2", "owner@acme.example"), event("e3", details='{"a":1}'))
    append(with_people, event("e9"), org="other")
    answer = sign_in(MEMBER).get(OWN)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-audit-log-2026-11-20.csv"'
    assert answer.headers["cache-control"] == "no-store"
    rows = read(answer)
    assert list(rows[0]) == COLUMNS
    assert [(row["seq"], row["event_id"], row["actor"]) for row in rows] == [("3", "e1", MEMBER), ("5", "e3", MEMBER)]
    assert (rows[1]["details"], rows[1]["occurred_at"]) == ('{"a":1}', "2026-11-20T08:30:00.000000Z")
    assert [row["event_id"] for row in read(sign_in("owner@acme.example").get(OWN))] == ["e2"]


def test_every_row_has_the_hash_of_the_event_before_it(sign_in, with_people):
    append(with_people, event("e1"), event("e2"), event("e3", "owner@acme.example"), event("e4"))
    with with_people.reader() as connection:
        hashes = dict(
            connection.execute(
                select(audit.audit_log.c.seq, audit.audit_log.c.hash).where(audit.audit_log.c.org_id == "acme")
            ).all()
        )
    rows = read(sign_in(MEMBER).get(OWN))
    assert [(row["previous_hash"], row["hash"]) for row in rows] == [
        (hashes[2], hashes[3]),
        (hashes[3], hashes[4]),
        (hashes[5], hashes[6]),
    ]


def test_the_first_event_follows_the_beginning_and_the_first_kept_one_the_cut(sign_in, with_people):
    client = sign_in("setup@acme.example")
    assert client.get(OWN).status == 401
    with with_people.reader() as connection:
        assert audit._hash_before(connection, "acme", 1) == GENESIS
        assert audit._hash_before(connection, "acme", 8) is None
    with with_people.revision("acme", "retention", now=NOW) as revision:
        revision.insert(chain_cuts, [{"seq": 7, "hash": "f" * 64, "cut_at": NOW}])
        revision.record("retention.purged")
    with with_people.reader() as connection:
        assert audit._hash_before(connection, "acme", 8) == "f" * 64


@pytest.mark.parametrize(
    ("window", "events"),
    [
        ("24h", ["now", "day"]),
        ("7d", ["now", "day", "week"]),
        ("30d", ["now", "day", "week", "month"]),
        ("all", ["now", "day", "week", "month", "year"]),
        (None, ["now", "day", "week", "month", "year"]),
    ],
)
def test_a_window_ends_now_and_includes_its_first_moment(window, events, sign_in, with_people):
    ages = {"now": 0, "day": 1, "week": 7, "month": 30, "year": 365}
    append(with_people, *(event(name, ago=timedelta(days=days)) for name, days in ages.items()))
    query = f"?window={window}" if window else ""
    assert [row["event_id"] for row in read(sign_in(MEMBER).get(OWN + query))] == events


@pytest.mark.parametrize("path", [OWN, CHAT])
@pytest.mark.parametrize("query", ["window=90d", "window=", "window=7D", "actor=owner@acme.example", "window=7d&x=1"])
def test_another_parameter_is_refused(path, query, sign_in, with_people):
    assert word(sign_in(MEMBER).get(f"{path}?{query}")) == (400, "invalid_parameter")
    with with_people.reader() as connection:
        assert connection.execute(select(access_log)).all() == []


@pytest.mark.parametrize("path", [OWN, CHAT])
def test_no_rows_are_a_header(path, sign_in):
    assert sign_in(MEMBER).get(path).body == (",".join(COLUMNS) + "\r\n").encode()


def test_text_is_never_a_formula_and_numbers_stay_numbers(sign_in, with_people):
    append(with_people, event("=1+1", object_id="@SUM(A1)", object_type="-x", details='{"a":"=b"}'))
    (row,) = read(sign_in(MEMBER).get(OWN))
    assert (row["seq"], row["event_id"], row["object_id"], row["object_type"]) == ("3", "'=1+1", "'@SUM(A1)", "'-x")


def test_chat_deliveries_are_those_of_the_organization(sign_in, with_people):
    def delivery(name, channel, **values):
        values = {"object_type": "delivery", "action": "digest.delivered", **values}
        return event(name, "scheduler", details=f'{{"channel":"{channel}"}}', **values)

    append(
        with_people,
        delivery("chat", "chat"),
        delivery("failed", "chat", outcome="failure"),
        delivery("mail", "email"),
        delivery("note", "chat", object_type="note"),
        delivery("old", "chat")._replace(occurred_at=NOW - timedelta(days=8)),
    )
    append(with_people, delivery("theirs", "chat"), org="other")
    rows = read(sign_in(MEMBER).get(f"{CHAT}?window=7d"))
    assert [(row["event_id"], row["outcome"]) for row in rows] == [("chat", "success"), ("failed", "failure")]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_join_to_the_same_file(size, sign_in, with_people, monkeypatch):
    append(with_people, *(event(f"e{i}", MEMBER if i % 3 else "x") for i in range(20)))
    whole = sign_in(MEMBER).get(OWN).body
    monkeypatch.setattr(pages, "PAGE", size)
    assert sign_in(MEMBER).get(OWN).body == whole
    assert whole.count(b"\r\n") == 14


def test_events_that_come_while_it_is_read_are_not_in_it(with_people, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", 2)
    append(with_people, *(event(f"e{i}") for i in range(3)))
    joined_events = pages.own_events(with_people, "acme", MEMBER, None)
    first = next(joined_events)
    append(with_people, event("late"))
    assert [row[1] for page in (first, *joined_events) for row in page.cells()] == ["e0", "e1", "e2"]


def test_both_engines_give_the_same_text(any_store, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", 2)
    append(any_store, *(event(f"e{i}", details='{"a":1}', ago=timedelta(hours=i)) for i in range(3)))
    rows = [
        row for page in pages.own_events(any_store, "acme", MEMBER, NOW - timedelta(hours=1)) for row in page.cells()
    ]
    assert [row[:4] for row in rows] == [
        (2, "e0", "2026-11-20T08:30:00.000000Z", "2026-11-20T08:30:00.000000Z"),
        (3, "e1", "2026-11-20T07:30:00.000000Z", "2026-11-20T08:30:00.000000Z"),
    ]
    assert rows[0][11] == '{"a":1}'


def test_exports_leave_a_line_in_the_access_log_and_no_revision(sign_in, with_people):
    head = with_people.head("acme")
    sign_in(MEMBER).get(OWN)
    sign_in(MEMBER).get(CHAT)
    with with_people.reader() as connection:
        lines = connection.execute(select(access_log.c.actor, access_log.c.resource, access_log.c.format)).all()
    assert sorted(map(tuple, lines)) == [(MEMBER, OWN, "csv"), (MEMBER, CHAT, "csv")]
    assert with_people.head("acme") == head


STRANGE = (
    "",
    "a,b",
    'say "x"',
    "=1+1",
    " +1",
    "\t",
    "line\nline\r",
    "\u200b@x",
    "＝1",
    "-",
    "\x1a",
    "'",
    "Łódź",
    "/etc/x",
)


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_the_database_joins_any_text_to_the_same_file(size, any_store, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", size)
    details = [None, "{}", "[1,2]", "-1", '"=x"', '{"a":"b,\\"c\\""}', '{"b":[-1,-2]}', "[]", '","']
    odd = [*STRANGE, *(["\0", "a\0b"] if any_store.dialect == "sqlite" else [])]
    append(
        any_store,
        *(event(f"{each}{place}", object_id=each, object_type=each or None) for place, each in enumerate(odd)),
        *(event(f"d{place}", details=each, controls="soc2:CC6.1; x:y") for place, each in enumerate(details)),
    )
    text = b"".join(joined_chunks(audit.COLUMNS, pages.own_events(any_store, "acme", MEMBER, None)))
    (every,) = audit.events_between(any_store, "acme", 1, 10_000)
    rows = [row for row in every if row.actor == MEMBER]
    schema = {name: pl.Int64 if name in ("seq", "revision") else pl.String for name in audit.COLUMNS}
    assert text == b"".join(csv_chunks([pl.DataFrame(rows, schema=schema, orient="row")]))


def test_plain_events_are_never_spelled_one_by_one(any_store, monkeypatch):
    append(any_store, *(event(f"e{i}", object_id=f"/srv/{i}", details='{"a":"b,c"}') for i in range(3)))
    (page,) = pages.own_events(any_store, "acme", MEMBER, None)
    monkeypatch.setattr(pages, "entries", lambda *_: pytest.fail("the text of the page is its CSV"))
    assert b"".join(joined_chunks(audit.COLUMNS, [page])).count(b'"{""a"":""b,c""}"') == 3
