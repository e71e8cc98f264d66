"""Scanners' own documents at the route and at ``hq import``: what they answer, and what is stored of them."""

import json

import pytest

from engine.cli import hq
from engine.store.rows import many
from engine.store.schema.services import findings, incidents, scanner_checks
from tests.conftest import NOW
from tests.intake.documents import DETECTION, HOST, KNOWLEDGE, NESSUS, detections, inspector, knowledge_base, qualys_xml
from tests.intake.test_cyclonedx_findings import bill, vulnerability
from tests.intake.test_sarif_findings import result, sarif
from tests.web.handlers.ingest.test_ingest import VULNERABILITIES, outcomes, send, stored_rows, tally, token  # noqa: F401 - fixtures

QUALYS = detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}})
STORED = ("finding_key", "source", "asset", "title", "severity", "status", "cve", "cvss", "known_exploited", "port")
OPENSSL = (
    "qualys:id-5707",
    "qualys",
    "web1.example.com",
    "OpenSSL: forged certificates",
    "high",
    "open",
    "CVE-2022-3602; CVE-2022-3786",
    7.5,
    True,
    443,
)


def rows(store):
    return [tuple(row[name] for name in STORED) for row in stored_rows(store, findings, order=["finding_key"])]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (None, detections({**HOST, "DETECTION_LIST": {"DETECTION": {**DETECTION, "KB": KNOWLEDGE}}})),
        (None, QUALYS | knowledge_base(KNOWLEDGE)),
        (knowledge_base(KNOWLEDGE), QUALYS),
        (None, qualys_xml(DETECTION, [KNOWLEDGE])),
    ],
)
def test_the_knowledge_base_may_come_inside_beside_or_before(first, second, send, with_people):  # noqa: F811 - the fixture of that name
    if first is not None:
        assert tally(send(VULNERABILITIES, first)) == {"checks": 1}
    answer = send(VULNERABILITIES, second)
    assert outcomes(answer) == ["created"]
    assert rows(with_people) == [OPENSSL]
    assert [row["title"] for row in stored_rows(with_people, incidents)] == [
        "OpenSSL: forged certificates on web1.example.com"
    ]
    assert tally(send(VULNERABILITIES, QUALYS if first else second)).keys() <= {"received", "checks", "unchanged"}


def test_words_that_came_inside_a_detection_outlive_a_report_without_them(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, detections({**HOST, "DETECTION_LIST": {"DETECTION": {**DETECTION, "KB": KNOWLEDGE}}}))
    assert tally(send(VULNERABILITIES, QUALYS)) == {"received": 1, "unchanged": 1}
    assert rows(with_people) == [OPENSSL]
    send(VULNERABILITIES, knowledge_base({**KNOWLEDGE, "TITLE": "Renamed"}))
    send(VULNERABILITIES, QUALYS)
    assert [row["title"] for row in stored_rows(with_people, findings)] == ["Renamed"]


def test_the_knowledge_base_is_kept_for_its_organization_and_written_once(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, knowledge_base(KNOWLEDGE))
    (row,) = stored_rows(with_people, scanner_checks)
    assert {name: value for name, value in row.items() if name != "revision"} == {
        "org_id": "acme",
        "source": "qualys",
        "check_id": "38170",
        "title": "OpenSSL: forged certificates",
        "severity": "critical",
        "cve": "CVE-2022-3602; CVE-2022-3786",
        "cvss": 7.5,
        "known_exploited": True,
        "solution": "Update.",
    }
    head = with_people.head("acme")
    assert tally(send(VULNERABILITIES, knowledge_base(KNOWLEDGE))) == {"checks": 1}
    assert with_people.head("acme") == head
    send(VULNERABILITIES, knowledge_base({**KNOWLEDGE, "TITLE": "Renamed"}))
    assert [row["title"] for row in stored_rows(with_people, scanner_checks)] == ["Renamed"]
    with with_people.reader() as connection:
        assert many(connection, scanner_checks, "other") == []


@pytest.mark.parametrize(
    ("status", "outcome", "incident"),
    [("Active", "unchanged", "open"), ("Fixed", "fixed", "resolved"), ("Re-Opened", "unchanged", "open")],
)
def test_states_of_qualys_move_the_finding_and_its_incident(status, outcome, incident, send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, QUALYS)
    answer = send(VULNERABILITIES, qualys_xml({**DETECTION, "STATUS": status}))
    assert outcomes(answer) == [outcome]
    assert [row["status"] for row in stored_rows(with_people, incidents)] == [incident]


def statement(status, day):
    """A finding of Inspector as it was stated on a day of November."""
    event = inspector(status)
    moment = f"2026-11-{day:02}T04:00:00Z"
    return {**event, "detail": {**event["detail"], "lastObservedAt": moment, "updatedAt": moment}}


@pytest.mark.parametrize(
    ("statements", "came", "state", "incident"),
    [
        ([("ACTIVE", 10), ("CLOSED", 15), ("ACTIVE", 12)], ["created", "fixed", "unchanged"], "fixed", ["resolved"]),
        ([("ACTIVE", 10), ("ACTIVE", 16), ("CLOSED", 15)], ["created", "unchanged", "unchanged"], "open", ["open"]),
        ([("CLOSED", 15), ("ACTIVE", 16)], ["created", "reopened"], "open", ["open"]),
    ],
)
def test_of_inspector_the_statement_that_it_dates_last_counts(statements, came, state, incident, send, with_people):  # noqa: F811 - the fixture of that name
    found = [outcomes(send(VULNERABILITIES, statement(*one)))[0] for one in statements]
    assert found == came
    assert [row["status"] for row in stored_rows(with_people, findings)] == [state]
    assert [row["status"] for row in stored_rows(with_people, incidents)] == incident


DOCUMENTS = {
    "nessus": (
        NESSUS,
        "application/octet-stream",
        ["tenable:192.0.2.8|156032|8443|tcp", "tenable:192.0.2.8|19506||tcp"],
    ),
    "xml": (qualys_xml(DETECTION), "text/xml", ["qualys:id-5707"]),
    "csv": ("QID,IP,Title,Severity\n7,10.0.0.5,Weak,5\n", "text/csv", ["qualys:10.0.0.5|7|||"]),
    "sarif": (
        json.dumps(sarif(result(partialFingerprints=None, correlationGuid="b5d3"))),
        "application/sarif+json",
        ["sarif:codeql|b5d3"],
    ),
    "json": (
        json.dumps(bill(vulnerability(affects=[]))),
        "application/vnd.cyclonedx+json",
        ["cyclonedx:shop|CVE-2021-44228|shop@4.2.0"],
    ),
}


def test_the_route_takes_each_document_by_its_type_and_without_one(send, with_people):  # noqa: F811 - the fixture of that name
    for text, content_type, keys in DOCUMENTS.values():
        data = text if isinstance(text, bytes) else text.encode()
        assert tally(send(VULNERABILITIES, data, content_type=content_type))["created"] == len(keys)
        assert tally(send(VULNERABILITIES, data)) == {"received": len(keys), "unchanged": len(keys)}
    known = [row["finding_key"] for row in stored_rows(with_people, findings, order=["finding_key"])]
    assert known == sorted(key for _, _, keys in DOCUMENTS.values() for key in keys)


@pytest.fixture
def folder(with_people, environment, tmp_path, monkeypatch):
    """Where files lie for commands that work on the store of the console."""
    for name, value in {**environment, "SVC_DATABASE_URL": str(with_people.url)}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "scans").mkdir()
    return tmp_path / "scans"


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_the_command_imports_each_document_as_the_route_does(kind, with_people, folder, capsys):
    text, _, keys = DOCUMENTS[kind]
    file = folder / f"scan.{kind}"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    hq(["import", str(file), "--org", "acme"])
    assert f"scan.{kind}: " in (out := capsys.readouterr().out)
    assert f"{len(keys)} findings: {len(keys)} new, 1 incidents opened" in out
    assert [row["finding_key"] for row in stored_rows(with_people, findings, order=["finding_key"])] == keys
    hq(["import", str(folder), "--org", "acme"])
    assert f"{len(keys)} as they were" in capsys.readouterr().out


@pytest.mark.real
@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        ({"scan.nessus": "<NessusClientData_v2/>"}, 1, "scan.nessus: The body is known (tenable) and holds no finding"),
        (
            {"a.nessus": NESSUS, "b.xml": "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>"},
            1,
            "b.xml: The XML declares the entity 'x'",
        ),
        ({"a.nessus": NESSUS, "vendors.csv": "name\nx\n"}, 2, "vendors.csv does not; import them in two commands"),
        (
            {"a.json": '{"report":"risks","title":"R"}', "b.html": ""},
            2,
            "a.json is a report that hq wrote, and no records",
        ),
        ({"strange.csv": "a,b\n"}, 2, "'strange' is not a table that can be imported"),
    ],
)
def test_files_that_cannot_be_imported_change_nothing(files, code, message, with_people, folder, capsys):
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(SystemExit) as ended:
        hq(["import", *(str(folder / name) for name in files), "--org", "acme"])
    assert ended.value.code == code
    assert message in capsys.readouterr().err
    assert stored_rows(with_people, findings) == []


def test_a_clean_scan_of_a_named_scanner_closes_what_is_gone(send, with_people):  # noqa: F811 - the fixture of that name
    one = {"finding_id": "F1", "host": "web1", "severity": "high"}
    send(VULNERABILITIES, {"source": "trivy", "findings": [one]})
    send(VULNERABILITIES, {"source": "grype", "findings": [one]})
    answer = send(VULNERABILITIES, {"source": "trivy", "findings": [], "complete": True, "hosts": ["web1"]})
    assert tally(answer) == {"closed_as_missing": 1}
    kept = {row["source"]: row["status"] for row in stored_rows(with_people, findings)}
    assert kept == {"trivy": "fixed", "grype": "open"}


def test_a_clean_host_of_qualys_closes_its_findings(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, QUALYS)
    clean = detections({**HOST, "DETECTION_LIST": None})
    assert send(VULNERABILITIES, clean).json["error"] == "no_findings"
    assert tally(send(VULNERABILITIES, clean | {"complete": True})) == {"closed_as_missing": 1}
    assert [(row["status"], row["fixed_at"]) for row in stored_rows(with_people, findings)] == [("fixed", NOW)]


CLEAN = NESSUS[: NESSUS.index("<ReportItem")] + NESSUS[NESSUS.rindex("</ReportHost>") :]
WHOLE = {"x_svc_vuln_complete": "true"}


def test_a_header_says_of_a_file_that_it_is_a_complete_scan_of_the_hosts_in_it(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, NESSUS.encode())
    assert send(VULNERABILITIES, CLEAN.encode()).json["error"] == "no_findings"
    assert tally(send(VULNERABILITIES, CLEAN.encode(), **WHOLE)) == {"closed_as_missing": 2}
    assert [row["status"] for row in stored_rows(with_people, findings)] == ["fixed", "fixed"]


def test_hosts_that_a_scan_looked_at_may_be_named_beside_it(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, QUALYS)
    (known,) = stored_rows(with_people, findings)
    empty = b"<HOST_LIST_VM_DETECTION_OUTPUT><RESPONSE/></HOST_LIST_VM_DETECTION_OUTPUT>"
    assert send(VULNERABILITIES, empty, **WHOLE).json["error"] == "no_findings", "nobody knows which hosts were scanned"
    answer = send(VULNERABILITIES, empty, **WHOLE, **{"x_svc_vuln_hosts": f"elsewhere, {known['asset']}"})
    assert tally(answer) == {"closed_as_missing": 1}
    assert send(VULNERABILITIES, empty, **{"x_svc_vuln_complete": "maybe"}).json["error"] == "invalid_finding"


def test_a_clean_run_of_a_tool_closes_what_that_tool_found(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, sarif(result()))
    clean = sarif() | {"complete": True}
    (row,) = stored_rows(with_people, findings)
    assert tally(send(VULNERABILITIES, clean | {"hosts": [row["asset"]]})) == {"closed_as_missing": 1}


def test_the_command_imports_complete_scans(with_people, folder, capsys):
    for name, text in (("a.nessus", NESSUS), ("b.nessus", CLEAN)):
        (folder / name).write_text(text)
    hq(["import", str(folder / "a.nessus"), "--org", "acme"])
    hq(["import", str(folder / "b.nessus"), "--org", "acme", "--complete"])
    assert "0 findings: 2 gone" in capsys.readouterr().out
    (folder / "vendors.csv").write_text("name\nx\n")
    with pytest.raises(SystemExit) as ended:
        hq(["import", str(folder / "vendors.csv"), "--org", "acme", "--complete"])
    assert ended.value.code == 2


def test_what_left_the_baseline_resolves_its_incident(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, sarif(result()))
    assert outcomes(send(VULNERABILITIES, sarif(result(baselineState="absent")))) == ["fixed"]
    assert [row["status"] for row in stored_rows(with_people, incidents)] == ["resolved"]


def test_a_decision_of_vex_opens_nothing_and_is_stored(send, with_people):  # noqa: F811 - the fixture of that name
    send(VULNERABILITIES, bill(vulnerability(analysis={"state": "not_affected", "justification": "code_not_present"})))
    assert stored_rows(with_people, incidents) == []
    (row,) = stored_rows(with_people, findings)
    assert (row["status"], row["details"]["analysis"]) == ("false_positive", "not_affected")
