"""Findings of one body: which scanner's they are, where they lie in it, and what the body says about the rest."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from engine.intake.findings import generic, qualys, tenable
from engine.intake.findings.finding import Finding, merge
from engine.intake.findings.layout import Layout, layout
from engine.intake.refusals import MalformedRecord, check_count, display, read_each, unknown_shape
from engine.intake.values import as_list, flag, fold, line, plain
from engine.model.errors import BadRequest

MOST = 5000
HEADER = "X-Svc-Vuln-Source"


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
    _format("generic", generic.matches, generic.records, generic.read, generic.SHAPE),
)
FORCED = {**{one.name: one for one in FORMATS}, "nessus": FORMATS[1]}


@dataclass(frozen=True, slots=True)
class FindingBatch:
    """``source`` is qualys, tenable or generic; ``findings`` have distinct keys, in the order of the body.

    ``complete`` is True only where the body says so: then whatever is open from this source on one of ``hosts`` and
    not among ``findings`` is gone. ``received`` counts records before those of one key became one finding.
    """

    source: str
    findings: list[Finding]
    complete: bool
    hosts: frozenset[str]
    received: int


def read_findings(body: object, *, source_header: str | None, received_at: datetime) -> FindingBatch:
    """All findings of a parsed body or none; ``received_at`` is aware.

    BadRequest with the word unknown_finding_shape, unknown_vuln_source, invalid_finding or too_many_findings.
    """
    forced = _by_header(source_header)
    found = layout(body)
    items = [(path, fold(item) if isinstance(item, dict) else item) for path, item in found.items]
    chosen = forced or _by_shape(items, body)
    records = list(_records(chosen, items))
    check_count("finding", len(records), MOST)
    origin = line(found.wrapper.get("source"), 60)
    owners: dict[str, str] = {}

    def read(record: ReadRecord | MalformedRecord) -> Finding:
        if isinstance(record, MalformedRecord):
            raise record
        finding = record(received_at, origin)
        if chosen.name == "generic" and owners.setdefault(finding.key, finding.host) != finding.host:
            raise MalformedRecord("finding_id", f"of one host; it is of {owners[finding.key]} too", finding.check)
        return finding

    findings = read_each(records, read, word="invalid_finding", noun="finding")
    return FindingBatch(
        source=chosen.name,
        findings=_merge_same(findings),
        complete=_is_complete(found),
        hosts=frozenset({finding.host for finding in findings} | _hosts(found)),
        received=len(records),
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


def _by_shape(items: list[tuple[str, object]], body: object) -> FindingFormat:
    for _, item in items:
        if isinstance(item, dict) and (found := next((one for one in FORMATS if one.matches(item)), None)):
            return found
    if not items:
        return FORMATS[-1]
    raise unknown_shape("finding", "holds no finding", {one.name: one.shape for one in FORMATS}, display(body))


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


def _is_complete(found: Layout) -> bool:
    said = found.wrapper.get("complete")
    if said is None or (isinstance(said, str) and plain(said) is None):
        return False
    if flag(said) is None:
        raise BadRequest(
            f"complete must be true or false; got {display(said)}.",
            word="invalid_finding",
            details=[{"field": "complete", "expected": "true or false", "found": display(said)}],
        )
    return bool(flag(said)) and not found.truncated


def _hosts(found: Layout) -> set[str]:
    return {name for host in as_list(found.wrapper.get("hosts"))[: 2 * MOST] if (name := line(host)) is not None}
