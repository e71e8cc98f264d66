"""Frameworks and controls as people write them, brought to the identifiers of the catalogue."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from engine.catalogue import catalogue
from engine.intake.imports.values.names import closest_name, squash

ALIASES = {
    "soc2": ("SOC 2", "SOC 2 Type 2", "SOC 2 Type II", "AICPA SOC 2", "TSC", "Trust Services Criteria"),
    "iso27001": ("ISO 27001", "ISO/IEC 27001", "ISO 27001:2022", "ISO/IEC 27001:2022", "ISO"),
    "pci-dss": ("PCI DSS", "PCI", "PCI DSS 4.0", "PCI DSS v4.0", "PCI DSS 4.0.1", "PCI DSS v4.0.1"),
    "hipaa": ("HIPAA", "HIPAA Security Rule", "HIPAA Security"),
    "nist-csf": ("NIST CSF", "CSF", "NIST CSF 2.0", "CSF 2.0", "NIST Cybersecurity Framework"),
    "cis-v8": ("CIS v8", "CIS", "CIS Controls", "CIS Controls v8", "CIS 8", "CIS v8.1", "CIS Controls v8.1"),
    "cmmc-l2": ("CMMC L2", "CMMC", "CMMC 2.0", "CMMC Level 2", "CMMC 2.0 Level 2"),
    "gdpr-art32": ("GDPR Art. 32", "GDPR", "GDPR Article 32", "DSGVO", "DSGVO Art. 32"),
    "fedramp-poam": ("FedRAMP POA&M", "FedRAMP"),
}
_BY_ALIAS = {squash(text): name for name, texts in ALIASES.items() for text in (name, *texts)}
_WORDS = ("req", "requirement", "control", "safeguard", "criterion", "annex", "section")
_OWN: ContextVar[Mapping[str, Sequence[str]]] = ContextVar("own frameworks", default={})  # noqa: B039 -- never written


@contextmanager
def with_own_controls(own: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """In the block, cells may name frameworks of an organization's own: its controls by framework."""
    token = _OWN.set(own)
    try:
        yield
    finally:
        _OWN.reset(token)


def framework(text: str) -> str | None:
    """``ISO/IEC 27001`` becomes ``iso27001``; None for a framework that is neither in the catalogue nor one's own."""
    ours = _BY_ALIAS.get(squash(text))
    return ours or {squash(name): name for name in _OWN.get()}.get(squash(text))


def control(framework_id: str, text: str) -> str | None:
    """``cc 6.1`` becomes ``CC6.1``, ``A5.15`` becomes ``A.5.15``; None for a control that is not in the framework.

    ``5.15`` of ISO/IEC 27001 stays what it is: Annex A and the clauses would both fit.
    """
    if framework_id in _OWN.get():
        own = _OWN.get()[framework_id]
        return text if text in own else _by_tokens(own).get(_tokens(text))
    if catalogue().has_control(framework_id, text):
        return text
    return _ids(framework_id).get(_tokens(text))


def may_lack_zero(framework_id: str, control_id: str) -> bool:
    """Whether a spreadsheet that holds the identifier as a number could mean another control: 3.1 for 3.10."""
    return re.fullmatch(r"\d+\.\d", control_id) is not None and catalogue().has_control(framework_id, f"{control_id}0")


def expected_control(framework_id: str, text: str) -> str:
    """What a cell that names no control should have held."""
    own = _OWN.get().get(framework_id)
    near = closest_name(text, list(_ids(framework_id).values()) if own is None else list(own))
    return f"a control of {framework_id}" + (f" such as {near}" if near else "")


def framework_list(text: str, separator: str = ";") -> str | None:
    """A list of frameworks, joined by ``; ``; None when one of them is unknown."""
    frameworks = [framework(part) for part in re.split(rf"[{separator},\n]", text) if part.strip()]
    return None if None in frameworks else "; ".join(name for name in frameworks if name)


def control_list(text: str) -> str | None:
    """A list of ``framework:control``, joined by ``; ``; None when one of them is unknown."""
    found = []
    for part in re.split(r"[;,\n]", text):
        if not part.strip():
            continue
        name, _, control_id = part.partition(":")
        known = framework(name)
        exact = control(known, control_id.strip()) if known else None
        if exact is None:
            return None
        found.append(f"{known}:{exact}")
    return "; ".join(found)


@cache
def _ids(framework_id: str) -> dict[tuple[str, ...], str]:
    """The controls of a framework by the tokens of their identifiers, where these are unmistakable."""
    rows = catalogue().controls.select("framework", "control_id").iter_rows()
    return _by_tokens([control_id for name, control_id in rows if name == framework_id])


def _by_tokens(control_ids: Sequence[str]) -> dict[tuple[str, ...], str]:
    known: dict[tuple[str, ...], list[str]] = {}
    for control_id in control_ids:
        known.setdefault(_tokens(control_id), []).append(control_id)
    return {tokens: ids[0] for tokens, ids in known.items() if len(ids) == 1}


def _tokens(text: str) -> tuple[str, ...]:
    """Words and numbers of an identifier: ``A.5.15``, ``A 5.15`` and ``Annex A5.15`` are (a, 5, 15)."""
    found = re.findall(r"[a-z]+|\d+", text.casefold())
    return tuple(token.lstrip("0") or "0" for token in found if token not in _WORDS)
