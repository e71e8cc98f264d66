"""What would happen if duties were shifted by weeks or a framework left the scope: nothing is written."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.plan_parameters import ANY_FRAMEWORK, FRAMEWORK_FACT
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Coverage, Document, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.crossover.crossovers import cluster_rows
from reports.obligations.whatif import consequences, scenario, scenario_figures
from reports.obligations.whatif.first_questions import AWAY, LEAVES, first_questions
from reports.shared import ledger, setup
from reports.shared.wording import count, count_of, hours, inside, percent, sentence

TONES: dict[str, Tone] = {"now": "second", "then": "main", "available": "third"}
FOREMOST = (
    *("fullest_week", "fullest_week_utilisation_pct", "weeks_over_capacity", "obligations_known"),
    *("obligations_known_hours", "hours_to_save"),
)
MOST = 8
LABELS = {"name": "Framework"}
THEN = "scenario_utilisation_pct"
QUESTIONS = {"what": "What if", THEN: "Fullest week (%)", "next_step": "Where to look"}
AS_PLANNED = {
    **{"base_duties": "Duties", "base_demand_hours": "Hours", "base_utilisation_pct": "Utilisation (%)"},
    "available_hours": "Hours there are",
}
NOW_AND_THEN = {"base_demand_hours": "Hours now", "scenario_demand_hours": "Hours then"}
DEFINITIONS = {
    **ledger.DEFINITIONS,
    "Hours": "Of a duty the effort of whoever does it; of a week, in table, chart and utilisation, and of whoever has "
    "most work all work on its duties, the time of those who are accountable for them included.",
    "Shift": "Moves the due dates of all pending duties, or of those of one framework, kind or identifier. Nothing "
    "moves before the day of the report; overdue duties are planned that many weeks from now.",
    "Violation": "A duty that the scenario would move past its legal or contractual deadline. It is held where it is; "
    "earlier it may move.",
    "Descope": "Duties of that framework alone fall away; duties that name others too stay.",
    "Readiness": "With controls that turn stale or lose their path counted as stale; a descoped framework has none.",
    "Scenario": "The same changes to the same duties on the same day have the same identifier.",
}
PARAMETERS = (
    Parameter("shiftWeeks", 0, "weeks by which due dates move, later when positive", -MOST, MOST),
    Parameter("framework", None, "shift only duties of this framework", found_in=FRAMEWORK_FACT),
    Parameter("kind", None, "shift only duties of this kind", choices=ledger.KINDS),
    Parameter("id", None, "shift only the duty with this identifier", found_in=("obligations", "obligation_id")),
    Parameter("descope", None, "framework that leaves the scope", found_in=FRAMEWORK_FACT),
    ledger.WEEKS,
)


def build(
    control_status: pl.DataFrame, load: pl.DataFrame, owner_weeks: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    plan = figures.rows(scenario.scenario_duties)
    by_week = scenario.week_comparison(figures.rows(scenario.base_weeks), figures.rows(scenario.scenario_weeks))
    stale, stranded = figures.rows(consequences.stale), figures.rows(consequences.stranded_controls)
    worse = pl.concat([frame.select("framework", "control_id") for frame in (stale, stranded)]).unique()
    ready = consequences.readiness(control_status, worse, ask)
    fates = {fate: plan.filter(pl.col("fate") == fate) for fate in scenario.FATES}
    pending, given = figures.rows(ledger.pending), scenario.options_of(ask)
    asked = first_questions(pending, load, owner_weeks, figures.rows(cluster_rows), ask)
    return Document(
        *_opening(asked, figures, ask),
        summary={"scenario_id": scenario.scenario_id(pending, ask)},
        tables=(
            Table(
                "questions",
                "What would move most",
                asked.clear() if given else asked,
                labels=QUESTIONS,
                hidden=("base_utilisation_pct",),
                note="Duties and hours within the horizon, and utilisation of the fullest week: as things are it is "
                f"{_utilisation(figures)}.",
            ),
            Table(
                "weeks",
                "Week by week, now and then" if given else "Week by week, as planned",
                by_week,
                labels=NOW_AND_THEN if given else AS_PLANNED,
                hidden=(
                    *("week_start_on", "base_hours", "scenario_hours"),
                    *(() if given else ("scenario_duties", "scenario_demand_hours", THEN)),
                ),
            ),
            Table(
                "violations",
                "Hard deadlines that it would pass: not allowed, held in place",
                _duties(fates["held"], "wanted_on"),
                hidden=("obligation_id",),
            ),
            Table("moved", "Duties that move", _duties(fates["moved"], "new_due_on"), hidden=("obligation_id",)),
            Table("relieved", "Whose duties fall away", _whose(fates["descoped"])),
            Table(
                "descoped", "Duties that fall away", _duties(fates["descoped"]), hidden=("frameworks", "obligation_id")
            ),
            Table("stale", "Evidence that would turn stale", stale, state=("state",)),
            Table("without_path", "Controls left without a path to evidence", stranded, state=("state",)),
            Table(
                "readiness",
                "Readiness, now and then" if given else "Readiness, as it stands",
                ready,
                labels=LABELS,
                hidden=(
                    *("framework", "assessed", "descoped"),
                    *(() if given else ("affected", "scenario_strict_pct", "scenario_weighted_pct")),
                ),
            ),
        ),
        coverage=Coverage(int(ready["assessed"].sum()), int(ready["applicable"].sum())),
        charts=_charts(by_week, bool(given)),
        definitions=DEFINITIONS,
        warnings=_warnings(figures, ask),
        footnotes=("Nothing was written: a scenario is computed and forgotten.",),
        title=_title(ask),
        foremost=[name for name in (_foremost(given) if given else FOREMOST) if figures[name] is not None],
    )


def _title(ask: Ask) -> str:
    """The scenario that was asked; empty without one."""
    options = scenario.options_of(ask)
    parts = []
    if "descope" in options:
        parts.append(f"{ask.framework_name(options['descope'])} leaves the scope")
    if "shiftWeeks" in options:
        weeks = options["shiftWeeks"]
        parts.append(f"duties move {count(abs(weeks), 'week')} {'later' if weeks > 0 else 'earlier'}")
    return f"Obligation what-if: {' and '.join(parts)}" if parts else ""


def _foremost(options: Mapping[str, object]) -> tuple[str, ...]:
    """What the scenario does and what it harms; the figures before and after stand in a table of their own."""
    moves = ("scenario_moved",) if "shiftWeeks" in options else ()
    falls = ("scenario_descoped", "scenario_descoped_hours") if "descope" in options else ()
    return (*moves, *falls, "scenario_violations", "scenario_turned_stale", "scenario_without_path")


def _whose(plan: pl.DataFrame) -> pl.DataFrame:
    """Owners of the duties with their hours, whoever has most first; nobody comes last."""
    return (
        plan.group_by("owner")
        .agg(obligations=pl.len().cast(pl.Int64), hours=pl.col("effort_hours").sort().sum().round(3))
        .sort(pl.col("owner").is_null(), "hours", "owner", descending=[False, True, False])
    )


def _duties(plan: pl.DataFrame, *dates: str) -> pl.DataFrame:
    return plan.sort("due_on", "obligation_id").select(
        "due_on",
        *dates,
        "title",
        ledger.kind_name().alias("duty"),
        "frameworks",
        "owner",
        "effort_hours",
        "obligation_id",
    )


def _what_moves_most(questions: pl.DataFrame) -> str:
    """What the fullest week would be in each of the scenarios that change it."""
    known = questions.filter(pl.col("scenario_utilisation_pct").is_not_null())
    said = [
        f"without {owner or what.removesuffix(LEAVES)} at {percent(then)}"
        for what, owner, then in known.select("what", "owner", THEN).iter_rows()
    ]
    return f"; {', '.join(said)}" if said else ""


def _first_question(questions: pl.DataFrame, duties: pl.DataFrame, figures: Figures) -> str:
    """The first of the questions: who would have to stand in, for how much and by when."""
    row = questions.row(0, named=True)
    about = f"{count_of(row['obligations'], 'duty', 'duties')} ({hours(row['hours'])})"
    if row["what"] == AWAY:
        week = figures["fullest_week"]
        mine = ledger.hours(duties.filter(pl.col("owner") == row["owner"], pl.col("place") == "known"))
        others = " and those of others that they answer for" if row["hours"] > mine else ""
        about = f"{hours(row['hours'])}, for {count_of(row['obligations'], 'duty', 'duties')}{others}"
        name = f"Before {week}, name" if week else "Name"
        return f"{name} somebody who can stand in for {row['owner']}, who has most work: {about}."
    return f"Look first at what comes if {inside(row['what'])}: it concerns {about}."


def _opening(asked: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    options = scenario.options_of(ask)
    if not figures["obligations_pending"]:
        return Opening("No duty is pending, so a scenario changes nothing.", setup.DUTIES)
    if not options:
        return Opening(
            at_most(f"As planned, {_fullest(figures)}", _what_moves_most(asked)) + ".",
            _first_question(asked, figures.rows(ledger.pending), figures)
            if asked.height
            else "Ask with shiftWeeks, which moves duties that need not be done on their day.",
        )
    parts = []
    if "descope" in options:
        gone, freed = figures["scenario_descoped"], hours(figures["scenario_descoped_hours"])
        parts.append(
            f"without {ask.framework_name(options['descope'])}, {count(gone, 'duty', 'duties')} ({freed}) "
            f"{'falls' if gone == 1 else 'fall'} away"
        )
    if "shiftWeeks" in options:
        weeks = options["shiftWeeks"]
        parts.append(
            f"{count(figures['scenario_moved'], 'duty', 'duties')} would move {count(abs(weeks), 'week')} "
            f"{'later' if weeks > 0 else 'earlier'}"
        )
    passed, stale, lost = (figures[f"scenario_{name}"] for name in ("violations", "turned_stale", "without_path"))
    harm = [
        f"{count(passed, 'hard deadline')} would be passed" if passed else "",
        f"evidence of {count(stale, 'control')} would turn stale" if stale else "",
        f"{count(lost, 'control')} would lose every path to evidence" if lost else "",
    ]
    text = ", ".join(part for part in harm if part)
    return Opening(
        f"{sentence(' and '.join(parts))}; {_change(figures)}.",
        f"{sentence(text)}: look at {'these' if passed + stale + lost > 1 else 'this'} first."
        if text
        else _agreement(ask),
    )


def _fullest(figures: Figures) -> str:
    week, used = figures["fullest_week"], figures["fullest_week_utilisation_pct"]
    if week is None:
        return "no week holds any work"
    full = "with no hours to do its work" if used is None else f"at {percent(used)} of capacity"
    return f"the fullest is {week}, {full}"


def _utilisation(figures: Figures) -> str:
    used = figures["fullest_week_utilisation_pct"]
    return "not known" if used is None else percent(used)


def _agreement(ask: Ask) -> str:
    """Who has to agree to what hurts nothing: what the records cannot know is asked of people."""
    gone = scenario.options_of(ask).get("descope")
    safe = "no deadline, evidence or other control is hurt"
    if gone:
        name = ask.framework_name(gone)
        return f"Ask whoever answers for the contracts behind {name} first, as they are not on record; {safe}."
    return f"Agree the new dates with the owners: {safe}."


def _change(figures: Figures) -> str:
    (before, old), (then, new) = (
        (figures[f"{side}fullest_week"], figures[f"{side}fullest_week_utilisation_pct"]) for side in ("", "scenario_")
    )
    if then is None:
        return "no week of the horizon holds any work"
    if old is None or new is None:
        return f"{then} {'stays' if then == before else 'becomes'} the fullest week"
    if old == new:
        return f"the peak stays at {percent(old)} of capacity"
    return f"the peak {'falls' if new < old else 'rises'} from {percent(old)} to {percent(new)} of capacity"


def _charts(by_week: pl.DataFrame, given: bool) -> list[Chart]:
    if not by_week["base_duties"].sum() and not by_week["scenario_duties"].sum():
        return []
    frame = by_week.select("week", now="base_demand_hours", then="scenario_demand_hours", available="available_hours")
    lines = (frame if given else frame.drop("then")).unpivot(index="week", variable_name="line", value_name="hours")
    sides = "now and in the scenario" if given else "as planned"
    alt = f"Hours of work of each week {sides}, against the hours that there are."
    return [Chart("lines", "Work by week", lines, "week", "hours", alt, series="line", tones=TONES)]


def _warnings(figures: Figures, ask: Ask) -> list[str]:
    options, warnings = scenario.options_of(ask), []
    pending, passed = figures["obligations_pending"], figures["scenario_violations"]
    if "shiftWeeks" in options and pending and not figures["scenario_moved"] and not passed:
        warnings.append("No pending duty matches the filters of the shift and can move.")
    if "descope" in options and pending and not figures["scenario_descoped"]:
        warnings.append(f"No pending duty belongs to {ask.framework_name(options['descope'])} alone.")
    if passed:
        warnings.append(Alarm(f"{count(passed, 'hard deadline')} would be passed: not allowed, held in place."))
    return warnings


REPORT = Report(
    name="obligation-whatif",
    title="Obligation what-if",
    description="Duties shifted by weeks or a framework descoped: load, deadlines, evidence, readiness now and then.",
    build=build,
    figures=(
        *scenario_figures.BASE,
        *scenario_figures.SCENARIO,
        *scenario_figures.EFFECTS,
        *select("hours_to_save", "horizon_weeks"),
    ),
    parameters=PARAMETERS,
    schema_version=3,
    plans=ANY_FRAMEWORK,
)
