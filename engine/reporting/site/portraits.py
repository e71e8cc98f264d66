"""What a page of a thing begins with: why it stands where it does, then what proves it or is to be done."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.documents.document import FrameRow
from engine.render import words
from engine.render.cell_texts import plain_action
from engine.render.links import ThingKey
from engine.reporting.site.framework_portraits import frameworks
from engine.reporting.site.operation_portraits import incidents, requests, services
from engine.reporting.site.portrait import PROOFS, REPORTS, Portrait, number, part
from engine.reporting.site.vendor_needs import needs_of_vendors
from engine.reporting.snapshot.snapshot import Snapshot

_ALL_PROOF = f"With events, hashes and bundles: {REPORTS}/evidence-lineage"
_WEEK, _MONTH = timedelta(days=7), timedelta(days=30)


def portraits(snapshot: Snapshot, verdicts: Mapping[str, str]) -> dict[ThingKey, Portrait]:
    """Of frameworks, controls, people, vendors, services, requests and incidents.

    ``verdicts`` say of each framework with a plan whether it will be ready.
    """
    return {
        **dict(frameworks(snapshot, verdicts)),
        **dict(_controls(snapshot)),
        **dict(_people(snapshot)),
        **dict(_vendors(snapshot)),
        **dict(services(snapshot)),
        **dict(requests(snapshot)),
        **dict(incidents(snapshot)),
    }


def _controls(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    proofs = _by_control(snapshot.fact("claims").sort("evidence_on", "evidence_id", descending=[True, False]))
    gaps = {(row["framework"], row["control_id"]): row for row in snapshot.fact("gaps").iter_rows(named=True)}
    causes = _causes(snapshot)
    for row in snapshot.fact("control_assessments").iter_rows(named=True):
        key = row["framework"], row["control_id"]
        gap = gaps.get(key)
        said = [_standing(row, causes.get(key, "")), _duty(gap, snapshot.as_of)]
        lines = [_proof(claim) for claim in proofs.get(key, ())]
        proof = part(PROOFS[0] if gap is None else PROOFS[1], lines)
        proof = proof._replace(lines=[*proof.lines, _ALL_PROOF]) if lines else proof
        work = [part("What closes it", _work_on(gap))] if gap is not None else []
        yield ("control", ":".join(key)), Portrait(" ".join(filter(None, said)), [*work, proof])


def _work_on(gap: FrameRow) -> list[str]:
    """What is to be done about a gap, with the hours that it takes, and what stands in its way."""
    hours = f", {quarters(gap['effort_hours'])} h" if gap["effort_hours"] else ""
    work = f"{gap['runbook_title'] or 'Record the evidence that it lacks'}{hours}"
    blocked = [f"It is blocked: {gap['blocked_by']}"] if gap["blocked_by"] else []
    return [work, *blocked]


def _by_control(frame: pl.DataFrame) -> dict[tuple[str, str], list[FrameRow]]:
    control: dict[tuple[str, str], list[FrameRow]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        control[row["framework"], row["control_id"]].append(row)
    return control


def _causes(snapshot: Snapshot) -> dict[tuple[str, str], str]:
    """What speaks against each control: the act, and its day."""
    against = snapshot.fact("control_evidence").filter(pl.col("contradicted_on").is_not_null())
    newest = against.sort("contradicted_on", "source").unique(["framework", "control_id"], keep="last")
    actions = dict(snapshot.fact("trigger_events_rows").select("event_id", "action").iter_rows())
    return {
        (row["framework"], row["control_id"]): f"{_act(row, actions)} on "
        f"{spelled_day(row['contradicted_on'])} speaks against it"
        for row in newest.iter_rows(named=True)
    }


def _act(row: FrameRow, actions: Mapping[str, str]) -> str:
    return plain_action(row["contradicted_rule"] or actions.get(row["contradicted_by"]) or "an event")


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
            part(name, _work(of, snapshot, today))
            for name, of in (("Late", late), ("This week", week), ("Next", later))
            if of
        ]
        yield ("owner", owner), Portrait(sentence, parts)


def _work(rows: Iterable[FrameRow], snapshot: Snapshot, today: date) -> list[str]:
    return [f"{_when(row['due_on'], today)}: {row['title']}{_of_controls(row, snapshot)}{_effort(row)}" for row in rows]


def _when(due: date, today: date) -> str:
    late = f", {number((today - due).days, 'day')} late" if due < today else ""
    return f"{spelled_day(due)}{late}"


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
        text = f"{named}: {waiting if row['inherited_gaps'] else 'no control waits for it'}.{_review(row)}"
        lines = [f"{need.text}, for {number(need.controls, 'control')}" for need in needs.get(row["vendor_id"], ())]
        yield ("vendor", row["vendor_id"]), Portrait(text, [part("What is missing", lines)] if lines else ())


def _review(vendor: FrameRow) -> str:
    """Who is to review a vendor whose review is not current, and since when."""
    who, day = vendor["owner"] or "nobody", vendor["next_review_on"]
    match vendor["review"]:
        case "overdue":
            return f" Its review is overdue since {spelled_day(day)}: {who} reviews it."
        case "never":
            return f" It was never reviewed: {who} reviews it."
    return ""


def _words(names: Iterable[str]) -> str:
    return ", ".join(map(words.spell, names))


def _count(rows: Sequence[FrameRow], one: str, many: str) -> str:
    return f"{len(rows)} {one if len(rows) == 1 else many}"
