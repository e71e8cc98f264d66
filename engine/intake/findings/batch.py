"""Findings of one body: which scanner's they are, where they lie in it, and what the body says about the rest."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine.intake.findings import generic, qualys, tenable
from engine.intake.findings.finding import Finding, merge
from engine.intake.findings.layout import Layout, layout
from engine.intake.refusals import MalformedRecord, display, read_each
from engine.intake.values import (
    as_list,
    flag,
    fold,
    line,
    plain,
)
from engine.model.errors import BadRequest

MOST = 5000
HEADER = "X-Svc-Vuln-Source"


class FindingFormat(NamedTuple):
    """``matches`` and ``records`` get an item under folded names; ``read`` makes a finding of a record."""

    name: str
    matches: Callable[[Mapping[str, Any]], bool]
    records: Callable[[str, Mapping[str, Any]], Iterator[tuple[str, Any]]]
    read: Callable[[Any, datetime, str | None], Finding]
    shape: str


# Tenable's newer exports have a finding_id too, so that generic comes last.
FORMATS = (
    FindingFormat("qualys", qualys.matches, qualys.records, qualys.read, qualys.SHAPE),
    FindingFormat("tenable", tenable.matches, tenable.records, tenable.read, tenable.SHAPE),
    FindingFormat("generic", generic.matches, generic.records, generic.read, generic.SHAPE),
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


def read_findings(body: Any, *, source_header: str | None, received_at: datetime) -> FindingBatch:
    """All findings of a parsed body or none; ``received_at`` is aware.

    BadRequest with the word unknown_finding_shape, unknown_vuln_source, invalid_finding or too_many_findings.
    """
    forced = _forced(source_header)
    found = layout(body)
    items = [(path, fold(item) if isinstance(item, dict) else item) for path, item in found.items]
    chosen = forced or _recognised(items, body)
    records = list(_records(chosen, items))
    if len(records) > MOST:
        raise BadRequest(
            f"A body may hold at most {MOST:,} findings; got {len(records):,}. Send them in several.",
            word="too_many_findings",
            details=[{"field": "findings", "expected": f"at most {MOST}", "found": str(len(records))}],
        )
    origin = line(found.wrapper.get("source"), 60)
    owners: dict[str, str] = {}

    def read(record: Any) -> Finding:
        if isinstance(record, MalformedRecord):
            raise record
        finding = chosen.read(record, received_at, origin)
        if chosen.name == "generic" and owners.setdefault(finding.key, finding.host) != finding.host:
            raise MalformedRecord("finding_id", f"of one host; it is of {owners[finding.key]} too", finding.check)
        return finding

    findings = read_each(records, read, word="invalid_finding", noun="finding")
    return FindingBatch(
        source=chosen.name,
        findings=_distinct(findings),
        complete=_complete(found),
        hosts=frozenset({finding.host for finding in findings} | _hosts(found)),
        received=len(records),
    )


def _forced(header: str | None) -> FindingFormat | None:
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


def _recognised(items: list[tuple[str, Any]], body: Any) -> FindingFormat:
    for _, item in items:
        for one in FORMATS if isinstance(item, dict) else ():
            if one.matches(item):
                return one
    if not items:
        return FORMATS[-1]
    raise BadRequest(
        f"The body holds no finding that is known here. Known are: {'; '.join(one.shape for one in FORMATS)}. "
        f"Got {display(body)}.",
        word="unknown_finding_shape",
        details=[{"shape": one.name, "expected": one.shape} for one in FORMATS],
    )


def _records(chosen: FindingFormat, items: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for path, item in items:
        if isinstance(item, dict):
            yield from chosen.records(path, item)
        else:
            yield path, MalformedRecord("", "an object", item)


def _distinct(findings: list[Finding]) -> list[Finding]:
    by_key: dict[str, Finding] = {}
    for finding in findings:
        known = by_key.get(finding.key)
        by_key[finding.key] = finding if known is None else merge(known, finding)
    return list(by_key.values())


def _complete(found: Layout) -> bool:
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
