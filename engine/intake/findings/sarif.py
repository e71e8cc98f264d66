"""SARIF 2.1.0: results of analyses of code, images and configurations, with the rules that they break.

A result is known again by its fingerprints; where a tool gives none, by its rule, place and words. What it is about is
the repository or image that the run names, else the file. ``security-severity`` of the rule goes before ``level``.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.finding import Finding, cves, details, order_times, rate_by_score, score
from engine.intake.findings.layout import Layout, number_items
from engine.intake.findings.sarif_rules import rule_of, words_of
from engine.intake.keys import digest, join_key
from engine.intake.severity import WORDS, SeverityRating, severity
from engine.intake.values import as_list, first, line, mapping, plain
from engine.model.vocabulary import SEVERE, ScanState, Severity

SHAPE = "SARIF 2.1.0: {version, runs: [{tool, results: [{ruleId, message, locations}]}]}"
EXPECTED = "runs[].results[]"

LEVELS: Mapping[str, Severity] = {**WORDS, "note": "low", "recommendation": "low"}
HARMLESS = ("pass", "notapplicable")  # kinds of results that say that nothing is wrong
MINOR = ("informational", "review", "open")
UNDECIDED = ("underreview", "rejected")


class SarifRecord(NamedTuple):
    result: Mapping[str, object]
    run: Mapping[str, object]


def sarif_layout(body: object) -> Layout | None:
    """The results of all runs; None for any other body."""
    if not isinstance(body, dict) or "runs" not in body or not ("version" in body or "$schema" in body):
        return None
    items: list[tuple[str, object]] = []
    runs = [mapping(run) for run in as_list(body["runs"])]
    for place, run in number_items("runs", as_list(body["runs"])):
        for path, result in number_items(f"{place}.results", as_list(mapping(run).get("results"))):
            items.append((path, {"result": result, "run": run} if isinstance(result, dict) else result))
    subjects = frozenset(subject for run in runs if (subject := _asset(run)) is not None)
    tools = frozenset(tool.lower() for run in runs if (tool := _tool(run)) is not None)
    return Layout(items, body, EXPECTED, "sarif", hosts=subjects, origins=tools)


def matches(item: Mapping[str, object]) -> bool:
    return False  # the layout alone tells


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, SarifRecord]]:
    yield path, SarifRecord(mapping(item.get("result")), mapping(item.get("run")))


def read(record: SarifRecord, received_at: datetime, source: str | None = None) -> Finding:
    result, run = record
    tool = _tool(run) or source or "sarif"
    rule = rule_of(result, run)
    check = line(rule.get("id") or result.get("ruleId"), 200) or "no rule"
    path, start = _place(result, run)
    asset = _asset(run) or path or tool
    message = words_of(result.get("message"), rule)
    kind = (plain(result.get("kind")) or "fail").lower()
    gone = plain(result.get("baselineState")) == "absent" or kind in HARMLESS
    status: ScanState = "fixed" if gone else "open"
    facts = {**mapping(rule.get("properties")), **mapping(result.get("properties"))}
    cvss = score(facts.get("security-severity"))
    ranked = _severity(result, rule, kind, cvss)
    return Finding(
        source=tool.lower(),
        key=_key(result, tool.lower(), check, asset, path, start, message),
        check=check,
        host=asset,
        title=words_of(rule.get("shortDescription"), rule) or line(rule.get("name")) or message or check,
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **order_times(status, _first_detection(result), _end(run), None, received_at),
        disposition="accepted" if _is_suppressed(result) else None,
        cves=cves(check, rule.get("name"), as_list(facts.get("tags")), as_list(facts.get("cve"))),
        cvss=cvss,
        details=details(
            rule=check,
            location=f"{path}:{start}" if path and start else path,
            message=message,
            help=rule.get("helpUri"),
            solution=words_of(rule.get("help"), rule),
        ),
    )


def _severity(
    result: Mapping[str, object], rule: Mapping[str, object], kind: str, cvss: float | None
) -> SeverityRating:
    """The score that the rule has for security, else the level; a result that is no failure is information."""
    if kind in HARMLESS or kind in MINOR:
        return SeverityRating("info", kind, True)
    rated = rate_by_score(SeverityRating("medium", None, False), cvss)
    if rated.given:
        return rated
    standing = mapping(rule.get("defaultConfiguration")).get("level")
    stated = severity(result.get("level"), standing, "warning", words=LEVELS)
    return stated._replace(level="medium") if stated.level in SEVERE else stated  # a level says nothing of harm


def _tool(run: Mapping[str, object]) -> str | None:
    return line(mapping(mapping(run.get("tool")).get("driver")).get("name"), 60)


def _asset(run: Mapping[str, object]) -> str | None:
    """The repository or image of the run, which stays while files move."""
    for origin in as_list(run.get("versionControlProvenance")):
        if name := line(mapping(origin).get("repositoryUri")):
            return name
    return first(mapping(run.get("properties")), ("imageName", "repository", "target"))


def _place(result: Mapping[str, object], run: Mapping[str, object]) -> tuple[str | None, str | None]:
    """File and line, or the name of what is no file, of the first location that has one."""
    for location in as_list(result.get("locations")):
        physical = mapping(mapping(location).get("physicalLocation"))
        artifact = mapping(physical.get("artifactLocation"))
        path = line(artifact.get("uri")) or _artifact(run, artifact.get("index"))
        if path:
            return path, plain(mapping(physical.get("region")).get("startLine"))
        for logical in as_list(mapping(location).get("logicalLocations")):
            if name := first(mapping(logical), ("fullyQualifiedName", "name")):
                return name, None
    return line(mapping(result.get("analysisTarget")).get("uri")), None


def _artifact(run: Mapping[str, object], index: object) -> str | None:
    """The address of a file that a location names by its number alone."""
    known = as_list(run.get("artifacts"))
    if not isinstance(index, int) or not 0 <= index < len(known):
        return None
    return line(mapping(mapping(known[index]).get("location")).get("uri"))


def _key(
    result: Mapping[str, object],
    tool: str,
    check: str,
    asset: str,
    path: str | None,
    start: str | None,
    message: str | None,
) -> str:
    """Complete fingerprints stand alone; partial ones need rule and file beside them, since they look at lines only."""
    whole = mapping(result.get("fingerprints"))
    if whole:
        return join_key("sarif", tool, asset, check, _prints(whole))
    partial = mapping(result.get("partialFingerprints"))
    if partial:
        return join_key("sarif", tool, asset, check, path, _prints(partial))
    if stays := plain(result.get("correlationGuid")):
        return join_key("sarif", tool, stays)
    return join_key("sarif", tool, asset, check, path, start, digest(message)[:16])


def _prints(values: Mapping[str, object]) -> str:
    return digest(*(part for name in sorted(values) for part in (name, _flat(values[name]))))[:32]


def _flat(value: object) -> str:
    """A fingerprint as text; some tools put an object where the text belongs."""
    if isinstance(value, dict):
        return "&".join(f"{name}={plain(value[name])}" for name in sorted(value, key=str))
    return plain(value) or ""


def _is_suppressed(result: Mapping[str, object]) -> bool:
    """A suppression counts once nobody has it under review or has turned it down."""
    states = [(plain(mapping(one).get("status")) or "").lower() for one in as_list(result.get("suppressions"))]
    return bool(states) and not any(state in UNDECIDED for state in states)


def _first_detection(result: Mapping[str, object]) -> object:
    return mapping(result.get("provenance")).get("firstDetectionTimeUtc")


def _end(run: Mapping[str, object]) -> object:
    """When the last invocation of the tool ended."""
    ends = [plain(mapping(one).get("endTimeUtc")) for one in as_list(run.get("invocations"))]
    return max((end for end in ends if end), default=None)
