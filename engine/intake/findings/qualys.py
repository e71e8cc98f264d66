"""Qualys: QID on a host, in the layouts that connectors make of the API's XML and of the CSV exports.

A record is a detection with its host's fields. Names go by any case and with spaces: ``QID``, ``Asset Id``,
``FIRST_FOUND_DATETIME``, ``First Detected``. Severity is 5 to 1; Qualys' words do not line up with ours
("Critical" is 4), so that the number goes first.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.finding import (
    Finding,
    HostNames,
    cves,
    details,
    is_known_exploited,
    order_times,
    port_of,
    rate_by_score,
    score,
)
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import WORDS, SeverityRating, severity
from engine.intake.values import as_list, first, flag, fold, line, mapping, plain
from engine.model.vocabulary import ScanState, Severity

SHAPE = "Qualys: {QID, HOST or IP or DNS, SEVERITY, …}, a host with DETECTION_LIST, or HOST_LIST_VM_DETECTION_OUTPUT"

ASSET = ("host_id", "hostid", "asset_id", "qg_hostid")
ADDRESS = ("ip", "asset_ipv4", "ipv4", "ipv6", "asset_ipv6")
NAME = ("dns", "host", "hostname", "asset_name", "netbios")
RATING = ("q_severity", "severity", "severity_level", "kb_severity")
FIRST_SEEN = ("first_found_datetime", "first_found", "first_detected", "first_seen")
LAST_SEEN = ("last_found_datetime", "last_found", "last_detected", "last_seen")
FIXED = ("last_fixed_datetime", "last_fixed", "date_last_fixed")
KNOWLEDGE = ("knowledge_base", "kb", "vuln")

LEVELS: Mapping[str, Severity] = {
    **WORDS,
    "5": "critical",
    "4": "high",
    "3": "medium",
    "2": "low",
    "1": "info",
    "urgent": "critical",
    "critical": "high",
    "serious": "medium",
    "medium": "low",
    "minimal": "info",
}
STATES: Mapping[str, ScanState] = {"fixed": "fixed", "re-opened": "reopened", "reopened": "reopened"}
IGNORED = ("is_ignored", "is_disabled", "ignored", "disabled")
INFORMATION = ("information gathered", "info", "ig")


class QualysRecord(NamedTuple):
    host: Mapping[str, object]
    detection: Mapping[str, object]


def matches(item: Mapping[str, object]) -> bool:
    return "qid" in item or "detection_list" in item or "detection_list" in fold(mapping(item.get("host")))


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, QualysRecord]]:
    """One record for each detection; ``item`` has folded names."""
    nested = fold(mapping(item.get("host")))
    holder = nested if "detection_list" in nested else item
    if "detection_list" not in holder:
        yield path, QualysRecord({**item, **_host(nested)}, item)
        return
    host = {**item, **_host(holder)}
    inside = holder["detection_list"]
    inside = fold(inside).get("detection") if isinstance(inside, dict) else inside
    place = f"{path}.DETECTION" if path else "DETECTION"
    for index, detection in enumerate(as_list(inside)):
        yield f"{place}[{index}]", QualysRecord(host, fold(mapping(detection)))


def read(record: QualysRecord, received_at: datetime, source: str | None = None) -> Finding:
    asset, detection = record
    inside = (detection.get(name) for name in KNOWLEDGE)
    knowledge = next((fold(held) for held in inside if isinstance(held, dict)), {})
    facts = {**detection, **{name: value for name, value in knowledge.items() if detection.get(name) in (None, "")}}
    check = plain(detection.get("qid"))
    if check is None:
        raise MalformedRecord("QID", "the number of the check", detection.get("qid"))
    host = _names(asset)
    port, protocol = port_of(detection.get("port")), (plain(detection.get("protocol")) or "").lower() or None
    status = STATES.get((plain(_one_of(facts, ("status", "vuln_status"))) or "").lower(), "open")
    times = order_times(
        status, _one_of(facts, FIRST_SEEN), _one_of(facts, LAST_SEEN), _one_of(facts, FIXED), received_at
    )
    cvss = score(*(facts.get(key) for key in ("cvss_v3", "cvss3_base", "cvss_v3_base", "cvss3", "cvss", "cvss_base")))
    ranked = _severity(facts, cvss)
    unique = plain(detection.get("unique_vuln_id"))
    return Finding(
        source="qualys",
        key=join_key("qualys", f"id-{unique}")
        if unique
        else join_key("qualys", host.key, check, port, protocol, detection.get("instance")),
        check=check,
        host=host.label,
        title=line(facts.get("title")) or f"QID {check}",
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **times,
        disposition="accepted" if any(flag(facts.get(key)) for key in IGNORED) else None,
        asset_id=host.asset,
        port=port,
        protocol=protocol,
        cves=cves(facts.get("cve_list"), facts.get("cve_id"), facts.get("cve"), facts.get("cves")),
        cvss=cvss,
        epss=score(facts.get("epss"), facts.get("epss_score"), high=1.0),
        known_exploited=is_known_exploited(facts),
        details=details(
            type=facts.get("type"),
            address=host.address if host.name else None,
            os=asset.get("os"),
            qds=facts.get("qds"),
            solution=facts.get("solution"),
            results=facts.get("results"),
        ),
    )


def _host(nested: Mapping[str, object]) -> dict[str, object]:
    """The fields of a host object; its ``ID`` and ``NAME`` are the asset's, which they are nowhere else."""
    named = {"host_id": nested.get("host_id", nested.get("id")), "hostname": nested.get("hostname", nested.get("name"))}
    return {**nested, **{name: value for name, value in named.items() if value is not None}}


def _names(host: Mapping[str, object]) -> HostNames:
    address = first(host, ADDRESS)
    name = first(mapping(host.get("dns_data")), ("FQDN", "HOSTNAME", "fqdn", "hostname")) or first(host, NAME)
    if address is not None:
        address = address.replace(";", ",").partition(",")[0].strip() or None
    names = HostNames(first(host, ASSET, 100), address, name)
    if not any(names):
        raise MalformedRecord("HOST", "an asset id, an address or a name (also as IP, DNS, Asset Id)", host.get("host"))
    return names


def _severity(facts: Mapping[str, object], cvss: float | None) -> SeverityRating:
    ranked = severity(*(facts.get(name) for name in RATING), words=LEVELS)
    if ranked.text is None and (plain(facts.get("type")) or "").lower() in INFORMATION:
        return SeverityRating("info", None, True)
    return rate_by_score(ranked, cvss)


def _one_of(facts: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((facts[name] for name in names if plain(facts.get(name)) is not None), None)
