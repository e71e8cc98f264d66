"""Leads as the pipeline's figures need them, and how long each stayed in which stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeAlias

import msgspec

from engine.model.vocabulary import LeadStage, Priority
from engine.sales.stages import EXIT_CRITERIA


class PipelineLead(msgspec.Struct, frozen=True):
    """A lead without what is said about people."""

    id: str
    reference_id: str
    stage: LeadStage
    priority: Priority
    owner: str | None
    value: float | None
    follow_up_on: date | None
    created_at: datetime
    first_response_at: datetime | None


class StageStep(msgspec.Struct, frozen=True):
    """What the history says of a move."""

    to: LeadStage


class StageMove(msgspec.Struct, frozen=True):
    """A change of stage."""

    subject_id: str
    happened_at: datetime
    details: Mapping[str, object]


@dataclass(frozen=True)
class StageSpan:
    """A lead's time in a stage; ``until`` is None while it lasts."""

    lead_id: str
    since: datetime
    until: datetime | None


Stays: TypeAlias = Mapping[LeadStage, list[StageSpan]]


def stage_spans(leads: Sequence[PipelineLead], moves: Sequence[StageMove]) -> Stays:
    """The stays in each stage, in the order of the leads."""
    of_lead: dict[str, list[StageMove]] = {}
    for move in moves:
        of_lead.setdefault(move.subject_id, []).append(move)
    spans: dict[LeadStage, list[StageSpan]] = {stage: [] for stage in EXIT_CRITERIA}
    for lead in leads:
        stage: LeadStage = "new"
        since = lead.created_at
        for move in of_lead.get(lead.id, []):
            spans[stage].append(StageSpan(lead.id, since, move.happened_at))
            stage, since = msgspec.convert(move.details, StageStep).to, move.happened_at
        spans[stage].append(StageSpan(lead.id, since, None))
    return spans
