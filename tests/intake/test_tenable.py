"""Tenable findings: Vulnerability Management, Security Center, Nessus rows, the newer export."""

import pytest

from engine.intake.findings import Finding, read_findings
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, security_center, tenable

UUID = "cf165808-6a31-48e1-9cf3-c6c3174df51d"


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def one(body):
    (finding,) = read(body).findings
    return finding


def test_an_entry_of_the_vulnerability_export():
    assert one([tenable()]) == Finding(
        source="tenable",
        key=f"tenable:{UUID}|156032|8443|tcp",
        check="156032",
        host="web1.example.com",
        title="Apache Log4j Remote Code Execution",
        severity="critical",
        severity_text="critical",
        severity_given=True,
        status="open",
        first_seen_at=at(4, day=1).replace(month=10),
        last_seen_at=at(4, day=19),
        asset_id=UUID,
        port=8443,
        protocol="tcp",
        cves=("CVE-2021-44228", "CVE-2021-45046"),
        cvss=10.0,
        details={
            "family": "Misc.",
            "address": "192.0.2.8",
            "os": "Linux Kernel 5.15",
            "vpr": "9.9",
            "results": "Path : /opt/app",
        },
    )


def test_rows_of_security_center():
    finding = one({"response": {"results": [security_center()]}})
    assert finding.key == "tenable:sc|3|192.0.2.8|8443|tcp|156032"
    assert (finding.host, finding.severity, finding.cvss) == ("web1.example.com", "critical", 10.0)
    assert finding.cves == ("CVE-2021-44228", "CVE-2021-45046")
    assert (finding.first_seen_at, finding.last_seen_at) == (at(4, day=1).replace(month=10), at(4, day=19))


@pytest.mark.parametrize(
    ("unique", "key"),
    [
        ("repositoryID,dnsName,pluginID", "tenable:sc|3|web1.example.com|156032"),
        ("", "tenable:sc|3|192.0.2.8|8443|tcp|156032"),
        (None, "tenable:sc|3|192.0.2.8|8443|tcp|156032"),
        ("repositoryID,pluginID,hostUUID", "tenable:sc|3|192.0.2.8|8443|tcp|156032"),
    ],
)
def test_security_center_names_the_fields_of_its_key(unique, key):
    assert one([security_center(vulnUniqueness=unique)]).key == key


def test_a_row_of_nessus_one_for_each_cve():
    row = {
        "Plugin ID": "156032",
        "CVE": "CVE-2021-44228",
        "Risk": "High",
        "Host": "192.0.2.8",
        "Protocol": "tcp",
        "Port": "0",
        "Name": "Log4j",
    }
    finding = one([row, {**row, "CVE": "CVE-2021-45046"}])
    assert (finding.key, finding.host, finding.port) == ("tenable:192.0.2.8|156032||tcp", "192.0.2.8", None)
    assert (finding.severity, finding.title, len(finding.cves)) == ("high", "Log4j", 2)
    assert one([{**row, "Risk": "None"}]).severity == "info"


def test_the_newer_findings_export_has_dotted_names():
    row = {
        "asset.id": UUID,
        "asset.name": "web1",
        "definition.id": "156032",
        "definition.name": "Log4j",
        "definition.cve": "CVE-2021-44228",
        "severity": "4",
        "state": "RESURFACED",
        "port": "443",
        "protocol": "TCP",
        "id": "f1",
    }
    finding = one([row])
    assert (finding.key, finding.host) == (f"tenable:{UUID}|156032|443|tcp", "web1")
    assert (finding.title, finding.severity, finding.status) == ("Log4j", "critical", "reopened")


def test_a_finding_id_does_not_make_it_generic():
    assert read([tenable(finding_id="f-1")]).source == "tenable"


@pytest.mark.parametrize(
    ("changes", "level", "given"),
    [
        ({"severity": "info", "severity_id": 0}, "info", True),
        ({"severity": 3}, "high", True),
        ({"severity": None}, "critical", True),
        ({"severity": None, "severity_id": None}, "high", True),
        ({"severity": None, "severity_id": None, "plugin": {"id": 1, "cvss_base_score": "5.0"}}, "medium", True),
        ({"severity": "purple", "severity_id": None, "plugin": {"id": 1}}, "medium", False),
    ],
)
def test_the_severity_field_before_all_others(changes, level, given):
    finding = one(tenable(**changes))
    assert (finding.severity, finding.severity_given) == (level, given)


@pytest.mark.parametrize(
    ("state", "read_as"),
    [("OPEN", "open"), ("REOPENED", "reopened"), ("FIXED", "fixed"), ("Active", "open"), (None, "open")],
)
def test_states(state, read_as):
    finding = one(tenable(state=state, last_fixed="2026-11-18T04:00:00Z"))
    assert (finding.status, finding.fixed_at) == (read_as, at(4, day=18) if read_as == "fixed" else None)


@pytest.mark.parametrize("body", [tenable(severity_modification_type="ACCEPTED"), security_center(acceptRisk="1")])
def test_an_accepted_risk_is_open_but_opens_no_incident(body):
    finding = one([body])
    assert (finding.status, finding.disposition, finding.opens_incident) == ("open", "accepted", False)


def test_cisa_s_catalogue_is_seen_in_the_references():
    plugin = {"id": 1, "xrefs": [{"type": "CISA-KNOWN-EXPLOITED", "id": "2021/12/24"}], "epss_score": 0.97}
    finding = one(tenable(plugin=plugin))
    assert (finding.known_exploited, finding.epss) == (True, 0.97)
    assert one([security_center(xref="CISA-KNOWN-EXPLOITED:2021/12/24,CWE:20")]).known_exploited


def test_the_asset_may_be_known_by_identifier_alone():
    finding = one(tenable(asset={"uuid": UUID}))
    assert (finding.host, finding.asset_id) == (UUID, UUID)


@pytest.mark.parametrize(
    ("changes", "field", "found"),
    [
        ({"asset": None}, "[1].asset", "nothing"),
        ({"asset": {"operating_system": ["Linux"]}}, "[1].asset", "an object"),
        ({"plugin": {"name": "x"}}, "[1].plugin.id", "nothing"),
    ],
)
def test_a_finding_without_asset_or_plugin_is_named(changes, field, found):
    with pytest.raises(BadRequest) as raised:
        read([tenable(), tenable(**changes)])
    assert [(d["index"], d["field"], d["found"]) for d in raised.value.details] == [(1, field, found)]
