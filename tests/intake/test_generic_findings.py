"""Our own finding payload."""

import json
import re

import pytest

from engine.intake.findings import Finding, generic, read_findings
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, finding


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def one(body):
    (found,) = read(body).findings
    return found


def test_identifier_and_host_are_enough():
    assert one({"finding_id": 7, "host": "web1"}) == Finding(
        source="generic",
        key="generic:|7",
        check="7",
        host="web1",
        title="Finding 7",
        severity="medium",
        severity_text=None,
        severity_given=False,
        status="open",
        first_seen_at=RECEIVED,
        last_seen_at=RECEIVED,
    )


def test_the_documented_example_is_read_whole():
    text = generic.__doc__.split("::", 1)[1].split("A value that is here")[0]
    pairs = re.findall(r'"(\w+)": ("[^"]*"|\[[^]]*\]|[\w.]+)', text)
    assert one({name: json.loads(value) for name, value in pairs}) == Finding(
        source="trivy",
        key="generic:trivy|trivy-1f0c",
        check="trivy-1f0c",
        host="web-3.example.com",
        title="OpenSSL: buffer overflow in X.509 verification",
        severity="high",
        severity_text="high",
        severity_given=True,
        status="open",
        first_seen_at=at(4, day=1),
        last_seen_at=at(4),
        service="checkout",
        port=443,
        protocol="tcp",
        cves=("CVE-2022-3602",),
        cvss=7.5,
        epss=0.12,
        internet_reachable=True,
        details={"description": "…", "solution": "…"},
        rule="CVE-2022-3602",
    )


@pytest.mark.parametrize(
    ("changes", "host"),
    [
        ({"host": None, "asset": "a1"}, "a1"),
        ({"host": None, "asset": {"id": "i-1", "hostname": "web9"}}, "web9"),
        ({"host": {"ip": "10.0.0.1"}}, "10.0.0.1"),
        ({"host": "", "ip": "10.0.0.1"}, "10.0.0.1"),
    ],
)
def test_a_host_may_be_an_asset(changes, host):
    assert one(finding(**changes)).host == host


@pytest.mark.parametrize(
    ("status", "read_as", "disposition", "opens"),
    [
        ("open", "open", None, True),
        ("NEW", "open", None, True),
        ("resolved", "fixed", None, False),
        ("reopened", "reopened", None, True),
        ("accepted", "open", "accepted", False),
        ("false_positive", "open", "false_positive", False),
        ("null", "open", None, True),
    ],
)
def test_statuses(status, read_as, disposition, opens):
    row = one(finding(status=status))
    assert (row.status, row.disposition, row.opens_incident) == (read_as, disposition, opens)


@pytest.mark.parametrize(
    ("cvss", "level"),
    [(10, "critical"), (9.0, "critical"), (8.9, "high"), (7, "high"), (6.9, "medium"), ("3.9", "low"), (0, "info")],
)
def test_a_score_stands_in_for_a_missing_severity(cvss, level):
    row = one(finding(severity=None, cvss=cvss))
    assert (row.severity, row.severity_given, row.severity_text) == (level, True, f"CVSS {float(cvss):g}")
    assert one(finding(cvss=10)).severity == "high"


def test_times_are_in_order_and_never_after_the_receipt():
    row = one(finding(first_seen="2027-01-01T00:00:00Z", last_seen="2026-11-01T00:00:00Z"))
    assert (row.first_seen_at, row.last_seen_at) == (at(0, day=1), at(0, day=1))


@pytest.mark.parametrize(
    ("changes", "field", "expected", "found"),
    [
        ({"host": None}, "host", "a name, an address or an asset's identifier", "nothing"),
        ({"finding_id": ""}, "finding_id", "an identifier that is the same at each scan", "''"),
        (
            {"severity": "purple"},
            "severity",
            "one of critical, high, medium, low, info, or a usual word for one",
            "'purple'",
        ),
        ({"status": "gone"}, "status", "open, fixed, reopened, accepted or false_positive", "'gone'"),
        ({"cvss": 11}, "cvss", "a number from 0 to 10", "11"),
        ({"epss": "45"}, "epss", "a number from 0 to 1", "'45'"),
        ({"port": 70000}, "port", "a whole number from 0 to 65535", "70000"),
        ({"known_exploited": "perhaps"}, "known_exploited", "true or false", "'perhaps'"),
        ({"first_seen": "soon"}, "first_seen", "an ISO 8601 instant or an epoch time", "'soon'"),
    ],
)
def test_a_wrong_value_is_refused_by_name(changes, field, expected, found):
    with pytest.raises(BadRequest) as raised:
        read([finding(finding_id="a"), finding(**changes)])
    assert raised.value.details == [{"index": 1, "field": f"[1].{field}", "expected": expected, "found": found}]


def test_one_identifier_on_two_hosts_is_refused_instead_of_merged():
    with pytest.raises(BadRequest, match="finding_id must be of one host; it is of web1 too; got 'trivy-1f0c'"):
        read([finding(), finding(host="web2")])
    assert len(read([finding(), finding(source="grype", host="web2")]).findings) == 2
