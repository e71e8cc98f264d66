"""Qualys' own documents: host detections, scan reports, scan results and the KnowledgeBase, as XML or as JSON of it.

The outer elements may be missing, as connectors leave them off; one HOST, DETECTION_LIST or DETECTION may be an object
where several are a list.
"""

from collections.abc import Iterator, Mapping

from engine.intake.findings.checks import catalogue_entries, check_number
from engine.intake.findings.finding import HostNames
from engine.intake.findings.layout import WRAPPERS, Layout, number_items
from engine.intake.findings.nesting import step, texts_of, under
from engine.intake.refusals import MalformedRecord
from engine.intake.values import as_list, first, fold, folded_name, mapping, plain

OUTPUTS = ("host_list_vm_detection_output", "asset_data_report", "qualys_report")
LISTS = (("detection_list", "detection"), ("vuln_info_list", "vuln_info"))
MORE_PAGES = "1980"
LOOKED_AT = 20
LONGEST = 40  # of the names looked for
CATALOGUE = frozenset({"knowledge_base_vuln_list_output", "vuln_list", "glossary"})
KNOWN = CATALOGUE | {*OUTPUTS, "scan", "response", "results", "host_list", "host"}
EXPECTED = {
    OUTPUTS[0]: "HOST_LIST_VM_DETECTION_OUTPUT.RESPONSE.HOST_LIST.HOST[].DETECTION_LIST.DETECTION[]",
    "asset_data_report": "ASSET_DATA_REPORT.HOST_LIST.HOST[].VULN_INFO_LIST.VULN_INFO[]",
    "scan": "SCAN.IP[].VULNS, PRACTICES, INFOS or SERVICES, .CAT[].VULN[]",
    "knowledge": "KNOWLEDGE_BASE_VULN_LIST_OUTPUT.RESPONSE.VULN_LIST.VULN[]",
}

ASSET = ("host_id", "hostid", "asset_id", "qg_hostid")
ADDRESS = ("ip", "ip_address", "asset_ipv4", "ipv4", "ipv6", "asset_ipv6")
NAME = ("dns", "dns_name", "host", "hostname", "asset_name", "netbios", "netbios_name")
# the groups of a scan result, their entries, and the words for what they are
GROUPS = (
    ("vulns", "vuln", "Confirmed"),
    ("practices", "practice", "Potential"),
    ("infos", "info", "Ig"),
    ("services", "service", "Ig"),
)


def qualys_layout(body: object) -> Layout | None:
    """The hosts of a document of Qualys', or of several in a list; None for any other body."""
    listed = isinstance(body, list)
    if not _has_document(body):
        return None
    folded = [(number, fold(one) if isinstance(one, dict) else one) for number, one in enumerate(as_list(body))]
    documents = [one for _, one in folded if isinstance(one, dict) and _is_document(one, listed)]
    layout = _document(documents, {} if listed else documents[0]) if documents else None
    if layout is None or not listed:
        return layout
    inside = {id(one) for one in documents}
    others = [(f"[{number}]", one) for number, one in folded if id(one) not in inside]
    return layout._replace(items=[*layout.items, *others])


def knowledge_in(body: object) -> list[tuple[str, object]]:
    """The KnowledgeBase's entries in a body, with the path that leads to each."""
    if not _has_document(body):
        return []
    return catalogue_entries([fold(one) for one in as_list(body) if isinstance(one, dict)])


def _is_document(one: Mapping[str, object], listed: bool) -> bool:
    """A host alone is one by itself; in a list it is a finding like others."""
    return bool((KNOWN - {"host"} if listed else KNOWN) & one.keys()) and not (listed and "qid" in one)


def _has_document(body: object) -> bool:
    """Whether the first of what may be thousands of findings looks like a document; one further on is no finding."""
    names = KNOWN - {"host"} if isinstance(body, list) else KNOWN
    first_few = [one for one in as_list(body)[:LOOKED_AT] if isinstance(one, dict)]
    return any(folded_name(name) in names for one in first_few for name in one if len(name) < LONGEST)


def _document(documents: list[dict[str, object]], wrapper: Mapping[str, object]) -> Layout | None:
    if (scans := step(documents, "scan")) is not None and step(scans, "ip") is not None:
        return Layout(
            list(_scan(scans)), wrapper, EXPECTED["scan"], "qualys", hosts=frozenset(_scanned_addresses(scans))
        )
    named = next((name for name in OUTPUTS if step(documents, name) is not None), None)
    holders = [*under(documents, named), *_without(documents, named)] if named else [*documents]
    answers = [inner for holder in holders for inner in _contents(holder)]
    lists = step(answers, "host_list")
    if named is None and lists is None:
        return _hosts_alone(wrapper) or _knowledge_alone(documents)
    bare = [] if lists is not None else step(answers, "host") or []  # hosts need no list around them
    hosts = [*bare, *(host for inside in lists or () for host in _hosts(inside))]
    return _layout(hosts, wrapper, EXPECTED.get(named or "", EXPECTED[OUTPUTS[0]]), _has_more(answers))


def _without(documents: list[dict[str, object]], named: str) -> list[object]:
    return [one for one in documents if named not in one]


def is_host(item: Mapping[str, object]) -> bool:
    """Whether this, under folded names, is a host with its detections."""
    return any(name in item for names in LISTS for name in names)


def detections_of(host: Mapping[str, object]) -> Iterator[object]:
    """The detections of a host, whether the list, the detection or neither came as a list."""
    for outer, inner in LISTS:
        parts = as_list(host[outer]) if outer in host else [host] if inner in host else []
        for part in parts:
            folded = fold(mapping(part))
            yield from as_list(folded[inner]) if inner in folded else [part] if part else []


def host_fields(nested: Mapping[str, object]) -> dict[str, object]:
    """The fields of a host object; its ``ID`` and ``NAME`` are the asset's, which they are nowhere else."""
    plain_fields = texts_of(nested)
    named = {"host_id": nested.get("host_id", nested.get("id")), "hostname": nested.get("hostname", nested.get("name"))}
    return {**plain_fields, **{name: value for name, value in named.items() if value is not None}}


def host_names(host: Mapping[str, object]) -> HostNames:
    """What a host, under folded names, is called; MalformedRecord where it is called nothing."""
    address = first(host, ADDRESS)
    name = first(mapping(host.get("dns_data")), ("FQDN", "HOSTNAME", "fqdn", "hostname")) or first(host, NAME)
    if address is not None:
        address = address.replace(";", ",").partition(",")[0].strip() or None
    names = HostNames(first(host, ASSET, 100), address, name)
    if not any(names):
        raise MalformedRecord("HOST", "an asset id, an address or a name (also as IP, DNS, Asset Id)", host.get("host"))
    return names


def _contents(holder: object) -> list[object]:
    """What lies inside RESPONSE or RESULTS, or the element itself where that is missing."""
    for name in ("response", "results"):
        inside = step([holder], name)
        if inside is not None and (name == "response" or step(inside, "host_list") is not None):
            return inside
    return [holder]


def _hosts(inside: object) -> list[object]:
    found = step([inside], "host")
    return [inside] if found is None else found


def _hosts_alone(wrapper: Mapping[str, object]) -> Layout | None:
    """``{"HOST": [...]}``: hosts without anything around them, but not the host of a flat record."""
    hosts = as_list(wrapper.get("host"))
    if "qid" in wrapper or not any(isinstance(host, dict) and is_host(fold(host)) for host in hosts):
        return None
    return _layout(hosts, wrapper, EXPECTED[OUTPUTS[0]], False)


def _knowledge_alone(documents: list[dict[str, object]]) -> Layout | None:
    """The KnowledgeBase without a finding, or with findings that have another layout."""
    alone = all("qid" not in one and not any(name in one for name in WRAPPERS) for one in documents)
    known = any(CATALOGUE & one.keys() for one in documents) or bool(catalogue_entries(documents))
    return Layout([], documents[0], EXPECTED["knowledge"], "qualys") if alone and known else None


def _layout(hosts: list[object], wrapper: Mapping[str, object], expected: str, truncated: bool) -> Layout:
    """Hosts without a detection are items no more, but they were scanned."""
    items, names = [], set()
    for path, host in number_items("HOST", hosts):
        fields = fold(mapping(host))
        if not isinstance(host, dict) or "qid" in fields or any(True for _ in detections_of(fields)):
            items.append((path, host))
        elif any(found := _names_or_none(host_fields(fields))):
            names.add(found.label)
    unreadable = bool(hosts) and not any(isinstance(host, dict) for host in hosts)
    return Layout(items, wrapper, expected, None if unreadable else "qualys", truncated, frozenset(names))


def _names_or_none(host: Mapping[str, object]) -> HostNames:
    try:
        return host_names(host)
    except MalformedRecord:
        return HostNames(None, None, None)


def _has_more(answers: list[object]) -> bool:
    return any(plain(code) == MORE_PAGES for code in under(answers, "warning", "code"))


def _scanned_addresses(scans: list[object]) -> Iterator[str]:
    """The addresses of a scan as findings on them are called."""
    for address in under(scans, "ip"):
        host = fold(mapping(address))
        if names := [text for name in ("@name", "@value") if (text := plain(host.get(name)))]:
            yield names[0]


def _scan(scans: list[object]) -> Iterator[tuple[str, object]]:
    """A result of one scan as flat records: what is found stands in attributes of the address, category and check."""
    for number, address in enumerate(under(scans, "ip")):
        host = fold(mapping(address))
        for group, entry, kind in GROUPS:
            for category in under([host], group, "cat"):
                place = fold(mapping(category))
                for index, found in enumerate(as_list(place.get(entry))):
                    yield f"IP[{number}].{entry.upper()}[{index}]", _flat(host, place, fold(mapping(found)), kind)


def _flat(
    host: Mapping[str, object], place: Mapping[str, object], found: Mapping[str, object], kind: str
) -> dict[str, object]:
    return {
        **texts_of(found),
        "qid": check_number(found.get("@number")),
        "severity": None if kind == "Ig" else found.get("@severity"),
        "cveid": found.get("@cveid"),
        "type": kind,
        "ip": host.get("@value"),
        "dns": host.get("@name"),
        "os": host.get("os"),
        "port": place.get("@port"),
        "protocol": place.get("@protocol"),
    }
