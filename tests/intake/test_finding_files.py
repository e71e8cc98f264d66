"""Scanners' files: XML without what is dangerous in it, CSV of every flavour, and how they are told apart."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.intake.findings import Finding, is_csv, parse_document, read_findings
from engine.intake.findings.xml_trees import DEEPEST, read_xml
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at
from tests.intake.documents import DETECTION, NESSUS, SCAN_REPORT, SCAN_RESULT, qualys_xml
from tests.laws import examples

OCTOBER = at(4, day=1).replace(month=10)


def read(data, content_type=None):
    data = data if isinstance(data, bytes) else data.encode()
    return read_findings(parse_document(data, content_type), source_header=None, received_at=RECEIVED)


def refusal(data, content_type=None):
    with pytest.raises(BadRequest) as raised:
        read(data, content_type)
    return raised.value


def test_xml_is_read_as_converters_write_it():
    text = '<a x="1"><b>t</b><b y="2">u</b><c/><n:d xmlns:n="urn:n">v<!-- w --></n:d><?p q?><e><![CDATA[<f>]]></e></a>'
    assert read_xml(text.encode()) == {
        "a": {"@x": "1", "b": ["t", {"@y": "2", "#text": "u"}], "c": None, "d": "v", "e": "<f>"}
    }


def test_a_doctype_is_accepted_and_its_dtd_is_not_fetched():
    for head in (
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">',
        '<!DOCTYPE a PUBLIC "x" "file:///etc/passwd">',
        "<!DOCTYPE a>",
    ):
        assert read_xml(f"<?xml version='1.0'?>{head}<a>t</a>".encode()) == {"a": "t"}
    assert read_xml(b'<!DOCTYPE a [<!ELEMENT a ANY><!ATTLIST a x CDATA "long">]><a/>') == {"a": None}


LAUGHS = "".join(
    f'<!ENTITY l{n} "{"&l" + str(n - 1) + ";" if n else "ha"}{"&l" + str(n - 1) + ";" if n else "ha"}">'
    for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"<!DOCTYPE a [{LAUGHS}]><a>&l19;</a>", "declares the entity 'l0'; entities are not read (line 1)"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a/>', "declares the entity 'x'"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "declares the entity 'x'"),
        ('<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]><a/>', "declares the entity 'x'"),
        ('<!DOCTYPE a SYSTEM "a.dtd"><a>\n&x;</a>', "refers to the entity 'x', which it does not hold"),
        ('<!DOCTYPE a [%x;<!ENTITY y "z">]><a>&y;</a>', "refers to the entity 'y', which it does not hold"),
        ("<a>&x;</a>", "begins as XML and is none (undefined entity"),
        ("<a>" * (DEEPEST + 1) + "</a>" * (DEEPEST + 1), f"is nested deeper than {DEEPEST} elements"),
        ("<a><b></a>", "begins as XML and is none (mismatched tag: line 1, column 8)"),
        ("<a>", "begins as XML and is none (no element found"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", "begins as XML and is none (unknown encoding"),
        ("<a/><b/>", "begins as XML and is none (junk after document element"),
    ],
)
def test_xml_that_needs_more_than_itself_is_refused(text, message):
    problem = refusal(text)
    assert (problem.word, problem.status) == ("invalid_body", 400)
    assert message in problem.message


def test_too_many_elements_are_refused(monkeypatch):
    monkeypatch.setattr("engine.intake.findings.xml_trees.ELEMENTS", 10)
    assert read_xml(b"<a>" + b"<b/>" * 9 + b"</a>") == {"a": {"b": [None] * 9}}
    assert "holds more than 10 elements" in refusal(b"<a>" + b"<b/>" * 10 + b"</a>").message


@given(st.text(alphabet='<>&;/a"![]%? =-', max_size=60))
@settings(max_examples=examples(150), deadline=None)
def test_no_text_raises_anything_but_a_bad_request(text):
    words = set()
    for data in (text.encode(), f"<a>{text}".encode(), f"<!DOCTYPE a {text}".encode()):
        try:
            parse_document(data, None)
        except BadRequest as problem:
            words.add(problem.word)
    assert words <= {"invalid_body"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_xml_comes_in_any_encoding_that_it_names(encoding):
    named = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{named}"?><NessusClientData_v2><a>é</a></NessusClientData_v2>'
    assert parse_document(text.encode(encoding), None) == {"NessusClientData_v2": {"a": "é"}}


@pytest.mark.parametrize(
    "content_type", [None, "application/xml", "text/xml; charset=utf-8", "application/json", "x/y"]
)
def test_what_begins_as_xml_is_xml(content_type):
    assert read(NESSUS, content_type).source == "tenable"
    assert read(qualys_xml(DETECTION), content_type).source == "qualys"


def test_a_nessus_file():
    log4j, information = read(NESSUS).findings
    assert log4j == Finding(
        source="tenable",
        key="tenable:192.0.2.8|156032|8443|tcp",
        check="156032",
        host="web1.example.com",
        title="Log4j",
        severity="critical",
        severity_text="4",
        severity_given=True,
        status="open",
        first_seen_at=at(4, day=19),
        last_seen_at=at(4, day=19),
        port=8443,
        protocol="tcp",
        cves=("CVE-2021-44228", "CVE-2021-45046"),
        cvss=10.0,
        known_exploited=True,
        details={
            "family": "Misc.",
            "address": "192.0.2.8",
            "os": "Linux Kernel 5.15",
            "vpr": "9.9",
            "solution": "Update to 2.16.",
            "results": "Path : /opt/app",
        },
    )
    assert (information.key, information.severity) == ("tenable:192.0.2.8|19506||tcp", "info")


def test_a_nessus_file_counts_in_seconds_where_it_can():
    stamped = NESSUS.replace(
        '<tag name="HOST_END">', '<tag name="HOST_END_TIMESTAMP">1795060860</tag><tag name="HOST_END">'
    )
    assert read(stamped).findings[0].last_seen_at == at(4, 1, day=19)


def test_a_nessus_file_and_the_export_know_a_protocol_in_one_case():
    assert read(NESSUS.replace('"tcp"', '"TCP"')).findings[0].key == read(NESSUS).findings[0].key


@pytest.mark.parametrize(
    ("change", "host", "key"),
    [
        (('<tag name="host-fqdn">web1.example.com</tag>', ""), "WEB1", "tenable:192.0.2.8|156032|8443|tcp"),
        (('<tag name="host-ip">192.0.2.8</tag>', ""), "web1.example.com", "tenable:192.0.2.8|156032|8443|tcp"),
        (
            ('ReportHost name="192.0.2.8"', 'ReportHost name="shop"'),
            "web1.example.com",
            "tenable:192.0.2.8|156032|8443|tcp",
        ),
    ],
)
def test_a_host_of_a_nessus_file_goes_by_address_then_by_name(change, host, key):
    finding = read(NESSUS.replace(*change)).findings[0]
    assert (finding.host, finding.key) == (host, key)


def wrap_members(value, names, sign):
    """The tree with these members in a list of one, and attributes marked otherwise."""
    if not isinstance(value, dict):
        return value
    members = {}
    for name, inner in value.items():
        inner = (
            [wrap_members(one, names, sign) for one in inner]
            if isinstance(inner, list)
            else wrap_members(inner, names, sign)
        )
        listed = name in names and not isinstance(inner, list)
        members[name.replace("@", sign)] = [inner] if listed else inner
    return members


@pytest.mark.parametrize("sign", ["@", "_", ""])
@pytest.mark.parametrize(
    "names", [(), ("Report",), ("ReportHost",), ("ReportItem", "cve"), ("Report", "ReportHost", "ReportItem", "tag")]
)
def test_json_of_a_nessus_file_is_the_same_in_every_shape(names, sign):
    one_item = NESSUS.replace(NESSUS[NESSUS.index('<ReportItem port="0"') : NESSUS.index("</ReportHost>")], "")
    body = wrap_members(read_xml(one_item.encode()), names, sign)
    assert read_findings(body, source_header="nessus", received_at=RECEIVED).findings == read(one_item).findings


def test_an_item_without_a_plugin_is_named():
    problem = refusal(NESSUS.replace(' pluginID="19506"', ""))
    assert "ReportHost[0].ReportItem[1].plugin.id must be the number of the plugin" in problem.message


def test_a_scan_report_of_qualys_takes_words_from_its_glossary():
    (finding,) = read(SCAN_REPORT).findings
    assert finding == Finding(
        source="qualys",
        key="qualys:10.0.0.5|38170|443|tcp|",
        check="38170",
        host="web1.example.com",
        title="Certificate of another name",
        severity="low",
        severity_text=None,
        severity_given=True,
        status="open",
        first_seen_at=OCTOBER,
        last_seen_at=at(4, day=19),
        port=443,
        protocol="tcp",
        cves=("CVE-2022-0001",),
        cvss=6.5,
        details={
            "type": "Vuln",
            "address": "10.0.0.5",
            "os": "Linux 5.15",
            "solution": "Renew it.",
            "results": "name\tother".replace("\t", " "),
        },
    )


def test_a_scan_result_of_qualys_holds_findings_in_attributes():
    findings = {finding.check: finding for finding in read(SCAN_RESULT).findings}
    assert {check: (one.title, one.severity, one.port, len(one.cves)) for check, one in findings.items()} == {
        "38170": ("Certificate", "high", 443, 2),
        "82024": ("Constant field", "low", None, 0),
        "6": ("DNS name", "info", None, 0),
    }
    assert {(one.host, one.details["os"]) for one in findings.values()} == {("web1.example.com", "Linux 5.15")}


VMDR = (
    '"Report of assets"\r\n"Acme, Ltd","11/20/2026"\r\n\r\n'
    '"CVE","QID","Title","Severity","Status","Asset Name","Asset IPV4","Port","Protocol","Results"\r\n'
    '"CVE-2026-0001","38170","Certificate","4","ACTIVE","web1","10.0.0.5","443","TCP","two\nlines, ""quoted"""\r\n'
    '"CVE-2026-0002","38170","Certificate","4","ACTIVE","web1","10.0.0.5","443","TCP","two"\r\n'
    ",,,,,,,,,\r\n"
)
API = (
    "----BEGIN_RESPONSE_BODY_CSV\n"
    '"Host ID","IP Address","DNS Name","Operating System","QID","Type","Port","Protocol","Status","Severity"\n'
    '"7","10.0.0.5","web1.example.com","Linux","38170","Confirmed","443","tcp","New","5"\n'
    "----END_RESPONSE_BODY_CSV\n"
    '----BEGIN_RESPONSE_FOOTER_CSV\nWARNING\n"CODE","TEXT","URL"\n"1980","1 record limit","https://q.example"\n'
    "----END_RESPONSE_FOOTER_CSV\n"
)
PCI = "IP,HOSTNAME,QID,VULN TITLE,TYPE,SEVERITY,PORT,PROTOCOL,Q_SEVERITY,CVEID\n10.0.0.5,web1,86476,Stopped,POTENTIAL,Medium,80,tcp,3,CVE-2026-0001\n"
NESSUS_CSV = (
    "Plugin ID,CVE,CVSS,Risk,Host,Protocol,Port,Name\n156032,CVE-2021-44228,9.3,Critical,192.0.2.8,tcp,8443,Log4j\n"
)
CENTER = '"Plugin","Plugin Name","Severity","IP Address","Protocol","Port","DNS Name","CVE"\n"42873","SSL","High","192.0.2.8","TCP","443","web1","CVE-2016-2183"\n'
DOTTED = "asset.id;asset.name;definition.id;definition.name;severity;state;port;protocol\na1;web1;156032;Log4j;4;ACTIVE;443;TCP\n"


@pytest.mark.parametrize(
    ("text", "key", "title", "severity"),
    [
        (VMDR, "qualys:10.0.0.5|38170|443|tcp|", "Certificate", "high"),
        (API, "qualys:7|38170|443|tcp|", "QID 38170", "critical"),
        (PCI, "qualys:10.0.0.5|86476|80|tcp|", "Stopped", "medium"),
        (NESSUS_CSV, "tenable:192.0.2.8|156032|8443|tcp", "Log4j", "critical"),
        (CENTER, "tenable:192.0.2.8|42873|443|tcp", "SSL", "high"),
        (DOTTED, "tenable:a1|156032|443|tcp", "Log4j", "critical"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_csv_is_known_by_its_header(text, key, title, severity, encoding):
    data = text.encode(encoding)
    assert is_csv(data)
    for content_type in (None, "text/csv", "application/octet-stream"):
        (finding,) = read(data, content_type).findings
        assert (finding.key, finding.title, finding.severity) == (key, title, severity)


def test_cells_may_hold_lines_and_quotes_and_rows_of_one_finding_become_one():
    (finding,) = read(VMDR).findings
    assert finding.details["results"] == 'two lines, "quoted"'
    assert finding.cves == ("CVE-2026-0001", "CVE-2026-0002")


def test_a_row_that_cannot_be_read_is_counted_from_below_the_header():
    assert (
        "rows[1].QID must be the number of the check"
        in refusal(API.replace("\n----END", '\n"8","10.0.0.6"\n----END')).message
    )


@pytest.mark.parametrize("content_type", [None, "text/csv"])
def test_a_csv_with_a_header_alone_says_that_rows_are_missing(content_type):
    problem = refusal(NESSUS_CSV.splitlines()[0], content_type)
    assert (problem.word, "expected at rows[]" in problem.message) == ("no_findings", True)


def test_a_csv_without_a_header_that_is_known_is_refused():
    assert "no header in its first 30 lines" in refusal("a,b\n1,2\n", "text/csv").message
    assert refusal("a,b\n1,2\n").word == "invalid_body"
    assert "cannot be read" in refusal(NESSUS_CSV.encode() + b'"' + b"x" * 9_000_000, "text/csv").message


def test_json_may_have_a_byte_order_mark():
    assert read(b'\xef\xbb\xbf[{"finding_id": "1", "host": "web1"}]').received == 1


def test_what_is_nothing_known_says_what_it_may_be():
    message = refusal("hello").message
    assert (
        "application/json, application/sarif+json, application/vnd.cyclonedx+json, application/xml, text/xml" in message
    )


def test_the_examples_of_the_documents_are_read():
    text = (Path(__file__).parents[2] / "docs" / "reference" / "scanner-files.md").read_text()
    blocks = re.findall(r"```(json|xml)\n(.*?)```", text, re.DOTALL)
    assert [(kind, read(block).received) for kind, block in blocks] == [("json", 1), ("xml", 1)]
