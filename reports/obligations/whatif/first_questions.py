"""What to ask when nothing was asked: the three scenarios that would move most, each with what would come of it."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.obligations.whatif import scenario
from reports.shared import ledger
from reports.shared.wording import count

ROW: ledger.Columns = {
    "what": pl.String,
    "owner": pl.String,
    "obligations": pl.Int64,
    "hours": pl.Float64,
    "base_utilisation_pct": pl.Float64,
    "scenario_utilisation_pct": pl.Float64,
    "next_step": pl.String,
}


def first_questions(
    duties: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, clusters: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """The owner with most work away, the cluster that saves most merged, the framework with most duties of its own
    dropped; what there is not is left out. Duties and hours are those within the horizon, utilisation is that of the
    fullest week, before and after.

    No step leads out of a scope: whether a framework leaves it is decided elsewhere, its duties can move meanwhile.
    """
    now = _peak(duties, load, owner_weeks, ask)
    found = [
        _without_owner(duties, load, owner_weeks, ask),
        _consolidation(clusters),
        _without_framework(duties, load, owner_weeks, ask),
    ]
    rows = [(what, owner, number, hours, now, *then) for what, owner, number, hours, *then in filter(None, found)]
    return pl.DataFrame(rows, schema=dict(ROW), orient="row")


LOAD_BALANCING = "See obligation load balancing for who can take over."
LEAVES = " leaves the scope"
AWAY = "Whoever has most work is away"
SPREADING = "See obligation density alerts for which of its duties can move."
CONSOLIDATION = "See obligation consolidation for the steps."
_Found = tuple[str, str | None, int, float, float | None, str] | None


def _peak(duties: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> float | None:
    busy = scenario.base_weeks(duties, load, owner_weeks, ask).filter(pl.col("demand_hours") > 0)
    used: list[float | None] = busy["utilisation_pct"].head(1).to_list()
    return used[0] if used else 0.0


def _without_owner(duties: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> _Found:
    ahead = owner_weeks.join(ledger.horizon(ask).select("week"), on="week", how="semi")
    works = ahead.filter("staffed").group_by("owner").agg(hours=pl.col("demand_hours").sort().sum().round(3))
    if works.is_empty() or not works["hours"].max():
        return None
    owner, hours = works.sort("hours", "owner", descending=[True, False]).row(0)
    then = _peak(duties, load, owner_weeks.filter(pl.col("owner") != owner), ask)
    number = duties.filter(pl.col("owner") == owner, pl.col("place") == "known").height
    return (AWAY, owner, number, hours, then, LOAD_BALANCING)


def _without_framework(duties: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, ask: Ask) -> _Found:
    named = ~pl.col("framework").is_in([ledger.SEVERAL, ledger.NONE])
    alone = duties.filter(named, pl.col("place") == "known").group_by("framework").len()
    if alone.is_empty():
        return None
    name = alone.sort("len", ledger.framework_rank(), descending=[True, False])["framework"][0]
    gone = duties.filter(pl.col("framework") == name, pl.col("place") == "known")
    then = _peak(duties.filter(pl.col("framework") != name), load, owner_weeks, ask)
    return (f"{ask.framework_name(name)}{LEAVES}", None, gone.height, ledger.hours(gone), then, SPREADING)


def _consolidation(clusters: pl.DataFrame) -> _Found:
    if clusters.is_empty():
        return None
    first = clusters.row(0, named=True)
    what = f"Evidence is collected once for {count(first['duties'], 'duty', 'duties')} that share it"
    return (what, first["lead"], first["duties"], first["hours_to_save"], None, CONSOLIDATION)
