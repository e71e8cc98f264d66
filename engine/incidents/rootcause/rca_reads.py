"""What the store knows of an incident's surroundings, read in bounded windows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from engine.exposure.dependencies import Service, ways
from engine.incidents.rootcause.rca_estate import Estate, Suspect, Trouble, Walk
from engine.incidents.rootcause.rca_history import PastIncident
from engine.incidents.rootcause.rca_reading import vendor_names
from engine.incidents.rootcause.rca_weights import CLOCK_SLACK, RECENT, RHYTHM_DAYS
from engine.incidents.rootcause.signals import (
    CHANGING,
    VENDOR,
    Places,
    automation_suspects,
    block_suspects,
    certificate_suspects,
    deploy_suspects,
    event_suspects,
    incident_suspects,
    own_suspects,
    past,
    to_explain,
    troubles,
)
from engine.model.records import IncidentRow, SloBucketRow, VendorRow
from engine.store import Reader
from engine.store.queries.operations.causes import (
    around,
    automations_between,
    blocks_between,
    buckets_of,
    deploys_between,
    events_recorded,
    findings_titled,
    like_it,
)
from engine.store.queries.operations.services import all_services, needed_pairs, vendor_flows
from engine.store.rows import many
from engine.store.schema.risk import vendors

LOOKBACK, LOOKAHEAD = timedelta(hours=24), timedelta(minutes=30)
SCANNED = timedelta(hours=24)  # how long after the onset a scanner may find the certificate that ended
LASTING = timedelta(days=35)  # how long ago what still goes on may have begun: certificates are warned of for weeks
PRECEDENT = timedelta(days=730)
RETURNED = RECENT  # how long after the onset an older version may return
CALLED = timedelta(hours=6)  # how long before the onset changes of callers are read
MOST = 500  # records of a kind that are looked at, the newest
MOST_EVENTS = 50_000  # of the audit log, from those on that were recorded when the window began
SETTLED = timedelta(minutes=30)  # how long before the onset the events of a service are looked at
BURNING, LEAST_EVENTS = 0.02, 20  # share of bad events from which a service is in trouble, and of how many at least


class Surroundings:
    """An incident, the estate around it, and what may have begun it."""

    def __init__(self, connection: Reader, org_id: str, row: IncidentRow) -> None:
        self.connection, self.org_id = connection, org_id
        services = {each.id: Service(*each) for each in all_services(connection, org_id)}
        used = [one for one in many(connection, vendors, org_id) if one["offboarded_on"] is None]
        called = {VENDOR + one["id"]: vendor_names(one["id"], one["name"]) for one in used}
        self.places = Places(services, called)
        self.incident = to_explain(row, self.places)
        onset = self.incident.onset_at
        estate = self._estate(used)
        self.needed = [one for one in Walk(estate, self.incident.service_id).ways if one in services]
        others = around(
            connection,
            org_id,
            row["id"],
            oldest=onset - LASTING,
            begin=onset - LOOKBACK,
            onset=onset,
            end=onset + LOOKAHEAD,
            near=self.needed,
            most=MOST,
        )
        self.estate = replace(estate, troubles=troubles(others, self.places))
        self.suspects = [*self._suspects(others)]
        self.past = self._past(row)

    def _estate(self, used: Sequence[VendorRow]) -> Estate:
        services = self.places.services
        needs: dict[str, list[str]] = {}
        known = {one["id"] for one in used}
        behind: dict[tuple[str, str], list[str]] = {}
        for needing, needed, vendor in needed_pairs(self.connection, self.org_id):
            if needing in services and needed in services:
                needs.setdefault(needing, []).append(needed)
            if vendor in known:
                for service in (needing, needed):
                    row = f"service_dependencies:{needing}>{needed}"
                    behind.setdefault((service, VENDOR + vendor), []).append(row)
        flows: dict[tuple[str, str], list[str]] = {}
        for service, vendor, flow in vendor_flows(self.connection, self.org_id):
            if vendor in known:
                flows.setdefault((service, VENDOR + vendor), []).append(f"data_flows:{flow}")
        for service, vendor in sorted(behind.keys() | flows):
            needs.setdefault(service, []).append(vendor)
        said = self._mentioned_dependencies(needs)
        for service, named in sorted(said):
            needs.setdefault(service, []).append(named)
        names = {each.id: each.name for each in services.values()} | {VENDOR + one["id"]: one["name"] for one in used}
        return Estate(
            names,
            self.places.called,
            needs,
            {each.id: each.environment for each in services.values()},
            flows=flows.keys() - behind.keys(),
            said=said,
            sources={**flows, **behind},
            vital={VENDOR + one["id"] for one in used if one["outage_stops_service"]},
        )

    def _mentioned_dependencies(self, needs: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
        """Dependencies that nobody recorded: on services that the incident names and that do not need its own."""
        start = self.incident.service_id
        named = self.places.service_names.within(self.incident.told)
        if start is None or not named:
            return set()
        known = ways(start, needs)
        return {(start, one) for one in named if one not in known and start not in ways(one, needs)}

    def _suspects(self, others: Sequence[IncidentRow]) -> Iterable[Suspect]:
        onset, connection, org_id = self.incident.onset_at, self.connection, self.org_id
        span = onset - LOOKBACK, onset + LOOKAHEAD, MOST
        released = deploys_between(connection, org_id, *span, self.needed)
        concerned = {row["service_id"] for row in released if row["service_id"] is not None}
        weeks = deploys_between(connection, org_id, onset - RHYTHM_DAYS, onset + RETURNED, MOST, concerned)
        moments: dict[str, list[datetime]] = {}
        for row in weeks:
            moments.setdefault(row["service_id"] or "", []).append(row["deployed_at"])
        changed = [*deploy_suspects(released, self.places, weeks)]
        changed += automation_suspects(automations_between(connection, org_id, *span), self.places)
        recorded = events_recorded(connection, org_id, CHANGING, onset - LOOKBACK, onset + LOOKAHEAD, MOST_EVENTS)
        changed += event_suspects(recorded, self.places)
        calling = self._callers()
        of_callers = deploys_between(connection, org_id, onset - CALLED, onset + CLOCK_SLACK, MOST, calling)
        beside = [*deploy_suspects(of_callers, self.places), *changed]
        beside = sorted((one for one in beside if one.is_change), key=lambda one: (one.at, one.id))
        self.estate = replace(self.estate, changes=beside, releases=moments)
        self._read_events({one.place for one in changed if one.place is not None and one.is_change})
        yield from changed
        yield from block_suspects(blocks_between(connection, org_id, *span), self.places)
        ending = findings_titled(connection, org_id, "cert", self.needed, MOST)
        ending = [one for one in ending if one["first_seen_at"] <= onset + SCANNED]
        yield from certificate_suspects(ending, self.places, onset)
        yield from incident_suspects(others, self.places, self.incident.service_id, self.incident.host)
        yield from own_suspects(self.incident, self.places, self.needed)

    def _callers(self) -> list[str]:
        """The services that need one of the incident's walk and are not on it."""
        on_it = set(self.needed)
        return sorted(one for one, needed in self.estate.needs.items() if one not in on_it and on_it & {*needed})

    def _read_events(self, changed: Collection[str]) -> None:
        """The services that were changed and have no incident: whether their events say that they were in trouble."""
        onset = self.incident.onset_at
        silent = [one for one in changed if one in self.needed and one not in self.estate.troubles]
        silent = [one for one in silent if one != self.incident.service_id]
        if not silent:
            return
        by_service: dict[str, list[SloBucketRow]] = {}
        for row in buckets_of(self.connection, self.org_id, silent, onset - SETTLED, onset):
            by_service.setdefault(row["service_id"], []).append(row)
        burning = {service: found for service, rows in by_service.items() if (found := _burning(service, rows))}
        seen = {**self.estate.troubles, **burning}
        self.estate = replace(self.estate, troubles=seen, healthy=by_service.keys() - burning.keys())

    def _past(self, row: IncidentRow) -> list[PastIncident]:
        onset = self.incident.onset_at
        earlier = like_it(self.connection, self.org_id, row, onset - PRECEDENT, onset, MOST)
        return past(earlier, self.incident, self.places)


def _burning(service_id: str, rows: Sequence[SloBucketRow]) -> list[Trouble]:
    """The trouble that the events of a service show, from its first bad five minutes on."""
    bad = [row for row in rows if row["total"] >= LEAST_EVENTS and row["bad"] >= BURNING * row["total"]]
    if not bad:
        return []
    began = bad[0]["bucket_at"]
    named = f"slo_buckets:{service_id}@{began:%Y-%m-%dT%H:%M}"
    return [Trouble(named, service_id, began, severity="high", seen="effect_burning")]
