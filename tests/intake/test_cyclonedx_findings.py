"""What was decided about vulnerabilities, as CycloneDX VEX."""

import pytest

from engine.intake.findings import Finding, parse_document, read_findings
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at

PURL = "pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1"
LIBRARY = {"bom-ref": "lib", "type": "library", "name": "log4j-core", "version": "2.14.1", "purl": PURL}


def vulnerability(**changes):
    return {
        "bom-ref": "v-1",
        "id": "CVE-2021-44228",
        "source": {"name": "NVD", "url": "https://nvd.example/CVE-2021-44228"},
        "ratings": [{"source": {"name": "NVD"}, "score": 10.0, "severity": "critical", "method": "CVSSv31"}],
        "description": "Lookups in messages run code.",
        "recommendation": "Update to 2.17.1.",
        "analysis": {"state": "exploitable", "response": ["update", "workaround_available"], "detail": "In use."},
        "affects": [{"ref": "lib"}],
        **changes,
    }


def bill(*vulnerabilities, **changes):
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79",
        "version": 1,
        "metadata": {
            "timestamp": "2026-11-19T04:00:00Z",
            "component": {"bom-ref": "shop", "type": "application", "name": "shop", "version": "4.2.0"},
        },
        "components": [{"bom-ref": "web", "name": "web", "components": [LIBRARY]}],
        "vulnerabilities": list(vulnerabilities),
        **changes,
    }


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def one(body):
    (finding,) = read(body).findings
    return finding


def test_a_vulnerability_of_a_component():
    assert one(bill(vulnerability())) == Finding(
        source="cyclonedx",
        key=f"cyclonedx:shop|CVE-2021-44228|{PURL}",
        check="CVE-2021-44228",
        host=PURL,
        title="CVE-2021-44228: Lookups in messages run code.",
        severity="critical",
        severity_text="critical",
        severity_given=True,
        status="open",
        first_seen_at=at(4, day=19),
        last_seen_at=at(4, day=19),
        service="shop",
        cves=("CVE-2021-44228",),
        cvss=10.0,
        details={
            "product": "shop@4.2.0",
            "analysis": "exploitable",
            "response": "update; workaround_available",
            "detail": "In use.",
            "solution": "Update to 2.17.1.",
        },
    )
    assert read(bill(vulnerability()), "cyclonedx").source == "cyclonedx"


@pytest.mark.parametrize(
    ("state", "status", "disposition", "opens"),
    [
        ("exploitable", "open", None, True),
        ("in_triage", "open", None, True),
        (None, "open", None, True),
        ("resolved", "fixed", None, False),
        ("resolved_with_pedigree", "fixed", None, False),
        ("not_affected", "open", "false_positive", False),
        ("false_positive", "open", "false_positive", False),
    ],
)
def test_states_of_the_analysis(state, status, disposition, opens):
    analysis = {"state": state, "justification": "code_not_reachable", "lastUpdated": "2026-11-18T04:00:00Z"}
    finding = one(bill(vulnerability(analysis=analysis)))
    assert (finding.status, finding.disposition, finding.opens_incident) == (status, disposition, opens)
    assert finding.fixed_at == (at(4, day=18) if status == "fixed" else None)
    assert finding.details["justification"] == "code_not_reachable"


def test_each_component_that_is_affected_is_a_finding():
    targets = [{"ref": "lib"}, {"ref": "web"}, {"ref": "unknown-ref"}, {"ref": "urn:cdx:3e67/7#lib"}]
    findings = read(bill(vulnerability(affects=targets))).findings
    assert [finding.host for finding in findings] == [PURL, "web", "unknown-ref", "urn:cdx:3e67#lib"]
    assert read(bill(vulnerability(affects=targets[3:]))).findings[0].key == findings[3].key


def test_without_a_component_it_is_about_the_product():
    assert one(bill(vulnerability(affects=[]))).host == "shop@4.2.0"


def test_a_version_that_is_not_affected_is_none():
    spared = [{"ref": "lib", "versions": [{"version": "2.14.1", "status": "unaffected"}]}]
    some = [{"ref": "lib", "versions": [{"version": "2.14.1"}, {"version": "2.17.1", "status": "unaffected"}]}]
    assert one(bill(vulnerability(affects=spared))).disposition == "false_positive"
    assert one(bill(vulnerability(affects=some))).disposition is None


@pytest.mark.parametrize(
    ("ratings", "level", "cvss"),
    [
        ([{"severity": "low"}, {"severity": "high"}, {"severity": "medium"}], "high", None),
        ([{"score": 7.5, "method": "CVSSv3"}, {"score": 9.1, "method": "CVSSv4"}], "critical", 9.1),
        ([{"score": 55, "method": "OWASP"}, {"severity": "unknown"}], "medium", None),
        ([{"severity": "none", "score": 0.0}], "info", 0.0),
        (None, "medium", None),
    ],
)
def test_the_worst_rating_counts(ratings, level, cvss):
    finding = one(bill(vulnerability(ratings=ratings)))
    assert (finding.severity, finding.cvss) == (level, cvss)


def test_aliases_and_known_exploitation():
    aliases = {"id": "GHSA-jfh8-c2jp-5v3q", "references": [{"id": "CVE-2021-44228", "source": {"name": "NVD"}}]}
    finding = one(bill(vulnerability(**aliases, properties=[{"name": "scanner:kev", "value": "true"}])))
    assert (finding.check, finding.cves, finding.known_exploited) == ("GHSA-jfh8-c2jp-5v3q", ("CVE-2021-44228",), True)


def test_the_same_bill_of_the_next_version_is_about_the_same_findings():
    later = bill(vulnerability(), version=2, serialNumber="urn:uuid:other")
    later["metadata"]["component"]["version"] = "4.3.0"
    assert one(later).key == one(bill(vulnerability())).key


XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">
<metadata><timestamp>2026-11-19T04:00:00Z</timestamp>
<component type="application" bom-ref="shop"><name>shop</name><version>4.2.0</version></component></metadata>
<components><component type="library" bom-ref="web"><name>web</name><components>
<component type="library" bom-ref="lib"><name>log4j-core</name><version>2.14.1</version><purl>{PURL}</purl></component>
</components></component></components>
<vulnerabilities><vulnerability bom-ref="v-1"><id>CVE-2021-44228</id><source><name>NVD</name></source>
<ratings><rating><score>10.0</score><severity>critical</severity><method>CVSSv31</method></rating></ratings>
<description>Lookups in messages run code.</description><recommendation>Update to 2.17.1.</recommendation>
<analysis><state>exploitable</state><responses><response>update</response><response>workaround_available</response>
</responses><detail>In use.</detail></analysis>
<affects><target><ref>lib</ref></target></affects></vulnerability></vulnerabilities>
</bom>"""


def test_its_xml_is_the_same_finding_as_its_json():
    assert read(parse_document(XML.encode(), None)).findings == [one(bill(vulnerability()))]
    with pytest.raises(BadRequest, match=r"expected at vulnerabilities\[\]"):
        read(parse_document(b'<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1"/>', None))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (bill(vulnerability(), vulnerability(id=None)), r"vulnerabilities\[1\]\.affects\[0\]\.id must be"),
        (bill("x"), r"vulnerabilities\[0\] must be an object; got 'x'"),
        (bill(vulnerability(affects=[]), metadata=None), r"vulnerabilities\[0\]\.affects must be a list of \{ref\}"),
        (bill(), r"expected at vulnerabilities\[\]"),
    ],
)
def test_what_cannot_be_read_is_named(body, message):
    with pytest.raises(BadRequest, match=message):
        read(body)
