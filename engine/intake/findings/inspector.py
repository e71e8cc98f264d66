"""Amazon Inspector: a finding about packages, an open port or a place in code, as EventBridge or its list has it.

A finding about packages is known again by its vulnerability and them, any other by its ARN: an instance has an open
port for each path that leads there, a function a weakness on each line.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.findings.finding import Finding, cves, details, order_times, port_of, rate_by_words, score
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.times import instant
from engine.intake.values import as_list, first, fold, line, mapping, plain
from engine.model.vocabulary import ScanState

STATES: Mapping[str, ScanState] = {"active": "open", "suppressed": "open", "closed": "fixed"}
UNSAID = "none provided"
GATEWAY = "AWS::EC2::InternetGateway"
SERVICE_TAGS = ("service", "service_name", "app", "application")


def read_inspector(item: Mapping[str, object], host: str, received_at: datetime) -> Finding:
    """The finding, whose resource is ``host``."""
    about = mapping(item.get("packageVulnerabilityDetails"))
    path = mapping(item.get("networkReachabilityDetails"))
    code = mapping(item.get("codeVulnerabilityDetails"))
    packages = [mapping(one) for one in as_list(about.get("vulnerablePackages"))]
    names = sorted({name for one in packages if (name := line(one.get("name"), 100))})
    check = line(about.get("vulnerabilityId") or code.get("detectorId") or code.get("ruleId") or item.get("type"), 200)
    if check is None:
        raise MalformedRecord("", "a vulnerability with its identifier", item.get("type"))
    status = STATES.get((plain(item.get("status")) or "active").lower(), "open")
    cvss = _score(item, about)
    rated = rate_by_words(cvss, item.get("severity"))
    ports = mapping(path.get("openPortRange"))
    place = _place(ports, path, mapping(code.get("filePath")))
    tags = fold(mapping(mapping(next(iter(as_list(item.get("resources"))), None)).get("tags")))
    seen = (item.get("firstObservedAt"), item.get("lastObservedAt"), item.get("updatedAt"))
    return Finding(
        source="inspector",
        key=join_key("inspector", host.lower(), check, ", ".join(names) if about else item.get("findingArn") or place),
        check=check,
        host=host,
        title=line(item.get("title")) or (f"{check} in {', '.join(names)}" if names else check),
        severity=rated.level,
        severity_text=rated.text,
        severity_given=rated.given,
        **order_times(status, *seen, received_at),
        service=first(tags, SERVICE_TAGS),
        port=port_of(ports.get("begin")) if ports.get("begin") == ports.get("end") else None,
        protocol=line(path.get("protocol"), 20),
        cves=cves(check, about.get("relatedVulnerabilities")),
        cvss=cvss,
        epss=score(mapping(item.get("epss")).get("score"), high=1.0),
        internet_reachable=True if _from_the_internet(path) else None,
        details=details(
            package=", ".join(names) or None,
            version=", ".join(sorted({text for one in packages if (text := plain(one.get("version")))})) or None,
            place=place,
            exploit=item.get("exploitAvailable"),
            description=item.get("description"),
            solution=_solution(item, packages),
        ),
        stated_at=instant(item.get("updatedAt")),
    )


def _score(item: Mapping[str, object], about: Mapping[str, object]) -> float | None:
    """Inspector's own, else that of the source that it went by, else any of version 3."""
    adjusted = mapping(mapping(item.get("inspectorScoreDetails")).get("adjustedCvss")).get("score")
    rated = [mapping(one) for one in as_list(about.get("cvss"))]
    newer = [one for one in rated if not (plain(one.get("version")) or "").startswith("2")]
    newer.sort(key=lambda one: one.get("source") != about.get("source"))
    return score(item.get("inspectorScore"), adjusted, *(one.get("baseScore") for one in newer))


def _place(ports: Mapping[str, object], path: Mapping[str, object], file: Mapping[str, object]) -> str | None:
    begin, end = plain(ports.get("begin")), plain(ports.get("end"))
    if begin is not None:
        span = begin if end in (None, begin) else f"{begin}-{end}"
        return " ".join(text for text in (plain(path.get("protocol")), span) if text)
    name, row = line(file.get("filePath") or file.get("fileName")), plain(file.get("startLine"))
    return f"{name}:{row}" if name and row else name


def _from_the_internet(path: Mapping[str, object]) -> bool:
    steps = as_list(mapping(path.get("networkPath")).get("steps"))
    return any(mapping(step).get("componentType") == GATEWAY for step in steps)


def _solution(item: Mapping[str, object], packages: list[Mapping[str, object]]) -> str | None:
    """The recommendation; "None Provided" is none, then the versions that mend it."""
    text = plain(mapping(mapping(item.get("remediation")).get("recommendation")).get("text"))
    if text is not None and text.lower() != UNSAID:
        return text
    return "; ".join(dict.fromkeys(_updates(packages))) or None


def _updates(packages: list[Mapping[str, object]]) -> Iterator[str]:
    for one in packages:
        name, fixed = plain(one.get("name")), plain(one.get("fixedInVersion"))
        if name and fixed and fixed.lower() != "notavailable":
            yield f"Update {name} to {fixed}"
