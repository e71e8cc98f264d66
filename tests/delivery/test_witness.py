"""A witness that is asked by itself: what it signs is kept, and what it saw more than there is is said."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from sqlalchemy import delete

from engine.delivery.heads import sign_and_stamp
from engine.delivery.outside import Outside
from engine.delivery.witness import witness_problem
from engine.model import merkle
from engine.model.checkpoints import decode_base64, open_note, read_checkpoint
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.schema.audit import signed_heads
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.runtime.heads.test_witnesses import ONE


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


def problem(services):
    with services.store.reader() as connection:
        return witness_problem(connection, services.settings, Outside.of(services.settings), "acme")


def test_every_head_that_is_signed_is_shown_and_what_comes_back_is_kept(services, witness):
    first, second = sign(services), sign(services)
    for head in (first, second):
        assert [one.name for one in open_note(head.note).signatures] == ["hq/acme", ONE.name]
    assert witness.asked == ["/w/add-checkpoint"] * 2
    assert sign_and_stamp(services, "acme", now=NOW).head == second
    assert len(witness.asked) == 2
    assert problem(services) is None


def test_a_witness_that_knows_another_head_is_asked_again_from_there(services):
    sign(services)
    with raw_transaction(services.store) as connection:  # as in a store without what came back
        connection.execute(signed_heads.update().values(cosignatures=None))
    assert len(open_note(sign(services).note).signatures) == 2


def test_what_was_cut_off_is_said_by_the_witness(services, witness):
    sign(services)
    witness.known["hq/acme"] = 9, bytes(32)
    assert problem(services).startswith(
        "The witness saw a head of 9 events of hq/acme, and the newest signed head here"
    )
    witness.known["hq/acme"] = 1, bytes(32)
    assert "does not find that the head of 2 events of hq/acme continues" in problem(services)
    with raw_transaction(services.store) as connection:
        connection.execute(delete(signed_heads))
    assert problem(services) is None  # nothing to show


def test_one_that_does_not_answer_is_a_line_of_the_log_and_a_finding(services, witness, caplog):
    witness.add = lambda body: (500, "text/plain", b"")
    assert len(open_note(sign(services).note).signatures) == 1
    assert "the head of acme has no witness: The witness answers 500" in caplog.text
    assert "answers 500" in problem(services)
