"""Where organizations stand on a day: what a snapshot of the week keeps, from the facts of that day."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from engine.model.vocabulary import CONTROL_STATES
from engine.store.types import canonical_json

_PACK = ["org_id", "framework"]
_KEY = ["org_id", "framework", "control_id"]
_SCORES = {"org_id": pl.String, "score": pl.Float64, "components": pl.String}


@dataclass(frozen=True)
class Standing:
    """Readiness by framework, the state of each control, and the posture score with its components as JSON."""

    readiness: pl.DataFrame
    states: pl.DataFrame
    posture: pl.DataFrame

    def of(self, org_id: str) -> "Standing":
        """Where one of them stands."""
        one = pl.col("org_id") == org_id
        return Standing(self.readiness.filter(one), self.states.filter(one), self.posture.filter(one))


def standing(fact: Callable[[str], pl.DataFrame]) -> Standing:
    """Where all organizations stand that the facts are about."""
    return Standing(_readiness(fact), _states(fact), _posture(fact))


def _readiness(fact: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    signed = fact("control_status").filter("applicable", pl.col("kinds_required").list.contains("attestation"))
    attested = signed.group_by(_PACK).agg(attested_pct=(100 * pl.col("attested").mean()).round(1))
    gaps = fact("gaps").group_by(_PACK).agg(gaps_open=pl.len().cast(pl.Int64))
    frame = (
        fact("readiness")
        .join(attested, on=_PACK, how="left", maintain_order="left")
        .join(gaps, on=_PACK, how="left", maintain_order="left")
        .with_columns(pl.col("gaps_open").fill_null(0))
    )
    return frame.select(*_PACK, *CONTROL_STATES, "strict_pct", "weighted_pct", "fresh_pct", "attested_pct", "gaps_open")


def _states(fact: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """The state of each control; where it is ineffective with the event that speaks against it."""
    opposed = (
        fact("control_evidence")
        .filter(pl.col("contradicted_by").is_not_null())
        .sort("contradicted_at", "contradicted_by")
        .group_by(_KEY, maintain_order=True)
        .agg(trigger_event=pl.col("contradicted_by").last())
    )
    return (
        fact("control_status")
        .select(*_KEY, "state")
        .join(opposed, on=_KEY, how="left", maintain_order="left")
        .with_columns(trigger_event=pl.when(pl.col("state") == "ineffective").then("trigger_event"))
        .sort(_KEY)
    )


def _posture(fact: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """No row where no component has a value."""
    present = fact("posture").filter(pl.col("value").is_not_null())
    rows = []
    for (org_id,), group in present.group_by("org_id", maintain_order=True):
        components = dict(group.select("component", "value").iter_rows())
        rows.append((org_id, round(float(group["contribution"].sum()), 1), canonical_json(components)))
    return pl.DataFrame(rows, schema=_SCORES, orient="row")
