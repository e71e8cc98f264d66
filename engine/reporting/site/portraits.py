"""What a page of a thing begins with: why it stands where it does, then what proves it or is to be done."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.documents.document import FrameRow
from engine.model.vocabulary import LIVE_INCIDENTS
from engine.render import words
from engine.render.cell_texts import plain_action
from engine.render.links import ThingKey
from engine.reporting.site.framework_portraits import frameworks
from engine.reporting.site.portrait import REPORTS, Portrait, number, part
from engine.reporting.site.vendor_needs import needs_of_vendors
from engine.reporting.snapshot.snapshot import Snapshot

_ALL_PROOF = f"With events, hashes and bundles: {REPORTS}/evidence-lineage"
_WEEK, _MONTH = timedelta(days=7), timedelta(days=30)


def portraits(snapshot: Snapshot) -> dict[ThingKey, Portrait]:
    """Of frameworks, controls, people, vendors, services, requests and incidents."""
    return {
        **dict(frameworks(snapshot)),
        **dict(_controls(snapshot)),
        **dict(_people(snapshot)),
        **dict(_vendors(snapshot)),
        **dict(_services(snapshot)),
        **dict(_requests(snapshot)),
        **dict(_incidents(snapshot)),
    }


def _controls(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    proofs = _by_control(snapshot.fact("claims").sort("evidence_on", "evidence_id", descending=[True, False]))
    gaps = {(row["framework"], row["control_id"]): row for row in snapshot.fact("gaps").iter_rows(named=True)}
    causes = _causes(snapshot)
    for row in snapshot.fact("control_assessments").iter_rows(named=True):
        key = row["framework"], row["control_id"]
        said = [_standing(row, causes.get(key, "")), _duty(gaps.get(key), snapshot.as_of)]
        lines = [_proof(claim) for claim in proofs.get(key, ())]
        proof = part("What proves it", lines)
        proof = proof._replace(lines=[*proof.lines, _ALL_PROOF]) if lines else proof
        yield ("control", ":".join(key)), Portrait(" ".join(filter(None, said)), [proof])


def _by_control(frame: pl.DataFrame) -> dict[tuple[str, str], list[FrameRow]]:
    control: dict[tuple[str, str], list[FrameRow]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        control[row["framework"], row["control_id"]].append(row)
    return control


def _causes(snapshot: Snapshot) -> dict[tuple[str, str], str]:
    """What speaks against each control: the act, and its day."""
    against = snapshot.fact("control_evidence").filter(pl.col("contradicted_on").is_not_null())
    newest = against.sort("contradicted_on", "source").unique(["framework", "control_id"], keep="last")
    return {
        (row["framework"], row["control_id"]): f"{plain_action(row['contradicted_rule'] or 'an event')} on "
        f"{spelled_day(row['contradicted_on'])} speaks against it"
        for row in newest.iter_rows(named=True)
    }


def _standing(row: FrameRow, cause: str) -> str:
    """Why a control stands where it does."""
    since = f" since {spelled_day(row['state_since'])}" if row["state_since"] else ""
    last = f"the last evidence is of {spelled_day(row['last_evidence_on'])}" if row["last_evidence_on"] else ""
    match row["state"]:
        case "effective":
            until = f", good until {spelled_day(row['next_due_on'])}" if row["next_due_on"] else ""
            return f"Effective{since}: {last or 'all that it needs is there'}{until}."
        case "stale":
            age = f", {row['age_days']:,} days old where {row['window_days']:,} are allowed" if row["age_days"] else ""
            return f"Stale{since}: {last or 'its evidence is too old'}{age}."
        case "no_data":
            return f"No data{since}: {row['evidence_note'] or 'nothing was ever recorded for it'}."
        case "partial":
            return f"Partial{since}: {_missing(row)}."
        case "ineffective":
            test, tested = "its test failed", row["last_test_on"]
            if tested is not None:
                test = f"its test of {spelled_day(tested)} failed"
                if row["state_since"] is not None and row["state_since"] < tested:  # what made it so came before
                    test = f"its last test, of {spelled_day(tested)}, failed"
            test = test if row["failing_test"] else ""
            return f"Ineffective{since}: {test or cause or 'what was recorded last speaks against it'}."
    return f"Out of scope: {row['justification'] or 'without a reason on record'}."


def _missing(row: FrameRow) -> str:
    """What a control lacks that is effective in part."""
    missing = [kind for kind in row["kinds_required"] or [] if kind not in (row["kinds_present"] or [])]
    said = [f"no evidence of {_words(missing)}"] if missing else []
    if row["kinds_stale"]:
        said.append(f"evidence of {_words(row['kinds_stale'])} is too old")
    if row["tests_performed"] and row["tests_passed"] is not None and not row["tests_passed"]:
        said.append("no test of it passed")
    return ", ".join(said) or row["evidence_note"] or "a part of what it needs is there"


def _duty(gap: FrameRow | None, as_of: date) -> str:
    """Who is to close it, and by when; how late it is on a day after that."""
    if gap is None:
        return ""
    who, due = gap["owner"] or "Nobody", gap["due_on"]
    if due is None:
        return f"{who} owns it; no day is set."
    if due < as_of:
        return f"{who} was to close it by {spelled_day(due)}: {number((as_of - due).days, 'day')} late."
    return f"{who} is to close it by {spelled_day(due)}."


def _proof(claim: FrameRow) -> str:
    day = spelled_day(claim["evidence_on"]) if claim["evidence_on"] else "without a day"
    what = claim["evidence_id"] or ""
    if claim["source"] == "attestation":
        what = "signed"
    elif claim["action"] and claim["record"] == "audit event":
        what = plain_action(claim["action"])
    place = {"held": "the file is held here", "told": "named by place or hash"}.get(claim["evidence_place"] or "", "")
    broken = "" if claim["state"] == "complete" else f"; {claim['problem'] or words.spell(claim['state'] or '')}"
    return f"{day}, {words.spell(claim['source'])}: {what}{f', {place}' if place else ''}{broken}"


def _people(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    """Each with their duties: what is late, what comes this week, what next."""
    today = snapshot.as_of
    open_duties = snapshot.fact("obligations").filter(
        pl.col("done_on").is_null(), pl.col("state") != "cancelled", pl.col("owner").is_not_null()
    )
    duties: dict[str, list[FrameRow]] = defaultdict(list)
    for row in open_duties.sort("due_on", "title").iter_rows(named=True):
        duties[row["owner"]].append(row)
    for owner, rows in duties.items():
        late = [row for row in rows if row["due_on"] < today and not row["paused"]]
        week = [row for row in rows if today <= row["due_on"] < today + _WEEK]
        later = [row for row in rows if today + _WEEK <= row["due_on"] < today + _MONTH]
        hours = sum(row["effort_hours"] or 0 for row in (*late, *week, *later))
        sentence = (
            f"{_count(late, 'duty is', 'duties are')} late, {len(week)} due within a week, {len(later)} more within "
            f"thirty days: {quarters(hours)} h."
        )
        parts = [
            part(name, _work(of, snapshot)) for name, of in (("Late", late), ("This week", week), ("Next", later)) if of
        ]
        yield ("owner", owner), Portrait(sentence, parts)


def _work(rows: Iterable[FrameRow], snapshot: Snapshot) -> list[str]:
    return [f"{spelled_day(row['due_on'])}: {row['title']}{_of_controls(row, snapshot)}{_effort(row)}" for row in rows]


def _of_controls(row: FrameRow, snapshot: Snapshot) -> str:
    named = [name.partition(":") for name in (row["controls"] or [])[:3]]
    shown = [f"{snapshot.framework_name(framework)} {control}" for framework, _, control in named]
    return f" ({', '.join(shown)})" if shown else ""


def _effort(row: FrameRow) -> str:
    return f", {quarters(row['effort_hours'])} h" if row["effort_hours"] else ""


def _vendors(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    needs = needs_of_vendors(snapshot)
    for row in snapshot.fact("vendors").iter_rows(named=True):
        last = row["assured_until"]
        until = f" {'until' if last >= snapshot.as_of else 'since'} {spelled_day(last)}" if last else ""
        named = f"{words.spell(row['assurance']).capitalize()}{until}"
        waiting = f"{row['inherited_gaps']:,} of {row['inherited']:,} inherited controls wait for evidence"
        text = f"{named}: {waiting if row['inherited_gaps'] else 'no control waits for it'}."
        lines = [f"{need.text}, for {number(need.controls, 'control')}" for need in needs.get(row["vendor_id"], ())]
        yield ("vendor", row["vendor_id"]), Portrait(text, [part("What is missing", lines)] if lines else ())


def _services(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    health = {row["service_id"]: row for row in snapshot.fact("service_health").iter_rows(named=True)}
    incidents: dict[str, list[FrameRow]] = defaultdict(list)
    for row in snapshot.fact("incidents").sort("opened_at", "id", descending=[True, False]).iter_rows(named=True):
        incidents[row["service_id"] or ""].append(row)
    for row in snapshot.fact("services_rows").iter_rows(named=True):
        every = incidents[row["id"]]
        live = [one for one in every if one["status"] in LIVE_INCIDENTS]
        recent = [one for one in every if one["opened_at"].date() > snapshot.as_of - _MONTH]
        text = (
            f"{_objective(health.get(row['id']))} {number(len(recent), 'incident')} in thirty days, {len(live)} open."
        )
        shown = [*live, *(one for one in every if one not in live)]
        yield ("service", row["id"]), Portrait(text, [part("Incidents", [_incident(one) for one in shown])])


def _objective(health: FrameRow | None) -> str:
    if health is None or health["objective_pct"] is None:
        return "No objective is recorded for it."
    if health["used_30d_pct"] is None:
        return f"Objective {health['objective_pct']:g} %: too little was measured to say how it stands."
    return (
        f"Objective {health['objective_pct']:g} %: {words.spell(health['level'])}, {health['used_30d_pct']:,.0f} % of "
        "its error budget of thirty days is used."
    )


def _incident(row: FrameRow) -> str:
    return f"{spelled_day(row['opened_at'].date())}: {row['id']} {row['title']} ({row['severity']}, {row['status']})"


def _requests(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    for row in snapshot.fact("requests").iter_rows(named=True):
        due = f"due {spelled_day(row['due_on'])}" if row["due_on"] else "without a day"
        name = snapshot.framework_name(row["framework"])
        about = f" for {name} {row['control_id']}" if row["framework"] and row["control_id"] else ""
        text = f"{words.spell(row['clock']).capitalize()}, {due}: {row['owner'] or 'nobody'} answers it{about}."
        lines = [str(one) for one in row["evidence_ids"] or ()]
        yield ("request", row["id"]), Portrait(text, [part("Evidence sent", lines)] if lines else ())


def _incidents(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    details = {row["id"]: row for row in snapshot.fact("incident_details_rows").iter_rows(named=True)}
    health = {row["service_id"]: row for row in snapshot.fact("service_health").iter_rows(named=True)}
    rows = snapshot.fact("incidents").sort("opened_at", "id").rows(named=True)
    every = {row["id"]: row for row in rows}
    families: dict[str, list[FrameRow]] = defaultdict(list)
    for row in rows:
        if row["parent_id"]:
            families[row["parent_id"]].append(row)
    for row in rows:
        detail = details.get(row["id"], {})
        parts = [part("Cause", [detail.get("root_cause") or "Not established."])]
        if impact := _impact(detail):
            parts.append(part("Impact", impact))
        if row["service_id"]:
            parts.append(part("Objective", [f"{row['service_id']}: {_objective(health.get(row['service_id']))}"]))
        if family := _family(row, detail, every, families):
            parts.append(part("Family", family))
        yield ("incident", row["id"]), Portrait(_course(row), parts)


def _course(row: FrameRow) -> str:
    opened = f"opened on {spelled_day(row['opened_at'].date())}"
    if row["status"] in LIVE_INCIDENTS:
        return f"{row['severity'].capitalize()}, {row['status']}: {opened}; {row['owner'] or 'nobody'} has it."
    took = (
        f", resolved after {words.in_unit(row['minutes_to_resolve'], 'minutes')}" if row["minutes_to_resolve"] else ""
    )
    return f"{row['severity'].capitalize()}, {row['status']}: {opened}{took}."


def _impact(detail: Mapping[str, Any]) -> list[str]:
    users = detail.get("impact_users")
    hit = [f"{users:,} {'user' if users == 1 else 'users'}"] if users is not None else []
    return [*hit, *filter(None, [detail.get("summary")])]


def _family(
    row: FrameRow, detail: Mapping[str, Any], every: Mapping[str, FrameRow], families: Mapping[str, Sequence[FrameRow]]
) -> list[str]:
    """The incident that it belongs to and why, and those that belong to it."""
    parent = every.get(row["parent_id"] or "")
    above = [f"Part of {_incident(parent)}{_reason(detail)}"] if parent else []
    return [*above, *(_incident(one) for one in families.get(row["id"], ()))]


def _reason(detail: Mapping[str, Any]) -> str:
    return f": {detail['parent_reason']}" if detail.get("parent_reason") else ""


def _words(names: Iterable[str]) -> str:
    return ", ".join(map(words.spell, names))


def _count(rows: Sequence[FrameRow], one: str, many: str) -> str:
    return f"{len(rows)} {one if len(rows) == 1 else many}"
