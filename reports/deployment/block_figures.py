"""Figures of policy blocks: what was refused in the window that is asked for, and in the one before."""

import polars as pl

from engine.model.figures.aggregates import Count, Distinct, First, Percentile, Share
from engine.model.figures.figure import Figure
from reports.deployment import attempts

_NOW = pl.col("place") == attempts.NOW
_BLOCKED = pl.col("blocked")
_REFUSED, _ALLOWED = _NOW & _BLOCKED, _NOW & ~_BLOCKED
_WHY = "{playbook} refused on {at} (UTC): {reason}"
_BEFORE = "{now} blocks now, {before} before"
FIGURES = (
    Figure(
        "policy_blocks",
        "Policy blocks",
        "count",
        "neither",
        "Attempts that a policy or a guard refused in the window that ends on {as_of}: a dry-run, an execution or a "
        "remediation.",
        attempts.attempts,
        Count(),
        _REFUSED,
        _WHY,
    ),
    Figure(
        "policy_blocks_playbooks",
        "Playbooks blocked",
        "count",
        "neither",
        "Playbooks that were refused at least once in the window.",
        attempts.attempts,
        Distinct("playbook"),
        _REFUSED,
        _WHY,
    ),
    Figure(
        "policy_runs_allowed",
        "Attempts let through",
        "count",
        "neither",
        "Dry-runs and executions that were let through in the window that ends on {as_of}.",
        attempts.attempts,
        Count(),
        _ALLOWED,
        "{playbook} let through on {at} (UTC)",
    ),
    Figure(
        "policy_block_rate_pct",
        "Rate of policy blocks",
        "percent",
        "neither",
        "Policy blocks as a share of all attempts of the window: blocks and attempts that were let through.",
        attempts.attempts,
        Share(_BLOCKED),
        _NOW,
        "{playbook} attempted on {at} (UTC)",
    ),
    Figure(
        "policy_blocks_overridden",
        "Policy blocks overridden",
        "count",
        "less",
        "Policy blocks of the window that somebody overrode.",
        attempts.attempts,
        Count(),
        _REFUSED & pl.col("overridden"),
        _WHY,
    ),
    Figure(
        "policy_blocks_without_compliant_run",
        "Policy blocks without a compliant run",
        "count",
        "less",
        "Policy blocks of the window after which the same person was not let through at the same playbook.",
        attempts.attempts,
        Count(),
        _REFUSED & pl.col("minutes_to_run").is_null(),
        _WHY,
    ),
    Figure(
        "policy_blocks_minutes_to_run",
        "Median time from a policy block to a compliant run",
        "minutes",
        "less",
        "Median, by nearest rank, of the minutes from a policy block of the window to the first attempt at the same "
        "playbook by the same person that was let through; blocks that had none yet are left out.",
        attempts.attempts,
        Percentile("minutes_to_run"),
        _REFUSED,
        _WHY,
    ),
    Figure(
        "policy_blocks_before",
        "Policy blocks in the window before",
        "count",
        "neither",
        "Policy blocks in the window of equal length before; not known where records do not reach back so far.",
        attempts.comparison,
        First("before"),
        reason=_BEFORE,
        comparison=True,
    ),
    Figure(
        "policy_blocks_change",
        "Change of policy blocks",
        "count",
        "neither",
        "Policy blocks of the window less those of the window before; not known where records do not reach back so "
        "far.",
        attempts.comparison,
        First("change"),
        reason=_BEFORE,
        comparison=True,
    ),
    Figure(
        "policy_blocks_change_pct",
        "Relative change of policy blocks",
        "percent",
        "neither",
        "Change of policy blocks as a share of those of the window before; not known where that window had none, or "
        "where records do not reach back so far.",
        attempts.comparison,
        First("change_pct"),
        reason=_BEFORE,
        comparison=True,
    ),
)
