"""Where an attack can begin: open findings on services, and how likely they are to be exploited."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.exposure.dependencies import Service
from engine.model.vocabulary import FindingStatus, Severity

KNOWN_EXPLOITED = 0.95
CVSS_SHARE = 0.5
INTERNET, INTERNAL = 1.0, 0.6
# Upper ends of the CVSS v3.1 rating scale: a finding without any score counts as the worst of its severity.
WORST_CVSS: Mapping[str, float] = {"critical": 10.0, "high": 8.9, "medium": 6.9, "low": 3.9, "info": 0.0}


@dataclass(frozen=True)
class OpenFinding:
    """A weakness as the store knows it; only ``open`` ones on a service are entries."""

    id: str
    title: str
    severity: Severity
    service_id: str | None
    status: FindingStatus = "open"
    cve: str | None = None
    cvss: float | None = None
    epss: float | None = None
    known_exploited: bool | None = None
    internet_reachable: bool | None = None


@dataclass(frozen=True)
class EntryPoint:
    """An open finding with its part of the score: ``strength`` is exploit × exposure. ``assumed``: no score came."""

    finding_id: str
    service_id: str
    title: str
    cve: str | None
    exploit: float
    exposure: float
    assumed: bool
    why: str
    evidence_id: str

    @property
    def strength(self) -> float:
        """What a path that begins here starts with."""
        return self.exploit * self.exposure


def entries(
    findings: Iterable[OpenFinding], services: Mapping[str, Service]
) -> tuple[tuple[EntryPoint, ...], tuple[str, ...]]:
    """Entries by finding id, and the ids of open findings that are on no known service."""
    ordered = sorted((finding for finding in findings if finding.status == "open"), key=lambda finding: finding.id)
    placed = tuple(
        _entry(finding, services[finding.service_id])
        for finding in ordered
        if finding.service_id is not None and finding.service_id in services
    )
    return placed, tuple(f.id for f in ordered if f.service_id is None or f.service_id not in services)


def _entry(finding: OpenFinding, service: Service) -> EntryPoint:
    exploit, assumed, reason = _exploit(finding)
    internet = bool(finding.internet_reachable) or service.internet_facing
    reach = "reachable from the internet" if internet else "reachable from inside only"
    return EntryPoint(
        finding.id,
        service.id,
        finding.title,
        finding.cve,
        round(exploit, 6),
        INTERNET if internet else INTERNAL,
        assumed,
        f"{finding.cve or finding.title} is open on {service.name}: {reason}, {reach}.",
        f"findings:{finding.id}",
    )


def _exploit(finding: OpenFinding) -> tuple[float, bool, str]:
    """max(EPSS, CVSS / 10 · 0.5, 0.95 if known exploited), whether it was assumed, and which of them it is."""
    if finding.known_exploited:
        likely = max(KNOWN_EXPLOITED, finding.epss or 0.0)
        return likely, False, "known to be exploited"
    if finding.cvss is None and finding.epss is None:
        worst = WORST_CVSS[finding.severity]
        return worst / 10 * CVSS_SHARE, True, f"no score was reported, so the worst of severity {finding.severity}"
    by_cvss = (finding.cvss or 0.0) / 10 * CVSS_SHARE
    if finding.epss is not None and finding.epss >= by_cvss:
        return finding.epss, False, f"EPSS predicts exploitation with {100 * finding.epss:.1f} %"
    return by_cvss, False, f"CVSS base score {finding.cvss:g}"
