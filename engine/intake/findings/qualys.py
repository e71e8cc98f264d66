"""Qualys: QID on a host, in the layouts that connectors make of the API's XML and of the CSV exports.

A record is a detection with its host's fields. Names go by any case and with spaces: ``QID``, ``Asset Id``,
``FIRST_FOUND_DATETIME``, ``First Detected``. Severity is 5 to 1; Qualys' words do not line up with ours
("Critical" is 4), so that the number goes first.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.checks import LEVELS, LISTED, SCORES, bare_title, check_number, check_of, describe
from engine.intake.findings.finding import (
    Finding,
    cves,
    details,
    is_known_exploited,
    order_times,
    port_of,
    rate_by_score,
    score,
)
from engine.intake.findings.nesting import texts_of
from engine.intake.findings.qualys_outputs import detections_of, host_fields, host_names, is_host
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, severity
from engine.intake.values import as_list, flag, fold, line, mapping, plain
from engine.model.vocabulary import ScanState

SHAPE = "Qualys: {QID, HOST or IP or DNS, SEVERITY, …}, a host with DETECTION_LIST, or HOST_LIST_VM_DETECTION_OUTPUT"

RATING = ("q_severity", "severity", "severity_level", "kb_severity")
FIRST_SEEN = ("first_found_datetime", "first_found", "first_detected", "first_seen")
LAST_SEEN = ("last_found_datetime", "last_found", "last_detected", "last_seen")
FIXED = ("last_fixed_datetime", "last_fixed", "date_last_fixed")
KNOWLEDGE = ("knowledge_base", "kb", "vuln")
STATES: Mapping[str, ScanState] = {"fixed": "fixed", "re-opened": "reopened", "reopened": "reopened"}
IGNORED = ("is_ignored", "is_disabled", "ignored", "disabled")
INFORMATION = ("information gathered", "info", "ig")


class QualysRecord(NamedTuple):
    host: Mapping[str, object]
    detection: Mapping[str, object]


def matches(item: Mapping[str, object]) -> bool:
    return "qid" in item or is_host(item) or is_host(fold(mapping(item.get("host"))))


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, QualysRecord]]:
    """One record for each detection; ``item`` has folded names."""
    nested = fold(mapping(item.get("host")))
    holder = nested if is_host(nested) else item
    if not is_host(holder):
        yield path, QualysRecord({**item, **host_fields(nested)}, item)
        return
    host = {**item, **host_fields(holder)}
    place = f"{path}.DETECTION" if path else "DETECTION"
    for index, detection in enumerate(detections_of(holder)):
        yield f"{place}[{index}]", QualysRecord(host, fold(mapping(detection)))


def read(record: QualysRecord, received_at: datetime, source: str | None = None) -> Finding:
    asset, facts = texts_of(record.host), texts_of(record.detection)
    check = check_number(record.detection.get("qid"))
    if check is None:
        raise MalformedRecord("QID", "the number of the check", record.detection.get("qid"))
    host = host_names(asset)
    port, protocol = port_of(facts.get("port")), (plain(facts.get("protocol")) or "").lower() or None
    status = STATES.get((plain(_one_of(facts, ("status", "vuln_status"))) or "").lower(), "open")
    times = order_times(
        status, _one_of(facts, FIRST_SEEN), _one_of(facts, LAST_SEEN), _one_of(facts, FIXED), received_at
    )
    cvss = score(*(facts.get(name) for name in SCORES))
    ranked = _severity(facts, cvss)
    unique = plain(facts.get("unique_vuln_id"))
    inside = _knowledge(facts, asset, check)
    finding = Finding(
        source="qualys",
        key=join_key("qualys", f"id-{unique}")
        if unique
        else join_key("qualys", host.key, check, port, protocol, facts.get("instance")),
        check=check,
        host=host.label,
        title=line(_one_of(facts, ("title", "vuln_title"))) or bare_title(check),
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **times,
        disposition="accepted" if any(flag(facts.get(key)) for key in IGNORED) else None,
        asset_id=host.asset,
        port=port,
        protocol=protocol,
        cves=cves(*(facts.get(name) for name in LISTED)),
        cvss=cvss,
        epss=score(facts.get("epss"), facts.get("epss_score"), high=1.0),
        known_exploited=is_known_exploited(facts),
        details=details(
            type=facts.get("type"),
            address=host.address if host.name else None,
            os=_one_of(asset, ("os", "operating_system")),
            qds=facts.get("qds"),
            solution=facts.get("solution"),
            results=_one_of(facts, ("results", "result")),
        ),
    )
    return describe(finding, check_of(check, texts_of(fold(inside))) if inside else None)


def _knowledge(facts: Mapping[str, object], asset: Mapping[str, object], check: str) -> Mapping[str, object] | None:
    """What the KnowledgeBase says of the check: inside the detection, or beside the detections of its host."""
    for name in KNOWLEDGE:
        if isinstance(held := facts.get(name), dict):
            return held
        for entry in as_list(asset.get(name)):
            if isinstance(entry, dict) and check_number(fold(entry).get("qid")) == check:
                return entry
    return None


def _severity(facts: Mapping[str, object], cvss: float | None) -> SeverityRating:
    ranked = severity(*(facts.get(name) for name in RATING), words=LEVELS)
    if ranked.text is None and (plain(facts.get("type")) or "").lower() in INFORMATION:
        return SeverityRating("info", None, True)
    return rate_by_score(ranked, cvss)


def _one_of(facts: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((facts[name] for name in names if plain(facts.get(name)) is not None), None)
