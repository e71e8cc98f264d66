"""Signed heads: once for each number of events, noted on the disk, and never below what was signed before."""

import base64
import stat
from threading import Barrier, Event, Thread

import pytest
from sqlalchemy import delete, select, update

from engine.model import merkle
from engine.model.checkpoints import open_note, read_checkpoint, signer
from engine.model.errors import Conflict, NotFound
from engine.runtime.heads.signed_heads import consistency_proof, newest_signed_head, signed_head
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow
from engine.store.schema.audit import audit_log, event_tiles, signed_heads
from engine.store.schema.organizations import heads
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.whole_checks import heads_of


@pytest.fixture
def services(any_store, tmp_path):
    return Services(Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")}), any_store, None, NOW)


def write(services, count, name="e"):
    with services.store.revision("acme", "test", now=NOW) as revision:
        start = revision.start[0]
        revision.append_events(EventRow(f"{name}-{start + n}", NOW, "ann", "login.done") for n in range(count))


def lines(services):
    path = services.settings.data_dir / "heads" / "acme.log"
    return [base64.b64decode(line, validate=True).decode() for line in path.read_text().splitlines()]


def truncate(services, seq):
    """As somebody with the database would: the last events go, and the head and the tree say so."""
    with raw_transaction(services.store) as connection:
        connection.execute(delete(audit_log).where(audit_log.c.seq > seq))
        hashed = connection.execute(audit_log.select().where(audit_log.c.seq == seq)).mappings().one()["hash"]
        connection.execute(update(heads).where(heads.c.org_id == "acme").values(last_seq=seq, hash=hashed))
        connection.execute(delete(event_tiles))


def test_a_head_says_how_many_events_there_are(services):
    write(services, 10)
    made = signed_head(services, "acme", now=NOW)
    position = services.store.head("acme")
    note = open_note(made.note)
    checkpoint = read_checkpoint(note.text)
    assert (checkpoint.origin, checkpoint.size, checkpoint.chain) == ("hq/acme", 11, position.hash)
    assert (made.org_id, made.size, made.root, made.chain) == ("acme", 11, checkpoint.root, position.hash)
    key = signing_key(services.settings.signing_key_path)
    assert signer(note, "hq/acme", [key.public_bytes]) == key.public_bytes
    assert newest_signed_head(services, "acme") == made
    assert base64.b64decode(made.line).decode() == made.note
    assert services.store.head("acme") == position


def test_before_anything_was_signed_there_is_none(services):
    assert newest_signed_head(services, "acme") is None
    with pytest.raises(NotFound):
        signed_head(services, "globex", now=NOW)


def test_the_same_head_is_signed_once(services):
    first = signed_head(services, "acme", now=NOW)
    assert signed_head(services, "acme", now=NOW) == first
    assert lines(services) == [first.note]
    path = services.settings.data_dir / "heads" / "acme.log"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


def test_each_head_continues_the_one_before(services):
    made = []
    for count in (1, 5, 300):
        write(services, count)
        made.append(signed_head(services, "acme", now=NOW))
    assert [one.size for one in made] == [2, 7, 307]
    assert lines(services) == [one.note for one in made]
    assert newest_signed_head(services, "acme") == made[-1]
    for old, new in ((0, 1), (0, 2), (1, 2)):
        path = consistency_proof(services, "acme", made[old].size, made[new].size)
        assert merkle.continues((made[old].size, made[old].root), (made[new].size, made[new].root), path)


def test_a_file_that_is_not_there_is_begun_again(services):
    first = signed_head(services, "acme", now=NOW)
    path = services.settings.data_dir / "heads" / "acme.log"
    path.unlink()
    signed_head(services, "acme", now=NOW)
    assert lines(services) == [first.note]


def test_what_was_left_of_a_line_is_taken_away(services):
    first = signed_head(services, "acme", now=NOW)
    path = services.settings.data_dir / "heads" / "acme.log"
    with path.open("a") as file:
        file.write("abc")
    write(services, 1)
    second = signed_head(services, "acme", now=NOW)
    assert path.read_text().splitlines() == [first.line, second.line]


@pytest.mark.parametrize("forget", [False, True])
def test_a_shorter_chain_is_not_signed(services, forget):
    write(services, 20)
    signed_head(services, "acme", now=NOW)
    truncate(services, 12)
    if forget:  # whoever knows of the table empties it; the file is beside the store
        with raw_transaction(services.store) as connection:
            connection.execute(delete(signed_heads))
    where = "heads/acme.log" if forget else "the store"
    with pytest.raises(Conflict, match=f"{where} has a signed head of 21 events, and there are 12"):
        signed_head(services, "acme", now=NOW)
    write(services, 40, "new")
    with pytest.raises(Conflict, match=f"event 21 is another than that of the signed head in {where}"):
        signed_head(services, "acme", now=NOW)


def test_a_head_that_its_tree_does_not_hold_is_not_signed(services):
    write(services, 20)
    signed_head(services, "acme", now=NOW)
    with raw_transaction(services.store) as connection:
        connection.execute(update(heads).where(heads.c.org_id == "acme").values(hash="0" * 64))
    with pytest.raises(Conflict, match="event 21 is not the one that its tree holds"):
        signed_head(services, "acme", now=NOW)


def test_a_tree_of_other_events_is_not_signed(services):
    write(services, 20)
    signed_head(services, "acme", now=NOW)
    write(services, 1)
    with raw_transaction(services.store) as connection:
        hashes = connection.execute(select(event_tiles.c.hashes)).scalar_one()
        connection.execute(update(event_tiles).values(hashes=b"x" * 32 + hashes[32:]))
    with pytest.raises(Conflict, match="the first 21 events are others than those of the signed head in the store"):
        signed_head(services, "acme", now=NOW)


def test_a_file_that_was_changed_is_named(services):
    signed_head(services, "acme", now=NOW)
    path = services.settings.data_dir / "heads" / "acme.log"
    path.write_text("no head\n")
    with pytest.raises(Conflict, match=r"The last line of .*heads/acme.log is no signed head"):
        signed_head(services, "acme", now=NOW)


@pytest.mark.real
def test_a_head_is_signed_while_others_write(services):
    stop, failed = Event(), []

    def run():
        try:
            while not stop.is_set():
                services.store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)
        except Exception as error:
            failed.append(error)

    writer = Thread(target=run)
    writer.start()
    try:
        sizes = []
        for _ in range(40):
            before = services.store.head("acme").seq
            sizes.append(signed_head(services, "acme", now=NOW).size)
            assert sizes[-1] >= before
    finally:
        stop.set()
        writer.join()
    assert failed == []
    assert sizes == sorted(sizes)
    assert heads_of(services, "acme").problems == []


def test_several_that_sign_at_once_sign_the_same(services):
    write(services, 600)
    made, barrier = [], Barrier(4)

    def run():
        barrier.wait()
        made.append(signed_head(services, "acme", now=NOW))

    threads = [Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert set(made) == {made[0]}
    assert set(lines(services)) == {made[0].note}
