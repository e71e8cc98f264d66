"""A hypothesis as a chain: what began where, what was seen there, the way to the incident, and the time between."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.incidents.review.durations import span
from engine.incidents.rootcause.rca_estate import Estate, Suspect, Trouble, Walk, Way
from engine.incidents.rootcause.rca_reading import mentions_tls, nature
from engine.incidents.rootcause.rca_weights import (
    ALERT_SLACK,
    CLOCK_SLACK,
    EXPIRY_SLACK,
    GOES_ON,
    HALF_LIVES,
    LATE_HALF_LIFE,
    RECENT,
    SEVERITY,
    STEPS,
    worth,
)
from engine.model.vocabulary import SEVERE

RECORDED_LINKS = (None, "link_recorded", "link_flow")
DOUBTFUL_LINKS = ("link_said", "link_vital", "link_guess", "link_other", "link_unknown")
ENVIRONMENTS = {"prod": "production", "live": "production", "stage": "staging", "dev": "development"}


class Step(NamedTuple):
    """What was observed on a step, 0 to 1, in a sentence; empty where there is nothing to say.

    ``rows`` are the evidence ids that it was read from; none: it was read from the suspect itself.
    """

    name: str
    value: float
    said: str = ""
    against: bool = False
    rows: tuple[str, ...] = ()

    @property
    def factor(self) -> float:
        """What it multiplies the score by."""
        return float(self.value ** STEPS[self.name].exponent)


class Chain(NamedTuple):
    """A suspect with the steps from it to the trouble that it would explain.

    ``dependencies`` are the evidence ids of those that its way goes over.
    """

    suspect: Suspect
    places: tuple[str, ...]
    steps: tuple[Step, ...]
    seen: tuple[Trouble, ...]
    dependencies: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The product of its steps."""
        product = 1.0
        for step in self.steps:
            product *= step.factor
        return product

    def with_step(self, *more: Step) -> "Chain":
        """The same with further steps."""
        return self._replace(steps=(*self.steps, *more))


def chain(suspect: Suspect, trouble: Trouble, walk: Walk, now: datetime) -> Chain | None:
    """The chain from a suspect to trouble at the start of the walk; None where none leads there or time forbids it."""
    way = walk.reach(suspect, trouble)
    slack = CLOCK_SLACK if suspect.is_change else ALERT_SLACK
    if way is None or suspect.at > trouble.at + slack:
        return None
    seen = tuple(_between(walk.estate, way, suspect, trouble))
    effect = _effect(walk.estate, suspect, trouble) if suspect.is_change and len(way.places) > 1 else None
    steps = [
        _origin_step(suspect),
        *_times(suspect, trouble, effect, walk.estate),
        *_effects(suspect, trouble, effect, walk.estate, way),
        *_path(way, seen, walk.estate),
        *_words(suspect, trouble, way, walk),
        *_overlap(suspect, trouble, now),
        *_expiry(suspect, trouble),
        *_environment(suspect, trouble, walk.estate),
    ]
    rows = walk.estate.dependency_rows(way.places)
    return Chain(suspect, way.places, tuple(steps), (*((effect,) if effect else ()), *seen), rows)


def decay(lag: timedelta, half_life: timedelta) -> float:
    """1 at once, halved for every half-life that passes; what is told late fades fast."""
    late = lag < timedelta()
    return round(float(0.5 ** (abs(lag) / (LATE_HALF_LIFE if late else half_life))), 3)


def _origin_step(suspect: Suspect) -> Step:
    if suspect.failed:
        value = round(worth(suspect.begins) * worth("deploy_failed"), 3)
        return Step("origin", value, "It failed, so it may never have been live.", True)
    return Step("origin", worth(suspect.begins))


def _effect(estate: Estate, suspect: Suspect, trouble: Trouble) -> Trouble | None:
    """The first trouble at the place of a change that the change can have made."""
    earliest, latest = suspect.at - CLOCK_SLACK, trouble.at + ALERT_SLACK
    there = [one for one in estate.troubles.get(suspect.place or "", ()) if one.id != trouble.id and one.at <= latest]
    recent = [one for one in there if suspect.at - RECENT <= one.at < earliest and one.lasts_until(suspect.at)]
    before = [one for one in recent if SEVERITY[one.severity] > 0.5]
    return before[0] if before else next((one for one in there if one.at >= earliest), None)


def _times(suspect: Suspect, trouble: Trouble, effect: Trouble | None, estate: Estate) -> Iterator[Step]:
    half_life = HALF_LIVES[suspect.kind]
    if effect is not None and effect.at >= suspect.at - CLOCK_SLACK:
        what = f"{estate.name(effect.place)} was in trouble {span(effect.at - suspect.at)} after it ({effect.id})."
        lag = max(effect.at - suspect.at, timedelta())
        yield Step("temporal", decay(lag, half_life), what, rows=(suspect.id, effect.id))
        yield _propagation(effect, trouble)
        return
    if suspect.id == trouble.id:
        return
    began = min(suspect.due_at, trouble.at) if suspect.due_at is not None else suspect.at
    lag = trouble.at - began
    if suspect.is_change:
        lag = max(lag, timedelta())
    if lag < timedelta():
        text = f"It was noticed {span(-lag)} after the onset."
        yield Step("temporal", decay(lag, half_life), text, lag < -CLOCK_SLACK)
    else:
        value = decay(lag, half_life)
        verb = "It went live" if suspect.kind == "deploy" else "It began"
        yield Step("temporal", value, f"{verb} {span(trouble.at - suspect.at)} before the onset.", value < 0.25)


def _propagation(effect: Trouble, trouble: Trouble) -> Step:
    lag = trouble.at - effect.at
    if lag < timedelta():
        text = f"That was noticed {span(-lag)} after the onset."
        return Step("propagation", decay(lag, HALF_LIVES["upstream"]), text, lag < -CLOCK_SLACK, (effect.id,))
    text = f"The onset followed {span(lag)} later."
    return Step("propagation", decay(lag, HALF_LIVES["upstream"]), text, rows=(effect.id, trouble.id))


def _effects(suspect: Suspect, trouble: Trouble, effect: Trouble | None, estate: Estate, way: Way) -> Iterator[Step]:
    """What was seen where it began; at the service of the incident that is the incident itself."""
    if suspect.kind == "certificate" and suspect.due_at is not None:
        return  # it fails when it ends, however mildly it was warned of
    if not suspect.is_change:
        severity = suspect.severity or "high"
        small = SEVERITY[severity] < 0.5
        yield Step("severity", SEVERITY[severity], f"Its severity is only {severity}." if small else "", small)
        return
    if len(way.places) <= 1:
        return
    where = estate.name(suspect.place)
    if effect is None:
        if way.link != "link_said" and suspect.place in estate.called.within(trouble.told):
            text = f"The incident names {where}."
            yield Step("symptom", worth("effect_named"), text, rows=(trouble.id,))
        elif suspect.place in estate.healthy:
            text = f"The events of {where} were counted, and it was healthy."
            yield Step("symptom", worth("effect_none"), text, True, (f"services:{suspect.place}",))
        else:
            text = f"No trouble of {where} is recorded after it."
            yield Step("symptom", worth("effect_unknown"), text, True, (f"services:{suspect.place}",))
    elif effect.at < suspect.at - CLOCK_SLACK:
        text = f"{where} was in trouble before it ({effect.id})."
        yield Step("symptom", worth("effect_before"), text, True, (effect.id,))
    else:
        other = nature(estate.called.without(effect.told)) in ("certificate", "vendor_outage")
        text = f"What was seen there is of another nature ({effect.id})." if other else ""
        yield Step("symptom", worth("effect_other" if other else effect.seen), text, other, (effect.id,))
        yield Step("severity", SEVERITY[effect.severity], "", SEVERITY[effect.severity] < 0.5)


def _between(estate: Estate, way: Way, suspect: Suspect, trouble: Trouble) -> Iterator[Trouble]:
    """The first trouble at each service between the incident's and the suspect's."""
    for place in way.places[1:-1]:
        for one in estate.troubles.get(place, ()):
            timely = trouble.at - RECENT <= one.at <= trouble.at + ALERT_SLACK
            if timely and one.lasts_until(trouble.at) and one.id != suspect.id:
                yield one
                break


def _path(way: Way, seen: Sequence[Trouble], estate: Estate) -> Iterator[Step]:
    hops = len(way.places) - 1
    if way.link is not None:
        yield _link(way, estate)
    if hops <= 0:
        yield Step("topological", 1.0, "It is on the service itself.")
        return
    names = [estate.name(place) for place in way.places if place]
    text = f"{' needs '.join(names)}." if way.link in RECORDED_LINKS else ""
    yield Step("topological", round(1 / (1 + hops), 3), text, rows=estate.dependency_rows(way.places))
    between = way.places[1:-1]
    if silent := len(between) - len(seen):
        quiet = [estate.name(place) for place in between if place not in {one.place for one in seen}]
        rows = tuple(f"services:{place}" for place in between if place not in {one.place for one in seen})
        text = f"Nothing is recorded of {', '.join(quiet)}."
        yield Step("way", round(worth("silent") ** silent, 3), text, True, rows)
    elif seen:
        text = ", ".join(f"{estate.name(one.place)} ({one.id})" for one in seen)
        yield Step("way", 1.0, f"On the way there was trouble at {text}.", rows=tuple(one.id for one in seen))


def _link(way: Way, estate: Estate) -> Step:
    vendor, first = estate.name(way.places[-1] or None), estate.name(way.places[min(1, len(way.places) - 1)])
    said = {
        "link_recorded": "",
        "link_flow": f"A flow of data to {vendor} is recorded.",
        "link_named": f"A record of the way names {vendor}.",
        "link_said": f"No dependency on {first} is recorded; the incident names it.",
        "link_vital": f"No dependency on {vendor} is recorded; the register says that its outage stops the service.",
        "link_guess": f"No dependency on {vendor} is recorded.",
        "link_other": f"{vendor} is recorded for other services, not for this one.",
        "link_unknown": "It is about a third party that the register of vendors does not have.",
    }
    rows = way.rows or (estate.dependency_rows(way.places) if way.link in RECORDED_LINKS else ())
    return Step("link", worth(way.link or ""), said[way.link or ""], way.link in DOUBTFUL_LINKS, rows)


def _words(suspect: Suspect, trouble: Trouble, way: Way, walk: Walk) -> Iterator[Step]:
    if suspect.id == trouble.id:
        yield Step("words", 1.0, "The incident says so itself; no other record does.", rows=(trouble.id,))
        return
    without = walk.estate.called.without(trouble.told)
    about, value, text = nature(without), 1.0, ""
    if suspect.kind != "certificate" and mentions_tls(without) and not mentions_tls(suspect.told):
        value *= worth("other_nature" if about == "certificate" else "other_resource")
        text = "The incident is about certificates or encryption."
    elif about == "capacity" and suspect.kind in ("deploy", "upstream"):
        value, text = worth("other_resource"), "The incident says that a resource ran out."
    called = walk.estate.called.within(trouble.told)
    named = [place for place in called if place in walk.ways and place != walk.start]
    if named and not set(named) & set(way.places):
        value *= worth("other_named")
        text = f"{text} The incident names {', '.join(map(walk.estate.name, named))}.".strip()
    elif named:
        blamed = f"The incident names {', '.join(map(walk.estate.name, named))}. {text}".strip()
        yield Step("words", value, blamed, value < 1, (trouble.id,))
        return
    if text:
        yield Step("words", value, text, True, (trouble.id,))


def _overlap(suspect: Suspect, trouble: Trouble, now: datetime) -> Iterator[Step]:
    """Whether it still went on at the onset, and how long the incident outlasted it."""
    ended = suspect.ended_at
    if ended is None or suspect.is_change:
        return
    if ended < trouble.at - CLOCK_SLACK:
        name = "over_just" if trouble.at - ended <= ALERT_SLACK else "over"
        yield Step("overlap", worth(name), f"It was over {span(trouble.at - ended)} before the onset.", True)
    elif (still := (trouble.ended_at or now) - ended) > GOES_ON:
        yield Step("overlap", worth("over_early"), f"The incident went on for {span(still)} after it was over.", True)


def _expiry(suspect: Suspect, trouble: Trouble) -> Iterator[Step]:
    """Of a certificate, whether it ends near the onset."""
    if suspect.kind != "certificate" or suspect.id == trouble.id:
        return
    if suspect.due_at is None:
        fits = mentions_tls(trouble.told) or suspect.severity in SEVERE
        text = "When the certificate ends is not recorded."
        yield Step("expiry", worth("expiry_fits" if fits else "expiry_unknown"), text, True)
    elif suspect.due_at == suspect.at or abs(suspect.due_at - trouble.at) <= EXPIRY_SLACK:
        ahead = suspect.due_at > trouble.at + CLOCK_SLACK and not mentions_tls(trouble.told)
        text = f"The certificate {'ends' if ahead else 'ended'} at {suspect.due_at:%Y-%m-%d %H:%M} UTC."
        yield Step("expiry", worth("expiry_ahead") if ahead else 1.0, text, ahead)
    else:
        text = f"The certificate ends at {suspect.due_at:%Y-%m-%d %H:%M} UTC, not near the onset."
        yield Step("expiry", worth("expiry_far"), text, True)


def _environment(suspect: Suspect, trouble: Trouble, estate: Estate) -> Iterator[Step]:
    if suspect.environment is None:
        return
    theirs, ours = _environment_name(suspect.environment), _environment_name(estate.environment(trouble.place))
    if theirs != ours:
        text = f"It concerns {suspect.environment}, the incident {estate.environment(trouble.place)}."
        yield Step("environment", worth("elsewhere"), text, True)


def _environment_name(environment: str) -> str:
    name = environment.strip().casefold()
    return ENVIRONMENTS.get(name, name)
