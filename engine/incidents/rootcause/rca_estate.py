"""What a root-cause walk goes over: places that need one another, what may have begun trouble, and trouble there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from engine.exposure.dependencies import ways
from engine.incidents.rootcause.rca_reading import PlaceNames
from engine.incidents.rootcause.rca_weights import ALERT_SLACK, RECENT
from engine.model.vocabulary import Severity

MOST_HOPS = 8
CHANGES = frozenset({"deploy", "change", "policy_block"})  # a moment, where all else lasts


@dataclass(frozen=True)
class Suspect:
    """Something recorded that may have begun trouble.

    ``place`` is a service, or a vendor as ``vendors:ID``; None for a third party in no register. ``begins`` names what
    it is worth in ``VALUES``, ``told`` has its words as ``plain`` gives them, ``due_at`` is when a certificate ends.
    Changes with the same ``same_as`` are one: a release goes out in several steps. ``taken_back_at`` is when a change
    was undone, ``taken_back_by`` the evidence id that says so.
    """

    kind: str
    id: str
    at: datetime
    text: str
    place: str | None
    begins: str
    service_id: str | None = None
    told: str = ""
    severity: Severity | None = None
    ended_at: datetime | None = None
    environment: str | None = None
    due_at: datetime | None = None
    failed: bool = False
    same_as: str | None = None
    taken_back_at: datetime | None = None
    taken_back_by: str = ""

    @property
    def is_change(self) -> bool:
        """Whether it happened at a moment, as a release does, rather than lasted."""
        return self.kind in CHANGES


@dataclass(frozen=True)
class Trouble:
    """A symptom at a service; ``seen`` names how it was observed in ``VALUES``."""

    id: str
    place: str
    at: datetime
    told: str = ""
    severity: Severity = "medium"
    ended_at: datetime | None = None
    seen: str = "effect_seen"

    def lasts_until(self, at: datetime) -> bool:
        """Whether it had not ended by then."""
        return self.ended_at is None or self.ended_at >= at


class Way(NamedTuple):
    """From the place of trouble to that of a suspect.

    ``link`` names in ``VALUES`` what puts a vendor on it, or a service that only the incident's words put there;
    ``rows`` are the evidence ids that say so, where that is neither the suspect nor a dependency.
    """

    places: tuple[str, ...]
    link: str | None = None
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estate:
    """Places by name, what each needs, and the trouble seen at each, in order of time.

    ``called`` are names as texts have them. ``needs`` leads from services to services and vendors; ``flows`` are those
    of its edges that only a flow of data tells, ``said`` those that only the incident's words tell, ``sources`` has the
    evidence ids of edges to vendors. ``vital`` vendors stop the service when they fail. ``healthy`` services had their
    events counted and none too many were bad. ``changes`` are those of callers and of what they need, ``releases`` the
    moments of those of weeks by service.
    """

    names: Mapping[str, str]
    called: PlaceNames
    needs: Mapping[str, Sequence[str]]
    environments: Mapping[str, str] = field(default_factory=dict)
    troubles: Mapping[str, Sequence[Trouble]] = field(default_factory=dict)
    flows: Collection[tuple[str, str]] = ()
    said: Collection[tuple[str, str]] = ()
    sources: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    vital: Collection[str] = ()
    healthy: Collection[str] = ()
    changes: Sequence[Suspect] = ()
    releases: Mapping[str, Sequence[datetime]] = field(default_factory=dict)

    def name(self, place: str | None) -> str:
        """What people call a place."""
        return "an unknown third party" if place is None else self.names.get(place, place)

    def environment(self, place: str) -> str:
        """Where a service runs."""
        return self.environments.get(place, "production")

    def dependency_rows(self, places: Sequence[str]) -> tuple[str, ...]:
        """The evidence ids of the dependencies from each of these places to the next."""
        rows: list[str] = []
        for edge in pairwise(places):
            needing, needed = edge
            is_recorded = needed in self.needs.get(needing, ()) and edge not in self.said
            if edge in self.sources:
                rows.extend(self.sources[edge])
            elif is_recorded and not needed.startswith("vendors:"):
                rows.append(f"service_dependencies:{needing}>{needed}")
        return tuple(dict.fromkeys(rows))


class Walk:
    """All ways from one service along what it needs."""

    def __init__(self, estate: Estate, start: str | None) -> None:
        self.estate = estate
        self.start = start
        self.ways: dict[str, tuple[str, ...]] = {}
        if start is not None:
            self.ways = ways(start, estate.needs, estate.troubles, MOST_HOPS)

    def reach(self, suspect: Suspect, trouble: Trouble) -> Way | None:
        """The way to a suspect; None where it is on none. A vendor without an edge is looked for in words."""
        if suspect.kind != "vendor_outage":
            return self._recorded_way(self.ways[suspect.place], trouble) if suspect.place in self.ways else None
        here = (self.start,) if self.start is not None else ()
        if suspect.place is None and suspect.begins == "own_words":
            return Way(here)
        if suspect.place is None:
            return Way((*self.ways.get(suspect.service_id or "", here), ""), "link_unknown")
        if suspect.place in self.ways:
            places = self.ways[suspect.place]
            link = "link_flow" if places[-2:] in self.estate.flows else "link_recorded"
            return self._recorded_way(places, trouble, link)
        if suspect.service_id in self.ways:
            return Way((*self.ways[suspect.service_id], suspect.place), "link_named")
        return self._named_way(suspect.place, trouble) or Way(
            (*here, suspect.place), self._guess(suspect.place), (suspect.place,)
        )

    def _recorded_way(self, places: tuple[str, ...], trouble: Trouble, link: str | None = None) -> Way:
        return Way(places, "link_said", (trouble.id,)) if places[:2] in self.estate.said else Way(places, link)

    def _named_way(self, vendor: str, trouble: Trouble) -> Way | None:
        """The way over the nearest service whose trouble names the vendor."""
        here = (self.start,) if self.start is not None else ()
        if here and vendor in self.estate.called.within(trouble.told):
            return Way((*here, vendor), "link_named", (trouble.id,))
        for place, way in self.ways.items():
            for one in self.estate.troubles.get(place, ()):
                timely = trouble.at - RECENT <= one.at <= trouble.at + ALERT_SLACK
                if timely and vendor in self.estate.called.within(one.told):
                    return Way((*way, vendor), "link_named", (one.id,))
        return None

    def _guess(self, vendor: str) -> str:
        if any(vendor in needed for needed in self.estate.needs.values()):
            return "link_other"
        return "link_vital" if vendor in self.estate.vital else "link_guess"
