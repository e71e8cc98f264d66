"""The plan of action and milestones: what people wrote into the ledger, ratings and deadlines (REPORTS 12).

The report and the calendar ask the same functions, so that a weakness has one date.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TypeAlias

import msgspec

Written: TypeAlias = Mapping[str, str]  # column of the template: what somebody filled in

STANDING = ("open", "accepted")
WEAK_STATES = ("ineffective", "no_data")  # of controls whose gaps belong on the plan without a number
RATINGS: Mapping[str, str] = {"critical": "High", "high": "High", "medium": "Moderate", "low": "Low"}
DAYS: Mapping[str, int] = {"High": 30, "Moderate": 90, "Low": 180}


def entries(details: str | None) -> Written:
    """The columns that people filled in; a value that is no text is left out."""
    raw: object = msgspec.json.decode(details) if details else None
    if not isinstance(raw, dict):
        return {}
    return {str(column): value for column, value in raw.items() if isinstance(value, str) and value.strip()}


def entered_day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "").strip())
    except ValueError:
        return None


def rating_of(details: Written, detected_on: date, due_on: date) -> str:
    """The rating of a numbered weakness at detection: as written, else by the days that the ledger gave."""
    given = details.get("original_risk_rating", "")
    if given in DAYS:
        return given
    if given.lower() in RATINGS:
        return RATINGS[given.lower()]
    days = (due_on - detected_on).days
    return next((rating for rating in ("High", "Moderate") if days <= DAYS[rating]), "Low")


def scheduled_on(details: Written, detected_on: date, due_on: date, exploited_due_on: date | None = None) -> date:
    """The date of the ledger, never later than detection and rating allow; a date of CISA's catalogue caps it.

    An approved adjustment counts as the rating. While a vendor must act first, the clock starts with the vendor's fix
    and the date of the ledger stands. ``exploited_due_on`` is the catalogue's date where nobody wrote down another.
    """
    adjusted = details.get("adjusted_risk_rating", "")
    approved = details.get("risk_adjustment") == "Yes" and adjusted in DAYS
    rating = adjusted if approved else rating_of(details, detected_on, due_on)
    dates = [due_on]
    if details.get("vendor_dependency") != "Yes":
        dates.append(detected_on + timedelta(days=DAYS[rating]))
    cap = entered_day(details.get("bod_22_01_due_date")) or exploited_due_on
    return min([*dates, cap] if cap else dates)
