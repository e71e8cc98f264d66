"""Trivy, Grype and Inspector: what was looked at, which package, how bad, and what to do."""

import pytest

from engine.intake.findings import read_findings
from engine.model.errors import BadRequest
from tests.intake import documents
from tests.intake.bodies import RECEIVED


def batch(body, **given):
    return read_findings(body, source_header=None, received_at=RECEIVED, **given)


@pytest.mark.parametrize(
    ("body", "source", "host", "check", "level", "cves", "solution"),
    [
        (
            *(documents.trivy(), "trivy", "registry.example/shop:1", "CVE-2022-3602", "high"),
            *(("CVE-2022-3602",), "Update to 3.0.7"),
        ),
        (
            *(documents.grype(), "grype", "registry.example/shop:1", "GHSA-jfh8-c2jp-5v3q", "critical"),
            *(("CVE-2021-44228",), "Update to 2.15.0"),
        ),
        (
            *(documents.inspector(), "inspector", "i-12345678", "CVE-2022-3602", "high"),
            *(("CVE-2022-3602",), "Update openssl"),
        ),
    ],
)
def test_a_vulnerability_is_one_of_a_package_in_what_was_looked_at(body, source, host, check, level, cves, solution):
    (found,) = batch(body).findings
    assert (found.source, found.host, found.check, found.severity) == (source, host, check, level)
    assert (found.cves, found.details["solution"], found.status) == (cves, solution, "open")


def test_inspector_says_itself_what_is_fixed_and_since_when_it_is_known():
    (found,) = batch(documents.inspector("CLOSED")).findings
    assert (found.status, found.fixed_at.isoformat()) == ("fixed", "2026-11-20T04:00:00+00:00")
    assert found.first_seen_at.isoformat() == "2026-11-01T04:00:00+00:00"


def test_a_list_of_inspector_is_read_like_its_event():
    listed = batch({"findings": [documents.inspector()["detail"]]})
    assert [finding.key for finding in listed.findings] == [one.key for one in batch(documents.inspector()).findings]


def test_a_complete_scan_without_a_vulnerability_names_what_it_looked_at():
    empty = {**documents.trivy(), "Results": []}
    assert batch(empty, complete=True).hosts == {"registry.example/shop:1"}
    with pytest.raises(BadRequest, match="holds no finding"):
        batch(empty)


def test_a_vulnerability_without_an_identifier_is_refused():
    with pytest.raises(BadRequest, match="a vulnerability with its identifier"):
        batch(documents.trivy({"PkgName": "openssl"}))


def one(body):
    (found,) = batch(body).findings
    return found


def moments(finding):
    return [moment and moment.isoformat() for moment in (finding.first_seen_at, finding.last_seen_at, finding.fixed_at)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Jan 19, 2023, 10:46:15 PM", "2023-01-19T22:46:15+00:00"),
        ("Wed Sep 04 16:59:44.356 UTC 2024", "2024-09-04T16:59:44.356000+00:00"),
        ("2023-01-19T22:46:15.123Z", "2023-01-19T22:46:15.123000+00:00"),
    ],
)
def test_the_times_of_inspector_are_read_as_eventbridge_writes_them(written, read):
    times = dict.fromkeys(("firstObservedAt", "lastObservedAt", "updatedAt"), written)
    assert moments(one(documents.weak_packages("openssl", status="CLOSED", **times))) == [read, read, read]


def test_each_open_port_and_each_line_is_a_finding_of_its_own():
    ports = [documents.open_port(22), documents.open_port(80, findingArn="arn:b"), documents.open_port(80)]
    lines = [documents.weak_line(6, findingArn="arn:c"), documents.weak_line(9, findingArn=None)]
    findings = batch({"findings": [body["detail"] for body in ports[:2] + lines[:1]]}).findings
    assert [finding.details["place"] for finding in findings] == ["TCP 22", "TCP 80", "src/f.py:6"]
    assert one(ports[2]).key == one(ports[0]).key  # its ARN is what it is known by
    assert one(lines[0]).key != one(lines[1]).key
    assert one(lines[0]).check == "python/hardcoded-credentials@v1.0"


def test_what_an_internet_gateway_leads_to_is_reachable_and_of_anything_else_nothing_is_said():
    reached, inside = one(documents.open_port(22)), one(documents.open_port(22, "AWS::EC2::VpcPeeringConnection"))
    assert (reached.port, reached.protocol, reached.internet_reachable) == (22, "TCP", True)
    assert (inside.internet_reachable, inside.service) == (None, "checkout")


def test_packages_of_one_vulnerability_are_one_finding_in_any_order():
    row = one(documents.weak_packages("openssl", "libssl3t64", epss={"score": 0.00045}))
    assert row.key == one(documents.weak_packages("libssl3t64", "openssl")).key
    assert (row.cvss, row.epss) == (6.5, 0.00045)  # of the source that Inspector went by
    assert row.details["solution"] == "Update openssl to 3.0.14; Update libssl3t64 to 3.0.14"


@pytest.mark.parametrize(
    ("scores", "level", "given"),
    [({"nvd": {"V3Score": 9.8}}, "critical", True), ({"x": {"V40Score": 5.1}}, "medium", True), ({}, "medium", False)],
)
def test_a_severity_that_nobody_knows_is_that_of_the_score_and_never_good(scores, level, given):
    row = one(documents.trivy({"VulnerabilityID": "CVE-2026-1", "Severity": "UNKNOWN", "CVSS": scores}))
    assert (row.severity, row.severity_given) == (level, given)


def test_trivys_score_is_of_the_source_that_its_severity_is_of():
    scores = {"ghsa": {"V3Score": 7.7}, "nvd": {"V3Score": 5.3}, "redhat": {"V3Score": 4.8}}
    held = {"VulnerabilityID": "GHSA-xx", "VendorIDs": ["CVE-2020-1234"], "CVSS": scores, "Severity": "MEDIUM"}
    assert one(documents.trivy({**held, "SeveritySource": "redhat"})).cvss == 4.8
    assert (one(documents.trivy(held)).cvss, one(documents.trivy(held)).cves) == (5.3, ("CVE-2020-1234",))


def test_grype_knows_what_is_exploited_how_likely_and_the_newer_score():
    body = documents.grype()
    said = {
        "severity": "Unknown",
        "cvss": [{"version": "2.0", "metrics": {"baseScore": 10}}, {"version": "3.1", "metrics": {"baseScore": 8.5}}],
        "epss": [{"cve": "CVE-2021-44228", "epss": 0.94, "percentile": 0.99}],
        "knownExploited": [{"cve": "CVE-2021-44228"}],
    }
    body["matches"][0]["vulnerability"] |= said
    body["matches"][0]["relatedVulnerabilities"] = [{"id": "CVE-2021-44228", "severity": "Critical"}]
    row = one(body)
    assert (row.severity, row.cvss, row.epss, row.known_exploited) == ("critical", 8.5, 0.94, True)


def test_a_report_is_dated_by_its_tool():
    trivy = documents.trivy() | {"CreatedAt": "2026-11-20T08:00:00.000000005Z"}
    grype = documents.grype()
    grype["descriptor"]["timestamp"] = "2026-11-20T08:00:00.123456789Z"
    assert moments(one(trivy))[1] == "2026-11-20T08:00:00+00:00"
    assert moments(one(grype))[1] == "2026-11-20T08:00:00.123456+00:00"
