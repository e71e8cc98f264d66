"""Who is overloaded in which week, how unevenly work is spread, and which duties to hand over or do earlier."""

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.declarations.report import Report
from engine.model.documents.document import MOST_WORDS, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.capacity import moves, relief, shortfall, workload
from reports.figures import select
from reports.shared import ledger, setup
from reports.shared.wording import SHOWN_HOURS, count

SEEN = ("title", "owner", "to_owner", "due_on", "relief_hours", "week", "to_week", "kind")
FOREMOST = (
    *(
        "weeks_short",
        "weeks_short_after_moves",
        "owners_short",
        "moves_suggested",
        "moves_relief_hours",
        "unowned_hours",
    ),
)
TONES: dict[str, Tone] = {"now": "third", "then": "main"}
LABELS = {"title": "Duty", "state": "Spread"}
DEFINITIONS = {
    "Responsible, accountable": "All hours of a duty for who is responsible, a quarter for who is accountable.",
    "Spread": "Largest over mean utilisation of the owners with any work: imbalanced from the organization's "
    "limit on, not meaningful for too few owners. Gini: 0 is even, 1 is all on one.",
    "Reassign": "To somebody who does this kind of duty, is not accountable for it, and is below 70 %.",
    "Pull forward": "The same owner does it up to two weeks earlier. The due date does not move. Tests and bundles "
    "wait for their period.",
    "Relief": "Hours that the owner is freed of: of a duty that the owner stays accountable for, three quarters.",
    "Not suggested": "Duties with a legal or contractual deadline; meetings; anything that would push anybody over "
    "the warning.",
    "Highest": "Utilisation of the busiest owner; no figure where somebody has work and no hours at all.",
    "Then": "With all suggestions taken.",
    **SHOWN_HOURS,
}


def build(figures: Figures) -> Document:
    weeks, suggestions = figures.rows(moves.by_week), figures.rows(moves.suggestions)
    ranked = suggestions.sort("relief_hours", "number", descending=[True, False])
    return Document(
        *_opening(ranked, figures),
        tables=(
            Table(
                "suggestions",
                "Suggestions, those that relieve most first",
                ranked.select(*SEEN, pl.exclude(SEEN)),
                labels=LABELS,
                state=("kind",),
                hidden=(
                    *("action_id", "obligation_id", "duty", "number", "hours", "owner_before_pct"),
                    *("owner_after_pct", "max_before_pct", "max_after_pct"),
                ),
            ),
            Table(
                "weeks",
                "How work is spread",
                weeks.drop("short_then", "shortfall_then_hours"),
                labels=LABELS,
                state=("state",),
                hidden=("week_start_on", "owners", "mean_pct", "imbalance", "gini", "unowned_hours", "short"),
            ),
            Table(
                "slices",
                "Who does what in weeks that are short",
                figures.rows(moves.slices),
                note="An empty owner is nobody, and who has left has no hours: first name another.",
                state=("flag",),
                hidden=("week_start_on",),
            ),
        ),
        charts=_charts(weeks),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
        foremost=FOREMOST,
        footnotes=("Nothing is changed by a suggestion; staffing actions track those that are taken up.",),
    )


def _opening(suggestions: pl.DataFrame, figures: Figures) -> Opening:
    if not figures["demand_hours"]:
        return Opening("No work falls into the coming weeks, so there is nothing to balance.", setup.DUTIES)
    short, span = figures["weeks_short"], count(figures["horizon_weeks"], "week")
    if not short:
        return Opening(f"Nobody has more work than hours in the next {span}: nothing needs to move.")
    over = f"{short} of the next {span} {'is' if short == 1 else 'are'} short of hours"
    who = _most_short(figures)
    if suggestions.is_empty():
        told = _sentence(over, who, ", and no flexible duty can be handed over or pulled forward.")
        return Opening(told, "Bring in hours.")
    first = suggestions.row(0, named=True)
    step = (
        f"hand {first['title']} from {first['owner']} to {first['to_owner']}"
        if first["kind"] == "reassign"
        else f"let {first['owner']} do {first['title']} in {first['to_week']}"
    )
    left = figures["weeks_short_after_moves"]
    lacking = sum(figures.rows(relief.by_week)["shortfall_hours"].to_list())
    rest = f", which leaves {count(left, 'week') if left else 'none'} short"
    of = f"{quarters(figures['moves_relief_hours'])} of {quarters(lacking)} missing hours"
    moves = f"{count(figures['moves_suggested'], 'move')} would relieve {of}{rest}"
    due = f", due {spelled_day(first['due_on'])}" if first["due_on"] else ""
    return Opening(_sentence(over, who, f"; {moves}."), f"Start in {first['week']}: {step}{due}.")


def _sentence(over: str, who: str, rest: str) -> str:
    """The sentence with whoever lacks most, where a long name leaves room for the rest."""
    return f"{over}{who}{rest}" if len(f"{over}{who}{rest}".split()) <= MOST_WORDS else f"{over}{rest}"


def _most_short(figures: Figures) -> str:
    """Who lacks most hours in one week, and in which; empty where only work of nobody is too much."""
    lacking = figures.rows(workload.in_horizon).filter(pl.col("owner").is_not_null(), pl.col("shortfall_hours") > 0)
    if lacking.is_empty():
        return ""
    worst = lacking.sort("shortfall_hours", "week_start_on", "owner", descending=[True, False, False])
    owner, week = worst.select("owner", "week").row(0)
    return f", most for {owner} in {week}"


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if not weeks["demand_hours"].sum():
        return []
    lines = weeks.select(
        "week", now="shortfall_hours", then="shortfall_then_hours"
    )  # known of weeks without hours, too
    frame = lines.unpivot(index="week", variable_name="line", value_name="shortfall_hours")
    alt = "Hours that owners lack in each week, now and with all suggestions taken."
    return [Chart("lines", "Hours short by week", frame, "week", "shortfall_hours", alt, series="line", tones=TONES)]


def _warnings(figures: Figures) -> list[str]:
    left, grid = figures["weeks_short_after_moves"], figures.rows(workload.in_horizon)
    warnings: list[str] = list(workload.without_owner(figures["unowned_hours"], figures.rows(ledger.pending), grid))
    if left:
        warnings.append(
            f"{count(left, 'week stays', 'weeks stay')} short whatever is moved: bring in hours or move dates."
        )
    return warnings


REPORT = Report(
    name="obligation-load-balancing",
    title="Obligation load balancing",
    description="Owners with more work than hours, how work is spread, and duties to hand over or do earlier.",
    build=build,
    figures=select(
        *("horizon_weeks", "demand_hours", *shortfall.IDS, "weeks_short_after_moves", "weeks_imbalanced"),
        *("moves_suggested", "moves_reassign", "moves_pull_forward", "moves_hours", "moves_relief_hours"),
    ),
    schema_version=2,
    parameters=(ledger.WEEKS,),
)
