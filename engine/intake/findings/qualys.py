"""Qualys: QID on a host, in the layouts that connectors make of the API's XML and of the CSV exports.

A record is a detection with its host's fields. Names go by any case and with spaces: ``QID``, ``Asset Id``,
``FIRST_FOUND_DATETIME``, ``First Detected``. Severity is 5 to 1; Qualys' words do not line up with ours
("Critical" is 4), so that the number goes first.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from engine.intake.findings.finding import (
    Finding,
    by_score,
    cves,
    details,
    known_exploited,
    order_times,
    port_of,
    score,
)
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import WORDS, Severity, severity
from engine.intake.values import (
    as_list,
    first,
    flag,
    fold,
    line,
    mapping,
    plain,
)

SHAPE = "Qualys: {QID, HOST or IP or DNS, SEVERITY, …}, a host with DETECTION_LIST, or HOST_LIST_VM_DETECTION_OUTPUT"

ASSET = ("host_id", "hostid", "asset_id", "qg_hostid")
ADDRESS = ("ip", "asset_ipv4", "ipv4", "ipv6", "asset_ipv6")
NAME = ("dns", "host", "hostname", "asset_name", "netbios")
SEVERITY = ("q_severity", "severity", "severity_level", "kb_severity")
FIRST_SEEN = ("first_found_datetime", "first_found", "first_detected", "first_seen")
LAST_SEEN = ("last_found_datetime", "last_found", "last_detected", "last_seen")
FIXED = ("last_fixed_datetime", "last_fixed", "date_last_fixed")
KNOWLEDGE = ("knowledge_base", "kb", "vuln")

LEVELS: Mapping[str, str] = {
    **WORDS,
    **{"5": "critical", "4": "high", "3": "medium", "2": "low", "1": "info"},
    **{"urgent": "critical", "critical": "high", "serious": "medium", "medium": "low", "minimal": "info"},
}
STATES = {"fixed": "fixed", "re-opened": "reopened", "reopened": "reopened"}
INFORMATION = ("information gathered", "info", "ig")


class QualysRecord(NamedTuple):
    host: Mapping[str, Any]
    detection: Mapping[str, Any]


def matches(item: Mapping[str, Any]) -> bool:
    return "qid" in item or "detection_list" in item or "detection_list" in fold(mapping(item.get("host")))


def records(path: str, item: Mapping[str, Any]) -> Iterator[tuple[str, QualysRecord]]:
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
    host, detection = record
    knowledge = next((fold(detection[name]) for name in KNOWLEDGE if isinstance(detection.get(name), dict)), {})
    facts = {**detection, **{name: value for name, value in knowledge.items() if detection.get(name) in (None, "")}}
    check = plain(detection.get("qid"))
    if check is None:
        raise MalformedRecord("QID", "the number of the check", detection.get("qid"))
    asset, address, name = _identity(host)
    port, protocol = port_of(detection.get("port")), (plain(detection.get("protocol")) or "").lower() or None
    status = STATES.get((plain(_any(facts, ("status", "vuln_status"))) or "").lower(), "open")
    first_seen, last_seen, fixed = order_times(
        status, _any(facts, FIRST_SEEN), _any(facts, LAST_SEEN), _any(facts, FIXED), received_at
    )
    cvss = score(*(facts.get(key) for key in ("cvss_v3", "cvss3_base", "cvss_v3_base", "cvss3", "cvss", "cvss_base")))
    ranked = _severity(facts, cvss)
    unique = plain(detection.get("unique_vuln_id"))
    place = (asset or address or name or "").lower()
    return Finding(
        source="qualys",
        key=join_key("qualys", f"id-{unique}")
        if unique
        else join_key("qualys", place, check, port, protocol, detection.get("instance")),
        check=check,
        host=name or address or asset or "",
        title=line(facts.get("title")) or f"QID {check}",
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        status=status,
        first_seen_at=first_seen,
        last_seen_at=last_seen,
        fixed_at=fixed,
        disposition="accepted" if any(flag(facts.get(key)) for key in IGNORED) else None,
        asset_id=asset,
        port=port,
        protocol=protocol,
        cves=cves(facts.get("cve_list"), facts.get("cve_id"), facts.get("cve"), facts.get("cves")),
        cvss=cvss,
        epss=score(facts.get("epss"), facts.get("epss_score"), high=1.0),
        known_exploited=known_exploited(facts),
        details=details(
            type=facts.get("type"),
            address=address if name else None,
            os=host.get("os"),
            qds=facts.get("qds"),
            solution=facts.get("solution"),
            results=facts.get("results"),
        ),
    )


IGNORED = ("is_ignored", "is_disabled", "ignored", "disabled")


def _host(nested: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a host object; its ``ID`` and ``NAME`` are the asset's, which they are nowhere else."""
    named = {"host_id": nested.get("host_id", nested.get("id")), "hostname": nested.get("hostname", nested.get("name"))}
    return {**nested, **{name: value for name, value in named.items() if value is not None}}


def _identity(host: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    asset, address = first(host, ASSET, 100), first(host, ADDRESS)
    name = first(mapping(host.get("dns_data")), ("FQDN", "HOSTNAME", "fqdn", "hostname")) or first(host, NAME)
    if address is not None:
        address = address.replace(";", ",").partition(",")[0].strip() or None
    if asset is None and address is None and name is None:
        raise MalformedRecord("HOST", "an asset id, an address or a name (also as IP, DNS, Asset Id)", host.get("host"))
    return asset, address, name


def _severity(facts: Mapping[str, Any], cvss: float | None) -> Severity:
    ranked = severity(*(facts.get(name) for name in SEVERITY), words=LEVELS)
    if ranked.text is None and (plain(facts.get("type")) or "").lower() in INFORMATION:
        return Severity("info", None, True)
    return by_score(ranked, cvss)


def _any(facts: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((facts[name] for name in names if plain(facts.get(name)) is not None), None)
