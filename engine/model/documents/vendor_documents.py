"""What pages say of a vendor: which document decides whether it is assured, and which vendor to act on first."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.model.vocabulary import VENDOR_DOCUMENT_NAMES, VENDOR_TIERS

# what the two states of a vendor are called wherever they stand
STATE_LABELS = {"assurance": "Their evidence", "status": "Our assessment"}
ASSURANCES = ("lapsed", "not_assessed", "expiring", "assured")
_OVER_A_PERIOD = ("soc2_type1", "soc2_type2")
_UNFIT = {
    "wrong_scope": "does not cover the service that we use",
    "qualified_opinion": "has reservations, or no opinion on record, that nobody assessed",
}


def deciding_document(vendor: Mapping[str, Any]) -> str | None:
    """``SOC 2 type II report to 2026-06-06``: the document with its day, or the end of its period; None without one."""
    kind, dated_on = vendor["assured_by"], vendor["assured_dated_on"]
    if kind is None:
        return None
    dated = f" {'to' if kind in _OVER_A_PERIOD else 'of'} {dated_on}" if dated_on else ""
    return f"{_name(kind)}{dated}"


def unfit_document(vendor: Mapping[str, Any]) -> str | None:
    """Why a document in force does not assure a vendor that no other assures; None without one."""
    if vendor["unfit"] is None or vendor["assurance"] not in ("lapsed", "not_assessed"):
        return None
    until = f" until {vendor['unfit_until']}" if vendor["unfit_until"] else ""
    return f"{_name(vendor['unfit_kind'])}{until} {_UNFIT[vendor['unfit']]}"


def _name(kind: str) -> str:
    return VENDOR_DOCUMENT_NAMES.get(kind, kind.replace("_", " "))


def urgency(vendor: Mapping[str, Any]) -> tuple[int, int, int, int, str, str]:
    """The place of a vendor on every page that asks which to act on first; the worst sorts first.

    Assurance that has lapsed; none that holds, or nobody who looked in time; what soon ends; the others. Each by tier,
    assurance and residual risk; what is not known is treated as the worst.
    """
    assurance = vendor.get("assurance")
    if assurance == "lapsed":
        gravity = 0
    elif assurance == "not_assessed" or vendor.get("review") in ("overdue", "never"):
        gravity = 1
    else:
        gravity = 2 if assurance == "expiring" else 3
    residual = vendor.get("residual")
    return (
        gravity,
        _place(vendor.get("tier"), VENDOR_TIERS),
        _place(assurance, ASSURANCES),
        -(25 if residual is None else int(residual)),
        vendor.get("name") or "",
        vendor.get("vendor_id") or "",
    )


def _place(word: str | None, worst_first: Sequence[str]) -> int:
    return worst_first.index(word) if word in worst_first else -1
