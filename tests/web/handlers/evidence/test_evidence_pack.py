"""The evidence pack: which rows, which tags, in which window, and a manifest that others can check."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlalchemy import select

from engine.archives.contents import evidence_pack
from engine.catalogue import catalogue
from engine.evidence.items import add_item, byte_columns
from engine.evidence.store import open_evidence
from engine.store import EventRow
from engine.store.queries.history import audit
from engine.store.schema.audit import access_log
from engine.store.schema.automation import policies, policy_controls
from engine.store.schema.controls import evidence_items, evidence_links
from tests.annex import bring_annex
from tests.conftest import NOW

PATH = "/api/governance/compliance/export"
MEMBER = "member@acme.example"
COLUMNS = [
    "event_id", "at", "actor", "action", "object", "control_tags", "framework", "evidence_id", "hash", "prev_hash",
    "policy_version", "outcome", "seq",
]  # fmt: skip


def event(name, action="access.granted", ago=timedelta(), **values):
    return EventRow(name, NOW - ago, "ann", action, **values)


def append(store, *events, org="acme"):
    with store.revision(org, "import", now=NOW) as revision:
        revision.append_events(events)


def accept(store, identifier="p1", *controls, **values):
    row = {
        "id": identifier,
        "policy": "access",
        "version": 3,
        "kind": "governance",
        "title": "Access",
        "state": "active",
        "accepted_by": "owner@acme.example",
        "accepted_at": NOW - timedelta(days=90),
        **values,
    }
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(policies, [row])
        revision.insert(
            policy_controls,
            [
                {"policy_id": identifier, "framework": framework, "control_id": control}
                for framework, control in controls
            ],
        )
        revision.record("policy.prepared")


def rows_of(answer):
    assert answer.status == 200, answer.body
    return [row for row in answer.json["evidence"] if row["event_id"] is None or not row["event_id"].startswith("hq:")]


def tags(answer):
    return {row["event_id"] or row["evidence_id"]: row["control_tags"] for row in rows_of(answer)}


def test_policies_in_force_come_first_and_then_the_events_of_the_chain(sign_in, with_people):
    accept(with_people, "p1", ("soc2", "CC6.2"), ("soc2", "CC6.1"), ("iso27001", "A.5.15"))
    accept(with_people, "p2", state="draft", accepted_at=None, version=4)
    append(with_people, event("e1", "access.granted", object_type="user", object_id="bob"))
    append(with_people, event("e9"), org="other")
    answer = sign_in(MEMBER).get(PATH)
    policy, granted = rows_of(answer)
    assert policy == {
        "event_id": None,
        "at": "2026-08-22T08:30:00.000000Z",
        "actor": "owner@acme.example",
        "action": "policy.accepted",
        "object": "policy:p1",
        "control_tags": ["soc2:CC6.1", "soc2:CC6.2"],
        "framework": ["soc2"],
        "evidence_id": "p1",
        "hash": None,
        "prev_hash": None,
        "policy_version": 3,
        "outcome": "success",
        "seq": None,
    }
    assert (granted["evidence_id"], granted["object"], granted["framework"]) == ("e1", "user:bob", ["soc2"])
    assert "soc2:CC6.2" in granted["control_tags"]
    assert list(granted) == COLUMNS


def test_tags_follow_the_same_rule_as_the_reports(sign_in, with_people):
    append(
        with_people,
        event("failed", outcome="failure"),
        event("unheard", "coffee.made", controls="soc2:CC6.1"),
        event("neutral", "digest.delivered", controls="soc2:CC6.1"),
        event("named", "attestation.signed", controls="soc2:CC1.1; iso27001:A.5.1; soc2:XX9.9"),
    )
    found = tags(sign_in(MEMBER).get(PATH))
    assert found == {"failed": [], "unheard": [], "neutral": [], "named": ["soc2:CC1.1"]}


def test_tags_follow_rules_of_ones_own(sign_in, with_people):
    from engine.store.schema.controls import organization_rules

    def rule(pattern, effect, control="CC6.4", outcome="any"):
        return {"pattern": pattern, "outcome": outcome, "framework": "soc2", "control_id": control, "effect": effect}

    with with_people.revision("acme", "setup", now=NOW) as revision:
        rules = [
            rule("acme.door.locked", "supports"),
            rule("acme.door.*", "contradicts"),
            rule("acme.cam.*", "records"),
        ]
        revision.insert(organization_rules, [*rules, rule("acme.*", "records", "CC7.2", "denied")])
        revision.record("rules.changed")
    append(
        with_people,
        event("locked", "acme.door.locked"),
        event("unlocked", "acme.door.locked", outcome="failure"),
        event("open", "acme.door.found-open"),
        event("dark", "acme.cam.off", outcome="failure"),
        event("refused", "acme.door.locked", outcome="denied"),
    )
    assert tags(sign_in(MEMBER).get(PATH)) == {
        "locked": ["soc2:CC6.4"],
        "unlocked": [],
        "open": ["soc2:CC6.4"],
        "dark": ["soc2:CC6.4"],
        "refused": ["soc2:CC7.2"],
    }


def test_the_last_line_is_a_manifest_that_fits_the_rows(sign_in, with_people):
    accept(with_people, "p1", ("soc2", "CC6.1"))
    append(with_people, event("e1", object_id='line\nbreak "quoted"'), event("e2", "coffee.made"))
    body = sign_in(MEMBER).get(PATH).body.decode()
    head, *lines, bracket, last = body.split("\n")[:-1]
    assert (bracket, last[:11]) == ("],", '"manifest":')
    manifest = json.loads("{" + last)["manifest"]
    bare = [line.removesuffix(",") for line in lines]
    assert manifest["rows_sha256"] == sha256("".join(f"{line}\n" for line in bare).encode()).hexdigest()
    position = with_people.head("acme")
    assert json.loads(head + "]}")["revision"] == {"seq": position.seq, "hash": position.hash}
    rows = [json.loads(line) for line in bare]
    assert (manifest["rows"], manifest["policies"], manifest["events"]) == (len(rows), 1, position.seq)
    assert (manifest["first_seq"], manifest["last_seq"]) == (1, position.seq)
    assert (manifest["prev_hash_of_first"], manifest["hash_of_last"]) == ("0" * 64, position.hash)
    events = rows[1:]
    assert [row["prev_hash"] for row in events[1:]] == [row["hash"] for row in events[:-1]]
    assert manifest["columns"] == COLUMNS


def test_the_manifest_names_the_catalogue_of_the_organization(sign_in, with_people, tmp_path):
    client = sign_in(MEMBER)
    assert client.get(PATH).json["manifest"]["catalogue_version"] == catalogue().version
    bring_annex(with_people, tmp_path)
    brought = client.get(PATH).json["manifest"]["catalogue_version"]
    assert brought.startswith(f"{catalogue().version}+")
    append(with_people, event("e1"))
    assert client.get(PATH).json["manifest"]["catalogue_version"] == brought


def test_csv_has_the_same_rows_and_no_manifest(sign_in, with_people):
    accept(with_people, "p1", ("soc2", "CC6.1"), ("soc2", "CC6.2"))
    append(with_people, event("=1+1"))
    client = sign_in(MEMBER)
    answer = client.get(f"{PATH}?format=csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-evidence-export-2026-11-20.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))
    whole = client.get(PATH).json["evidence"]
    assert list(rows[0]) == COLUMNS
    assert [row["hash"] for row in rows] == [row["hash"] or "" for row in whole]
    assert rows[0]["control_tags"] == "soc2:CC6.1; soc2:CC6.2"
    assert rows[-1]["event_id"] == "'=1+1"
    assert client.get(PATH, accept="text/csv").body == answer.body


@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_join_to_the_same_file(size, sign_in, with_people, monkeypatch):
    accept(with_people, "p1", ("soc2", "CC6.1"))
    append(with_people, *(event(f"e{i}") for i in range(9)))
    client = sign_in(MEMBER)
    whole = [client.get(f"{PATH}?format={form}").body for form in ("json", "csv")]
    monkeypatch.setattr(audit, "PAGE", size)
    assert [client.get(f"{PATH}?format={form}").body for form in ("json", "csv")] == whole


@pytest.mark.parametrize(
    ("window", "found"),
    [
        ("24h", {"day"}),
        ("30d", {"day", "month"}),
        ("365d", {"day", "month", "year"}),
        ("all", {"day", "month", "year"}),
    ],
)
def test_a_window_leaves_out_older_events_and_no_policy(window, found, sign_in, with_people):
    accept(with_people, "p1", ("soc2", "CC6.1"), accepted_at=NOW - timedelta(days=500))
    ages = {"day": 1, "month": 30, "year": 365}
    append(with_people, *(event(name, ago=timedelta(days=days)) for name, days in ages.items()))
    assert set(tags(sign_in(MEMBER).get(f"{PATH}?window={window}"))) == {"p1", *found}


def test_a_framework_leaves_out_rows_and_tags_of_others(sign_in, with_people):
    accept(with_people, "p1", ("iso27001", "A.5.15"))
    append(with_people, event("e1"), event("e2", "coffee.made"))
    client = sign_in(MEMBER)
    assert set(tags(client.get(f"{PATH}?framework=soc2"))) == {"e1"}
    refused = client.get(f"{PATH}?framework=iso27001")
    assert (refused.status, refused.json["error"]) == (400, "invalid_parameter")


def test_an_organization_without_scope_has_rows_without_tags(sign_in, with_people):
    from engine.store.schema.organizations import organization_frameworks

    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.update(organization_frameworks, {"framework": "soc2"}, {"in_scope": False})
        revision.record("scope.changed")
    append(with_people, event("e1"))
    answer = sign_in(MEMBER).get(PATH)
    assert tags(answer) == {"e1": []}
    assert answer.json["manifest"]["rows_with_tags"] == 0


@pytest.mark.parametrize("query", ["window=7w", "framework=sox", "format=html", "periodDays=30"])
def test_a_malformed_question_is_refused_and_leaves_no_trace(query, sign_in, with_people):
    answer = sign_in(MEMBER).get(f"{PATH}?{query}")
    assert (answer.status, answer.json["error"]) == (400, "invalid_parameter")
    with with_people.reader() as connection:
        assert connection.execute(select(access_log)).all() == []


def test_an_export_leaves_a_line_in_the_access_log_and_no_revision(sign_in, with_people):
    head = with_people.head("acme")
    sign_in(MEMBER).get(PATH)
    sign_in(MEMBER).get(f"{PATH}?format=csv")
    with with_people.reader() as connection:
        lines = connection.execute(select(access_log.c.actor, access_log.c.resource, access_log.c.format)).all()
    assert sorted(map(tuple, lines)) == [(MEMBER, PATH, "csv"), (MEMBER, PATH, "json")]
    assert with_people.head("acme") == head


def test_events_that_come_while_it_is_read_are_not_in_it(with_people, monkeypatch):
    monkeypatch.setattr(audit, "PAGE", 2)
    append(with_people, *(event(f"e{i}") for i in range(3)))
    pack = evidence_pack.open_pack(with_people, "acme", since=None, framework=None, now=NOW)
    append(with_people, event("late"))
    names = [name for page in evidence_pack.pages(with_people, pack) for name in page["event_id"]]
    assert names[-1] == "e2"


def test_both_engines_give_the_same_rows(any_store):
    append(any_store, event("e1", details='{"a":1}'))
    pack = evidence_pack.open_pack(any_store, "acme", since=None, framework=None, now=NOW)
    rows = [row for page in evidence_pack.pages(any_store, pack) for row in page.iter_rows(named=True)]
    assert (rows[-1]["event_id"], rows[-1]["at"], rows[-1]["seq"]) == ("e1", "2026-11-20T08:30:00.000000Z", 2)


def hold(store, name, *controls, **values):
    row = {"id": name, "title": name.title(), "captured_at": NOW - timedelta(days=3), **values}
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(evidence_items, [row])
        pairs = [{"evidence_id": name, "framework": one, "control_id": two} for one, two in controls]
        revision.insert(evidence_links, pairs)
        revision.record("evidence.added")


def test_json_names_the_files_whose_bytes_it_does_not_carry(sign_in, with_people):
    client = sign_in(MEMBER)
    manifest = client.get(PATH).json["manifest"]
    assert (manifest["files_left_out"], manifest["files_note"]) == ([], "")
    bytes_of = {"held_sha256": "a" * 64, "held_bytes": 7, "file": "leavers.csv"}
    hold(with_people, "leavers", ("soc2", "CC6.2"), ("iso27001", "A.5.18"), **bytes_of)
    hold(with_people, "elsewhere", ("soc2", "CC6.2"), location="https://drive.example/a")
    hold(with_people, "old", ("soc2", "CC6.2"), **bytes_of, removed="erased", removed_at=NOW)
    hold(with_people, "alone", **bytes_of, captured_at=NOW - timedelta(days=60))
    every = client.get(PATH).json["manifest"]
    assert [(one["item"], one["control_tags"]) for one in every["files_left_out"]] == [
        ("alone", []),
        ("leavers", ["soc2:CC6.2"]),
    ]
    assert every["files_left_out"][1] == {
        "item": "leavers",
        "title": "Leavers",
        "name": "leavers.csv",
        "captured_at": "2026-11-17T08:30:00Z",
        "control_tags": ["soc2:CC6.2"],
        "sha256": "a" * 64,
        "bytes": 7,
    }
    assert every["files_note"].startswith("The bytes of these files are not here")
    for narrower in ("window=30d", "framework=soc2"):
        named = client.get(f"{PATH}?{narrower}").json["manifest"]["files_left_out"]
        assert [one["item"] for one in named] == ["leavers"]


# -- sealed, with its files -------------------------------------------------------------------------------------------


@pytest.fixture
def take(console):
    """``take("leavers", b"…", ("soc2", "CC6.2"))`` holds the bytes as an item that is linked to the controls."""

    def hold_bytes(name, data, *controls, **values):
        evidence = open_evidence(console.services.settings)
        columns = byte_columns(evidence.put("acme", data), f"{name}.csv", NOW)
        row = {"id": name, "title": name.title(), "captured_at": NOW - timedelta(days=3), **columns, **values}
        with console.services.store.revision("acme", "setup", now=NOW) as revision:
            add_item(revision, row, controls)
        return columns["held_sha256"]

    return hold_bytes


def files_of(answer):
    assert (answer.status, answer.headers["content-type"]) == (200, "application/zip"), answer.body
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def table_of(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def reasons_of(files):
    return {row["item"]: row["left_out"] for row in table_of(files["evidence_files.csv"])}


@pytest.mark.real
def test_the_sealed_pack_carries_its_files_and_holds_outside(take, sign_in, with_people, tmp_path):
    accept(with_people, "p1", ("soc2", "CC6.1"))
    append(with_people, event("e1"))
    digest = take("leavers", b"login\nann\n", ("soc2", "CC6.2"))
    take("old", b"long ago", ("soc2", "CC6.2"), captured_at=NOW - timedelta(days=60))
    hold(with_people, "elsewhere", ("soc2", "CC6.2"), location="https://drive.example/a")
    client = sign_in(MEMBER)
    answer = client.get(f"{PATH}?format=zip&window=30d")
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-evidence-pack-2026-11-20.zip"'
    files = files_of(answer)
    assert files[f"evidence-{digest}"] == b"login\nann\n"
    assert sorted(name for name in files if name.startswith("evidence")) == [
        f"evidence-{digest}", "evidence_files.csv", "evidence_pack.csv",
    ]  # fmt: skip
    assert reasons_of(files) == {
        "elsewhere": "told: a location or a hash alone, the bytes are not held here",
        "leavers": "",
    }
    assert files["evidence_pack.csv"] == client.get(f"{PATH}?format=csv&window=30d").body
    outside = tmp_path / "pack"
    outside.mkdir()
    for name, data in files.items():
        (outside / name).write_bytes(data)
    checked = subprocess.run([sys.executable, "-I", "verify.py"], cwd=outside, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (
        0,
        f"ok: evidence-pack of acme, {len(files)} files hold",
    ), checked
    (outside / f"evidence-{digest}").write_bytes(b"login\nbob\n")
    checked = subprocess.run([sys.executable, "-I", "verify.py"], cwd=outside, capture_output=True, text=True)
    assert (checked.returncode, f"evidence-{digest}" in checked.stdout + checked.stderr) == (1, True), checked
    assert client.get(f"{PATH}?format=zip&window=30d", if_none_match=answer.headers["etag"]).status == 304
    assert with_people.verify("acme").ok


def test_a_sealed_pack_for_one_framework_leaves_out_files_of_others(take, sign_in, with_people):
    from engine.store.schema.organizations import organization_frameworks

    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(organization_frameworks, [{"framework": "iso27001"}])
        revision.record("scope.changed")
    append(with_people, event("e1"))
    take("leavers", b"one", ("soc2", "CC6.2"))
    take("policy", b"two", ("iso27001", "A.5.1"))
    client = sign_in(MEMBER)
    files = files_of(client.get(f"{PATH}?format=zip&framework=iso27001"))
    assert reasons_of(files) == {"policy": ""}
    assert b"# Evidence pack for iso27001 alone: " in files["README.md"]
    assert {row["framework"] for row in table_of(files["evidence_pack.csv"])} == {"iso27001"}
    assert reasons_of(files_of(client.get(PATH, accept="application/zip"))) == {"leavers": "", "policy": ""}
    refused = client.get(f"{PATH}?format=zip&framework=hipaa")
    assert (refused.status, refused.json["error"]) == (400, "invalid_parameter")


def test_a_sealed_pack_has_the_rules_that_its_tags_follow(sign_in, with_people):
    from engine.store.schema.controls import organization_rules

    client = sign_in(MEMBER)
    assert "organization_rules.csv" not in files_of(client.get(f"{PATH}?format=zip"))
    rule = {"pattern": "acme.door.*", "outcome": "any", "framework": "soc2", "control_id": "CC6.4"}
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(organization_rules, [{**rule, "effect": "supports"}])
        revision.record("rules.changed")
    assert table_of(files_of(client.get(f"{PATH}?format=zip"))["organization_rules.csv"]) == [
        {**rule, "effect": "supports", "family": "", "note": ""}
    ]
