"""A witness that is asked by itself: what it signs is kept, and what it saw more than there is is said."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from sqlalchemy import delete

from engine.delivery.heads import sign_and_stamp, sign_installation_for_witness
from engine.delivery.outside import Outside
from engine.delivery.witness import witness_problems
from engine.model import merkle
from engine.model.checkpoints import decode_base64, open_note, read_checkpoint
from engine.runtime.heads.installation import own_proof, sign_installation, tree_path
from engine.runtime.heads.installation_check import check_installation_tree
from engine.runtime.heads.signed_heads import heads_path
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.schema.audit import installation_commitments, installation_heads, signed_heads
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.runtime.heads.test_installation import vanish, write
from tests.runtime.heads.test_witnesses import ONE, Witness


class Server:
    """A witness after C2SP tlog-witness: it remembers the largest head of each origin, and checks the proof from it."""

    def __init__(self):
        self.known, self.asked, witness = {}, [], self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                witness.asked.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                status, kind, answer = witness.add(body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/w"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def add(self, body):
        asked, _, note = body.partition("\n\n")
        old, *proof = asked.split("\n")
        head = read_checkpoint(open_note(note).text)
        size, root = self.known.get(head.origin, (0, merkle.root([])))
        if int(old.removeprefix("old ")) != size:
            return 409, "text/x.tlog.size", f"{size}\n".encode()
        if not merkle.continues((size, root), (head.size, head.root), [decode_base64(one) for one in proof]):
            return 422, "text/plain", b"no"
        self.known[head.origin] = head.size, head.root
        return 200, "text/plain", ONE.line(note).encode()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def witness():
    made = Server()
    yield made
    made.close()


@pytest.fixture
def services(store, witness, tmp_path):
    environment = {"SVC_WITNESS_KEYS": ONE.vkey, "SVC_WITNESS_URL": witness.url}
    return Services(Settings.of({"SVC_DATA_DIR": str(tmp_path / "var"), **environment}), store, None, NOW)


def sign(services):
    services.store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)
    return sign_and_stamp(services, "acme", now=NOW).head


def problems(services):
    with services.store.reader() as connection:
        return list(witness_problems(connection, services.settings, Outside.of(services.settings)))


def whole(services):
    services.store.write("acme", "ann", lambda revision: revision.record("x"), now=NOW)
    return sign_installation_for_witness(services, now=NOW)


def test_every_head_that_is_signed_is_shown_and_what_comes_back_is_kept(services, witness):
    first, second = sign(services), sign(services)
    for head in (first, second):
        assert [one.name for one in open_note(head.note).signatures] == ["hq/acme", ONE.name]
    assert witness.asked == ["/w/add-checkpoint"] * 2
    assert sign_and_stamp(services, "acme", now=NOW).head == second
    assert len(witness.asked) == 2
    assert problems(services) == []


def test_a_witness_that_knows_another_head_is_asked_again_from_there(services):
    sign(services)
    with raw_transaction(services.store) as connection:  # as in a store without what came back
        connection.execute(signed_heads.update().values(cosignatures=None))
    assert len(open_note(sign(services).note).signatures) == 2


def test_what_was_cut_off_is_said_by_the_witness(services, witness):
    sign(services)
    witness.known["hq/acme"] = 9, bytes(32)
    saw = "Of acme: The witness saw a head of {} events of hq/acme, and the newest signed head here has {}: "
    assert [one.startswith(saw.format(9, 2)) for one in problems(services)] == [True]
    witness.known["hq/acme"] = 1, bytes(32)
    (said,) = problems(services)
    assert "does not find that the head of 2 events of hq/acme continues" in said
    with raw_transaction(services.store) as connection:
        connection.execute(delete(signed_heads))
    assert [one.startswith(saw.format(1, 0)) for one in problems(services)] == [True]


def test_the_tree_over_the_installation_is_shown_and_keeps_what_comes_back(services, witness):
    first, second = whole(services), whole(services)
    assert [(head.size, head.new) for head in (first, second)] == [(1, True), (2, True)]
    for head in (first, second):
        assert [one.name for one in open_note(head.note).signatures] == ["hq/*", ONE.name]
    asked = len(witness.asked)
    assert sign_installation_for_witness(services, now=NOW).note == second.note
    assert len(witness.asked) == asked
    with services.store.reader() as connection:
        assert check_installation_tree(connection, services.settings).problems == []
        assert own_proof(connection, "acme").endswith(second.note)
    assert problems(services) == []


def test_a_line_that_the_witness_did_not_sign_under_the_installation_is_named(services):
    note = whole(services).note
    with raw_transaction(services.store) as connection:
        other = ONE.line(note.replace("\n1\n", "\n2\n"))
        connection.execute(installation_heads.update().values(note=note.partition("\u2014 witness")[0] + other))
    with services.store.reader() as connection:
        (text,) = check_installation_tree(connection, services.settings).problems
    assert text == (
        f"the signed head of 1 commitments has a line of {ONE.name} beside it that this witness did not sign over it"
    )


def test_an_organization_that_vanished_with_all_that_spoke_of_it_is_said_by_the_witness(services):
    write(services, "globex", create={"name": "Globex"})
    sign(services)
    whole(services)
    vanish(services, "globex")
    with raw_transaction(services.store) as connection:
        connection.execute(delete(installation_commitments))
        connection.execute(delete(installation_heads))
    tree_path(services.settings).unlink()
    with services.store.reader() as connection:
        assert check_installation_tree(connection, services.settings).problems == []
    (said,) = problems(services)
    assert said.startswith("Of the installation: The witness saw a head of ")
    assert "commitments of hq/*, and the newest signed head here has 0: commitments were cut off" in said
    sign_installation(services, now=NOW)  # a tree of the rest
    (said,) = problems(services)
    assert said.startswith("Of the installation: The witness ")


def test_an_organization_of_which_only_the_file_of_heads_is_left_is_asked_about(services, witness):
    witness.known["hq/globex"] = 7, bytes(32)
    sign(services)
    assert problems(services) == []
    heads_path(services.settings, "globex").write_text("x\n")
    (said,) = problems(services)
    assert said.startswith("Of globex: The witness saw a head of 7 events of hq/globex")


def test_without_a_key_nothing_is_shown_and_that_is_said(services):
    (installation, acme) = problems(services)
    assert installation.startswith("Of the installation: There is no signed head to show to the witness, and no key ")
    assert acme.startswith("Of acme: There is no signed head to show")


def test_a_name_within_another_is_not_taken_for_its_witness(services, witness):
    sign(services)
    short = Witness(ONE.name[:-1], 9)
    settings = replace(services.settings, witness_keys=(short.vkey,))
    witness.asked.clear()
    assert problems(replace(services, settings=settings)) == []
    assert len(witness.asked) == 3  # of the installation, of acme without what is known, and of acme again


def test_one_that_does_not_answer_is_a_line_of_the_log_and_a_finding(services, witness, caplog):
    witness.add = lambda body: (500, "text/plain", b"")
    assert len(open_note(sign(services).note).signatures) == 1
    assert "the head of acme has no witness: The witness answers 500" in caplog.text
    assert [one for one in problems(services) if "answers 500" not in one] == []
    witness.add = lambda body: (403, "text/plain", b"")
    assert {one.rpartition("422. ")[2] for one in problems(services)} == {"Give it the key that `hq keys` prints."}


def test_one_that_cannot_be_reached_is_asked_once(services, witness):
    sign(services)
    witness.close()
    assert problems(services) == ["Of the installation: The witness could not be reached (ConnectionRefusedError)."]
