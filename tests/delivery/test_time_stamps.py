"""Time stamps of signed heads: asked of an authority that stands in for a real one, by OpenSSL."""

import base64
import shutil
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from engine.delivery.heads import sign_and_stamp
from engine.delivery.time_stamps import check_stamp, query, time_stamp
from engine.model.errors import Unavailable
from engine.runtime.heads.signed_heads import newest_signed_head, one_line_note
from tests.conftest import NOW

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
CONFIGURATION = """
[req]
distinguished_name = dn
x509_extensions = v3
prompt = no
[dn]
CN = stand-in
[v3]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = one
[one]
serial = ./serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_alg = sha256
accuracy = secs:1
"""
NOTE = "hq/acme\n1\n…\n"


def openssl(folder, *arguments):
    return subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True).stdout


class Authority:
    """Answers queries as they come; ``change`` may spoil the answer, ``status`` the whole."""

    def __init__(self, folder):
        self.folder, self.asked = folder, []
        self.status, self.change = 200, lambda answer: answer
        (folder / "ts.cnf").write_text(CONFIGURATION)
        (folder / "serial").write_text("01")
        openssl(
            folder,
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-days",
            "3",
            "-config",
            "ts.cnf",
        )
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                authority.asked.append((self.headers["Content-Type"], body))
                answer = authority.change(authority.stamp(body))
                self.send_response(authority.status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/tsa"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stamp(self, asked):
        (self.folder / "asked.tsq").write_bytes(asked)
        openssl(
            self.folder,
            "ts",
            "-reply",
            "-queryfile",
            "asked.tsq",
            "-signer",
            "cert.pem",
            "-inkey",
            "key.pem",
            "-config",
            "ts.cnf",
            "-out",
            "answer.tsr",
        )
        return (self.folder / "answer.tsr").read_bytes()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def authority_of_time(tmp_path):
    folder = tmp_path / "tsa"
    folder.mkdir()
    authority = Authority(folder)
    yield authority
    authority.close()


def test_an_answer_over_the_note_is_taken_and_openssl_verifies_it(house, authority_of_time):
    stamp = time_stamp(house.outside, authority_of_time.url, NOTE)
    folder = authority_of_time.folder
    (folder / "head.tsr").write_bytes(stamp)
    (folder / "head.txt").write_text(NOTE, encoding="utf-8")
    said = openssl(folder, "ts", "-verify", "-in", "head.tsr", "-data", "head.txt", "-CAfile", "cert.pem")
    assert b"Verification: OK" in said
    assert authority_of_time.asked[0][0] == "application/timestamp-query"


def test_two_queries_have_two_nonces(house, authority_of_time):
    for _ in range(2):
        time_stamp(house.outside, authority_of_time.url, NOTE)
    (_, first), (_, second) = authority_of_time.asked
    assert first != second


def test_an_answer_says_when(authority_of_time):
    digest = sha256(b"x").digest()
    at = check_stamp(authority_of_time.stamp(query(digest, 7)), digest, 7)
    assert abs(at - datetime.now(UTC)) < timedelta(minutes=1)


def test_an_answer_to_something_else_is_refused(authority_of_time):
    digest = sha256(b"x").digest()
    answer = authority_of_time.stamp(query(digest, 7))
    with pytest.raises(ValueError, match="stamps another hash"):
        check_stamp(answer, sha256(b"y").digest(), 7)
    with pytest.raises(ValueError, match="its nonce is another one"):
        check_stamp(answer, digest, 8)
    refused = authority_of_time.stamp(b"\x30\x03\x02\x01\x01")
    with pytest.raises(ValueError, match="refuses: status 2"):
        check_stamp(refused, digest, 7)
    for spoilt in (b"", b"<html>", answer[:-1], answer + b"\0", b"\x30\x05\x30\x03\x02\x01\x00"):
        with pytest.raises(ValueError, match=r"^(is no time stamp|holds no token)"):
            check_stamp(spoilt, digest, 7)


def test_an_authority_that_does_not_answer_as_it_should_is_named(house, authority_of_time):
    authority_of_time.status = 500
    with pytest.raises(Unavailable, match="The time stamping authority's answer has the status 500"):
        time_stamp(house.outside, authority_of_time.url, NOTE)
    authority_of_time.status, authority_of_time.change = 200, lambda answer: answer + b"x" * 20_000
    with pytest.raises(Unavailable, match=r"answer has 16,384 bytes or more"):
        time_stamp(house.outside, authority_of_time.url, NOTE)
    with pytest.raises(Unavailable, match="could not be reached"):
        time_stamp(house.outside, "http://127.0.0.1:9/tsa", NOTE)


def test_heads_are_stamped_once_a_day(any_house, authority_of_time):
    house = any_house
    first = sign_and_stamp(house.services, "acme", now=NOW)
    assert (first.new, first.stamped, first.head.time_stamp) == (True, False, None)
    house.environment["SVC_TIMESTAMP_URL"] = authority_of_time.url
    second = sign_and_stamp(house.services, "acme", now=NOW)
    assert (second.new, second.stamped) == (False, True)
    assert newest_signed_head(house.services, "acme") == second.head
    assert one_line_note(second.head.note) == first.head.line
    check_stamp(second.head.time_stamp, sha256(second.head.note.encode()).digest(), nonce_of(authority_of_time))
    house.queue()
    later = sign_and_stamp(house.services, "acme", now=NOW + timedelta(hours=23))
    assert (later.new, later.stamped) == (True, False)
    assert sign_and_stamp(house.services, "acme", now=NOW + timedelta(hours=25)).stamped
    assert len(authority_of_time.asked) == 2


def nonce_of(authority):
    document = openssl(authority.folder, "ts", "-query", "-in", "asked.tsq", "-text").decode()
    return int(next(line.split()[1] for line in document.splitlines() if line.startswith("Nonce:")), 16)


def test_a_head_is_signed_though_nobody_stamps_it(house, caplog):
    house.environment["SVC_TIMESTAMP_URL"] = "http://127.0.0.1:9/tsa"
    run = sign_and_stamp(house.services, "acme", now=NOW)
    assert (run.new, run.stamped) == (True, False)
    assert "the head of acme has no time stamp: The time stamping authority could not be reached" in caplog.text
    assert base64.b64decode(run.head.line).decode() == run.head.note
