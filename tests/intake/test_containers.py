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
    assert [found.key for found in listed.findings] == [one.key for one in batch(documents.inspector()).findings]


def test_a_complete_scan_without_a_vulnerability_names_what_it_looked_at():
    empty = {**documents.trivy(), "Results": []}
    assert batch(empty, complete=True).hosts == {"registry.example/shop:1"}
    with pytest.raises(BadRequest, match="holds no finding"):
        batch(empty)


def test_a_vulnerability_without_an_identifier_is_refused():
    with pytest.raises(BadRequest, match="a vulnerability with its identifier"):
        batch(documents.trivy({"PkgName": "openssl"}))
