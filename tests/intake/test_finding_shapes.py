"""Qualys in every shape that occurs: objects or lists at each level, the KnowledgeBase in three places, four states."""

from itertools import product

import pytest

from engine.intake.findings import Finding, describe, parse_document, read_findings
from engine.intake.findings.finding import order_times
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, qualys, qualys_host
from tests.intake.documents import DETECTION, HOST, KNOWLEDGE, detections, knowledge_base, qualys_xml

OBJECT, LIST = "object", "list"
PLACES = ("inside", "beside", "before", "absent")
SHAPES = list(product((OBJECT, LIST), repeat=3))
STATES = {"Active": "open", "New": "open", "Re-Opened": "reopened", "Fixed": "fixed"}
FIRST = at(4, day=1).replace(month=10)


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def expected_finding(status, place, check="38170", key="qualys:id-5707"):
    known = place != "absent"
    return Finding(
        source="qualys",
        key=key,
        check=check,
        host="web1.example.com",
        title="OpenSSL: forged certificates" if known else f"QID {check}",
        severity="high",
        severity_text="4",
        severity_given=True,
        **order_times(STATES[status], FIRST.isoformat(), at(4, day=19).isoformat(), None, RECEIVED),
        asset_id="6506432",
        port=443,
        protocol="tcp",
        cves=("CVE-2022-3602", "CVE-2022-3786") if known else (),
        cvss=7.5 if known else None,
        known_exploited=known,
        details={"type": "Confirmed", "address": "10.0.0.5"} | ({"solution": "Update."} if known else {}),
    )


def shape_value(kind, one):
    return [one] if kind == LIST else one


@pytest.mark.parametrize("status", STATES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("host", "outer", "inner"), SHAPES)
def test_one_detection_is_the_same_finding_in_every_shape(host, outer, inner, place, status):
    inside = {"KNOWLEDGE_BASE": KNOWLEDGE} if place == "inside" else {}
    detection = {**DETECTION, "STATUS": status, **inside}
    held = shape_value(outer, {"DETECTION": shape_value(inner, detection)})
    body = detections(shape_value(host, {**HOST, "DETECTION_LIST": held}))
    if place == "beside":
        body |= knowledge_base(KNOWLEDGE)
    batch = read(body)
    findings = batch.findings
    if place == "before":
        before = read(knowledge_base(KNOWLEDGE))
        assert (before.received, before.findings, list(before.checks)) == (0, [], ["38170"])
        findings = [describe(finding, before.checks.get(finding.check)) for finding in findings]
    assert findings == [expected_finding(status, place)]
    assert (batch.source, batch.received, batch.complete) == ("qualys", 1, False)


@pytest.mark.parametrize("place", ["beside", "absent"])
@pytest.mark.parametrize("status", STATES)
def test_the_api_s_own_xml_is_the_same_finding_as_its_json(status, place):
    entries = [KNOWLEDGE] if place == "beside" else []
    batch = read(parse_document(qualys_xml([{**DETECTION, "STATUS": status}], entries), "text/xml"))
    assert batch.findings == [expected_finding(status, place)]


@pytest.mark.parametrize(("host", "outer", "inner"), SHAPES)
def test_several_of_each_are_all_read(host, outer, inner):
    """As objects there is one of each; a list at a level holds two."""
    number = iter(range(1, 9))

    def several(kind, make):
        return make() if kind == OBJECT else [make(), make()]

    def detection():
        return {**DETECTION, "UNIQUE_VULN_ID": None, "QID": next(number)}

    def detection_list():
        return {"DETECTION": several(inner, detection)}

    body = detections(several(host, lambda: {**HOST, "DETECTION_LIST": several(outer, detection_list)}))
    count = 2 ** [host, outer, inner].count(LIST)
    assert [finding.check for finding in read(body).findings] == [str(n + 1) for n in range(count)]


@pytest.mark.parametrize("level", ["HOST_LIST_VM_DETECTION_OUTPUT", "RESPONSE", "HOST_LIST"])
def test_the_outer_levels_may_be_lists_too(level):
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}})

    def listing(value):
        if not isinstance(value, dict):
            return value
        return {name: [listing(inner)] if name == level else listing(inner) for name, inner in value.items()}

    assert read(listing(body)).findings == [expected_finding("Active", "absent")]


def test_pages_in_one_list_and_a_finding_beside_them_are_all_read():
    pages = [detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}}), knowledge_base(KNOWLEDGE), qualys(QID=7)]
    batch = read(pages)
    assert [finding.key for finding in batch.findings] == ["qualys:id-5707", "qualys:10.0.0.5|7|443|tcp|"]
    assert batch.findings[0] == expected_finding("Active", "beside")


def test_what_is_no_object_in_a_list_of_pages_is_named():
    with pytest.raises(BadRequest, match=r"\[1\] must be an object; got 'x'"):
        read([detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}}), "x"])


def test_a_list_of_detections_needs_no_element_around_each():
    assert read(detections({**HOST, "DETECTION_LIST": [DETECTION]})).findings == [expected_finding("Active", "absent")]
    assert read(detections({**HOST, "DETECTION": DETECTION})).findings == [expected_finding("Active", "absent")]


def test_a_host_needs_no_list_around_it():
    held = {**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}}
    for hosts in (held, [held]):
        body = {"HOST_LIST_VM_DETECTION_OUTPUT": {"RESPONSE": {"HOST": hosts}}}
        assert read(body).findings == [expected_finding("Active", "absent")]


def test_the_knowledge_base_may_lie_inside_the_response_and_be_a_bare_list():
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}})
    body["HOST_LIST_VM_DETECTION_OUTPUT"]["RESPONSE"] |= knowledge_base(KNOWLEDGE)
    assert read(body).findings == [expected_finding("Active", "beside")]
    assert [*read({"VULN_LIST": [KNOWLEDGE]}).checks] == [KNOWLEDGE["QID"]]


def test_names_go_by_any_case():
    def lower_keys(value):
        if isinstance(value, dict):
            return {name.lower(): lower_keys(inner) for name, inner in value.items()}
        return [lower_keys(inner) for inner in value] if isinstance(value, list) else value

    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}}) | knowledge_base(KNOWLEDGE)
    assert read(lower_keys(body)).findings == [expected_finding("Active", "beside")]


@pytest.mark.parametrize("entries", [[], None, ""])
def test_an_empty_knowledge_base_says_where_its_entries_belong(entries):
    with pytest.raises(BadRequest, match=r"KNOWLEDGE_BASE_VULN_LIST_OUTPUT\.RESPONSE\.VULN_LIST\.VULN\[\]"):
        read({"KNOWLEDGE_BASE_VULN_LIST_OUTPUT": {"RESPONSE": {"VULN_LIST": {"VULN": entries}}}})


def test_an_entry_of_the_knowledge_base_without_a_number_is_named():
    with pytest.raises(BadRequest, match=r"VULN\[1\]\.QID must be the number of the check; got nothing"):
        read(knowledge_base(KNOWLEDGE, {"TITLE": "x"}))


def test_a_detection_s_own_words_go_before_those_of_the_knowledge_base():
    own = {**DETECTION, "TITLE": "Ours", "SEVERITY": "2", "CVSS_V3": "3.1", "SOLUTION": "Wait."}
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": own}}) | knowledge_base(KNOWLEDGE)
    (finding,) = read(body).findings
    assert (finding.title, finding.severity, finding.cvss, finding.details["solution"]) == ("Ours", "low", 3.1, "Wait.")


@pytest.mark.parametrize(
    ("entry", "level", "given"),
    [
        ({}, "critical", True),
        ({"SEVERITY_LEVEL": None}, "high", True),
        ({"SEVERITY_LEVEL": None, "CVSS_V3": None, "CVSS": None}, "medium", False),
    ],
)
def test_a_detection_without_severity_takes_that_of_its_check(entry, level, given):
    known = {**KNOWLEDGE, "SEVERITY_LEVEL": "5", **entry}
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": {**DETECTION, "SEVERITY": None}}})
    (finding,) = read(body | knowledge_base(known)).findings
    assert (finding.severity, finding.severity_given) == (level, given)


EMPTY = [
    ([], "the list that the body is"),
    ({"findings": []}, "findings[]"),
    ({"vulnerabilities": []}, "vulnerabilities[]"),
    ({"response": {"results": []}, "error_code": 0}, "response.results[]"),
    (
        {"HOST_LIST_VM_DETECTION_OUTPUT": {"RESPONSE": {"DATETIME": "2026-11-19T04:00:00Z"}}},
        "DETECTION_LIST.DETECTION[]",
    ),
    (detections(None), "DETECTION_LIST.DETECTION[]"),
    (detections([]), "DETECTION_LIST.DETECTION[]"),
    (detections({**HOST, "DETECTION_LIST": None}), "DETECTION_LIST.DETECTION[]"),
    (detections({**HOST, "DETECTION_LIST": {"DETECTION": []}}), "DETECTION_LIST.DETECTION[]"),
    (detections(HOST), "DETECTION_LIST.DETECTION[]"),
    ({"NessusClientData_v2": {"Report": {"ReportHost": {"@name": "web1"}}}}, "ReportHost[].ReportItem[]"),
    ({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": []}]}, "runs[].results[]"),
    ({"bomFormat": "CycloneDX", "specVersion": "1.6", "components": []}, "vulnerabilities[]"),
]


@pytest.mark.parametrize(("body", "place"), EMPTY)
def test_a_known_shape_without_a_record_is_refused_and_says_where_they_belong(body, place):
    with pytest.raises(BadRequest) as raised:
        read(body)
    assert raised.value.word == "no_findings"
    assert place in raised.value.message
    assert [detail["field"] in raised.value.message for detail in raised.value.details] == [True]


def test_a_complete_scan_that_names_its_hosts_may_be_empty():
    batch = read({"findings": [], "complete": True, "hosts": ["web1"], "source": "trivy"})
    assert (batch.findings, batch.complete, batch.hosts, batch.origins) == ([], True, {"web1"}, {"trivy"})
    clean = detections([{**HOST, "DETECTION_LIST": None}, {"ID": "7", "IP": "10.0.0.6"}]) | {"complete": True}
    batch = read(clean)
    assert (batch.source, batch.findings, batch.hosts) == ("qualys", [], {"web1.example.com", "10.0.0.6"})
    assert batch.origins == {"qualys"}


@pytest.mark.parametrize("said", [{"complete": True}, {"hosts": ["web1"]}, {"complete": False, "hosts": ["web1"]}])
def test_complete_alone_or_hosts_alone_do_not_make_an_empty_scan(said):
    with pytest.raises(BadRequest, match="complete: true and the hosts that it looked at"):
        read({"findings": [], **said})


def test_a_header_that_says_something_else_than_the_document_is_refused():
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": DETECTION}})
    assert read(body, "qualys").source == "qualys"
    with pytest.raises(BadRequest, match="X-Svc-Vuln-Source says tenable; the body is of qualys"):
        read(body, "tenable")


def test_a_host_that_is_no_object_is_named_beside_those_that_are():
    with pytest.raises(BadRequest, match=r"HOST\[1\] must be an object; got 5"):
        read(detections([qualys_host(DETECTION), 5]))
