"""Qualys findings in the layouts that occur."""

import csv
import io

import pytest

from engine.intake.findings import Finding, parse_document, read_findings
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, qualys, qualys_detection, qualys_host, qualys_output


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def one(body):
    (finding,) = read(body).findings
    return finding


def test_the_flat_layout():
    assert one(qualys()) == Finding(
        source="qualys",
        key="qualys:10.0.0.5|38170|443|tcp|",
        check="38170",
        host="10.0.0.5",
        title="SSL Certificate - Subject Common Name Does Not Match",
        severity="critical",
        severity_text="5",
        severity_given=True,
        status="open",
        first_seen_at=at(4, day=1).replace(month=10),
        last_seen_at=at(4, day=19),
        port=443,
        protocol="tcp",
    )


def test_the_output_of_the_api():
    batch = read(
        qualys_output(qualys_host(qualys_detection()), qualys_host(ID="7", IP="10.0.0.6", DETECTION_LIST=None))
    )
    assert batch.findings == [
        Finding(
            source="qualys",
            key="qualys:id-5707",
            check="38170",
            host="web1.example.com",
            title="QID 38170",
            severity="high",
            severity_text="4",
            severity_given=True,
            status="open",
            first_seen_at=at(4, day=1).replace(month=10),
            last_seen_at=at(4, day=19),
            asset_id="6506432",
            port=443,
            protocol="tcp",
            details={"type": "Confirmed", "address": "10.0.0.5", "os": "Linux 5.15"},
        )
    ]
    assert (batch.source, batch.received, batch.complete) == ("qualys", 1, False)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda host: qualys_output(host),
        lambda host: {"RESPONSE": {"HOST_LIST": {"HOST": host}}},
        lambda host: {"HOST_LIST": [host]},
        lambda host: host,
        lambda host: [host],
        lambda host: {"HOST": host},
        lambda host: {"findings": [host]},
    ],
)
def test_a_host_with_detections_may_be_wrapped_in_any_way(wrap):
    host = qualys_host(qualys_detection(UNIQUE_VULN_ID=None), qualys_detection(UNIQUE_VULN_ID=None, QID=11827))
    assert [finding.key for finding in read(wrap(host)).findings] == [
        "qualys:6506432|38170|443|tcp|",
        "qualys:6506432|11827|443|tcp|",
    ]


def test_a_row_of_the_csv_export():
    row = {
        "CVE": "CVE-2026-0001",
        "QID": "38170",
        "Title": "OpenSSL",
        "Severity": "3",
        "KB Severity": "5",
        "First Detected": "Feb 03, 2026 07:00 AM",
        "Last Detected": "Nov 19, 2026 07:00 AM",
        "Protocol": "TCP",
        "Port": "'-",
        "Status": "FIXED",
        "Asset Id": "991",
        "Asset Name": "web1",
        "Asset IPV4": "10.0.0.5,10.0.0.6",
        "Ignored": "No",
        "Last Fixed": "Nov 19, 2026 07:00 AM",
        "CVSS3 Base": "8.1 (AV:N/AC:H)",
        "Results": "",
    }
    finding = one([row])
    assert (finding.key, finding.host, finding.asset_id) == ("qualys:991|38170||tcp|", "web1", "991")
    assert (finding.severity, finding.status, finding.fixed_at) == ("medium", "fixed", at(7, day=19))
    assert (finding.first_seen_at, finding.cvss) == (at(7, day=3).replace(month=2), 8.1)
    assert (finding.cves, finding.details) == (("CVE-2026-0001",), {"address": "10.0.0.5"})


def test_rows_of_one_detection_for_several_cves_become_one_finding():
    batch = read([qualys(CVE="CVE-2026-0002"), qualys(CVE="CVE-2026-0001", SEVERITY=4)])
    assert [(finding.cves, finding.severity) for finding in batch.findings] == [
        (("CVE-2026-0001", "CVE-2026-0002"), "critical")
    ]
    assert batch.received == 2


@pytest.mark.parametrize(
    ("changes", "level", "given"),
    [
        ({"SEVERITY": 5}, "critical", True),
        ({"SEVERITY": "1"}, "info", True),
        ({"SEVERITY": "Critical"}, "high", True),
        ({"SEVERITY": "Medium"}, "low", True),
        ({"SEVERITY": "High", "Q_SEVERITY": "2"}, "low", True),
        ({"SEVERITY": None, "TYPE": "Ig"}, "info", True),
        ({"SEVERITY": None, "CVSS_V3": {"BASE": {"#text": "9.8"}}}, "critical", True),
        ({"SEVERITY": None, "KB": {"SEVERITY_LEVEL": "4", "TITLE": "t"}}, "high", True),
        ({"SEVERITY": "purple", "CVSS": "9"}, "medium", False),
        ({"SEVERITY": None}, "medium", False),
    ],
)
def test_the_number_before_the_word(changes, level, given):
    finding = one(qualys(**changes))
    assert (finding.severity, finding.severity_given) == (level, given)


@pytest.mark.parametrize(
    ("status", "read_as"),
    [
        ("New", "open"),
        ("Active", "open"),
        ("Re-Opened", "reopened"),
        ("REOPENED", "reopened"),
        ("Fixed", "fixed"),
        (None, "open"),
    ],
)
def test_statuses(status, read_as):
    finding = one(qualys(STATUS=status))
    assert finding.status == read_as
    assert finding.opens_incident == (read_as != "fixed")


def test_an_ignored_detection_is_accepted_and_opens_nothing():
    finding = one(qualys(IS_IGNORED="1"))
    assert (finding.disposition, finding.opens_incident) == ("accepted", False)


def test_the_knowledge_base_may_be_merged_in():
    threat = {"THREAT_INTEL": [{"id": "8", "#text": "Cisa_Known_Exploited_Vulns"}]}
    listed = {"CVE": [{"ID": "CVE-2021-44228", "URL": "u"}, {"ID": "CVE-2021-45046"}]}
    finding = one(qualys(TITLE=None, KB={"TITLE": "Log4j", "CVE_LIST": listed, "THREAT_INTELLIGENCE": threat}))
    assert (finding.title, finding.cves) == ("Log4j", ("CVE-2021-44228", "CVE-2021-45046"))
    assert finding.known_exploited


def beside(check, title, listed, **more):
    """A host with its one detection under DETECTION_LIST and what the KnowledgeBase says beside it, as connectors of
    VMDR send it."""
    return {
        "DETECTION_LIST": {"QID": check, "SEVERITY": "4", "STATUS": "Active", "UNIQUE_VULN_ID": f"u{check}"},
        "DNS": "db1.example.net",
        "ID": "1170",
        "IP": "10.0.0.9",
        "KNOWLEDGE_BASE": {"QID": check, "TITLE": title, "CVE_LIST": listed, "CVSS_V3": {"BASE": "7.8"}, **more},
    }


def test_the_knowledge_base_may_lie_beside_the_detections_of_a_host():
    kernel = beside("256716", "Security update for kernel", ["CVE-2019-0001"])
    linux = beside("202726", "Notification for Linux", ["CVE-2024-0002", "CVE-2022-0003"])
    found = [(finding.title, finding.cves, finding.cvss) for finding in read([kernel, linux]).findings]
    assert found == [
        ("Security update for kernel", ("CVE-2019-0001",), 7.8),
        ("Notification for Linux", ("CVE-2022-0003", "CVE-2024-0002"), 7.8),
    ]
    assert one({**kernel, "KNOWLEDGE_BASE": linux["KNOWLEDGE_BASE"]}).title == "QID 256716", "that of another check"
    assert one({**kernel, "KNOWLEDGE_BASE": [linux["KNOWLEDGE_BASE"], kernel["KNOWLEDGE_BASE"]]}).cves == (
        "CVE-2019-0001",
    )


VMDR = '''\
"Asset Vuln Datalist Report","04 Feb 2026 10:00AM GMT-0500","1"
"Acme","1 Test Street","Test City","None","12345","USA"
"CVE","CVSSv2 Base (nvd)","CVSSv3.1 Base (nvd)","QID","Title","Severity","Last Detected","Port","Status","Asset Id","Results"
"CVE-2021-0001","9.3","10.0","7301","Log, remote code","5","Feb 03, 2026 07:00 AM","8080","ACTIVE","2001","two
lines, ""quoted"""
'''


@pytest.mark.parametrize("is_quoted_whole", [False, True])
def test_a_vmdr_export_may_have_each_line_quoted_as_a_whole(is_quoted_whole):
    rows = list(csv.reader(io.StringIO(VMDR, newline="")))
    text = io.StringIO(newline="")
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="").writerow(row)
        csv.writer(text).writerow([line.getvalue()] if is_quoted_whole else row)
    finding = one(parse_document(text.getvalue().encode(), "text/csv"))
    assert (finding.title, finding.cves, finding.cvss) == ("Log, remote code", ("CVE-2021-0001",), 10.0)
    assert (finding.key, finding.port, finding.severity) == ("qualys:2001|7301|8080||", 8080, "critical")


def test_a_warning_of_more_pages_is_never_complete():
    warning = {"CODE": "1980", "TEXT": "1000 record limit exceeded", "URL": "https://q/?id_min=5"}
    body = qualys_output(qualys_host(qualys_detection()))
    assert read({**body, "complete": True}).complete
    assert not read({**qualys_output(qualys_host(qualys_detection()), WARNING=warning), "complete": True}).complete


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([qualys(), qualys(HOST=None)], "[1].HOST"),
        ({"findings": [qualys(), qualys(HOST="")]}, "findings[1].HOST"),
        ([qualys(), qualys(HOST={"OS": "Linux"})], "[1].HOST"),
        ([qualys(), qualys(QID=[1])], "[1].QID"),
        (qualys_output(qualys_host(qualys_detection(), qualys_detection(QID=None))), "HOST[0].DETECTION[1].QID"),
    ],
)
def test_a_finding_without_host_or_qid_is_named(body, field):
    with pytest.raises(BadRequest) as raised:
        read(body)
    assert raised.value.word == "invalid_finding"
    assert [(detail["index"], detail["field"]) for detail in raised.value.details] == [(1, field)]
