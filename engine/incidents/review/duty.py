"""Whether somebody on duty took an incident in time, and the windows of maintenance that it fell into."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from engine.incidents.review.durations import span
from engine.model.maintenance import covers
from engine.model.records import IncidentRow, MaintenanceWindowRow, OnCallShiftRow


def people_of(shift: OnCallShiftRow) -> list[str]:
    """The addresses of a shift, in small letters."""
    return [name.strip().lower() for name in shift["person"].split(";") if name.strip()]


def shifts_at(shifts: Sequence[OnCallShiftRow], incident: IncidentRow, at: datetime) -> list[OnCallShiftRow]:
    """The shifts for an incident's service that a moment falls into."""
    return [
        one
        for one in shifts
        if one["starts_at"] <= at < one["ends_at"] and one["service_id"] in (None, incident["service_id"])
    ]


def is_covered(window: MaintenanceWindowRow, incident: IncidentRow) -> bool:
    """Whether an incident was opened in a window and is what it is about; never for one that is about nothing."""
    if not window["starts_at"] <= incident["opened_at"] < window["ends_at"]:
        return False
    return covers(window["service_id"], window["matchers"], incident["service_id"], incident["labels"])


def duty_rows(
    incident: IncidentRow, shifts: Sequence[OnCallShiftRow] | None, within_minutes: float
) -> Iterator[tuple[str, object]]:
    """Who was on duty when it was opened, and whether one of them took it within so many minutes.

    ``shifts`` are those around the incident, None where the organization has none at all: then nothing is said.
    """
    if shifts is None:
        return
    opened, taken = incident["opened_at"], incident["acknowledged_at"]
    on_duty = list(dict.fromkeys(name for one in shifts_at(shifts, incident, opened) for name in people_of(one)))
    yield "On duty when it was opened", ", ".join(on_duty) or "nobody on record"
    yield "Acknowledged by somebody on duty, in time", _verdict(incident, shifts, taken, opened, within_minutes)


def _verdict(
    incident: IncidentRow,
    shifts: Sequence[OnCallShiftRow],
    taken: datetime | None,
    opened: datetime,
    within_minutes: float,
) -> str:
    by = incident["acknowledged_by"]
    if taken is None:
        return "no: not acknowledged"
    if by is None:
        return "no: who acknowledged it is not recorded"
    theirs = [one for one in shifts_at(shifts, incident, taken) if by.lower() in people_of(one)]
    if not theirs:
        return f"no: {by} was not on duty"
    if taken - opened > timedelta(minutes=within_minutes):
        return f"no: {by} was on duty and took it after {span(taken - opened)}; {within_minutes:g} min are allowed"
    late = "" if any(_knew(one, taken) for one in theirs) else "; the shift was recorded afterwards"
    return f"yes: {by}, within {within_minutes:g} min{late}"


def _knew(shift: OnCallShiftRow, at: datetime) -> bool:
    return shift["recorded_at"] is not None and shift["recorded_at"] <= at


def window_rows(windows: Sequence[MaintenanceWindowRow]) -> Iterator[tuple[str, object]]:
    """Each window that covers the incident: planned ones take it out of figures, those declared late do not."""
    for one in windows:
        recorded = one["recorded_at"]
        if recorded is not None and recorded <= one["starts_at"]:
            yield "Planned maintenance", f"{one['id']}: {one['reason']}; the incident is in no figure"
        else:
            when = f"recorded {recorded:%Y-%m-%d %H:%M}" if recorded else "recorded at no known time"
            yield "Maintenance declared after the fact", f"{one['id']}: {one['reason']}; {when}, so the incident counts"
