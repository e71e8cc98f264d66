"""The signed head on answers: in a header, beside bytes and entity tag, and noted with what is taken away."""

import base64

import pytest
from sqlalchemy import select

from engine.model.checkpoints import open_note, read_checkpoint
from engine.runtime.heads.signed_heads import signed_head
from engine.store.schema.audit import access_log
from tests.conftest import NOW

SUMMARY = "/api/governance/compliance/summary"
EXPORT = "/api/audit/export?scope=org"
NAME = "x-svc-signed-head"


@pytest.fixture
def owner(sign_in):
    return sign_in()


def test_before_a_head_was_signed_there_is_no_header(owner):
    assert NAME not in owner.get(SUMMARY).headers


def test_a_report_carries_the_newest_head_beside_its_bytes_and_tag(owner, console):
    before = owner.get(SUMMARY)
    head = signed_head(console.services, "acme", now=NOW)
    after = owner.get(SUMMARY)
    assert after.headers[NAME] == head.line
    assert (after.body, after.headers["etag"]) == (before.body, before.headers["etag"])
    again = owner.get(SUMMARY, if_none_match=before.headers["etag"])
    assert (again.status, again.headers[NAME]) == (304, head.line)
    note = base64.b64decode(after.headers[NAME]).decode()
    checkpoint = read_checkpoint(open_note(note).text)
    position = console.services.store.head("acme")
    assert (checkpoint.size, checkpoint.chain) == (position.seq, position.hash)


@pytest.mark.real
def test_each_organization_has_its_own(sign_in, console):
    heads = {org: signed_head(console.services, org, now=NOW).line for org in ("acme", "other")}
    for org, line in heads.items():
        assert sign_in(f"owner@{org}.example", org).get(SUMMARY).headers[NAME] == line


def test_a_download_is_noted_with_where_the_chain_stood(owner, console):
    line = signed_head(console.services, "acme", now=NOW).line
    assert owner.get(f"{SUMMARY}?format=csv").headers[NAME] == line
    console.services.store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)
    head = console.services.store.head("acme")
    assert owner.get(f"{SUMMARY}?format=csv").headers[NAME] == line
    newer = signed_head(console.services, "acme", now=NOW)
    assert owner.get(f"{SUMMARY}?format=csv").headers[NAME] == newer.line
    with console.services.store.reader() as connection:
        query = select(access_log.c.head_seq, access_log.c.head_hash).order_by(access_log.c.head_seq)
        noted = [tuple(row) for row in connection.execute(query)]
    assert noted[1:] == [(head.seq, head.hash)] * 2
    assert noted[0][0] == head.seq - 1
