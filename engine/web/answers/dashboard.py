"""The answer of the sales dashboard."""

from datetime import date, datetime

from engine.model.records import LeadRow
from engine.model.vocabulary import LeadStage, PilotStage, Priority
from engine.web.answers.shape import Percent, Shape, mirror_row


class LeadCounts(Shape):
    total: int
    open: int
    received_in_period: int
    by_stage: dict[LeadStage, int]
    by_priority: dict[Priority, int]
    unassigned: int


class FunnelStep(Shape):
    stage: LeadStage
    reached: int
    of_previous_pct: Percent | None


class ConversionFigures(Shape):
    won: int
    lost: int
    decided: int
    won_of_decided_pct: Percent | None
    won_of_all_pct: Percent | None


class StageFigures(Shape):
    """Durations are those of stays that ended; what is still open is counted beside them."""

    stage: LeadStage
    median_days: float | None
    stays_ended: int
    in_stage_now: int
    median_days_so_far: float | None
    exit_criterion: str


class ResponseFigures(Shape):
    answered: int
    p50_hours: float | None
    p90_hours: float | None
    waiting: int
    longest_wait_hours: float | None


@mirror_row(LeadRow, "id reference_id stage owner")
class FollowUp(Shape):
    follow_up_on: date
    days_overdue: int


class FollowUpFigures(Shape):
    overdue: int
    due_today: int
    due_within_7_days: int
    listed: list[FollowUp]


class PipelineStage(Shape):
    stage: LeadStage
    leads: int
    without_value: int
    value: float
    probability_pct: Percent
    probability_from: str
    decided_leads: int
    weighted_value: float


class PipelineFigures(Shape):
    value: float
    weighted_value: float
    without_value: int
    by_stage: list[PipelineStage]


@mirror_row(LeadRow, "id reference_id stage owner")
class StaleLead(Shape):
    idle_days: int


class StaleFigures(Shape):
    after_days: int
    count: int
    listed: list[StaleLead]


class PilotCounts(Shape):
    total: int
    open: int
    by_stage: dict[PilotStage, int]
    converted_of_ended_pct: Percent | None


class SalesDashboard(Shape):
    as_of: datetime
    period_days: int
    leads: LeadCounts
    funnel: list[FunnelStep]
    conversion: ConversionFigures
    stages: list[StageFigures]
    response_times: ResponseFigures
    follow_ups: FollowUpFigures
    pipeline: PipelineFigures
    stale: StaleFigures
    pilots: PilotCounts
