"""Our own payload, for every other scanner: one finding, a list, or ``{"findings": [...]}``.

An example with every field; ``finding_id`` and ``host`` are required, the rest may be absent::

    {
      "finding_id": "trivy-1f0c",               the same at each scan, and of one host
      "host": "web-3.example.com",              or an address, or an asset's identifier
      "title": "OpenSSL: buffer overflow in X.509 verification",
      "severity": "high",                       critical, high, medium, low, info or a usual word; else by cvss
      "status": "open",                         open, fixed, reopened, accepted, false_positive
      "source": "trivy",                        who found it; also beside "findings", for all
      "service": "checkout",
      "port": 443, "protocol": "tcp",
      "cve": ["CVE-2022-3602"],                 or a comma list
      "cvss": 7.5, "epss": 0.12,                0 to 10, and 0 to 1
      "known_exploited": false,                 listed by CISA
      "internet_reachable": true,
      "first_seen": "2026-11-01T04:00:00Z", "last_seen": "2026-11-20T04:00:00Z", "fixed_at": null,
      "description": "…", "solution": "…"
    }

A value that is here and wrong is refused.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.findings.finding import (
    Finding,
    cves,
    details,
    is_known_exploited,
    order_times,
    port_of,
    rate_by_score,
)
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord, expect
from engine.intake.severity import EXPECTED_SEVERITY, severity
from engine.intake.times import EXPECTED_TIME, instant
from engine.intake.values import first, flag, fold, line, mapping, number, plain, whole_number
from engine.model.vocabulary import Disposition, ScanState

SHAPE = "generic: {finding_id, host, severity?, title?, cve?, …}"

HOST = ("host", "asset", "hostname", "ip", "asset_id")
INSIDE = ("hostname", "host", "fqdn", "name", "ip", "ipv4", "id", "uuid")
DISPOSITIONS: Mapping[str, Disposition] = {
    **dict.fromkeys(("accepted", "risk_accepted", "ignored"), "accepted"),
    **dict.fromkeys(("false_positive", "false positive"), "false_positive"),
}
TIMES = ("first_seen", "last_seen", "fixed_at")
STATES: Mapping[str, ScanState] = {
    **dict.fromkeys(("fixed", "resolved", "closed", "remediated"), "fixed"),
    **dict.fromkeys(("reopened", "re-opened", "resurfaced"), "reopened"),
    **dict.fromkeys(("open", "active", "new", "detected", *DISPOSITIONS), "open"),
}


def matches(item: Mapping[str, object]) -> bool:
    return "finding_id" in item


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield path, item


def read(item: Mapping[str, object], received_at: datetime, source: str | None = None) -> Finding:
    check, host = plain(item.get("finding_id")), _host(item)
    if check is None:
        raise MalformedRecord("finding_id", "an identifier that is the same at each scan", item.get("finding_id"))
    if host is None:
        raise MalformedRecord(
            "host", "a name, an address or an asset's identifier", item.get("host", item.get("asset"))
        )
    _check(item)
    word = (plain(item.get("status")) or "open").lower()
    status = STATES[word]
    times = order_times(status, item.get("first_seen"), item.get("last_seen"), item.get("fixed_at"), received_at)
    cvss = number(item.get("cvss"))
    ranked = rate_by_score(severity(item.get("severity")), cvss)
    identifiers = cves(item.get("cve"), item.get("cves"))
    origin = line(item.get("source"), 60) or source
    return Finding(
        source=origin or "generic",
        key=join_key("generic", origin, check),
        check=check,
        host=host,
        title=line(item.get("title")) or ", ".join(identifiers[:3]) or f"Finding {line(check, 100)}",
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **times,
        disposition=DISPOSITIONS.get(word),
        asset_id=line(item.get("asset_id"), 100),
        service=line(item.get("service")),
        port=port_of(item.get("port")),
        protocol=(line(item.get("protocol"), 20) or "").lower() or None,
        cves=identifiers,
        cvss=cvss,
        epss=number(item.get("epss")),
        known_exploited=is_known_exploited(item),
        internet_reachable=flag(item.get("internet_reachable")),
        details=details(description=item.get("description"), solution=item.get("solution")),
        rule=", ".join(identifiers) or None,
    )


def _host(item: Mapping[str, object]) -> str | None:
    """A name, also inside an object that describes the asset."""
    inside = next((mapping(item[name]) for name in HOST if isinstance(item.get(name), dict)), {})
    return first(item, HOST) or first(fold(inside), INSIDE)


def _check(item: Mapping[str, object]) -> None:
    expect(item, "severity", EXPECTED_SEVERITY, lambda value: severity(value).given)
    expect(item, "status", "open, fixed, reopened, accepted or false_positive", _is_status)
    expect(item, "cvss", "a number from 0 to 10", lambda value: _within(value, 10.0))
    expect(item, "epss", "a number from 0 to 1", lambda value: _within(value, 1.0))
    expect(item, "port", "a whole number from 0 to 65535", lambda value: whole_number(value, 0, 65535) is not None)
    for name in ("known_exploited", "internet_reachable"):
        expect(item, name, "true or false", lambda value: flag(value) is not None)
    for name in TIMES:
        expect(item, name, EXPECTED_TIME, lambda value: instant(value) is not None)


def _is_status(value: object) -> bool:
    return (plain(value) or "").lower() in STATES


def _within(value: object, high: float) -> bool:
    found = number(value)
    return found is not None and 0 <= found <= high
