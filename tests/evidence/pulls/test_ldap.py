"""A directory as a source, asked of a real slapd: pages, several values, and a password that is wrong."""

import json
import shutil
import socket
import subprocess
import time
from types import SimpleNamespace

import pytest

from engine.evidence.pulls.sources.reading import SourceProblem
from tests.evidence.pulls.sources import lines_of, read, readers

SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/lib/openldap:/usr/libexec")
BASE = "dc=corp,dc=internal"
PEOPLE = 1200  # more than two pages
CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix "{base}"
rootdn "cn=admin,{base}"
rootpw of-a-test
directory {folder}
TLSCertificateFile {folder}/chain.pem
TLSCertificateKeyFile {folder}/key.pem
sizelimit size.soft=100 size.hard=unlimited size.pr=500 size.prtotal=unlimited
"""
pytestmark = [pytest.mark.real, pytest.mark.skipif(SLAPD is None, reason="no slapd here")]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A slapd of its own with 1,200 people, every hundredth of whom left: its ports, plain and TLS, and its certificate."""
    pytest.importorskip("ldap3")
    folder = tmp_path_factory.mktemp("ldap")
    (folder / "db").mkdir()
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["-keyout", folder / "db/key.pem", "-out", folder / "db/chain.pem", "-nodes", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", *names, *made], check=True, capture_output=True)
    (folder / "slapd.conf").write_text(CONFIGURATION.format(base=BASE, folder=folder / "db"))
    head = f"dn: {BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: corp\no: Corp\n\n"
    (folder / "seed.ldif").write_text(head + "\n".join(map(_person, range(1, PEOPLE + 1))))
    seed = ["-T", "add", "-q", "-f", str(folder / "slapd.conf"), "-l", str(folder / "seed.ldif")]
    subprocess.run([SLAPD, *seed], check=True, capture_output=True)
    port, tls_port = _free_port(), _free_port()
    addresses = f"ldap://127.0.0.1:{port} ldaps://127.0.0.1:{tls_port}"
    process = subprocess.Popen(
        [SLAPD, "-d", "0", "-f", str(folder / "slapd.conf"), "-h", addresses], stderr=subprocess.DEVNULL
    )
    try:
        _wait(port)
        yield SimpleNamespace(port=port, tls_port=tls_port, chain=folder / "db/chain.pem")
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def directory(server):
    return server.port


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _person(number):
    left = "employeeType: left\n" if number % 100 == 0 else ""
    mails = f"mail: u{number}@corp.internal\nmail: also{number}@corp.internal\n"
    names = f"uid: u{number}\ncn: User {number}\nsn: {number}\n"
    return f"dn: uid=u{number},{BASE}\nobjectClass: inetOrgPerson\n{names}{mails}{left}"


def _wait(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("slapd does not answer")


def options(port, **more):
    return {
        "url": f"ldap://127.0.0.1:{port}",
        "base": BASE,
        "filter": "(objectClass=inetOrgPerson)",
        "attributes": ["uid", "mail", "employeeType"],
        **more,
    }


def test_every_page_is_read_with_all_values_of_an_attribute(directory, tmp_path):
    administrator = readers(LDAP_USER=f"cn=admin,{BASE}", LDAP_PASSWORD="of-a-test")
    more = {"user_env": "LDAP_USER", "password_env": "LDAP_PASSWORD"}
    lines = lines_of(tmp_path, "ldap", max_rows=PEOPLE, reach=administrator, **options(directory, **more))
    people = {row["uid"]: row for row in map(json.loads, lines)}
    assert len(people) == PEOPLE
    assert people["u200"] == {
        "dn": f"uid=u200,{BASE}",
        "uid": "u200",
        "mail": "also200@corp.internal; u200@corp.internal",
        "employeetype": "left",
    }
    assert sum(row["employeetype"] == "left" for row in people.values()) == PEOPLE // 100


@pytest.mark.parametrize(
    ("word", "more", "sentence"),
    [
        ("wrong", {}, "LDAPInvalidCredentialsResult - 49 - invalidCredentials - bindResponse."),
        ("of-a-test", {"base": "ou=nowhere,dc=corp,dc=internal"}, "noSuchObject"),
        ("of-a-test", {"filter": "(uid=u1"}, "cannot be read"),
        ("", {}, "needs the variable LDAP_PASSWORD, which is not set."),
    ],
)
def test_what_a_directory_refuses_is_a_sentence(directory, tmp_path, word, more, sentence):
    reach = readers(LDAP_USER=f"cn=admin,{BASE}", LDAP_PASSWORD=word)
    given = options(directory, user_env="LDAP_USER", password_env="LDAP_PASSWORD", **more)
    with pytest.raises(SourceProblem) as problem:
        read(tmp_path, "ldap", reach=reach, **given)
    assert sentence in problem.value.message
    assert "None" not in problem.value.message


@pytest.mark.parametrize("start_tls", [False, True])
def test_a_server_that_nobody_vouches_for_gets_no_password(server, tmp_path, monkeypatch, start_tls):
    address = f"ldap://localhost:{server.port}" if start_tls else f"ldaps://localhost:{server.tls_port}"
    given = options(server.port, filter="(uid=u7)", start_tls=start_tls) | {"url": address}
    with pytest.raises(SourceProblem, match="certificate verify failed"):
        read(tmp_path, "ldap", **given)
    monkeypatch.setenv("SSL_CERT_FILE", str(server.chain))
    assert json.loads(lines_of(tmp_path, "ldap", **given)[0])["uid"] == "u7"
    with pytest.raises(SourceProblem, match="IP address mismatch"):
        read(tmp_path, "ldap", **given | {"url": address.replace("localhost", "127.0.0.1")})


def test_more_entries_than_may_be_read_are_refused(directory, tmp_path):
    with pytest.raises(SourceProblem) as problem:
        read(tmp_path, "ldap", max_rows=10, **options(directory))
    assert "more than max_rows = 10 rows" in problem.value.message
