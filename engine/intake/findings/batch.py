"""Findings of one body: which scanner's they are, where they lie in it, and what the body says about the rest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from engine.intake.findings import containers, cyclonedx, generic, qualys, sarif, tenable
from engine.intake.findings.checks import ScannerCheck, describe, read_check
from engine.intake.findings.containers import container_layout
from engine.intake.findings.cyclonedx import cyclonedx_layout
from engine.intake.findings.finding import Finding, merge
from engine.intake.findings.layout import Layout, plain_layout
from engine.intake.findings.nessus import nessus_layout
from engine.intake.findings.qualys_outputs import knowledge_in, qualys_layout
from engine.intake.findings.sarif import sarif_layout
from engine.intake.refusals import MalformedRecord, check_count, check_size, display, read_each, unknown_shape
from engine.intake.values import as_list, flag, fold, line, plain
from engine.model.errors import BadRequest

MOST = 20_000
MOST_CHECKS = 50_000
HEADER = "X-Svc-Vuln-Source"
COMPLETE = "X-Svc-Vuln-Complete"


R = TypeVar("R")
ReadRecord: TypeAlias = Callable[[datetime, str | None], Finding]
"""Reads the record that it was made for, given the receipt and the source that the body names for all of them."""


class FindingFormat(NamedTuple):
    """``matches`` and ``records`` get an item under folded names; records come with the path that is theirs."""

    name: str
    matches: Callable[[Mapping[str, object]], bool]
    records: Callable[[str, Mapping[str, object]], Iterator[tuple[str, ReadRecord]]]
    shape: str


def _format(
    name: str,
    matches: Callable[[Mapping[str, object]], bool],
    records: Callable[[str, Mapping[str, object]], Iterator[tuple[str, R]]],
    read: Callable[[R, datetime, str | None], Finding],
    shape: str,
) -> FindingFormat:
    """``records`` takes an item apart, ``read`` makes a finding of such a record."""

    def readers(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, ReadRecord]]:
        return ((place, partial(read, record)) for place, record in records(path, item))

    return FindingFormat(name, matches, readers, shape)


# Tenable's newer exports have a finding_id too, so that generic comes last.
FORMATS = (
    _format("qualys", qualys.matches, qualys.records, qualys.read, qualys.SHAPE),
    _format("tenable", tenable.matches, tenable.records, tenable.read, tenable.SHAPE),
    _format("sarif", sarif.matches, sarif.records, sarif.read, sarif.SHAPE),
    _format("cyclonedx", cyclonedx.matches, cyclonedx.records, cyclonedx.read, cyclonedx.SHAPE),
    _format("container", containers.matches, containers.records, containers.read, containers.SHAPE),
    _format("generic", generic.matches, generic.records, generic.read, generic.SHAPE),
)
# Documents that are known by what is around their findings.
LAYOUTS = (sarif_layout, cyclonedx_layout, nessus_layout, qualys_layout, container_layout)
WHOLE = ("sarif", "cyclonedx", "container")  # formats whose findings mean nothing without their document
CONTAINER = next(one for one in FORMATS if one.name == "container")
FORCED = {
    **{one.name: one for one in FORMATS},
    "nessus": FORMATS[1],
    **dict.fromkeys(("trivy", "grype", "inspector"), CONTAINER),
}


@dataclass(frozen=True, slots=True)
class FindingBatch:
    """``source`` names the format; ``findings`` have distinct keys, in the order of the body.

    ``complete`` is True only where the body says so: then whatever is open from one of ``origins`` on one of ``hosts``
    and not among ``findings`` is gone. ``received`` counts records before those of one key became one finding.
    ``checks`` are entries of the scanner's own catalogue that the body brings along.
    """

    source: str
    findings: list[Finding]
    complete: bool
    hosts: frozenset[str]
    received: int
    origins: frozenset[str] = frozenset()
    checks: Mapping[str, ScannerCheck] = field(default_factory=dict)


def read_findings(
    body: object,
    *,
    source_header: str | None,
    received_at: datetime,
    most: int = MOST,
    complete: bool = False,
    hosts: Sequence[str] = (),
) -> FindingBatch:
    """All findings of a parsed body or none, at most ``most``; ``received_at`` is aware.

    ``complete`` and ``hosts`` are what is said of the body beside it; it may say the same itself.

    BadRequest with the word unknown_finding_shape, unknown_vuln_source, invalid_finding, or no_findings where the
    shape is known and nothing is in it, unless a complete scan names its hosts; TooLarge with too_many_findings.
    """
    forced = _by_header(source_header)
    layout = _layout(body)
    items = [(path, fold(item) if isinstance(item, dict) else item) for path, item in layout.items]
    chosen = _chosen(forced, layout, items, body)
    records = list(_records(chosen, items))
    check_size("finding", len(records), most)
    checks, origin = _checks(body), line(layout.wrapper.get("source"), 60)
    findings = _findings(chosen, records, checks, received_at, origin)
    batch = FindingBatch(
        source=chosen.name,
        findings=_merge_same(findings),
        complete=_is_complete(layout, complete),
        hosts=frozenset({finding.host for finding in findings} | _hosts(layout) | layout.hosts | {*hosts}),
        received=len(records),
        origins=frozenset({finding.source for finding in findings} | layout.origins or {_origin(chosen, origin)}),
        checks=checks,
    )
    if not records and not checks and not (batch.complete and batch.hosts):
        raise _no_finding(chosen.name, layout)
    return batch


def _findings(
    chosen: FindingFormat,
    records: Sequence[tuple[str, ReadRecord | MalformedRecord]],
    checks: Mapping[str, ScannerCheck],
    received_at: datetime,
    origin: str | None,
) -> list[Finding]:
    """Every record as a finding; an identifier of our own payload is of one host."""
    owners: dict[str, str] = {}

    def read(record: ReadRecord | MalformedRecord) -> Finding:
        if isinstance(record, MalformedRecord):
            raise record
        finding = record(received_at, origin)
        if chosen.name == "generic" and owners.setdefault(finding.key, finding.host) != finding.host:
            raise MalformedRecord("finding_id", f"of one host; it is of {owners[finding.key]} too", finding.check)
        return describe(finding, checks.get(finding.check)) if chosen.name == "qualys" else finding

    return read_each(records, read, word="invalid_finding", noun="finding")


def _layout(body: object) -> Layout:
    """By what is around the findings: at the top, or within one element that a converter put around all of it."""
    inside = next(iter(body.values())) if isinstance(body, dict) and len(body) == 1 else None
    for candidate in (body, inside):
        for layout in LAYOUTS if candidate is not None else ():
            if (found := layout(candidate)) is not None:
                return found
    return plain_layout(body)


def _checks(body: object) -> Mapping[str, ScannerCheck]:
    """The entries of the KnowledgeBase beside the findings."""
    inside = next(iter(body.values())) if isinstance(body, dict) and len(body) == 1 else None
    entries = knowledge_in(body) or knowledge_in(inside)
    check_count("check", len(entries), MOST_CHECKS)
    return {one.check: one for one in read_each(entries, read_check, word="invalid_finding", noun="check")}


def _origin(chosen: FindingFormat, named: str | None) -> str:
    """Whose findings these would be, were there any: only our own payload names somebody else."""
    return named if named is not None and chosen.name == "generic" else chosen.name


def _no_finding(name: str, layout: Layout) -> BadRequest:
    """A 200 here would hide that a connector sends nothing, or sends it elsewhere in the body."""
    return BadRequest(
        f"The body is known ({name}) and holds no finding: they were expected at {layout.expected}. A scan that found "
        f"nothing says so with complete: true and the hosts that it looked at, a file with the header {COMPLETE}.",
        word="no_findings",
        details=[{"field": layout.expected, "expected": "at least one finding", "found": "nothing"}],
    )


def _by_header(header: str | None) -> FindingFormat | None:
    name = (plain(header) or "").lower()
    if not name:
        return None
    if name not in FORCED:
        raise BadRequest(
            f"{HEADER} must be one of {', '.join(FORCED)}; got {display(header)}.",
            word="unknown_vuln_source",
            details=[{"field": HEADER, "expected": ", ".join(FORCED), "found": display(header)}],
        )
    return FORCED[name]


def _chosen(
    forced: FindingFormat | None, layout: Layout, items: list[tuple[str, object]], body: object
) -> FindingFormat:
    """The format of the document, of the header, or of the first item that has one."""
    if layout.format is None and forced is not None and forced.name in WHOLE:
        raise _unknown(body)
    if layout.format is None:
        return forced or _by_shape(items, body)
    if forced is not None and forced.name != layout.format:
        raise BadRequest(
            f"{HEADER} says {forced.name}; the body is of {layout.format}.",
            word="unknown_vuln_source",
            details=[{"field": HEADER, "expected": layout.format, "found": forced.name}],
        )
    return FORCED[layout.format]


def _by_shape(items: list[tuple[str, object]], body: object) -> FindingFormat:
    for _, item in items:
        if isinstance(item, dict) and (found := next((one for one in FORMATS if one.matches(item)), None)):
            return found
    if not items:
        return FORMATS[-1]
    raise _unknown(body)


def _unknown(body: object) -> BadRequest:
    return unknown_shape("finding", "holds no finding", {one.name: one.shape for one in FORMATS}, display(body))


def _records(
    chosen: FindingFormat, items: list[tuple[str, object]]
) -> Iterator[tuple[str, ReadRecord | MalformedRecord]]:
    for path, item in items:
        if isinstance(item, dict):
            yield from chosen.records(path, item)
        else:
            yield path, MalformedRecord("", "an object", item)


def _merge_same(findings: list[Finding]) -> list[Finding]:
    by_key: dict[str, Finding] = {}
    for finding in findings:
        known = by_key.get(finding.key)
        by_key[finding.key] = finding if known is None else merge(known, finding)
    return list(by_key.values())


def _is_complete(layout: Layout, said_beside: bool) -> bool:
    return (is_complete_scan("complete", layout.wrapper.get("complete")) or said_beside) and not layout.truncated


def is_complete_scan(field: str, text: object) -> bool:
    """Whether a scan is called complete; BadRequest for what is neither true nor false."""
    if text is None or (isinstance(text, str) and plain(text) is None):
        return False
    if flag(text) is None:
        raise BadRequest(
            f"{field} must be true or false; got {display(text)}.",
            word="invalid_finding",
            details=[{"field": field, "expected": "true or false", "found": display(text)}],
        )
    return bool(flag(text))


def _hosts(layout: Layout) -> set[str]:
    return {name for host in as_list(layout.wrapper.get("hosts"))[: 2 * MOST] if (name := line(host)) is not None}
