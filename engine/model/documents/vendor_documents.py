"""What pages call the document that decides whether a vendor is assured, and one in force that cannot."""

from collections.abc import Mapping
from typing import Any

from engine.model.vocabulary import VENDOR_DOCUMENT_NAMES

# what the two states of a vendor are called wherever they stand
STATE_LABELS = {"assurance": "Their evidence", "status": "Our assessment"}
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
