"""The runner of ``make soak`` finds what it looks for; each of its targets reads its first inputs."""

import random
from collections import Counter

import pytest
from sqlalchemy import delete

from engine.model.errors import Problem
from engine.store.schema import metadata
from engine.store.schema.services import incidents
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.soak import __main__ as runner
from tests.soak import kills, proxies, strangers, upgrades
from tests.soak.fuzz.mutations import change_member, flip_bytes, json_lines, json_tree
from tests.soak.fuzz.targets import TARGETS
from tests.soak.load import Ledger, account
from tests.soak.table import Line, impossible, table_text

LONG = ("copilot", "doors", "http")  # they open a console
MUTATIONS = 20  # inputs beside the seeds


@pytest.mark.parametrize(
    "name", [*(sorted(set(TARGETS) - set(LONG))), *(pytest.param(one, marks=pytest.mark.real) for one in LONG)]
)
def test_a_reader_takes_or_refuses_its_first_inputs(name, tmp_path):
    read, seeds = TARGETS[name].open(tmp_path)
    chance = random.Random(1)
    changed = [TARGETS[name].mutate(chance.choice(seeds), chance) for _ in range(MUTATIONS)]
    refused = 0
    for data in (*seeds, *changed):
        try:
            read(data)
        except Problem:
            refused += 1
    assert refused < len(seeds) + len(changed) or name.startswith("import-"), "everything was refused"


def test_the_same_seed_changes_an_input_in_the_same_way():
    document = b'{"alerts": [{"title": "x", "labels": {"a": "b"}}, {"title": "y"}]}'
    for mutate in (flip_bytes, json_tree, json_lines, change_member):
        first, again = ([mutate(document, random.Random(seed)) for seed in range(50)] for _ in range(2))
        assert first == again
        assert len(set(first)) > 25


def incident(identifier, key, **more):
    return {
        "id": identifier,
        "title": key,
        "severity": "low",
        "status": "open",
        "opened_at": NOW,
        "dedupe_key": f"normalized:{key}",
        **more,
    }


def test_what_was_acknowledged_is_found_lost_or_doubled(store):
    ledger = Ledger()
    ledger.acknowledged = {"alert": {"k1", "k2", "k3"}, "resolved": {"k1", "k2"}}
    with store.revision("acme", "test", now=NOW) as revision:
        rows = [incident("a", "k1", resolved_at=NOW), incident("b", "k2"), incident("c", "k2")]
        revision.insert(incidents, rows)
        revision.record("things.added")
    told = account(store.url, ledger)
    assert (told.found, sorted(told.lost), told.doubled) == (3, ["alert k3", "resolution of k2"], ["alert k2"])
    assert told.half == ["two incidents are open for normalized:k2"]


def test_a_chain_that_was_cut_is_told(store):
    log = metadata.tables["audit_log"]
    for kind in ("a.happened", "b.happened"):
        with store.revision("acme", "test", now=NOW) as revision:
            revision.record(kind)
    assert account(store.url, Ledger()).half == []
    with raw_transaction(store) as connection:
        for trigger in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").all():
            connection.exec_driver_sql(f"DROP TRIGGER {trigger[0]}")
        connection.execute(delete(log).where(log.c.org_id == "acme", log.c.seq == 2))
    (text,) = account(store.url, Ledger()).half
    assert text.startswith("the chain is broken at event 2: ")


def test_a_line_that_lost_something_is_broken_and_what_is_not_possible_is_not_ok():
    lost = Line("kills", "9 kills", acknowledged=5, found=4, lost=1, doubled=0, faults=2, health_ms=12.4).judge()
    fine = Line("two", "1 kill", acknowledged=1200, found=1200, lost=0, doubled=0, faults=0, memory_mb=3.2).judge()
    table = table_text([lost, fine, impossible("disk full", "no mount")])
    assert [one.verdict for one in (lost, fine)] == ["BROKEN", "ok"]
    assert table.splitlines() == [
        "part       done      ack.  found  doubled  lost  5xx  health p99  memory  seconds  verdict",
        "---------  -------  -----  -----  -------  ----  ---  ----------  ------  -------  -----------------",
        "kills      9 kills      5      4        0     1    2       12 ms                0  BROKEN",
        "two        1 kill   1,200  1,200        0     0    0               +3 MB        0  ok",
        "disk full  nothing                                                              0  not possible here",
        "broken: kills: 1 lost",
        "broken: kills: 2 answered with 5xx",
        "note: disk full: no mount",
        "",
        "1 BROKEN, 1 ok, 1 not possible here",
    ]


def test_the_budgets_of_all_parts_are_below_three_quarters_of_an_hour():
    assert sum(budget for _, budget in runner.PARTS.values()) <= 43 * 60


def test_a_part_that_fails_is_no_promise_that_held(monkeypatch):
    def fails(scratch, seed, budget):
        raise RuntimeError("hq serve did not start")

    monkeypatch.setitem(runner.PARTS, "kills", (fails, 1.0))
    (line,) = runner.run(["kills"], 1, 1.0)
    assert (line.verdict, line.broken) == ("BROKEN", ["RuntimeError: hq serve did not start"])


@pytest.mark.real
def test_a_killed_server_has_what_it_acknowledged(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "KILLS", 1)
    line = kills.sqlite(tmp_path, 1, 60.0)
    assert (line.lost, line.doubled, line.faults, line.broken) == (0, 0, 0, [])
    assert line.acknowledged == line.found > 0


def test_what_a_proxy_passed_on_is_what_was_sent():
    request = proxies._with_hidden(b"POST /a HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello", "7")
    assert b"X-Trial: 7" in request.partition(b"\r\n\r\n")[0]
    taken = {
        ("POST", "/a", b"hello", True): True,
        ("POST", "/a", b"hell", True): False,
        ("PUT", "/a", b"hello", True): False,
        ("GET", "/hidden", b"", True): True,
    }
    assert {one: proxies._is_as_read(one, request) for one in taken} == taken
    assert proxies._is_as_read(("GET", "/", b"", True), b"GET / HTTP/9\r\n\r\n")


def test_a_version_that_the_history_does_not_have_is_not_taken_out(tmp_path):
    assert not upgrades.take_out("0" * 40, tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_an_earlier_store_of_postgresql_is_migrated_without_a_backup(tmp_path):
    cases = {
        ("sqlite:///hq.db", "0019"): ("migrate",),
        ("postgresql+psycopg://x", "0019"): ("migrate", "--no-backup"),
        ("postgresql+psycopg://x", "0031"): ("migrate",),
    }
    assert {case: upgrades.EarlierConsole(tmp_path, case[0], at=case[1]).migrate for case in cases} == cases


def test_strangers_who_occupy_a_console_are_told():
    well = {
        "health": [0.001] * 10,
        "statuses": Counter({200: 10}),
        "bodies": Counter({200: 2}),
        "memory_mb": 1.0,
        "inside_mib": 60.0,
    }
    line = strangers._judge(Line("now", "", health_ms=1.0), strangers.Sight(**well))
    assert (line.broken, line.verdict) == ([], "ok")
    worse = {
        "statuses": Counter({200: 9, 0: 1}),
        "bodies": Counter({503: 2}),
        "memory_mb": 151.0,
        "inside_mib": 257.0,
        "elsewhere_mib": 1.0,
    }
    for name, value in worse.items():
        seen = strangers.Sight(**{**well, name: value})
        assert len(strangers._judge(Line("now", "", health_ms=1.0), seen).broken) == 1
    assert strangers._judge(Line("now", "", health_ms=1001.0), strangers.Sight(**well)).broken == [
        "health beyond 1000 ms"
    ]
