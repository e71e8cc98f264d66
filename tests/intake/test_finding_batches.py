"""Whose findings a body holds, how they are wrapped, and what no body may do."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.intake.findings import FORMATS, MOST, read_findings
from engine.intake.findings.xml_trees import read_xml
from engine.model.errors import BadRequest, TooLarge
from engine.model.vocabulary import SEVERITIES
from tests.intake import bodies
from tests.intake.bodies import RECEIVED, finding, qualys, qualys_host, qualys_output, security_center, tenable
from tests.intake.documents import DETECTION, KNOWLEDGE, NESSUS, SCAN_REPORT, SCAN_RESULT, detections, knowledge_base
from tests.intake.test_alert_formats import SCALARS
from tests.intake.test_cyclonedx_findings import XML, bill, vulnerability
from tests.intake.test_sarif_findings import result, sarif
from tests.laws import examples

KNOWN = {"qualys": qualys(), "tenable": tenable(), "generic": finding()}
DOCUMENTS = [
    {**detections(qualys_host(DETECTION)), **knowledge_base(KNOWLEDGE)},
    read_xml(NESSUS.encode()),
    read_xml(SCAN_REPORT.encode()),
    read_xml(SCAN_RESULT.encode()),
    sarif(result()),
    bill(vulnerability()),
    read_xml(XML.encode()),
]
SHAPES = [*KNOWN.values(), security_center(), qualys_host(bodies.qualys_detection()), *DOCUMENTS]


def names_in(value):
    if isinstance(value, dict):
        return {*value}.union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


NAMES = sorted(names_in(SHAPES) | {"findings", "HOST_LIST", "complete", "hosts", "response"})
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=6),
    max_leaves=20,
)


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: [one], lambda one: {"findings": [one]}, lambda one: {"findings": one}]
)
def test_each_scanner_is_recognised_in_each_wrapping(name, wrap):
    batch = read(wrap(KNOWN[name]))
    assert (batch.source, len(batch.findings), batch.received, batch.complete) == (name, 1, 1, False)


def test_the_header_forces_the_format():
    both = {**finding(), **qualys()}
    assert read(both).source == "qualys"
    assert read(both, "Generic").source == "generic"
    assert read(tenable(), "nessus").source == "tenable"
    assert read({"findings": [], "complete": True, "hosts": ["web1"]}, "qualys").source == "qualys"
    assert read(finding(), "").source == "generic"
    with pytest.raises(BadRequest, match="QID must be the number of the check; got nothing"):
        read(finding(), "qualys")


@pytest.mark.parametrize("header", ["sarif", "cyclonedx"])
@pytest.mark.parametrize("body", [finding(), [finding()], {"findings": [{}]}, {}])
def test_a_header_does_not_make_a_document_of_what_is_none(body, header):
    with pytest.raises(BadRequest) as raised:
        read(body, header)
    assert raised.value.word == "unknown_finding_shape"


def test_an_unknown_header_is_refused():
    with pytest.raises(
        BadRequest, match="must be one of qualys, tenable, sarif, cyclonedx, container, generic, nessus, trivy, grype"
    ) as raised:
        read(finding(), "qualis")
    assert raised.value.word == "unknown_vuln_source"


@pytest.mark.parametrize("body", [{}, {"a": 1}, [{"a": 1}], ["x"], [None], {"HOST_LIST": {"HOST": [5]}}])
def test_an_unknown_shape_is_refused_with_the_shapes_known(body):
    with pytest.raises(BadRequest, match=r"The body holds no finding that is known here\. Got .{1,30}\.$") as raised:
        read(body)
    assert raised.value.word == "unknown_finding_shape"
    assert [detail["shape"] for detail in raised.value.details] == [one.name for one in FORMATS]


@pytest.mark.parametrize("body", [None, "text", 5, True])
def test_a_body_that_is_neither_object_nor_list_is_refused(body):
    with pytest.raises(BadRequest, match="The body must be a finding, a list of findings or an object around one"):
        read(body)


def test_findings_that_are_no_list_are_refused():
    with pytest.raises(BadRequest, match="findings must be a list of findings; got 'all'"):
        read({"findings": "all"})


def test_all_findings_without_host_are_listed_up_to_a_hundred():
    with pytest.raises(BadRequest) as raised:
        read({"findings": [finding(finding_id=n, host=None if n % 2 else "web1") for n in range(300)]})
    assert [detail["index"] for detail in raised.value.details] == list(range(1, 201, 2))
    assert {detail["field"] for detail in raised.value.details[:2]} == {"findings[1].host", "findings[3].host"}
    assert raised.value.message.startswith("150 of 300 findings cannot be read, so nothing was taken: ")


def test_an_item_that_is_no_object_is_named():
    with pytest.raises(BadRequest, match=r"\[1\] must be an object; got 'x'"):
        read([finding(), "x"])


@pytest.mark.real
def test_a_body_holds_at_most_twenty_thousand_findings():
    assert len(read([finding(finding_id=n) for n in range(MOST)]).findings) == MOST
    host = qualys_host(*[bodies.qualys_detection()] * (MOST + 1))
    for body in ([finding()] * (MOST + 1), qualys_output(host)):
        with pytest.raises(
            TooLarge, match=r"at most 20,000 findings \(SVC_INGEST_MAX_FINDINGS\); got 20,001"
        ) as raised:
            read(body)
        assert raised.value.word == "too_many_findings"


@pytest.mark.parametrize(
    ("said", "complete"), [(True, True), ("true", True), (False, False), (None, False), ("", False)]
)
def test_a_batch_is_complete_only_when_the_body_says_so(said, complete):
    assert read({"findings": [finding()], "complete": said}).complete is complete


def test_a_completeness_that_is_neither_true_nor_false_is_refused():
    with pytest.raises(BadRequest, match="complete must be true or false; got 'mostly'"):
        read({"findings": [finding()], "complete": "mostly"})


def test_scanned_hosts_without_findings_can_be_named():
    batch = read(
        {"findings": [finding()], "complete": True, "hosts": ["web2", None, "web1", {"a": 1}], "source": "trivy"}
    )
    assert batch.hosts == {"web1", "web2"}
    assert [(found.source, found.key) for found in batch.findings] == [("trivy", "generic:trivy|trivy-1f0c")]


def test_reports_of_one_finding_in_one_body_become_one():
    batch = read(
        [
            finding(severity="low", status="fixed", cvss=3, first_seen="2026-11-02T00:00:00Z", cve="CVE-2026-0002"),
            finding(severity="high", cvss=5, last_seen="2026-11-19T00:00:00Z", cve="CVE-2026-0001", known_exploited=1),
        ]
    )
    (found,) = batch.findings
    assert (found.severity, found.status, found.fixed_at, found.cvss) == ("high", "open", None, 5)
    assert (found.first_seen_at, found.last_seen_at) == (bodies.at(0, day=2), RECEIVED)
    assert (found.cves, found.known_exploited) == (("CVE-2026-0001", "CVE-2026-0002"), True)
    assert batch.received == 2


@pytest.mark.parametrize("body", SHAPES)
def test_the_order_of_fields_does_not_change_a_finding(body):
    assert read(body) == read(dict(reversed(body.items())))


def test_titles_with_nul_bytes_and_lone_surrogates_are_cleaned():
    found = read(finding(title="a\x00b\udfffc", finding_id="\ud800")).findings[0]
    assert (found.title, found.key) == ("a\ufffdb\ufffdc", "generic:|\ufffd")


@pytest.mark.parametrize("body", SHAPES)
def test_deep_nesting_anywhere_is_no_trouble(body):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for field in body:
        with suppress(BadRequest):
            read({**body, field: deep})


@pytest.mark.parametrize("shape", [tenable, qualys, finding])
def test_a_thousand_findings_are_read_one_by_one(shape):
    identified = {"finding_id": lambda n: {"finding_id": n}, "QID": lambda n: {"QID": n}}
    change = next((make for name, make in identified.items() if name in shape()), lambda n: {"port": n + 1})
    assert len(read([shape(**change(n)) for n in range(1000)]).findings) == 1000


@given(ANYTHING, st.sampled_from([None, "qualys", "tenable", "sarif", "generic"]))
@settings(max_examples=examples(150), deadline=None)
def test_no_json_raises_anything_but_a_bad_request(body, header):
    _reads_or_refuses(body, header)


def replace_at(value, place, other):
    """The value with what lies at a place, counted through all levels, replaced."""
    left = [place]

    def visit(inner):
        left[0] -= 1
        if left[0] < 0:
            left[0] = 10**9
            return other
        if isinstance(inner, dict):
            return {name: visit(one) for name, one in inner.items()}
        return [visit(one) for one in inner] if isinstance(inner, list) else inner

    return visit(value)


@given(st.sampled_from(DOCUMENTS), st.integers(1, 60), ANYTHING)
@settings(max_examples=examples(150), deadline=None)
def test_no_change_inside_a_document_raises_anything_but_a_bad_request(document, place, other):
    _reads_or_refuses(replace_at(document, place, other), None)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_deep_nesting_inside_a_document_is_no_trouble(document):
    deep = []
    for _ in range(20_000):
        deep = [deep]
    for place in range(1, 40):
        with suppress(BadRequest):
            read(replace_at(document, place, deep))
            read(replace_at(document, place, {"a": {"vulnerabilities": deep}}))


@given(st.sampled_from(SHAPES), st.data())
@settings(max_examples=examples(150), deadline=None)
def test_no_change_of_a_known_body_raises_anything_but_a_bad_request(shape, data):
    body = dict(shape)
    for field in data.draw(st.lists(st.sampled_from(sorted(body)), max_size=4)):
        inner = body[field]
        if isinstance(inner, dict) and inner and data.draw(st.booleans()):
            body[field] = {**inner, data.draw(st.sampled_from(sorted(inner))): data.draw(ANYTHING)}
        else:
            body[field] = data.draw(ANYTHING)
    _reads_or_refuses(data.draw(st.sampled_from([body, [body, shape], {"findings": [body]}])), None)


def _reads_or_refuses(body, header):
    batch, refusal = None, None
    try:
        batch = read(body, header)
    except BadRequest as problem:
        refusal = problem
    assert refusal is None or refusal.message.encode()
    for found in batch.findings if batch else ():
        assert repr(found).encode()
        assert "\x00" not in f"{found.title}{found.key}{found.host}{found.details}"
        assert found.host
        assert found.severity in SEVERITIES
        assert found.status in ("open", "fixed", "reopened")
        assert found.first_seen_at <= found.last_seen_at <= RECEIVED
        assert (found.fixed_at is not None) == (found.status == "fixed")
        assert len(found.key) <= 200
        assert found.cvss is None or 0 <= found.cvss <= 10
        assert found.epss is None or 0 <= found.epss <= 1
        assert found.port is None or 0 < found.port <= 65535
