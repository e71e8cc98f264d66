"""Trivy, Grype and Amazon Inspector: vulnerabilities of images, file systems, repositories and instances.

Trivy's report with ``Results``, Grype's with ``matches``, and Inspector's event of EventBridge or its list of findings.
What was looked at is the host: the image, the path, the instance. A vulnerability is one of a package in it.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.finding import Finding, cves, details, order_times, rate_by_score, score
from engine.intake.findings.layout import Layout, number_items
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import WORDS, severity
from engine.intake.values import as_list, line, mapping, plain
from engine.model.vocabulary import ScanState, Severity

SHAPE = (
    "Trivy {ArtifactName, Results: [{Vulnerabilities}]}, Grype {matches, source}, Inspector {findingArn, resources, …}"
)

RATINGS: Mapping[str, Severity] = {**WORDS, "negligible": "info", "unknown": "info", "untriaged": "info"}
INSPECTOR_STATES: Mapping[str, ScanState] = {"active": "open", "suppressed": "open", "closed": "fixed"}


class ContainerRecord(NamedTuple):
    """A vulnerability as its tool words it, and what was looked at."""

    tool: str
    item: Mapping[str, object]
    host: str | None


def container_layout(body: object) -> Layout | None:
    """The vulnerabilities of a report of Trivy or Grype, or findings of Inspector; None for any other body."""
    if not isinstance(body, dict):
        return None
    if "ArtifactName" in body and ("Results" in body or "SchemaVersion" in body):
        return _trivy(body)
    if isinstance(body.get("matches"), list) and "source" in body and "descriptor" in body:
        return _grype(body)
    if body.get("source") == "aws.inspector2" and isinstance(body.get("detail"), dict):
        return _inspector(body, [("detail", body["detail"])], "detail")
    inside = body.get("findings")
    if isinstance(inside, list) and inside and all("findingArn" in mapping(one) for one in inside):
        return _inspector(body, number_items("findings", inside), "findings[]")
    return None


def _trivy(body: Mapping[str, object]) -> Layout:
    host = line(body.get("ArtifactName"))
    items = [
        (path, {"tool": "trivy", "item": one, "host": host})
        for place, result in number_items("Results", as_list(body.get("Results")))
        for path, one in number_items(f"{place}.Vulnerabilities", as_list(mapping(result).get("Vulnerabilities")))
    ]
    return _layout(items, "Results[].Vulnerabilities[]", host, "trivy")


def _grype(body: Mapping[str, object]) -> Layout:
    target = mapping(body.get("source")).get("target")
    host = line(mapping(target).get("userInput")) or line(target) if target is not None else None
    items = [
        (path, {"tool": "grype", "item": one, "host": host})
        for path, one in number_items("matches", as_list(body["matches"]))
    ]
    return _layout(items, "matches[]", host, "grype")


def _inspector(body: Mapping[str, object], found: list[tuple[str, object]], expected: str) -> Layout:
    items: list[tuple[str, object]] = [
        (path, {"tool": "inspector", "item": one, "host": _resource(mapping(one))}) for path, one in found
    ]
    return Layout(items, {}, expected, "container", origins=frozenset({"inspector"}))


def _layout(items: list[tuple[str, dict[str, object]]], expected: str, host: str | None, tool: str) -> Layout:
    hosts = frozenset({host} if host else ())
    return Layout([*items], {}, expected, "container", hosts=hosts, origins=frozenset({tool}))


def _resource(item: Mapping[str, object]) -> str | None:
    resources = as_list(item.get("resources"))
    return line(mapping(resources[0]).get("id")) if resources else None


def matches(item: Mapping[str, object]) -> bool:
    return False  # the layout alone tells


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, ContainerRecord]]:
    yield path, ContainerRecord(str(item["tool"]), mapping(item.get("item")), line(item.get("host")))


def read(record: ContainerRecord, received_at: datetime, source: str | None = None) -> Finding:
    if record.host is None:
        raise MalformedRecord("", "within a report that names what was looked at", None)
    match record.tool:
        case "trivy":
            return _read_trivy(record.item, record.host, received_at)
        case "grype":
            return _read_grype(record.item, record.host, received_at)
    return _read_inspector(record.item, record.host, received_at)


def _read_trivy(item: Mapping[str, object], host: str, received_at: datetime) -> Finding:
    scores = [mapping(one).get("V3Score") for _, one in sorted(mapping(item.get("CVSS")).items())]
    fixed = plain(item.get("FixedVersion"))
    return _finding(
        *("trivy", item.get("VulnerabilityID"), item.get("PkgName"), item.get("InstalledVersion"), host, received_at),
        title=item.get("Title"),
        rating=item.get("Severity"),
        cvss=score(*scores),
        description=item.get("Description"),
        solution=f"Update to {fixed}" if fixed else None,
    )


def _read_grype(item: Mapping[str, object], host: str, received_at: datetime) -> Finding:
    found, package = mapping(item.get("vulnerability")), mapping(item.get("artifact"))
    related = [mapping(one).get("id") for one in as_list(item.get("relatedVulnerabilities"))]
    scores = [mapping(mapping(one).get("metrics")).get("baseScore") for one in as_list(found.get("cvss"))]
    fixed = ", ".join(text for one in as_list(mapping(found.get("fix")).get("versions")) if (text := plain(one)))
    return _finding(
        *("grype", found.get("id"), package.get("name"), package.get("version"), host, received_at),
        title=None,
        rating=found.get("severity"),
        cvss=score(*scores),
        description=found.get("description"),
        solution=f"Update to {fixed}" if fixed else None,
        related=related,
    )


def _read_inspector(item: Mapping[str, object], host: str, received_at: datetime) -> Finding:
    package = mapping(item.get("packageVulnerabilityDetails"))
    inside = mapping(next(iter(as_list(package.get("vulnerablePackages"))), None))
    advice = mapping(mapping(item.get("remediation")).get("recommendation")).get("text")
    status = INSPECTOR_STATES.get((plain(item.get("status")) or "active").lower(), "open")
    return _finding(
        "inspector",
        package.get("vulnerabilityId") or item.get("type"),
        inside.get("name"),
        inside.get("version"),
        host,
        received_at,
        title=item.get("title"),
        rating=item.get("severity"),
        cvss=score(item.get("inspectorScore")),
        description=item.get("description"),
        solution=advice,
        status=status,
        seen=(item.get("firstObservedAt"), item.get("lastObservedAt"), item.get("updatedAt")),
    )


def _finding(
    tool: str,
    identifier: object,
    package: object,
    version: object,
    host: str,
    received_at: datetime,
    *,
    title: object,
    rating: object,
    cvss: float | None,
    description: object,
    solution: object,
    related: object = None,
    status: ScanState = "open",
    seen: tuple[object, object, object] = (None, None, None),
) -> Finding:
    check, name = line(identifier, 200), line(package, 200)
    if check is None:
        raise MalformedRecord("", "a vulnerability with its identifier", identifier)
    ranked = rate_by_score(severity(rating, words=RATINGS), cvss)
    said = line(title) or (f"{check} in {name}" if name else check)
    return Finding(
        source=tool,
        key=join_key(tool, host.lower(), check, name or ""),
        check=check,
        host=host,
        title=said,
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **order_times(status, *seen, received_at),
        cves=cves(check, related),
        cvss=cvss,
        details=details(package=name, version=version, description=description, solution=solution),
    )
