"""The stages of leads and pilots: what follows what, and when a stage is done."""

from collections.abc import Mapping

from engine.model.errors import BadRequest, Conflict
from engine.model.records import LeadRow
from engine.model.vocabulary import LEAD_STAGES, PILOT_STAGES, LeadStage, PilotStage

LEAD_STEPS: Mapping[str, tuple[LeadStage, ...]] = {
    "new": ("contacted", "lost", "nurture"),
    "contacted": ("qualified", "lost", "nurture"),
    "qualified": ("discovery", "lost", "nurture"),
    "discovery": ("proposal", "lost", "nurture"),
    "proposal": ("won", "lost", "nurture"),
    "won": (),
    "lost": ("nurture",),
    "nurture": ("contacted", "lost"),
}
PILOT_STEPS: Mapping[str, tuple[PilotStage, ...]] = {
    "planned": ("kickoff", "closed"),
    "kickoff": ("active", "closed"),
    "active": ("review", "closed"),
    "review": ("converted", "extended", "closed"),
    "extended": ("review", "closed"),
    "converted": (),
    "closed": (),
}
# what must be so before the stage is left for the next one: a sentence, and the columns that show it
EXIT_CRITERIA: Mapping[LeadStage, tuple[str, tuple[str, ...]]] = {
    "new": ("Somebody owns the lead and has answered it.", ("owner", "first_response_at")),
    "contacted": ("The need is known, and what it is worth in a year.", ("owner", "value")),
    "qualified": ("A discovery call is agreed.", ("owner", "value", "follow_up_on")),
    "discovery": ("Scope and success criteria are agreed with whoever decides.", ("owner", "value", "follow_up_on")),
    "proposal": ("The proposal is accepted or declined.", ("owner", "value", "follow_up_on")),
    "nurture": ("The need has come back.", ("follow_up_on",)),
    "won": ("Nothing: the customer is won.", ()),
    "lost": ("Nothing: the reason is recorded.", ("lost_reason",)),
}
PROBABILITY_PCT: Mapping[LeadStage, float] = {
    "new": 5.0,
    "contacted": 10.0,
    "qualified": 25.0,
    "discovery": 40.0,
    "proposal": 60.0,
    "won": 100.0,
    "lost": 0.0,
}
ENDED_LEADS: tuple[LeadStage, ...] = ("won", "lost")
OPEN_LEADS: tuple[LeadStage, ...] = tuple(one for one in LEAD_STAGES if one not in (*ENDED_LEADS, "nurture"))
OPEN_PILOTS: tuple[PilotStage, ...] = tuple(one for one in PILOT_STAGES if PILOT_STEPS[one])


def check_step(what: str, steps: Mapping[str, tuple[str, ...]], present: str, wanted: str) -> None:
    """Conflict unless ``wanted`` follows ``present``; it says what does."""
    if wanted in steps[present]:
        return
    follows = " or ".join(steps[present]) or "nothing"
    raise Conflict(
        f"A {what} that is {present} cannot become {wanted}; after {present} comes {follows}.",
        word="stage_not_reachable",
        details=[{"field": "stage", "from": present, "to": wanted, "allowed": list(steps[present])}],
    )


def check_reason(stage: object, reason: object) -> None:
    """A lost lead says why, and no other lead does."""
    if stage == "lost" and not reason:
        raise BadRequest(
            "A lost lead needs lost_reason: say why it was lost.",
            word="lost_reason_required",
            details=[{"field": "lost_reason", "expected": "why the lead was lost, 1 to 500 characters"}],
        )
    if stage != "lost" and reason:
        raise BadRequest(
            f"Only a lost lead has a lost_reason; this one is {stage}.",
            word="invalid_body",
            details=[{"field": "lost_reason", "expected": "nothing, unless stage is lost", "got": stage}],
        )


def exit_criterion(lead: LeadRow) -> dict[str, object]:
    """What must be so before the lead leaves its stage, and what the record does not show yet. Advice, no lock."""
    sentence, columns = EXIT_CRITERIA[lead["stage"]]
    shown: Mapping[str, object] = lead
    missing = [name for name in columns if shown[name] is None]
    return {"criterion": sentence, "met": not missing, "missing": missing, "next": list(LEAD_STEPS[lead["stage"]])}
