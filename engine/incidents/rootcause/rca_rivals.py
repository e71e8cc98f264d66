"""Chains against one another: what one explains, another need not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.incidents.rootcause.rca_chain import Chain, Step, chain
from engine.incidents.rootcause.rca_estate import Suspect, Trouble, Walk
from engine.incidents.rootcause.rca_weights import ALERT_SLACK, CLOCK_SLACK, worth

MOST = 16  # chains that are held against each other, the best


def against_rivals(chains: Sequence[Chain], walk: Walk, trouble: Trouble, now: datetime) -> list[Chain]:
    """The chains, those with another step whose beginning a rival explains; ``found`` has the best first."""
    walks: dict[str, Walk] = {}
    best = chains[:MOST]
    result = []
    for number, one in enumerate(chains):
        place = one.suspect.place
        if number >= MOST or place is None or place not in walk.ways:
            result.append(one)
            continue
        there = walks.setdefault(place, walk if place == walk.start else Walk(walk.estate, place))
        target = _target(one, trouble)
        rivals = [(_explains(two, one, there, target, now), two.suspect) for two in best if two is not one]
        score, rival = max(rivals, key=lambda each: (each[0], each[1].id), default=(0.0, None))
        result.append(one.with_step(_step(score, rival)) if rival is not None and score >= 0.05 else one)
    return result


def _target(one: Chain, trouble: Trouble) -> Trouble:
    """The trouble where a chain begins: what a rival would have to explain."""
    if one.suspect.is_change:
        effect = next((seen for seen in one.seen if seen.place == one.suspect.place), None)
        return effect or replace(trouble, place=one.suspect.place or "")
    suspect = one.suspect
    severity = suspect.severity or "high"
    return Trouble(suspect.id, suspect.place or "", suspect.at, suspect.told, severity, suspect.ended_at)


def _explains(rival: Chain, one: Chain, there: Walk, target: Trouble, now: datetime) -> float:
    """How much of a chain's beginning a rival takes away, 0 to 1."""
    mine, theirs = one.suspect, rival.suspect
    share = _share(one, rival)
    if not share or theirs.id in (mine.id, target.id) or not _before(theirs, mine, there, rival):
        return 0.0
    local = chain(theirs, target, there, now)
    return 0.0 if local is None else share * min(local.score, 1.0)


def _share(one: Chain, rival: Chain) -> float:
    mine, theirs = one.suspect, rival.suspect
    same = mine.place == theirs.place
    seen = not theirs.is_change or any(trouble.place == theirs.place for trouble in rival.seen)
    if mine.kind == "upstream":
        return 0.0 if same and theirs.kind == "upstream" else worth("explained" if same or seen else "explained_unseen")
    if mine.kind == "capacity":
        return worth("explained_capacity") if same and theirs.kind in ("deploy", "change") else 0.0
    if mine.is_change:
        earlier = not theirs.is_change and theirs.at < mine.at - CLOCK_SLACK
        return worth("explained_change") if (earlier if same else seen) else 0.0
    return 0.0


def _before(theirs: Suspect, mine: Suspect, there: Walk, rival: Chain) -> bool:
    """Whether a rival came first; within the slack of monitors, what lies deeper counts as first."""
    if mine.is_change or theirs.at < mine.at:
        return True
    deeper = theirs.place in there.ways and theirs.place != mine.place
    back = mine.place in Walk(there.estate, theirs.place).ways if deeper and theirs.place else False
    return deeper and not back and theirs.at - mine.at <= ALERT_SLACK


def _step(score: float, rival: Suspect) -> Step:
    text = f"It may itself be the effect of something else: {rival.text}."
    return Step("alternative", round(max(1 - score, 0.01), 3), text, True, (rival.id,))
