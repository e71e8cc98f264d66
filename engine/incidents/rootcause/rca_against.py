"""What speaks against a chain beside itself: what else failed, what was undone, who calls, the clock, third parties."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from engine.incidents.review.durations import span
from engine.incidents.rootcause.rca_chain import Chain, Step, decay
from engine.incidents.rootcause.rca_estate import Estate, Suspect, Trouble, Walk
from engine.incidents.rootcause.rca_history import PastIncident
from engine.incidents.rootcause.rca_reading import nature
from engine.incidents.rootcause.rca_weights import (
    ALERT_SLACK,
    CALLER_LEAD,
    CLOCK_SLACK,
    GOES_ON,
    HALF_LIVES,
    LEAST_TIMES,
    OUTAGE_LEAD,
    RHYTHM_DAYS,
    SAME_HOUR,
    SAME_MINUTES,
    SEVERITY,
    worth,
)

DAY = timedelta(days=1)
NAMED = 4  # services and rows that a sentence names
UNLINKED = frozenset({"link_guess", "link_vital", "link_unknown"})
OF_OTHERS = frozenset({"vendor_outage", "recurrence", "common_need"})  # kinds that may reach whom nothing leads to


class Circumstances:
    """What happened beside the chains of an incident; walks from other services are made once."""

    def __init__(self, walk: Walk, trouble: Trouble, past: Sequence[PastIncident], now: datetime) -> None:
        self.walk, self.trouble, self.now = walk, trouble, now
        self.estate = walk.estate
        self._walks: dict[str, Walk] = {}
        self.company = self._company()
        self.rhythm = self._rhythm(past)

    def needs(self, service: str, place: str | None) -> bool:
        """Whether a service needs a place, over whatever lies between."""
        if service not in self._walks:
            self._walks[service] = Walk(self.estate, service)
        return place in self._walks[service].ways

    def _company(self) -> list[Trouble]:
        """The first trouble, in the minutes of the onset, of each service that is on no way of the incident's."""
        if self.walk.start is None:
            return []
        first = []
        for service, seen in sorted(self.estate.troubles.items()):
            if service in self.walk.ways:
                continue
            near = (one for one in seen if abs(one.at - self.trouble.at) <= SAME_MINUTES)
            first.extend([one for one in near if SEVERITY[one.severity] > 0.5 and one.id != self.trouble.id][:1])
        return first

    def _rhythm(self, past: Sequence[PastIncident]) -> list[PastIncident]:
        """Of those like it the ones that began at its time of day, a day once, newest first; none without a rhythm."""
        at = self.trouble.at
        recent = [one for one in past if one.began_at is not None and DAY / 2 < at - one.began_at <= RHYTHM_DAYS]
        days: dict[int, PastIncident] = {}
        for one in recent:
            ago = at - (one.began_at or at)
            if abs(ago - round(ago / DAY) * DAY) <= SAME_HOUR:
                days.setdefault(round(ago / DAY), one)
        past_incidents = [days[ago] for ago in sorted(days)]
        return past_incidents if len(past_incidents) >= LEAST_TIMES and 2 * len(past_incidents) > len(recent) else []


def with_counterweights(found: Iterable[Chain], around: Circumstances) -> list[Chain]:
    """The chains, each with a step for whatever speaks against it, or for it, beside itself."""
    chains = [*found]
    outages = [one for one in chains if _unlinked_outage(one, around.trouble)]
    return [one.with_step(*_steps(one, outages, around)) for one in chains]


def more_chains(chains: Iterable[Chain], around: Circumstances) -> Iterator[Chain]:
    """Chains that no record begins: a need that several share, a caller that was changed before load, the clock."""
    known = {one.suspect.id for one in chains}
    yield from _common_need(around)
    load = around.walk.start is not None and _is_load(around.walk.start, around.trouble, around)
    for change in around.estate.changes:
        if change.id not in known and load and _calls_it(change, around.walk.start, around.trouble, around.estate):
            yield _caller(change, around)
    if around.rhythm and f"incidents:{around.rhythm[0].id}" not in known:
        yield _clock(around)


def _steps(one: Chain, outages: Sequence[Chain], around: Circumstances) -> Iterator[Step]:
    suspect = one.suspect
    if suspect.kind not in OF_OTHERS:
        yield from _company_step(suspect, around)
        if outages and suspect.kind != "certificate" and suspect.id not in {each.suspect.id for each in outages}:
            yield _third_party(outages, around.estate)
    if suspect.is_change:
        yield from _rollback_effect(suspect, around.trouble, around.now)
        yield from _rhythm_step(suspect, around)
    elif suspect.kind in ("capacity", "upstream"):
        yield from _callers(suspect, around)


def _company_step(suspect: Suspect, around: Circumstances) -> Iterator[Step]:
    apart = [one for one in around.company if one.place != suspect.place and not around.needs(one.place, suspect.place)]
    if not apart:
        return
    name = "company_one" if len(apart) == 1 else "company_two" if len(apart) == 2 else "company_more"
    text = f"{_names(apart, around.estate)} failed in the same minutes, and nothing leads from there to it."
    if shared := _common_places(apart, around):
        text = f"{text} All of them need {', '.join(around.estate.name(place) for place in shared[:NAMED])}."
    yield Step("company", worth(name), text, True, tuple(one.id for one in apart))


def _names(troubles: Sequence[Trouble], estate: Estate) -> str:
    named = [estate.name(one.place) for one in troubles[:NAMED]]
    more = [f"{len(troubles) - NAMED} more"] if len(troubles) > NAMED else []
    *first, last = [*named, *more]
    return f"{', '.join(first)} and {last}" if first else last


def _common_places(troubles: Sequence[Trouble], around: Circumstances) -> list[str]:
    """The places that the incident's service and all of the troubled ones need, the nearest first."""
    ways = around.walk.ways
    places = [one for one in ways if one != around.walk.start]
    shared = [one for one in places if all(around.needs(each.place, one) for each in troubles)]
    return sorted(shared, key=lambda one: (len(ways[one]), one))


def _third_party(outages: Sequence[Chain], estate: Estate) -> Step:
    named = ", ".join(dict.fromkeys(estate.name(one.suspect.place) for one in outages))
    text = f"{named} had trouble at the onset, and who needs it is not recorded."
    rows = tuple(dict.fromkeys(one.suspect.id for one in outages))
    grave = any(SEVERITY[one.suspect.severity or "info"] > 0.9 for one in outages)
    return Step("third_party", worth("third_unlinked" if grave else "third_small"), text, True, rows)


def _unlinked_outage(one: Chain, trouble: Trouble) -> bool:
    suspect = one.suspect
    link = next((step.value for step in one.steps if step.name == "link"), None)
    unlinked = suspect.kind == "vendor_outage" and link in {worth(name) for name in UNLINKED}
    timely = -ALERT_SLACK <= trouble.at - suspect.at <= OUTAGE_LEAD
    grave = SEVERITY[suspect.severity or "info"] > 0.5
    return unlinked and timely and grave and (suspect.ended_at is None or suspect.ended_at >= trouble.at)


def _rollback_effect(suspect: Suspect, trouble: Trouble, now: datetime) -> Iterator[Step]:
    """Whether trouble ended when a change was undone; an incident that goes on is looked at until now."""
    at = suspect.taken_back_at
    if at is None or at > now:
        return
    rows = (suspect.taken_back_by or suspect.id,)
    if at < trouble.at - ALERT_SLACK:
        text = f"It was taken back {span(trouble.at - at)} before the onset."
        yield Step("taken_back", worth("taken_back_before"), text, True, rows)
        return
    went_on = (trouble.ended_at or now) - at
    if went_on > GOES_ON:
        text = f"It was taken back at {at:%Y-%m-%d %H:%M} UTC, and the trouble went on for {span(went_on)}."
        yield Step("taken_back", worth("taken_back_vain"), text, True, rows)
    elif trouble.ended_at is not None and went_on >= timedelta():
        yield Step("taken_back", 1.0, f"The trouble ended {span(went_on)} after it was taken back.", rows=rows)
    elif trouble.ended_at is not None:
        yield Step("taken_back", 1.0, "It was taken back after the trouble was over.", rows=rows)


def _callers(suspect: Suspect, around: Circumstances) -> Iterator[Step]:
    """Load at a service after a change of what calls it: retries, a batch, a query more."""
    target = Trouble(suspect.id, suspect.place or "", suspect.at, suspect.told)
    changed = [one for one in around.estate.changes if _calls_it(one, suspect.place, target, around.estate)]
    if not changed or suspect.id == around.trouble.id:
        return
    value = worth("caller_changed" if _is_load(suspect.place or "", target, around) else "caller_changed_plain")
    last = changed[-1]
    caller, callee = around.estate.name(last.place), around.estate.name(suspect.place)
    ago = span(suspect.at - last.at)
    text = f"{caller}, which calls {callee}, was changed {ago} before: the load may come from there."
    yield Step("callers", value, text, True, tuple(one.id for one in changed))


def _calls_it(change: Suspect, place: str | None, target: Trouble, estate: Estate) -> bool:
    """Whether a change is one of a caller shortly before the trouble at a place."""
    if place is None or change.place in (None, place) or change.failed:
        return False
    before = -CLOCK_SLACK <= target.at - change.at <= CALLER_LEAD
    return before and place in estate.needs.get(change.place or "", ())


def _is_load(place: str, target: Trouble, around: Circumstances) -> bool:
    """Whether the words of the trouble, or of another one of the same place then, are of a resource."""
    called = around.estate.called
    near = [one for one in around.estate.troubles.get(place, ()) if abs(one.at - target.at) <= ALERT_SLACK]
    return any(nature(called.without(one.told)) == "capacity" for one in (target, *near))


def _caller(change: Suspect, around: Circumstances) -> Chain:
    start = around.walk.start or ""
    lag = max(around.trouble.at - change.at, timedelta())
    estate = around.estate
    text = f"{estate.name(change.place)} calls {estate.name(start)}; that it calls more since then is not recorded."
    steps = (
        Step("origin", worth(change.begins)),
        Step("temporal", decay(lag, HALF_LIVES[change.kind]), f"It went live {span(lag)} before the onset."),
        Step("link", worth("link_caller"), text, True, (f"service_dependencies:{change.place}>{start}",)),
    )
    return Chain(change, (start,), steps, ())


def _rhythm_step(suspect: Suspect, around: Circumstances) -> Iterator[Step]:
    """Recurrence by the clock speaks against a change where the earlier ones had none before them."""
    released = around.estate.releases.get(suspect.place or "", ())
    alone = [one for one in around.rhythm if not any(_shortly_before(at, one) for at in released)]
    if len(alone) >= LEAST_TIMES:
        text = f"The like began {_by_the_clock(alone, around.trouble)} without such a change before."
        yield Step("rhythm", worth("rhythm_alone"), text, True, tuple(f"incidents:{one.id}" for one in alone))


def _shortly_before(at: datetime, one: PastIncident) -> bool:
    return one.began_at is not None and timedelta() <= one.began_at - at <= 2 * HALF_LIVES["deploy"]


def _by_the_clock(earlier: Sequence[PastIncident], trouble: Trouble) -> str:
    same_weekday = all(one.began_at and one.began_at.weekday() == trouble.at.weekday() for one in earlier)
    days = f"{trouble.at:%A}s" if same_weekday else "days"
    return f"at about {trouble.at:%H:%M} UTC on {len(earlier)} earlier {days}"


def _clock(around: Circumstances) -> Chain:
    newest = around.rhythm[0]
    text = f"{newest.id}, the like began {_by_the_clock(around.rhythm, around.trouble)}"
    at = newest.began_at or newest.ended_at
    suspect = Suspect("recurrence", f"incidents:{newest.id}", at, text, around.walk.start, "rhythm")
    sentence = "It comes by the clock; look at what is scheduled then."
    step = Step("rhythm", 1.0, sentence, rows=tuple(f"incidents:{one.id}" for one in around.rhythm))
    return Chain(suspect, (around.trouble.place,), (Step("origin", worth("rhythm")), step), ())


def _common_need(around: Circumstances) -> Iterator[Chain]:
    """What the incident's service and two or more that fail with it need, and that shows nothing itself."""
    counted = {
        place: [one for one in around.company if around.needs(one.place, place)]
        for place in around.walk.ways
        if place != around.walk.start and place not in around.estate.troubles and not place.startswith("vendors:")
    }
    shared = {place: several for place, several in counted.items() if len(several) >= 2}
    if not shared:
        return
    ways = around.walk.ways
    place = min(shared, key=lambda one: (-len(shared[one]), len(ways[one]), one))
    several, name = shared[place], around.estate.name(place)
    suspect = Suspect("common_need", f"services:{place}", around.trouble.at, f"{place}, {name}", place, "common_need")
    text = f"{_names(several, around.estate)} failed in the same minutes and need {name}, too."
    steps = (
        Step("origin", worth("common_need")),
        Step("company", 1.0, text, rows=tuple(one.id for one in several)),
        Step("way", 1.0, f"Nothing is recorded of {name} itself.", True, (f"services:{place}",)),
    )
    yield Chain(suspect, ways[place], steps, (), around.estate.dependency_rows(ways[place]))
