"""How well staffing actions are completed: the figures of any group of them."""

from collections.abc import Mapping, Sequence

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.figure import Figures
from engine.model.vocabulary import ADMIN_ROLES
from reports.figures import select
from reports.shared.ordering import rank

# the column of a table for each figure
COLUMNS: Mapping[str, tuple[str, type[pl.DataType]]] = {
    "staffing_actions_taken_up": ("taken_up", pl.Int64),
    "staffing_actions_tracked": ("tracked", pl.Int64),
    "staffing_actions_open": ("open", pl.Int64),
    "staffing_actions_completed": ("completed", pl.Int64),
    "staffing_completion_pct": ("completion_pct", pl.Float64),
    "staffing_actions_on_time": ("completed_on_time", pl.Int64),
    "staffing_actions_breached": ("breached", pl.Int64),
    "staffing_actions_judged": ("on_time_of", pl.Int64),
    "staffing_on_time_pct": ("on_time_pct", pl.Float64),
    "staffing_relief_planned_hours": ("relief_planned_hours", pl.Float64),
    "staffing_relief_actual_hours": ("relief_actual_hours", pl.Float64),
    "staffing_relief_realised_pct": ("realised_pct", pl.Float64),
    "staffing_completion_median_days": ("median_days", pl.Int64),
}
MEASURED = tuple(COLUMNS)


def by(actions: pl.DataFrame, columns: Sequence[str], ask: Ask) -> pl.DataFrame:
    """The figures of each group of taken-up actions, in the order of ``columns``."""
    taken_up = actions.filter(pl.col("status") != "proposed")
    rows = []
    for key, part in taken_up.partition_by(list(columns), as_dict=True).items():
        figures = Figures(select(*MEASURED), {"staffing_actions": part}, ask)
        rows.append((*key, *(figures[name] for name in MEASURED)))
    schema = {name: actions.schema[name] for name in columns} | dict(COLUMNS.values())
    return pl.DataFrame(rows, schema=schema, orient="row").sort(columns, nulls_last=True)


def admins(members: pl.DataFrame) -> pl.DataFrame:
    """Owners and admins of the organization, who get the whole rollup."""
    wanted = members.filter(pl.col("role").is_in(ADMIN_ROLES))
    return wanted.select(recipient="email", role="role").sort(rank("role", ADMIN_ROLES), "recipient")
