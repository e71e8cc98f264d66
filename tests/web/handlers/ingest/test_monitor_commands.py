"""The commands on the pages about monitors and scanners, run as they stand against a console on a port."""

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime

import pytest

from engine.store.rows import many
from engine.store.schema.services import findings, incidents
from tests.intake import bodies
from tests.web.handlers.ingest.test_ingest import VULNERABILITIES, token  # noqa: F401 - a fixture
from tests.web.pages import block, data
from tests.web.served import stand_in

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("bash") is None, reason="the commands use bash and curl"
)


def run(command, **environment):
    """What a command prints; it must succeed."""
    done = subprocess.run(
        ["bash", "-euc", command], capture_output=True, text=True, env=dict(os.environ, **environment), check=False
    )
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    return done.stdout


@pytest.fixture
def here(server_port, token):  # noqa: F811 - fixtures
    """What stands on a page for the console and its token."""
    return {"address": f"http://127.0.0.1:{server_port}", "token": token}


@pytest.fixture
def stored_rows(with_people):
    def rows(table):
        with with_people.reader() as connection:
            return many(connection, table, "acme")

    return rows


def test_a_title_opens_an_incident_and_resolves_it(here, stored_rows):
    assert json.loads(run(block("anything-else.md", "bash config", **here)))["created"] == 1
    assert json.loads(run(block("anything-else.md", "bash resolve", **here)))["resolved"] == 1
    assert [(row["title"], row["status"]) for row in stored_rows(incidents)] == [("Disk full on db1", "resolved")]


def test_a_finding_opens_an_incident(here, stored_rows):
    assert json.loads(run(block("other-scanners.md", "bash config", **here)))["incidents_opened"] == 1
    assert [(row["title"], row["severity"]) for row in stored_rows(findings)] == [("Log4Shell", "critical")]


def test_what_grafana_sends_can_be_tried_by_hand(here, stored_rows, tmp_path):
    (tmp_path / "body.json").write_text(json.dumps(data("grafana.md", "body")))
    run(f"cd {tmp_path}; {block('grafana.md', 'bash try', **here)}")
    assert [row["title"] for row in stored_rows(incidents)] == ["High memory usage"]


def test_a_token_is_made_by_whoever_is_signed_in_and_lets_a_monitor_in(here, console):
    cookie = console.gate.sessions.issue("owner@acme.example", "acme", now=datetime.now(UTC))
    made = json.loads(run(block("README.md", "bash token", **here), SESSION=cookie))
    assert (made["label"], made["secret"][:11]) == ("alertmanager", "svc_ingest_")
    done = run(block("anything-else.md", "bash config", **{**here, "token": made["secret"]}))
    assert json.loads(done)["created"] == 1


@pytest.mark.skipif(shutil.which("jq") is None, reason="the script uses jq")
def test_the_script_for_tenable_waits_for_the_export_and_posts_every_chunk(here, stored_rows):
    asked = []
    chunks = {"1": [bodies.tenable(), bodies.tenable(state="FIXED", plugin={"id": 2, "name": "Old"})], "2": []}
    statuses = iter(["QUEUED", "PROCESSING", "FINISHED"])

    def answer(method, path, headers, body):
        asked.append((method, path, headers["X-ApiKeys"], json.loads(body) if body else None))
        if path == "/vulns/export":
            return b'{"export_uuid": "e1"}'
        if path == "/vulns/export/e1/status":
            return json.dumps({"status": next(statuses), "chunks_available": [1, 2]}).encode()
        match = re.fullmatch(r"/vulns/export/e1/chunks/(\d)", path)
        return json.dumps(chunks[match[1]]).encode() if match else None

    with stand_in(answer) as tenable:
        script = block("tenable.md", "bash config", **here)
        printed = run(script, TENABLE_URL=tenable, TENABLE_ACCESS_KEY="a", TENABLE_SECRET_KEY="s", PAUSE="0")
    assert [json.loads(line)["received"] for line in printed.splitlines() if line] == [2]
    assert [path for _, path, _, _ in asked] == [
        "/vulns/export",
        *["/vulns/export/e1/status"] * 3,
        "/vulns/export/e1/chunks/1",
        "/vulns/export/e1/chunks/2",
    ]
    assert {keys for _, _, keys, _ in asked} == {"accessKey=a;secretKey=s"}
    assert asked[0][3]["filters"]["state"] == ["OPEN", "REOPENED", "FIXED"]
    assert sorted((row["title"], row["status"]) for row in stored_rows(findings)) == [
        ("Apache Log4j Remote Code Execution", "open"),
        ("Old", "fixed"),
    ]


PAGE = """<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE HOST_LIST_VM_DETECTION_OUTPUT SYSTEM "https://qualysapi/host_list_vm_detection_output.dtd">
<HOST_LIST_VM_DETECTION_OUTPUT><RESPONSE><HOST_LIST><HOST><ID>{host}</ID><IP>10.0.0.{host}</IP><DETECTION_LIST>
<DETECTION><UNIQUE_VULN_ID>{host}</UNIQUE_VULN_ID><QID>{check}</QID><TYPE>Confirmed</TYPE><SEVERITY>4</SEVERITY>
<STATUS>New</STATUS></DETECTION></DETECTION_LIST></HOST></HOST_LIST>{warning}</RESPONSE>
</HOST_LIST_VM_DETECTION_OUTPUT>
"""
MORE = "\n<WARNING><CODE>1980</CODE><URL><![CDATA[{address}&id_min=2]]></URL></WARNING>\n"
KNOWLEDGE = "<KNOWLEDGE_BASE_VULN_LIST_OUTPUT><RESPONSE/></KNOWLEDGE_BASE_VULN_LIST_OUTPUT>"


def test_the_script_for_qualys_posts_what_is_known_of_the_checks_before_each_page():
    asked, posted = [], []

    def answer(method, path, headers, body):
        asked.append((path, headers["X-Requested-With"], headers["Authorization"][:6]))
        if "knowledge_base" in path:
            return KNOWLEDGE.encode()
        second = "id_min=2" in path
        address = f"http://{headers['Host']}/api/5.0/fo/asset/host/vm/detection/?action=list"
        warning = "" if second else MORE.format(address=address)
        return PAGE.format(host=2 if second else 1, check=22 if second else 11, warning=warning).encode()

    def take(method, path, headers, body):
        posted.append((method, path, headers["Authorization"], headers["Content-Type"], headers["X-Svc-Vuln-Source"]))
        posted.append(body.decode())
        return b"{}"

    with stand_in(answer) as qualys, stand_in(take) as console:
        script = block("qualys.md", "bash config", address=console, token="svc_ingest_x")
        run(script, QUALYS_URL=qualys, QUALYS_USER="u", QUALYS_PASSWORD="p", DAYS="2")
    assert [path.partition("?")[0].rpartition("/fo/")[2] for path, _, _ in asked] == [
        "asset/host/vm/detection/",
        "knowledge_base/vuln/",
        "asset/host/vm/detection/",
        "knowledge_base/vuln/",
    ]
    assert [re.findall(r"ids=(\d+)", path) for path, _, _ in asked[1::2]] == [["11"], ["22"]]
    assert {(marker, scheme) for _, marker, scheme in asked} == {("curl", "Basic ")}
    header = ("POST", VULNERABILITIES, "Bearer svc_ingest_x", "application/xml", "qualys")
    assert posted[::2] == [header] * 4
    assert [body[:40] for body in posted[1::2]] == [KNOWLEDGE[:40], PAGE[:40]] * 2
    assert "<ID>1</ID>" in posted[3]
    assert "<ID>2</ID>" in posted[7]


def test_the_script_for_qualys_follows_no_page_elsewhere():
    def answer(method, path, headers, body):
        return PAGE.format(host=1, check=11, warning=MORE.format(address="http://evil.example/?a=1")).encode()

    with stand_in(answer) as qualys, stand_in(lambda *_: b"{}") as console:
        script = block("qualys.md", "bash config", address=console)
        done = subprocess.run(
            ["bash", "-euc", script],
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ, QUALYS_URL=qualys, QUALYS_USER="u", QUALYS_PASSWORD="p"),
        )
    assert (done.returncode, "the next page is elsewhere: http://evil.example/" in done.stderr) == (1, True)
