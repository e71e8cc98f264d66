"""The unit and the proxies of ``deploy/``: each is started where this machine has the program, in front of a console."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest

from engine.cli import commands
from engine.runtime.settings import Settings
from tests.web.served import behind_waitress

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
PROXIES = ("nginx.conf", "Caddyfile", "haproxy.cfg")
MOST_BYTES = 32 << 20  # that the proxies let through
NAME = "compliance.example"


def test_the_unit_starts_a_command_that_there_is_and_leaves_it_the_time_that_it_takes():
    unit = dict(line.split("=", 1) for line in (DEPLOY / "hq.service").read_text().splitlines() if "=" in line)
    program, *arguments = unit["ExecStart"].split()
    assert program == "/opt/hq/bin/hq"
    command = commands.commands[arguments[0]]
    known = {option for parameter in command.params for option in parameter.opts}
    assert [one for one in arguments[1:] if one.startswith("--") and one not in known] == []
    assert int(unit["TimeoutStopSec"]) > 15
    name, _, folder = unit["Environment"].partition("=")
    assert (name, folder) == ("SVC_DATA_DIR", f"/var/lib/{unit['StateDirectory']}")


@pytest.mark.parametrize("name", PROXIES)
def test_each_proxy_leads_to_the_console_and_lets_through_what_it_takes(name):
    text = (DEPLOY / name).read_text()
    assert "127.0.0.1:8080" in text
    settings = {known for known, _, _ in Settings().listing()}
    assert set(re.findall(r"SVC_[A-Z_]+", text)) <= settings
    assert Settings().ingest_max_bytes < MOST_BYTES


# -- started -----------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def certificate(tmp_path):
    """A key and its certificate, apart and in one file."""
    key, chain, both = (tmp_path / name for name in ("key.pem", "chain.pem", "both.pem"))
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out", chain]
    subprocess.run([*made, *names], check=True, capture_output=True)
    both.write_bytes(chain.read_bytes() + key.read_bytes())
    return key, chain, both


def configuration(name, folder, certificate, console_port, plain, secured):
    """The configuration with ports and a certificate of the test, and the command that runs it."""
    key, chain, both = certificate
    text = (DEPLOY / name).read_text().replace("127.0.0.1:8080", f"127.0.0.1:{console_port}")
    path = folder / name
    if name == "nginx.conf":
        text = text.replace("listen 80;", f"listen 127.0.0.1:{plain};").replace(
            "listen 443", f"listen 127.0.0.1:{secured}"
        )
        text = text.replace("/etc/ssl/hq/fullchain.pem", str(chain)).replace("/etc/ssl/hq/privkey.pem", str(key))
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        head = f"daemon off; pid {folder}/pid; error_log stderr; events {{}}"
        path.write_text(f"{head} http {{ access_log off; {places}\n{text}\n}}\n")
        return ["nginx", "-e", "stderr", "-c", path]
    if name == "Caddyfile":
        options = f"{{\n\tadmin off\n\thttp_port {plain}\n\thttps_port {secured}\n}}\n"
        site = f"{NAME} {{\n\ttls {chain} {key}\n"
        path.write_text(options + text.replace(f"{NAME} {{\n", site))
        return ["caddy", "run", "--adapter", "caddyfile", "--config", path]
    text = text.replace("bind :80", f"bind 127.0.0.1:{plain}").replace("bind :443", f"bind 127.0.0.1:{secured}")
    path.write_text(text.replace("/etc/ssl/hq/hq.pem", str(both)))
    return ["haproxy", "-db", "-f", path]


@contextmanager
def running(command, folder, port):
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": str(folder), **environment_of()}) as process,
    ):
        try:
            until = time.monotonic() + 20
            while not answers(port):
                if process.poll() is not None or time.monotonic() > until:
                    pytest.fail((folder / "log").read_text())
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(timeout=20)


def environment_of():
    return {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}


def answers(port):
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex(("127.0.0.1", port)) == 0


def ask(secured, chain, method, path, body=None, **headers):
    """Over TLS, under the name of the certificate."""
    trust = ssl.create_default_context(cafile=chain)
    connection = HTTPSConnection(NAME, secured, context=trust, timeout=20)
    connection.sock = trust.wrap_socket(socket.create_connection(("127.0.0.1", secured), 20), server_hostname=NAME)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.mark.real
@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_stands_before_a_console(name, console, tmp_path, certificate):
    program = {"nginx.conf": "nginx", "Caddyfile": "caddy", "haproxy.cfg": "haproxy"}[name]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    plain, secured, chain = free_port(), free_port(), certificate[1]
    with behind_waitress(console) as port:
        command = configuration(name, tmp_path, certificate, port, plain, secured)
        with running(command, tmp_path, secured):
            until = time.monotonic() + 10
            while (found := ask(secured, chain, "GET", "/api/health"))[0] == 503 and time.monotonic() < until:
                time.sleep(0.2)  # HAProxy has not asked yet whether the console is well
            status, headers, body = found
            assert (status, b'"ok":true' in body) == (200, True)
            assert (
                "max-age=31536000"
                in {key.lower(): value for key, value in headers.items()}["strict-transport-security"]
            )
            assert ask(secured, chain, "GET", "/api/nowhere%2Fat//all")[0] == 404
            chunks = ask(secured, chain, "POST", "/api/integrations/alerts", iter([b'{"a":', b"1}"]))
            assert (chunks[0], b"unauthorized" in chunks[2]) == (401, True)
            if name != "Caddyfile":  # Caddy counts what it reads, and waits for the body
                declared = {"Content-Length": str(MOST_BYTES + 1), "Content-Type": "application/json"}
                assert ask(secured, chain, "POST", "/api/integrations/alerts", b"{}", **declared)[0] == 413
            first = HTTPConnection("127.0.0.1", plain, timeout=20)
            first.request("GET", "/api/health", headers={"Host": NAME})
            assert first.getresponse().status == 308
            first.close()


@pytest.mark.real
def test_systemd_understands_the_unit(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    unit = tmp_path / "hq.service"
    unit.write_text((DEPLOY / "hq.service").read_text().replace("/opt/hq/bin/hq", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
