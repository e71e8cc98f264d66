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
from typing import Any

from engine.intake.findings.finding import (
    Finding,
    by_score,
    cves,
    details,
    known_exploited,
    order_times,
)
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import LEVELS, severity
from engine.intake.times import instant
from engine.intake.values import (
    first,
    flag,
    fold,
    line,
    number,
    plain,
    whole,
)

SHAPE = "generic: {finding_id, host, severity?, title?, cve?, …}"

HOST = ("host", "asset", "hostname", "ip", "asset_id")
INSIDE = ("hostname", "host", "fqdn", "name", "ip", "ipv4", "id", "uuid")
TIMES = ("first_seen", "last_seen", "fixed_at")
STATES: Mapping[str, tuple[str, str | None]] = {
    **dict.fromkeys(("open", "active", "new", "detected"), ("open", None)),
    **dict.fromkeys(("fixed", "resolved", "closed", "remediated"), ("fixed", None)),
    **dict.fromkeys(("reopened", "re-opened", "resurfaced"), ("reopened", None)),
    **dict.fromkeys(("accepted", "risk_accepted", "ignored"), ("open", "accepted")),
    **dict.fromkeys(("false_positive", "false positive"), ("open", "false_positive")),
}


def matches(item: Mapping[str, Any]) -> bool:
    return "finding_id" in item


def records(path: str, item: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield path, item


def read(item: Mapping[str, Any], received_at: datetime, source: str | None = None) -> Finding:
    check, host = plain(item.get("finding_id")), _host(item)
    if check is None:
        raise MalformedRecord("finding_id", "an identifier that is the same at each scan", item.get("finding_id"))
    if host is None:
        raise MalformedRecord(
            "host", "a name, an address or an asset's identifier", item.get("host", item.get("asset"))
        )
    _check(item)
    status, disposition = STATES[(plain(item.get("status")) or "open").lower()]
    first_seen, last_seen, fixed = order_times(
        status, item.get("first_seen"), item.get("last_seen"), item.get("fixed_at"), received_at
    )
    cvss = number(item.get("cvss"))
    ranked = by_score(severity(item.get("severity")), cvss)
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
        status=status,
        first_seen_at=first_seen,
        last_seen_at=last_seen,
        fixed_at=fixed,
        disposition=disposition,
        asset_id=line(item.get("asset_id"), 100),
        service=line(item.get("service")),
        port=whole(item.get("port"), 1, 65535),
        protocol=(line(item.get("protocol"), 20) or "").lower() or None,
        cves=identifiers,
        cvss=cvss,
        epss=number(item.get("epss")),
        known_exploited=known_exploited(item),
        internet_reachable=flag(item.get("internet_reachable")),
        details=details(description=item.get("description"), solution=item.get("solution")),
    )


def _host(item: Mapping[str, Any]) -> str | None:
    """A name, also inside an object that describes the asset."""
    inside = next((item[name] for name in HOST if isinstance(item.get(name), dict)), None)
    return first(item, HOST) or (first(fold(inside), INSIDE) if inside else None)


def _check(item: Mapping[str, Any]) -> None:
    level = f"one of {', '.join(LEVELS)}, or a usual word for one"
    _expect(item, "severity", level, severity(item.get("severity")).given)
    status = (plain(item.get("status")) or "").lower()
    _expect(item, "status", "open, fixed, reopened, accepted or false_positive", status in STATES)
    for name, high in (("cvss", 10.0), ("epss", 1.0)):
        value = number(item.get(name))
        _expect(item, name, f"a number from 0 to {high:g}", value is not None and 0 <= value <= high)
    _expect(item, "port", "a whole number from 0 to 65535", whole(item.get("port"), 0, 65535) is not None)
    for name in ("known_exploited", "internet_reachable"):
        _expect(item, name, "true or false", flag(item.get(name)) is not None)
    for name in TIMES:
        _expect(item, name, "an ISO 8601 instant or an epoch time", instant(item.get(name)) is not None)


def _expect(item: Mapping[str, Any], name: str, expected: str, holds: bool) -> None:
    value = item.get(name)
    absent = value is None or (isinstance(value, str) and plain(value) is None)
    if not absent and not holds:
        raise MalformedRecord(name, expected, value)
