"""What the page of a control begins with: why it stands where it does, what closes it, what proves it.

A control may need evidence of several kinds, and stands where the worst of them does: a page names that kind, its last
good day, and the work on it alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import polars as pl

from engine.facts.controls.detection import KINDS
from engine.facts.controls.status import GOVERNING
from engine.model.days import quarters, spelled_day
from engine.model.documents.document import Document, FrameRow
from engine.render import words
from engine.render.cell_texts import plain_action
from engine.render.links import ThingKey
from engine.reporting.site.plan_pages import work_on
from engine.reporting.site.portrait import PROOFS, REPORTS, Portrait, number, part
from engine.reporting.snapshot.snapshot import Snapshot

_ALL_PROOF = f"With events, hashes and bundles: {REPORTS}/evidence-lineage"
_SIGNATURE = "attestation"
_NO_HORIZON: FrameRow = {}


class Objection(NamedTuple):
    """What speaks against a control: the act, when it did so last, and since when; without an act, nothing does."""

    act: str = ""
    source: str = ""
    on: date = date.min
    since: date | None = None


_NO_OBJECTION = Objection()


def controls(
    snapshot: Snapshot, plans: Mapping[str, Document], noted: Mapping[str, str]
) -> Iterator[tuple[ThingKey, Portrait]]:
    proofs = _by_control(snapshot.fact("claims").sort("evidence_on", "evidence_id", descending=[True, False]))
    gaps = {(row["framework"], row["control_id"]): row for row in snapshot.fact("gaps").iter_rows(named=True)}
    objections = _objections(snapshot)
    tested = dict(snapshot.fact("control_tests").select("run_id", "performed_on").iter_rows())
    signatures = _by_control(snapshot.fact("attestations").sort("due_on", "id"))
    until = {
        (row["framework"], row["control_id"]): row for row in snapshot.fact("control_horizons").iter_rows(named=True)
    }
    for row in snapshot.fact("control_assessments").iter_rows(named=True):
        key = row["framework"], row["control_id"]
        gap, signed, horizon = gaps.get(key), signatures.get(key, ()), until.get(key, _NO_HORIZON)
        objection = objections.get(key, _NO_OBJECTION)
        said = [
            _standing(row, objection, horizon, signed, tested),
            _duty(gap, row, signed, snapshot.as_of),
            noted.get(":".join(key), ""),
        ]
        lines = [*_against(row, objection, tested), *(_proof(claim) for claim in proofs.get(key, ()))]
        proof = part(PROOFS[0] if gap is None else PROOFS[1], lines)
        proof = proof._replace(lines=[*proof.lines, _ALL_PROOF]) if lines else proof
        plan = work_on(plans[key[0]], key[1]) if key[0] in plans else []
        work = [part("What closes it", [*_work_on(gap, row, signed, snapshot.as_of), *plan])] if gap else []
        kinds = (
            [part("Evidence by kind", _kinds(row, horizon, signed))]
            if row["applicable"] and row["kinds_required"]
            else []
        )
        yield ("control", ":".join(key)), Portrait(" ".join(filter(None, said)), [*work, *kinds, proof])


def _work_on(gap: FrameRow, row: FrameRow, signed: Sequence[FrameRow], today: date) -> list[str]:
    """What is to be done about a gap, with the hours that it takes, and what stands in its way.

    What lacks nothing but a signature needs no runbook.
    """
    lacking = _lacking(row)
    sign = [_next_signature(signed, today)] if _SIGNATURE in lacking else []
    hours = f", {quarters(gap['effort_hours'])} h" if gap["effort_hours"] else ""
    work = [f"{gap['action'] or 'Record the evidence that it lacks'}{hours}"]
    blocked = [f"It is blocked: {gap['blocked_by']}"] if gap["blocked_by"] else []
    only_sign = row["state"] != "ineffective" and lacking == [_SIGNATURE]
    return [*([] if only_sign else work), *sign, *blocked]


def _absent(row: FrameRow) -> list[str]:
    """The kinds of evidence that a control needs and never had."""
    return [kind for kind in row["kinds_required"] or [] if kind not in (row["kinds_present"] or [])]


def _lacking(row: FrameRow) -> list[str]:
    """The kinds of evidence that a control needs, and that it never had or that are too old."""
    return [*_absent(row), *(row["kinds_stale"] or [])]


def _open_attestation(signed: Sequence[FrameRow]) -> FrameRow | None:
    """The attestation that is to be signed next; ``signed`` are those of a control by due date."""
    return next((one for one in signed if one["attested_on"] is None), None)


def _next_signature(signed: Sequence[FrameRow], today: date) -> str:
    """Who signs a control next, and by when."""
    waiting = _open_attestation(signed)
    if waiting is None:
        return "Sign its attestation: none is planned"
    who = waiting["delegated_to"] or waiting["owner"] or "nobody yet"
    late = f", {number((today - waiting['due_on']).days, 'day')} late" if waiting["due_on"] < today else ""
    return f"Sign its attestation: {who}, due {spelled_day(waiting['due_on'])}{late}"


def _last_decision(signed: Sequence[FrameRow]) -> FrameRow | None:
    decided = [one for one in signed if one["attested_at"] is not None]
    return max(decided, key=lambda one: (one["attested_at"], one["id"]), default=None)


def _end_of(kind: str, horizon: FrameRow, signed: Sequence[FrameRow]) -> str:
    """Why evidence of a kind is good no more."""
    last = _last_decision(signed)
    if kind != _SIGNATURE or last is None:
        until = horizon.get(f"{kind}_until")
        return f"was good until {spelled_day(until)}" if until else "is too old"
    if last["status"] == "rejected":
        return f"was rejected on {spelled_day(last['attested_on'])}"
    late = _open_attestation(signed)
    renewed = f", to be renewed by {spelled_day(late['due_on'])}" if late is not None else ""
    until = horizon.get(f"{kind}_until")
    good = f" was good until {spelled_day(until)}" if until else ""
    return f"of {spelled_day(last['attested_on'])}{good}{renewed}"


def _kinds(row: FrameRow, horizon: FrameRow, signed: Sequence[FrameRow]) -> list[str]:
    """How each kind of evidence stands that a control needs."""
    absent, stale = _absent(row), row["kinds_stale"] or []
    lines = []
    for kind in (kind for kind in KINDS if kind in row["kinds_required"]):
        until, called = horizon.get(f"{kind}_until"), words.spell(kind).capitalize()
        goes_on = ", and goes on by itself" if horizon.get(f"{kind}_recurs") else ""
        if kind in absent:
            lines.append(f"{called}: none")
        elif kind in stale:
            lines.append(f"{called} {_end_of(kind, horizon, signed)}")
        else:
            lines.append(f"{called}: good{f' until {spelled_day(until)}' if until else ''}{goes_on}")
    return lines


def _good_until(row: FrameRow, horizon: FrameRow) -> str:
    """Until when a control stays effective if nothing is done: what does not renew itself ends first."""
    ends = [
        (until, kind)
        for kind in KINDS
        if kind in row["kinds_required"]
        and (until := horizon.get(f"{kind}_until"))
        and not horizon.get(f"{kind}_recurs")
    ]
    if ends:
        day, kind = min(ends)
        return f", good until {spelled_day(day)}, when its {words.spell(kind)} lapses"
    return f", good until {spelled_day(row['next_due_on'])}" if row["next_due_on"] else ""


def _newest(row: FrameRow) -> str:
    """What the day of the last evidence is of: the kind that governs the control, whatever else was recorded since."""
    kind = next((kind for kind in GOVERNING if kind in (row["kinds_required"] or [])), _SIGNATURE)
    return "its last signature" if kind == _SIGNATURE else f"its last evidence of {words.spell(kind)}"


def _by_control(frame: pl.DataFrame) -> dict[tuple[str, str], list[FrameRow]]:
    control: dict[tuple[str, str], list[FrameRow]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        control[row["framework"], row["control_id"]].append(row)
    return control


def _objections(snapshot: Snapshot) -> dict[tuple[str, str], Objection]:
    """The newest act that speaks against each control."""
    against = snapshot.fact("control_evidence").filter(pl.col("contradicted_on").is_not_null())
    newest = against.sort("contradicted_on", "source").unique(["framework", "control_id"], keep="last")
    actions = dict(snapshot.fact("trigger_events_rows").select("event_id", "action").iter_rows())
    return {
        (row["framework"], row["control_id"]): Objection(
            _act(row, actions), row["source"] or "", row["contradicted_on"], row["contradicted_since"]
        )
        for row in newest.iter_rows(named=True)
    }


def _words_against(objection: Objection) -> str:
    """When the act spoke against a control, and whether others did before; empty without one."""
    if not objection.act:
        return ""
    several = ", the last of several," if objection.since is not None and objection.since < objection.on else ""
    return f"{objection.act} on {spelled_day(objection.on)}{several} speaks against it"


def _act(row: FrameRow, actions: Mapping[str, str]) -> str:
    return plain_action(row["contradicted_rule"] or actions.get(row["contradicted_by"]) or "an event")


def _standing(
    row: FrameRow, objection: Objection, horizon: FrameRow, signed: Sequence[FrameRow], tested: Mapping[str, date]
) -> str:
    """Why a control stands where it does."""
    since = f" since {spelled_day(row['state_since'])}" if row["state_since"] else ""
    last = f"{_newest(row)} is of {spelled_day(row['last_evidence_on'])}" if row["last_evidence_on"] else ""
    match row["state"]:
        case "effective":
            return f"Effective{since}: {last or 'all that it needs is there'}{_good_until(row, horizon)}."
        case "stale":
            kinds = sorted(row["kinds_stale"] or [], key=lambda kind: horizon.get(f"{kind}_until") or date.max)
            lapsed = [
                f"its {words.spell(kind)}{'' if kind == _SIGNATURE else ' evidence'} {_end_of(kind, horizon, signed)}"
                for kind in kinds
            ]
            return f"Stale{since}: {' and '.join(lapsed) or last or 'its evidence is too old'}."
        case "no_data":
            return f"No data{since}: {row['evidence_note'] or 'nothing was ever recorded for it'}."
        case "partial":
            return f"Partial{since}: {_missing(row)}{_no_stand_in(row)}."
        case "ineffective":
            day = tested.get(row["failing_test"] or "")
            test = f"its test{f' of {spelled_day(day)}' if day else ''} failed" if row["failing_test"] else ""
            unknown = "what was recorded last speaks against it"
            return f"Ineffective{since}: {test or _words_against(objection) or unknown}."
    return f"Out of scope: {(row['justification'] or 'without a reason on record').rstrip('.')}."


def _missing(row: FrameRow) -> str:
    """What a control lacks that is effective in part."""
    absent = _absent(row)
    named = [kind for kind in absent if kind != _SIGNATURE]
    said = [f"no evidence of {_words(named)}"] if named else []
    if _SIGNATURE in absent:
        said.append("nobody signed it")
    if row["kinds_stale"]:
        said.append(f"evidence of {_words(row['kinds_stale'])} is too old")
    if row["tests_performed"] and row["tests_passed"] is not None and not row["tests_passed"]:
        said.append("no test of it passed")
    return ", ".join(said) or row["evidence_note"] or "a part of what it needs is there"


def _no_stand_in(row: FrameRow) -> str:
    """That evidence which came after a control became partial is of a kind that it had: it gives nothing that lacks."""
    day, since = row["last_evidence_on"], row["state_since"]
    held = [kind for kind in GOVERNING if kind in (row["kinds_present"] or [])]
    if not (day and since and day >= since and held and _absent(row)):
        return ""
    return f"; {_newest(row)}, of {spelled_day(day)}, does not stand in for it"


def _against(row: FrameRow, objection: Objection, tested: Mapping[str, date]) -> list[str]:
    """The test or the act that speaks against a control, which proves nothing and so is no claim."""
    if row["state"] != "ineffective":
        return []
    day = tested.get(row["failing_test"] or "")
    if day:
        return [f"{spelled_day(day)}, test: failed"]
    source = f", {words.spell(objection.source)}" if objection.source else ""
    return [f"{spelled_day(objection.on)}{source}: {objection.act}, against it"] if objection.act else []


def _duty(gap: FrameRow | None, row: FrameRow, signed: Sequence[FrameRow], as_of: date) -> str:
    """Who is to remedy it, and by when; how late it is on a day after that. A plan may do so on another day.

    Where no remediation has a day, that of the signature which it lacks counts.
    """
    if gap is None:
        return ""
    who, planned, allowed = gap["owner"] or "nobody", gap["due_on"], gap["poam_due_on"]
    if planned is None and allowed is None:
        waiting = _open_attestation(signed) if _SIGNATURE in _lacking(row) else None
        day = f"its attestation {_is_due(waiting['due_on'], as_of)}" if waiting else "no day is set"
        return f"{gap['owner'] or 'Nobody'} owns it; {day}."
    if planned is None:
        return f"Its weakness on the FedRAMP plan of action, with {who}, {_is_due(allowed, as_of)}."
    also = "" if allowed in (None, planned) else f" On the FedRAMP plan of action it {_is_due(allowed, as_of)}."
    return f"Its remediation, with {who}, {_is_due(planned, as_of)}.{also}"


def _is_due(due: date, as_of: date) -> str:
    late = f"was due {spelled_day(due)}: {number((as_of - due).days, 'day')} late"
    return late if due < as_of else f"is due {spelled_day(due)}"


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


def _words(names: Sequence[str]) -> str:
    return ", ".join(map(words.spell, names))
