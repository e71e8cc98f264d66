"""Ready by a day, what lapses until then, whether a gate holds, agreements with business associates."""

from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, count_of
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, names_of_kind, route
from engine.copilot.entities.programme import FRAMEWORK
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.model.errors import BadRequest

ROWS = 5
MOST_LAPSES = 10
# which work comes first: the steps of the plan come before what it says of the day
_FIRST = (
    r"^(?:and |so )?(?=.*\b(?:first|start|begin)\b)(?:what|where)\b.*\b(?:do|start|begin|tackle|work)\b.*"
    r"\b(?:to (?:get|be|become|make)|for|with|towards?)\b"
)
_PLAN = "gap-remediations"  # which answers for any framework
_BASELINE = "baseline-comparison"
_PACK = "hipaa"
_RETENTION = "deployment-retention"


@door(
    r"\b(?:will|would|can|could|shall|won't) (?:we|it|our|they)\b.*\b(?:ready|compliant|certifiable|make)\b|"
    r"\b(?:will|would|can|could|shall|won't) .*\b(?:be|get) (?:ready|compliant|certifiable)\b|"
    r"\b(?:will|would|can|is|are|do|does|get) .*"
    r"\b(?:done|finish(?:ed)?|completed?|there)\b.*\b(?:by|before|until|in time)\b|"
    r"\bready (?:for|by|in time|on time)\b|\bon track (?:for|to)\b|\bwhen (?:will|can) we be (?:ready|compliant)\b|"
    r"\bcheapest (?:way|next|work|steps?)\b|\bwhat (?:would|will) it (?:take|cost)\b|" + _FIRST,
    "ready compliant certifiable make done finish finished complete completed track cheapest way next work step take "
    "cost time audit certification hit reach first start begin tackle must get become towards "
    "target date readiness effort hours",
    "framework",
    windows=1,
)
def ready(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What the plan of a framework says of a day: the one asked for, else its target date."""
    from engine.planning.verdict.likelihood import verdict_of

    frameworks = names_of_kind(names, "framework")
    if len(frameworks) != 1:
        return None
    (framework,) = frameworks[0].keys
    window = asked.windows[0] if asked.windows else None
    by = None if window is None else window.last
    if window is not None and (by is None or by < library.today):
        return None
    known = library.rows(FRAMEWORK).filter(pl.col("framework") == framework)
    if known.is_empty():
        return None
    by = by or known["target_on"][0]
    if by is None:
        framework_name = library.framework_name(framework)
        return AnswerPart(
            (f"I have no data on a day for {framework_name}: name one, since no target date is on record.",), "none"
        )
    query = {"framework": framework, "by": by.isoformat()}
    try:
        edition = library.edition(_PLAN, query)
    except BadRequest as error:
        return AnswerPart((f"I have no data on that day: {error.message}",), "none")
    if edition is None:
        return None
    mark = citations.cite(_PLAN, route(_PLAN, **query))
    tables = {table.name: table.frame for table in edition.document.tables}
    goal = tables["goals"].row(0, named=True)
    verdict = verdict_of(goal["reached"], goal["likely_pct"] / 100)
    lines = [f"{verdict.capitalize()}. {edition.document.headline} {mark}"]
    actions = tables["actions"].head(ROWS)
    if actions.height:
        lines.append(f"The cheapest plan has {count_of(tables['actions'].height, 'step', 'steps')}; the first:")
    lines += [
        f"- {cell(row['done_by'])}: {cell(row['action'])} {cell(row['control_id'])} {cell(row['title'])}, "
        f"{cell(row['hours'])} h, {cell(row['owner'])} {mark}"
        for row in actions.iter_rows(named=True)
    ]
    if asked.matches(_FIRST):
        lines = [*lines[1:], lines[0]]
        if window is None:
            return AnswerPart(tuple(lines), "medium", f"the steps of the plan until {by}, its target date")
    loose = window is not None and (window.first is None or (window.last or date.max) - window.first >= timedelta(1))
    if loose and any(character.isalpha() for character in (window.words if window else "").removeprefix("by ")):
        return AnswerPart(tuple(lines), "medium", f"taken as {by}, the last day of it")
    return AnswerPart(tuple(lines), "high")


@door(
    r"\bwhen (?:will|do|does|can|could|would|shall) .*\b(?:reach|hit|get to|cross|exceed|be (?:at|above|over))\b",
    "reach hit get cross exceed above over percent readiness ready",
    "framework",
    bound=True,
)
def reach(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """On which day a readiness is reached: only where it is already; plans are made for a day, not for a number."""
    frameworks = names_of_kind(names, "framework")
    if len(frameworks) != 1 or asked.bound is None:
        return None
    (framework,) = frameworks[0].keys
    known = library.rows(FRAMEWORK).filter(pl.col("framework") == framework)
    now = None if known.is_empty() else known["weighted_pct"][0]
    if now is None:
        return None
    if now >= asked.bound.number:
        mark = citations.cite(_BASELINE, route(_BASELINE), framework)
        return AnswerPart(
            (f"It is there: the readiness of {frameworks[0].label} is {cell(now)} % today. {mark}",), "medium"
        )
    return AnswerPart(
        (
            f"I have no data on when {frameworks[0].label} reaches {asked.bound.number:g} %: it is at {cell(now)} % "
            "today, and a plan is made for a day. Ask what is ready by a day that you name.",
        ),
        "none",
    )


@door(
    r"\b(?:lapses?|stale|goes? stale|runs? out|expires?|expiring)\b.*\b(?:control|evidence|stale|effective)|"
    r"\b(?:becomes?|goes?|turns?|gets?|going) stale\b|\bstale (?:by|until|before|in|next)\b|"
    r"\b(?:controls?|evidence)\b.*\b(?:lapses?|expires?|runs? out|going stale|become stale)\b|"
    r"\bwhat (?:lapses|(?:will|may|might|is going to|does) lapse)\b",
    "lapse stale run out expire expiring control evidence become effective renew",
    "framework",
    windows=1,
)
def lapsing(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What evidence of which controls lapses in a span ahead, as the plans project it."""
    from engine.planning.horizons import project

    window = asked.windows[0] if asked.windows else None
    if window is None or window.last is None or window.last < library.today:
        return None
    first = max(window.first or library.today, library.today)
    wanted = [key for name in names_of_kind(names, "framework") for key in name.keys]
    horizons = library.fact("control_horizons")
    scope = [key for key in library.rows(FRAMEWORK)["framework"] if not wanted or key in wanted]
    if not scope:
        return None
    projections = [project(horizons, key, library.today, window.last) for key in scope]
    lapsed = [one.lapses.with_columns(framework=pl.lit(one.framework)) for one in projections]
    rows = (
        pl.concat(lapsed).filter(pl.col("lapses_on") >= first).sort("lapses_on", "framework", "control_id", "evidence")
    )
    of = "" if not wanted else f" of {', '.join(library.framework_name(key) for key in scope)}"
    span = f"from {first} to {window.last} ({window.words})"
    counted = (
        f"{count_of(rows.height, 'piece', 'pieces')} of evidence{of} {'lapses' if rows.height == 1 else 'lapse'} {span}"
    )
    if asked.matches(r"\bstale\b"):
        before = max(first - timedelta(days=1), library.today)
        gone = pl.concat(
            [
                one.on(window.last)
                .filter(pl.col("state") == "stale")
                .join(one.on(before).filter(pl.col("state") == "effective"), on="control_id", how="semi")
                .select("control_id", framework=pl.lit(one.framework))
                for one in projections
            ]
        )
        rows = rows.join(gone, on=["framework", "control_id"], how="semi")
        counted = (
            f"{count_of(gone.height, 'effective control', 'effective controls')}{of} "
            f"{'becomes' if gone.height == 1 else 'become'} stale {span} unless evidence is renewed"
        )
    if rows.is_empty():
        return AnswerPart((f"{counted}.",), "high")
    by = window.last.isoformat()
    marks = {
        key: citations.cite(_PLAN, route(_PLAN, framework=key, by=by)) for key in rows["framework"].unique().sort()
    }
    lines = [f"{counted}."]
    lines += [
        f"- {row['lapses_on']}: {row['evidence']} of {library.framework_name(row['framework'])} "
        f"{row['control_id']} {row['title']}, owner {cell(row['owner'])} {marks[row['framework']]}"
        for row in rows.head(MOST_LAPSES).iter_rows(named=True)
    ]
    if rows.height > MOST_LAPSES:
        lines.append(f"{rows.height - MOST_LAPSES:,} more.")
    return AnswerPart(tuple(lines), "high")


@door(
    r"\bgate\b|\b(?:new|newly)\b.*\bgaps?\b|\bgaps?\b.*\b(?:new|newly|appear\w*|turned up|arisen|came up)\b",
    "gate new newly critical high medium low gap pass since open appear appeared turned up arisen came",
    "framework",
    windows=1,
)
def gate(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """Whether frameworks have a gap of a severity that they did not have on a day, as the gate asks it."""
    from engine.reporting.gate import no_new

    severity = next((word for word in ("critical", "high", "medium", "low") if word in asked.words), None)
    window = asked.windows[0] if asked.windows else None
    if severity is None or window is None or window.first is None or not window.words.startswith("since"):
        return None
    wanted = [key for name in names_of_kind(names, "framework") for key in name.keys]
    scope = [key for key in library.rows(FRAMEWORK)["framework"] if not wanted or key in wanted]
    try:
        conditions = library.against(
            window.first, lambda now, then: [no_new(now, then, key, severity) for key in scope]
        )
    except BadRequest as error:
        return AnswerPart((f"I have no data on new gaps {window.words}: {error.message}",), "none")
    broken = [one for one in conditions if not one.holds]
    mark = citations.cite(_PLAN, route(_PLAN))
    new = count_of(sum(one.new for one in broken), f"new {severity} gap", f"new {severity} gaps")
    lines = [
        f"{f'Yes: {new}' if broken else f'No: no new {severity} gap'} {window.words}, by the gate's condition. {mark}"
    ]
    lines += [f"- {library.framework_name(one.framework)}: {one.found}" for one in broken]
    return AnswerPart(tuple(lines), "high")


@door(
    r"\bbaas?\b|\bbusiness associates?\b",
    "baa business associate agreement vendor everybody everyone sign signed missing lack without valid expired place "
    "no not flow supplier file force touch phi health handle owe outstanding still pending provider us record patient",
)
def agreements(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """Which business associates have an agreement, as the pack of HIPAA has it."""
    edition = library.edition(_PACK)
    tables = () if edition is None else edition.document.tables
    table = next((one.frame for one in tables if one.name == "business_associates"), None)
    if table is None or table.is_empty():
        return AnswerPart(
            ("I have no data on business associates: HIPAA is not in scope, or no vendor handles health data.",), "none"
        )
    without = table.filter(pl.col("agreement").is_null() | (pl.col("valid_until") < library.today))
    others = table.filter(~pl.col("vendor_id").is_in(without["vendor_id"].to_list()))
    lacking = asked.matches(r"\b(?:missing|lack|without|no|not|expired|needs?|still|owes?|outstanding|pending)\b")
    everybody = asked.matches(r"\b(?:everybody|everyone|all|every|each)\b") and not lacking
    rows = without if lacking or everybody else others
    text = "without a valid agreement" if lacking or everybody else "with a valid agreement"
    first = f"{rows.height} of {table.height} business associates are {text}."
    if everybody:
        first = f"{'No' if without.height else 'Yes'}: {first}"
    mark = citations.cite(_PACK, route(_PACK, explain="hipaa_associates_without_agreement"))
    lines = [f"{first} {mark}"]
    lines += [
        f"- {row['vendor_id']} {row['name']}: {row['finding'] or 'in order'}, tier {cell(row['tier'])}, signed "
        f"{cell(row['signed_on'])}, valid until {cell(row['valid_until'])} {mark}"
        for row in rows.head(MOST_LAPSES).iter_rows(named=True)
    ]
    return AnswerPart(tuple(lines), "high")


@door(
    r"\b(?:retention|kept|keep\w*|retain\w*|store|stored)\b.*\b(?:enough|too short|too long|as long as)\b|"
    r"\bretention conflicts?\b",
    "retention kept keep retain store stored record long short enough too audit log incident conflict framework ask "
    "require data",
    "framework",
)
def retention(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """Whether records are kept for as long as the frameworks in scope ask, as the retention report has it."""
    edition = library.edition(_RETENTION)
    rules = next((one.frame for one in edition.document.tables if one.name == "rules"), None) if edition else None
    if edition is None or rules is None or rules.is_empty():
        return AnswerPart(("I have no data on how long records must be kept: no framework in scope says it.",), "none")
    wanted = [key for name in names_of_kind(names, "framework") for key in name.keys]
    logs, incidents = asked.matches(r"\blogs?\b"), asked.matches(r"\bincidents?\b")
    classes = [
        name for name, said in (("audit_log", logs), ("incidents", incidents)) if said or not (logs or incidents)
    ]
    rules = rules.filter(pl.col("record_class").is_in(classes))
    rules = rules.filter(pl.col("framework").is_in(wanted)) if wanted else rules
    if rules.is_empty():
        return AnswerPart(
            ("I have no data on that: no framework that is named says how long they must be kept.",), "none"
        )
    short = rules.filter(pl.col("status") == "too_short").height
    mark = citations.cite(_RETENTION, route(_RETENTION, explain="retention_conflicts"), "retention_conflicts")
    demands = count_of(rules.height, "demand", "demands")
    lines = [f"{'No' if short else 'Yes'}: {short} of {demands} on record are for longer than records are kept. {mark}"]
    lines += [
        f"- {library.framework_name(row['framework'])} {row['citation']}, {row['record_class'].replace('_', ' ')}: "
        f"{cell(row['demand'])}; kept {row['days']:,} days, asked {cell(row['required_days'])} {mark}"
        for row in rules.sort("difference_days", "framework", "record_class", nulls_last=True).iter_rows(named=True)
    ]
    return AnswerPart(tuple(lines), "high")
