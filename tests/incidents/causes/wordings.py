"""How people and monitors word what happened, by what it was: two sets, of which the second was looked at only after the ranking was written."""

from collections.abc import Mapping
from typing import TypeAlias

Wordings: TypeAlias = Mapping[str, tuple[str, ...]]

# {s}: the service, {v}: the vendor, {d}: days
FIRST: Wordings = {
    "symptom": (
        "{s}: error rate above objective",
        "Elevated 5xx on {s}",
        "{s} p99 latency over 2 s",
        "High latency in {s}",
        "{s} is down",
        "Customers report failures in {s}",
        "{s} health check failing",
        "SLO burn rate of {s} too fast",
    ),
    "capacity": (
        "Disk full on {s}",
        "{s}: connection pool exhausted",
        "OOMKilled: {s}",
        "CPU saturation on {s}",
        "{s} queue backlog growing",
        "Memory usage at 98 % on {s}",
        "No space left on device ({s})",
        "{s} is throttled, quota reached",
    ),
    "certificate": (
        "Certificate of {s} expired",
        "TLS certificate for {s} has expired",
        "{s}: x509 certificate has expired or is not yet valid",
        "SSL cert expiry on {s}",
        "Expired client certificate at {s}",
    ),
    "ending": ("Certificate of {s} expires in {d} days", "{s}: TLS cert will expire in {d} days"),
    "tls": ("TLS handshake failures on {s}", "{s}: SSL errors towards dependencies"),
    "vendor": (
        "{v} outage",
        "{v} is down",
        "{v} status page: degraded performance",
        "{v} API returns errors",
        "Partial outage at {v}",
        "Elevated error rates at {v}",
    ),
    "noise": (
        "Log volume of {s} higher than usual",
        "Backup of {s} took longer",
        "{s}: one replica restarted",
        "Package update pending on {s}",
    ),
    "old": ("{s}: error rate above objective", "{s} p99 latency over 2 s", "Elevated 5xx on {s}", "Disk full on {s}"),
}
SECOND: Wordings = {
    "symptom": (
        "{s} requests timing out",
        "[P1] {s} unavailable",
        "Checkout conversion dropped, {s} answers slowly",
        "{s} Apdex < 0.7",
        "Synthetic probe against {s} fails from 3 regions",
        "Users cannot use {s}",
        "{s}: 40 % of calls rejected",
        "Spike of exceptions in {s}",
    ),
    "capacity": (
        "{s}: volume 100 % used",
        "Too many open files on {s}",
        "{s} workers maxed out",
        "Heap of {s} nearly at limit, GC thrashing",
        "Node pressure evicts pods of {s}",
        "{s} thread pool starved",
        "IOPS limit hit by {s}",
        "Consumer lag of {s} keeps rising",
    ),
    "certificate": (
        "TLS handshake errors: cert of {s} past its notAfter date",
        "{s}: leaf certificate no longer valid",
        "CERT_HAS_EXPIRED talking to {s}",
        "mTLS certs of {s} lapsed",
        "HTTPS certificate of {s} ran out last night",
    ),
    "ending": ("[{s}] cert expiry in {d} days", "Renew the certificate of {s} within {d} days"),
    "tls": ("x509 errors in {s}", "{s} cannot establish mTLS"),
    "vendor": (
        "{v} unavailable in eu-west",
        "{v} incident: increased latency",
        "We see timeouts from {v}",
        "{v} reports a major service disruption",
        "Problems at {v}",
        "{v} not responding",
    ),
    "noise": (
        "{s}: debug logging still on",
        "Unused index on {s}",
        "{s} restarted one pod",
        "Weekly report of {s} late",
    ),
    "old": ("{s} requests timing out", "{s} Apdex < 0.7", "Users cannot use {s}", "{s}: volume 100 % used"),
}
