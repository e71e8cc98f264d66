"""Trivy, Grype and Amazon Inspector: vulnerabilities of images, file systems, repositories and instances.

Trivy's report with ``Results``, Grype's with ``matches``, and Inspector's event of EventBridge or its list of findings.
What was looked at is the host: the image, the path, the instance. A vulnerability is one of a package in it.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.finding import Finding, cves, details, order_times, rate_by_words, score
from engine.intake.findings.inspector import read_inspector
from engine.intake.findings.layout import Layout, number_items
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.values import as_list, line, mapping, plain

SHAPE = (
    "Trivy {ArtifactName, Results: [{Vulnerabilities}]}, Grype {matches, source}, Inspector {findingArn, resources, …}"
)


class ContainerRecord(NamedTuple):
    """A vulnerability as its tool words it, what was looked at, and when where the report says so."""

    tool: str
    item: Mapping[str, object]
    host: str | None
    seen: object = None


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
        (path, {"tool": "trivy", "item": one, "host": host, "seen": body.get("CreatedAt")})
        for place, result in number_items("Results", as_list(body.get("Results")))
        for path, one in number_items(f"{place}.Vulnerabilities", as_list(mapping(result).get("Vulnerabilities")))
    ]
    return _layout(items, "Results[].Vulnerabilities[]", host, "trivy")


def _grype(body: Mapping[str, object]) -> Layout:
    target = mapping(body.get("source")).get("target")
    host = line(mapping(target).get("userInput")) or line(target) if target is not None else None
    seen = mapping(body["descriptor"]).get("timestamp")
    items = [
        (path, {"tool": "grype", "item": one, "host": host, "seen": seen})
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
    yield path, ContainerRecord(str(item["tool"]), mapping(item.get("item")), line(item.get("host")), item.get("seen"))


def read(record: ContainerRecord, received_at: datetime, source: str | None = None) -> Finding:
    if record.host is None:
        raise MalformedRecord("", "within a report that names what was looked at", None)
    match record.tool:
        case "trivy":
            return _read_trivy(record.item, record.host, record.seen, received_at)
        case "grype":
            return _read_grype(record.item, record.host, record.seen, received_at)
    return read_inspector(record.item, record.host, received_at)


def _read_trivy(item: Mapping[str, object], host: str, seen: object, received_at: datetime) -> Finding:
    fixed = plain(item.get("FixedVersion"))
    return _finding(
        *("trivy", item.get("VulnerabilityID"), item.get("PkgName"), item.get("InstalledVersion"), host),
        *(seen, received_at),
        title=item.get("Title"),
        ratings=[item.get("Severity")],
        cvss=_trivy_score(item),
        description=item.get("Description"),
        solution=f"Update to {fixed}" if fixed else None,
        related=item.get("VendorIDs"),
    )


def _trivy_score(item: Mapping[str, object]) -> float | None:
    """That of the source that the severity is of, else NVD's, else the first by name; of version 3 before 4."""
    rated = {name: mapping(one) for name, one in sorted(mapping(item.get("CVSS")).items())}
    sources = dict.fromkeys([plain(item.get("SeveritySource")) or "nvd", "nvd", *rated])
    held = [rated[name] for name in sources if name in rated]
    return score(*(one.get(version) for version in ("V3Score", "V40Score") for one in held))


def _read_grype(item: Mapping[str, object], host: str, seen: object, received_at: datetime) -> Finding:
    package = mapping(item.get("artifact"))
    found, *related = [
        mapping(one) for one in (item.get("vulnerability"), *as_list(item.get("relatedVulnerabilities")))
    ]
    said = (found, *related)
    fixed = ", ".join(text for one in as_list(mapping(found.get("fix")).get("versions")) if (text := plain(one)))
    chances = [mapping(one).get("epss") for held in said for one in as_list(held.get("epss"))]
    return _finding(
        *("grype", found.get("id"), package.get("name"), package.get("version"), host, seen, received_at),
        title=None,
        ratings=[one.get("severity") for one in said],
        cvss=score(*(found_score for one in said for found_score in _grype_scores(one))),
        description=next((text for one in said if (text := plain(one.get("description")))), None),
        solution=f"Update to {fixed}" if fixed else None,
        related=[one.get("id") for one in related],
        epss=max((value for one in chances if (value := score(one, high=1.0)) is not None), default=None),
        known_exploited=any(as_list(one.get("knownExploited")) for one in said),
    )


def _grype_scores(found: Mapping[str, object]) -> list[object]:
    """Those of version 3 first, then of 4, then of 2."""
    rated = [mapping(one) for one in as_list(found.get("cvss"))]
    rated.sort(key=lambda one: "342".find((plain(one.get("version")) or "2")[:1]))
    return [mapping(one.get("metrics")).get("baseScore") for one in rated]


def _finding(
    tool: str,
    identifier: object,
    package: object,
    version: object,
    host: str,
    seen: object,
    received_at: datetime,
    *,
    title: object,
    ratings: list[object],
    cvss: float | None,
    description: object,
    solution: object,
    related: object,
    epss: float | None = None,
    known_exploited: bool = False,
) -> Finding:
    check, name = line(identifier, 200), line(package, 200)
    if check is None:
        raise MalformedRecord("", "a vulnerability with its identifier", identifier)
    ranked = rate_by_words(cvss, *ratings)
    text = line(title) or (f"{check} in {name}" if name else check)
    return Finding(
        source=tool,
        key=join_key(tool, host.lower(), check, name or ""),
        check=check,
        host=host,
        title=text,
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **order_times("open", seen, seen, None, received_at),
        cves=cves(check, related),
        cvss=cvss,
        epss=epss,
        known_exploited=known_exploited,
        details=details(package=name, version=version, description=description, solution=solution),
    )
