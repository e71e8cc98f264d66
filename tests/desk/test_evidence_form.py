"""The form of evidence: a file is chosen and held, a hash is one, and what an item holds stays."""

import hashlib
import re

import pytest

from engine.evidence.items import named_hashes
from engine.evidence.store import open_evidence
from engine.store.rows import many
from engine.store.schema import metadata
from engine.store.schema.controls import evidence_links
from tests.conftest import NOW
from tests.desk.test_desk import check, last_event, row

NEW = "/tables/evidence_items/new"
EDIT = "/tables/evidence_items/row?key.id=minutes"
CONTENT = b"%PDF-1.7 minutes"
SUM = hashlib.sha256(CONTENT).hexdigest()
ITEM = {"cell.id": "minutes", "cell.title": "Minutes", "cell.captured_at": "2026-11-19"}
TOLD = {"id": "minutes", "title": "Minutes", "captured_at": NOW, "location": "https://vault.example/1"}


@pytest.fixture
def evidence(desk):
    return open_evidence(desk.services.settings)


def insert_item(store, **values):
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["evidence_items"], [{**TOLD, **values}])
        revision.record("records.prepared")


def choose(person, address, content, name="minutes.pdf", **cells):
    """The form of a page with a file that was chosen at it."""
    fields = person.get(address).fields | (ITEM if address == NEW else {})
    return person.multipart(address, fields | {f"cell.{column}": text for column, text in cells.items()}, name, content)


def test_a_file_of_new_evidence_is_chosen_and_held(sign_in, store, evidence):
    member = sign_in("member")
    page = member.get(NEW)
    assert '<input id="f9" type="file" name="cell.file"' in page.text
    assert 'enctype="multipart/form-data"' in page.text
    head = store.head("acme").seq
    assert choose(member, NEW, CONTENT, "C:\\exports\\minutes.pdf").status == 303
    item = row(store, "evidence_items", id="minutes")
    shown = [item[name] for name in ("file", "sha256", "held_sha256", "held_bytes", "media_type", "held_state")]
    assert shown == ["minutes.pdf", SUM, SUM, len(CONTENT), "application/pdf", "whole"]
    assert (last_event(store)["action"], store.head("acme").seq) == ("evidence.collected", head + 1)
    assert evidence.read("acme", SUM) == CONTENT
    check(store)


def test_evidence_that_is_kept_elsewhere_has_no_file(sign_in, store):
    cells = {"location": "https://vault.example/1", "sha256": "A" * 64}
    answer = sign_in().fill(NEW, **{name.removeprefix("cell."): text for name, text in ITEM.items()}, **cells)
    item = row(store, "evidence_items", id="minutes")
    assert (answer.status, item["sha256"], item["file"], item["held_sha256"]) == (303, "a" * 64, None, None)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"sha256": "not a hash"}, "Expected a SHA-256, which is 64 hexadecimal digits; got not a hash."),
        ({"file": "minutes.pdf"}, "Expected a file that can be held: minutes.pdf does not exist.; got minutes.pdf."),
    ],
)
def test_what_cannot_be_true_of_a_file_is_refused_at_the_field(sign_in, store, cells, expected):
    owner, head = sign_in(), store.head("acme")
    fields = owner.get(NEW).fields | ITEM | {f"cell.{name}": text for name, text in cells.items()}
    answer = owner.post(NEW, fields)
    assert (answer.status, store.head("acme")) == (400, head)
    assert expected in answer.words


@pytest.mark.parametrize(
    ("content", "sha256", "expected"),
    [
        (b"", "", "Expected a file that can be held: minutes.pdf is empty: a file without a byte is evidence of nothing."),
        (CONTENT, "0" * 64, f"Expected the SHA-256 of minutes.pdf, {SUM}; got {'0' * 64}."),
        (b"x" * 101, "", "minutes.pdf has more than 100 bytes, the most that a file of evidence may have"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_held_is_refused_and_nothing_is_kept(
    sign_in, store, evidence, monkeypatch, content, sha256, expected
):
    monkeypatch.setattr("engine.evidence.store.EvidenceStore.must_fit", evidence_of_100_bytes)
    head = store.head("acme")
    answer = choose(sign_in(), NEW, content, sha256=sha256)
    assert (answer.status, store.head("acme"), evidence.files("acme")) == (400, head, [])
    assert expected in answer.words
    assert "Choose it again: nothing was kept" in answer.words
    assert answer.fields["cell.title"] == "Minutes"


def evidence_of_100_bytes(store, org_id, files):
    from engine.evidence.store import too_large

    for name, found in files:
        if found.size > 100:
            raise too_large(name, 100)


def test_evidence_answers_a_request_that_is_there(sign_in, store):
    head = store.head("acme")
    answer = choose(sign_in(), NEW, CONTENT, request_id="R-9")
    assert (answer.status, store.head("acme")) == (400, head)
    assert "Expected the id of a row of evidence_requests; got R-9." in answer.words


def test_what_an_item_holds_does_not_change_at_its_form(sign_in, store):
    owner = sign_in()
    choose(owner, NEW, CONTENT)
    fields, head = owner.get(EDIT).fields, store.head("acme")
    assert (fields["cell.file"], fields["cell.sha256"]) == ("minutes.pdf", SUM)
    typed = owner.post(EDIT, fields | {"cell.sha256": "0" * 64})
    chosen = owner.multipart(EDIT, fields, "other.pdf", b"other")
    assert (typed.status, chosen.status, store.head("acme")) == (400, 400, head)
    assert f"Expected {SUM}, as it is held: another file is another item; got {'0' * 64}." in typed.words
    assert "Expected minutes.pdf, as it is held: another file is another item; got other.pdf." in chosen.words
    assert owner.post(EDIT, fields | {"cell.title": "Minutes of November"}).status == 303
    item = row(store, "evidence_items", id="minutes")
    assert (item["title"], item["held_sha256"]) == ("Minutes of November", SUM)
    check(store)


def test_an_item_that_was_only_told_takes_its_file_later(sign_in, store, evidence):
    insert_item(store, file="exports/minutes.pdf", sha256=SUM)
    owner = sign_in()
    assert "only told so far: exports/minutes.pdf" in owner.get(EDIT).words
    assert owner.fill(EDIT, title="Minutes of November").status == 303
    assert row(store, "evidence_items", id="minutes")["file"] == "exports/minutes.pdf"
    assert choose(owner, EDIT, CONTENT).status == 303
    with store.reader() as connection:
        assert named_hashes(connection, "acme") == {SUM}
    assert evidence.check("acme", SUM) == "whole"
    check(store)


def test_a_process_that_dies_once_the_bytes_are_kept_leaves_no_row(sign_in, store, evidence, monkeypatch):
    class PowerLoss(BaseException):
        """What nobody catches."""

    def die(*_, **__):
        raise PowerLoss

    head = store.head("acme")
    monkeypatch.setattr("engine.intake.imports.imports.write_table", die)
    with pytest.raises(PowerLoss):
        choose(sign_in(), NEW, CONTENT)
    assert (store.head("acme"), evidence.check("acme", SUM)) == (head, "whole")
    assert evidence.sweep("acme", set, now=2e10).files == 1
    check(store)


def test_rows_of_a_dropped_file_name_no_file_that_is_not_there(sign_in, store):
    text = "id,title,captured_at,file\nminutes,Minutes,2026-11-19,minutes.pdf\n"
    answer = sign_in().drop("evidence_items.csv", text.encode())
    assert (answer.status, "a file that can be held: minutes.pdf does not exist." in answer.words) == (400, True)


def own(store, *owners):
    rows = [
        {"framework": "soc2", "control_id": control, "email": email, "raci": raci} for control, email, raci in owners
    ]
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["control_owners"], rows)
        revision.record("records.prepared")


def links(store):
    with store.reader() as connection:
        return [(row["evidence_id"], row["control_id"]) for row in many(connection, evidence_links, "acme")]


def test_a_member_says_for_which_of_their_controls_new_evidence_is_in_one_revision(sign_in, store):
    me, other = "member@acme.example", "owner@acme.example"
    own(store, ("CC1.1", me, "R"), ("CC1.2", me, "A"), ("CC1.3", me, "I"), ("CC1.4", other, "R"))
    member, head = sign_in("member"), store.head("acme").seq
    page = member.get(NEW)
    assert re.findall(r'<option value="(soc2:[^"]+)"', page.text) == ["soc2:CC1.1", "soc2:CC1.2"]
    fields = page.fields | ITEM | {"control": "soc2:CC1.2"}
    assert member.multipart(NEW, fields, "minutes.pdf", CONTENT).status == 303
    assert (links(store), store.head("acme").seq) == ([("minutes", "CC1.2")], head + 1)
    assert last_event(store)["details"]["controls"] == ["soc2:CC1.2"]
    check(store)


@pytest.mark.parametrize("control", ["soc2:CC1.3", "soc2:CC1.4", "soc2:none"])
def test_a_control_that_is_not_ones_own_is_refused_and_nothing_is_written(sign_in, store, control):
    own(store, ("CC1.1", "member@acme.example", "R"), ("CC1.3", "member@acme.example", "I"))
    member, head = sign_in("member"), store.head("acme")
    answer = member.post(NEW, member.get(NEW).fields | ITEM | {"control": control})
    assert (answer.status, store.head("acme"), links(store)) == (400, head, [])
    assert f"Expected a control that you own; got {control}." in answer.words


def test_whoever_owns_no_control_is_asked_for_none(sign_in):
    assert 'name="control"' not in sign_in("member").get(NEW).text
