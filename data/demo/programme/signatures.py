"""Attestations: an annual duty for each control, signed, refused or let slip as the years went by."""

from dataclasses import dataclass
from datetime import date
from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story
from data.demo.programme.controls import CHARGED
from data.demo.programme.plan import Control

YEAR = 365


@dataclass(frozen=True)
class AnnualDuty:
    """One year's duty: days ago on which it fell due (negative: to come) and was decided, None while it is open."""

    due: int
    decided: int | None = None
    outcome: str = "attested"


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("attestations")
    peaked = _peak_week_controls(story, controls)
    for control in controls:
        if control.attestation in ("none", "not_applicable"):
            continue
        ahead = (_due_day(story, rng) - story.today).days
        if control.key in peaked:
            ahead = (story.peak_monday - story.today).days + peaked.index(control.key) % 5
        _write(story, rng, control, _duties(control, ahead, rng))


def _duties(control: Control, ahead: int, rng: Random) -> list[AnnualDuty]:
    """The duties of a control, oldest first; the last is the one that is open."""
    weeks = control.drop_week or rng.choice((2, 4, 7, 11, 16))
    if control.attestation == "first":
        return [AnnualDuty(-ahead)]
    if control.attestation == "rejected":
        ago = rng.randint(4, 7 * (control.drop_week or 8))
        before = [_earlier(ago, ago, rng)] if control.begun else []
        return [*before, AnnualDuty(ago, ago, "rejected"), AnnualDuty(-rng.randint(10, 40))]
    if control.attestation == "overdue":
        late = rng.randint(1, 7 * weeks)
        return [AnnualDuty(YEAR + late, YEAR + late + rng.randint(0, 9)), AnnualDuty(late)]
    if control.attestation == "lapsed":
        # signed more than 380 days ago; the next signature was put off and is not due yet
        signed = rng.randint(384, 396)
        return [AnnualDuty(signed, signed), AnnualDuty(-rng.randint(5, 30))]
    due, decided = YEAR - ahead, max(1, YEAR - ahead + rng.randint(-3, 16))
    before = [_earlier(due, decided, rng)] if control.begun else []
    return [*before, AnnualDuty(due, decided), AnnualDuty(-ahead)]


def _earlier(due: int, decided: int, rng: Random) -> AnnualDuty:
    """The signature of the year before, most often in time for the next one to follow it without a break."""
    return AnnualDuty(due + YEAR, decided + YEAR + rng.randint(-24, 14))


def _write(story: Story, rng: Random, control: Control, duties: list[AnnualDuty]) -> None:
    since = date.min
    for number, duty in enumerate(duties, start=1):
        identifier = f"ATT-{control.framework}-{control.control_id}-{number}"
        row = story.add(
            "attestations",
            since=since,
            id=identifier,
            framework=control.framework,
            control_id=control.control_id,
            owner=_owner(story, control, duty, rng),
            statement=f"{control.control_id} operated as described throughout the period.",
            due_on=story.day(duty.due),
            outcome=None,
        )
        if duty.decided is None:
            continue
        since, at = story.day(duty.decided), story.office(duty.decided, rng)
        delegate = rng.choice(people.active(story)) if rng.random() < 0.05 else None
        story.amend(row, since, outcome=duty.outcome, attestor=control.owner, attested_at=at, delegated_to=delegate)
        if duty.outcome == "attested" and duty.decided < HISTORY_DAYS:
            story.event(
                f"AE-{identifier}",
                at,
                control.owner,
                "attestation.signed",
                "attestation",
                identifier,
                controls=control.key,
            )


def _owner(story: Story, control: Control, duty: AnnualDuty, rng: Random) -> str:
    """The control's owner; some open duties still name somebody who left."""
    still_named = duty.decided is None and control.domain in CHARGED and rng.random() < 0.15
    return people.leaver(story) if still_named else control.owner


def _due_day(story: Story, rng: Random) -> date:
    """A working day within the coming year, for a duty that comes around annually."""
    ahead = rng.randint(3, 352)
    on = story.day(-ahead)
    return story.day(-ahead + max(0, on.weekday() - 4))


def _peak_week_controls(story: Story, controls: list[Control]) -> list[str]:
    """The duties of one owner that all fall in the peak week."""
    owner = people.lead(story, "governance")
    mine = [
        control.key for control in controls if control.owner == owner and control.attestation in ("signed", "first")
    ]
    return mine[: 22 if story.profile.org == "aurora" else 15]
