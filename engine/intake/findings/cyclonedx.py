"""CycloneDX: vulnerabilities of a bill of materials with what was decided about them (VEX), each on what it affects.

A finding is one vulnerability on one component of one product. ``resolved`` is fixed, ``exploitable`` and ``in_triage``
are open, ``not_affected`` and ``false_positive`` are decisions that open no incident.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.cyclonedx_xml import bill_of_xml
from engine.intake.findings.finding import Finding, cves, details, is_known_exploited, order_times, rate_by_score, score
from engine.intake.findings.layout import Layout, number_items
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import SeverityRating, highest, severity
from engine.intake.values import as_list, line, mapping, plain
from engine.model.vocabulary import Disposition, ScanState

SHAPE = "CycloneDX: {bomFormat: CycloneDX, vulnerabilities: [{id, ratings, analysis: {state}, affects: [{ref}]}]}"
EXPECTED = "vulnerabilities[]"
STATES: Mapping[str, ScanState] = {"resolved": "fixed", "resolved_with_pedigree": "fixed"}
DISPOSITIONS: Mapping[str, Disposition] = {"not_affected": "false_positive", "false_positive": "false_positive"}
DEEPEST = 20
COMPONENTS = 200_000


class CycloneDxRecord(NamedTuple):
    """``component`` is what is affected, by its package address or name; ``product`` is what the bill is of."""

    vulnerability: Mapping[str, object]
    component: str | None
    product: Mapping[str, object]
    said_at: object
    affected: bool


def cyclonedx_layout(body: object) -> Layout | None:
    """The vulnerabilities of a bill of materials; None for any other body."""
    body = bill_of_xml(body) or body
    if not isinstance(body, dict) or plain(body.get("bomFormat")) != "CycloneDX":
        return None
    known = dict(_components(body))
    metadata = mapping(body.get("metadata"))
    around = {"known": known, "product": metadata.get("component"), "said_at": metadata.get("timestamp")}
    items = [
        (path, {**around, "vulnerability": one} if isinstance(one, dict) else one)
        for path, one in number_items("vulnerabilities", as_list(body.get("vulnerabilities")))
    ]
    return Layout(items, body, EXPECTED, "cyclonedx")


def matches(item: Mapping[str, object]) -> bool:
    return False  # the layout alone tells


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, CycloneDxRecord]]:
    """One record for each component that is affected; for none that is named, the product."""
    vulnerability, product = mapping(item.get("vulnerability")), mapping(item.get("product"))
    known = mapping(item.get("known"))
    targets = number_items(f"{path}.affects", as_list(vulnerability.get("affects")))
    for place, target in targets:
        held = mapping(target)
        reference = _without_version(line(held.get("ref"), 1000))
        name = plain(known.get(reference or "")) or reference
        yield place, CycloneDxRecord(vulnerability, name, product, item.get("said_at"), _is_affected(held))
    if not targets:
        yield path, CycloneDxRecord(vulnerability, None, product, item.get("said_at"), True)


def read(record: CycloneDxRecord, received_at: datetime, source: str | None = None) -> Finding:
    held, analysis = record.vulnerability, mapping(record.vulnerability.get("analysis"))
    check = line(held.get("id"), 200)
    if check is None:
        raise MalformedRecord("id", "the vulnerability's identifier, such as CVE-2021-44228", held.get("id"))
    product = _name(record.product)
    component = record.component or product
    if component is None:
        raise MalformedRecord("affects", "a list of {ref}, or a metadata.component", held.get("affects"))
    text = (plain(analysis.get("state")) or "in_triage").lower()
    state = text if record.affected else "not_affected"
    ratings = [mapping(one) for one in as_list(held.get("ratings"))]
    cvss = max((found for one in ratings if (found := _cvss(one)) is not None), default=None)
    ranked = _severity(ratings, cvss)
    summary = line(held.get("description"), 200)
    answer = "; ".join(filter(None, (plain(one) for one in as_list(analysis.get("response")))))
    return Finding(
        source=source or "cyclonedx",
        key=join_key("cyclonedx", _identity(record.product), check, component),
        check=check,
        host=component[:300],
        title=check if summary is None else f"{check}: {summary}",
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **order_times(
            STATES.get(state, "open"),
            analysis.get("firstIssued"),
            record.said_at,
            analysis.get("lastUpdated"),
            received_at,
        ),
        disposition=DISPOSITIONS.get(state),
        service=line(record.product.get("name")),
        cves=cves(check, [mapping(one).get("id") for one in as_list(held.get("references"))]),
        cvss=cvss,
        known_exploited=is_known_exploited(_properties(held)),
        details=details(
            product=product,
            analysis=state,
            justification=analysis.get("justification"),
            response=answer or None,
            detail=analysis.get("detail"),
            solution=held.get("recommendation"),
        ),
    )


def _severity(ratings: list[Mapping[str, object]], cvss: float | None) -> SeverityRating:
    """The worst of the ratings; several sources rate one vulnerability."""
    worst = SeverityRating("medium", None, False)
    for one in ratings:
        rated = severity(one.get("severity"))
        if rated.given and (not worst.given or highest(rated.level, worst.level) == rated.level):
            worst = rated
    return rate_by_score(worst, cvss)


def _cvss(rating: Mapping[str, object]) -> float | None:
    """A score by CVSS; other methods count in other units."""
    method = (plain(rating.get("method")) or "CVSS").upper()
    return score(rating.get("score")) if method.startswith("CVSS") else None


def _is_affected(target: Mapping[str, object]) -> bool:
    """Whether any version is; one without a state is."""
    states = [(plain(mapping(one).get("status")) or "affected").lower() for one in as_list(target.get("versions"))]
    return not states or any(state != "unaffected" for state in states)


def _components(body: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Every component by its reference, those inside others included."""
    waiting: list[tuple[object, int]] = [(mapping(body.get("metadata")).get("component"), 0)]
    waiting += [(one, 0) for name in ("components", "services") for one in as_list(body.get(name))]
    seen = 0
    while waiting and seen < COMPONENTS:
        one, depth = waiting.pop()
        seen += 1
        held = mapping(one)
        reference, name = plain(held.get("bom-ref")), plain(held.get("purl")) or _name(held)
        if reference and name:
            yield reference, name
        if depth < DEEPEST:
            waiting += [(inner, depth + 1) for inner in as_list(held.get("components"))]


def _name(component: Mapping[str, object]) -> str | None:
    """Group, name and version on one line."""
    name = line(component.get("name"), 200)
    group, version = plain(component.get("group")), plain(component.get("version"))
    return None if name is None else f"{group + '/' if group else ''}{name}{'@' + version if version else ''}"


def _identity(product: Mapping[str, object]) -> str | None:
    """What stays of a product from one version to the next."""
    group, name = plain(product.get("group")), plain(product.get("name"))
    return f"{group}/{name}" if group and name else name


def _without_version(reference: str | None) -> str | None:
    """A link into another bill (``urn:cdx:serial/version#ref``) without the version that each issue of it counts up."""
    if reference is None or not reference.startswith("urn:cdx:"):
        return reference
    bill, _, inside = reference.partition("#")
    return f"{bill.rpartition('/')[0] or bill}#{inside}" if inside else bill.rpartition("/")[0] or bill


def _properties(held: Mapping[str, object]) -> dict[str, object]:
    pairs = [mapping(one) for one in as_list(held.get("properties"))]
    return {(plain(one.get("name")) or "").lower().rpartition(":")[2]: one.get("value") for one in pairs}
