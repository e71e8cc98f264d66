"""Stored rows as what a root-cause walk takes: places, suspects and trouble."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time

from engine.exposure.dependencies import Service
from engine.incidents.alerts.alert_text import texts
from engine.incidents.rootcause.rca import Incident
from engine.incidents.rootcause.rca_estate import Suspect, Trouble
from engine.incidents.rootcause.rca_history import PastIncident
from engine.incidents.rootcause.rca_reading import (
    PlaceNames,
    blames,
    expiry,
    mentions_expiry,
    mentions_tls,
    nature,
    plain,
    same_symptom,
    service_names,
)
from engine.model.records import AuditLogRow, DeployRow, FindingRow, IncidentRow, PolicyBlockRow
from engine.store.queries.operations.causes import AutomationRun, EarlierIncident

VENDOR = "vendors:"
# how the actions of audit events begin that may do harm to the service that they are about
CHANGING = (
    *("change.deployed", "change.applied", "config", "feature", "flag.", "patch.applied", "firewall.rule.changed"),
    *("waf.rule.updated", "dns.", "route.", "network.route", "schema.", "migration", "db.migration", "db.schema"),
    *("database.migration", "database.schema"),
    *("credential.rotated", "key.rotated", "key.destroyed", "service.disabled", "tls.", "ssl.", "cert"),
)


class Places:
    """Services and vendors by what texts call them."""

    def __init__(self, services: Mapping[str, Service], vendors: Mapping[str, Sequence[str]]) -> None:
        self.services = services
        called = {each.id: service_names(each.id, each.name) for each in services.values()}
        self.service_names = PlaceNames(called)
        self.vendor_names = PlaceNames(vendors)
        self.called = PlaceNames({**called, **vendors})

    def name(self, service_id: str | None) -> str:
        """The name of a service."""
        if service_id is None:
            return "an unknown service"
        return self.services[service_id].name if service_id in self.services else service_id

    def environment(self, service_id: str | None) -> str | None:
        """Where a service runs, as far as that is known."""
        service = self.services.get(service_id or "")
        return service.environment if service is not None else None

    def service_of(self, row: IncidentRow) -> str | None:
        """The service of an incident; where none is recorded, the one that its title names, by the longest name."""
        if row["service_id"] is not None or self.vendor_names.within(plain(row["title"])):
            return row["service_id"]
        named = self.service_names.within(plain(row["title"]))
        return max(named, key=lambda one: (len(named[one]), one)) if named else None


def to_explain(row: IncidentRow, places: Places) -> Incident:
    """The incident row as the analysis takes it."""
    return Incident(
        row["id"],
        row["title"],
        row["started_at"] or row["opened_at"],
        places.service_of(row),
        _incident_text(row),
        row["severity"],
        _end(row),
        row["dedupe_key"],
        row["host"],
    )


def past(rows: Iterable[EarlierIncident], incident: Incident, places: Places) -> list[PastIncident]:
    """Of earlier incidents those with the same key, or with the same symptom on the same service; newest first."""
    own = places.services.get(incident.service_id or "")
    names = service_names(own.id, own.name) if own is not None else ()
    past_incidents = []
    for row in rows:
        same_key = row["dedupe_key"] is not None and row["dedupe_key"] == incident.dedupe_key
        alike = row["service_id"] is not None and row["service_id"] == incident.service_id
        if same_key or (alike and same_symptom(row["title"], incident.title, names)):
            began = row["started_at"] or row["opened_at"]
            past_incidents.append(
                PastIncident(row["id"], row["title"], row["resolved_at"], row["root_cause"], same_key, began)
            )
    return past_incidents


def deploy_suspects(rows: Iterable[DeployRow], places: Places, others: Sequence[DeployRow] = ()) -> Iterator[Suspect]:
    """Changes that went live; one was taken back when it was rolled back, or when an older version came after it."""
    known = [*rows]
    returns = {row["id"]: _return(row, [*known, *others]) for row in known}
    for row in known:
        taken_back_at, taken_back_by = returns[row["id"]]
        version = f" {row['version']}" if row["version"] else ""
        change = f" ({row['change_ref']})" if row["change_ref"] else ""
        yield Suspect(
            "deploy",
            f"deploys:{row['id']}",
            row["deployed_at"],
            f"{row['id']}, release{version} of {places.name(row['service_id'])}{change}",
            row["service_id"],
            "deploy",
            row["service_id"],
            environment=row["environment"],
            failed=row["status"] == "failed",
            same_as=f"{row['service_id']} {row['version']}" if row["version"] else None,
            taken_back_at=taken_back_at,
            taken_back_by=taken_back_by,
        )


def _return(row: DeployRow, rows: Sequence[DeployRow]) -> tuple[datetime | None, str]:
    """When a release was taken back, and the evidence id that says so; ``rows`` are releases before and after it."""
    if row["rolled_back_at"] is not None:
        return row["rolled_back_at"], f"deploys:{row['id']}"
    same = [one for one in rows if (one["service_id"], one["environment"]) == (row["service_id"], row["environment"])]
    before = {one["version"] for one in same if one["deployed_at"] < row["deployed_at"]} - {None, row["version"]}
    after = [
        one
        for one in same
        if one["deployed_at"] > row["deployed_at"] and one["version"] in before and one["status"] != "failed"
    ]
    first = min(after, key=lambda one: (one["deployed_at"], one["id"]), default=None)
    return (None, "") if first is None else (first["deployed_at"], f"deploys:{first['id']}")


def automation_suspects(rows: Iterable[AutomationRun], places: Places) -> Iterator[Suspect]:
    """Automations that were executed, for each service that their inputs name."""
    for row in rows:
        inputs = row["inputs"]
        values = inputs.values() if isinstance(inputs, dict) else ()
        for service in sorted({value for value in values if isinstance(value, str)} & places.services.keys()):
            text = f"{row['id']}, {row['playbook']} on {places.name(service)}"
            failed = row["status"] == "failed"
            yield Suspect(
                "change", f"executions:{row['id']}", row["executed_at"], text, service, "change", service, failed=failed
            )


def event_suspects(rows: Iterable[AuditLogRow], places: Places) -> Iterator[Suspect]:
    """Audit events about a service that say that it was changed, or that its certificate ended."""
    for row in rows:
        details = row["details"] if isinstance(row["details"], dict) else {}
        named = (row["object_id"], details.get("service_id"), details.get("service"))
        service = next((one for one in named if isinstance(one, str) and one in places.services), None)
        if service is None or row["object_type"] == "deploy" or row["outcome"] == "denied":
            continue  # deploys are read from their own table; what was denied did not happen
        action, words = row["action"], plain(row["action"])
        kind = "certificate" if mentions_expiry(words) else "change"
        text = f"{action} on {places.name(service)} by {row['actor']}"
        stated = plain(words, *(value for value in details.values() if isinstance(value, str)))
        due = expiry(stated, row["occurred_at"]) if kind == "certificate" else None
        failed = row["outcome"] == "failure" and kind == "change"
        yield Suspect(
            kind,
            f"audit_log:{row['event_id']}",
            row["occurred_at"],
            text,
            service,
            kind,
            service,
            words,
            due_at=due,
            failed=failed,
        )


def block_suspects(rows: Iterable[PolicyBlockRow], places: Places) -> Iterator[Suspect]:
    """Automations that a policy refused, for each service that the refusal names."""
    for row in rows:
        sentence = f": {row['message'].rstrip('.')}" if row["message"] else ""
        text = f"{row['playbook']} was refused ({row['reason']}){sentence}"
        for service in places.service_names.within(plain(row["message"], row["playbook"])):
            yield Suspect(
                "policy_block", f"policy_blocks:{row['id']}", row["blocked_at"], text, service, "policy_block", service
            )


def certificate_suspects(rows: Iterable[FindingRow], places: Places, onset: datetime) -> Iterator[Suspect]:
    """Findings about certificates that end; one that was found after the onset may have ended before."""
    for row in rows:
        text = plain(row["title"])
        if row["service_id"] is None or nature(places.called.without(text)) != "certificate":
            continue
        at = min(row["first_seen_at"], onset)
        due = at if (due := expiry(text, row["first_seen_at"])) == row["first_seen_at"] else due
        if due is None and row["due_on"] is not None:
            due = datetime.combine(row["due_on"], time(), UTC)
        yield Suspect(
            "certificate",
            f"findings:{row['id']}",
            at,
            f"{row['id']}, {row['title']} on {places.name(row['service_id'])}",
            row["service_id"],
            "certificate",
            row["service_id"],
            text,
            row["severity"],
            row["fixed_at"],
            due_at=due,
        )


def incident_suspects(
    rows: Iterable[IncidentRow], places: Places, service_id: str | None, host: str | None = None
) -> Iterator[Suspect]:
    """Other incidents: of a vendor, of a certificate, of a resource, or of a service that may be needed.

    One that names no service and the same host is about the service of the incident to explain.
    """
    for row in rows:
        text = plain(_incident_text(row), row["root_cause"])
        same_host = host is not None and row["host"] == host
        service = places.service_of(row) or (service_id if same_host else None)
        about = nature(places.called.without(text))
        vendors = [*places.vendor_names.within(text)]
        if vendors or about == "vendor_outage":
            for place in vendors or (None,):
                yield _incident(row, "vendor_outage", place, text, places, service)
        elif service is not None and about in ("certificate", "capacity"):
            yield _incident(row, about, service, text, places, service)
        elif service is not None and service != service_id:
            yield _incident(row, "upstream", service, text, places, service)


def own_suspects(incident: Incident, places: Places, needed: Collection[str]) -> Iterator[Suspect]:
    """What the incident says of its own cause; ``needed`` are the services on its walk."""
    sentence, service = incident.told, incident.service_id
    about = nature(places.called.without(sentence))
    text = f"{incident.id}, {incident.title}"
    found: list[tuple[str, str | None, str]] = []
    if vendors := places.vendor_names.within(sentence):
        found.extend(("vendor_outage", vendor, "own_words") for vendor in vendors)
    elif about == "certificate" and service is not None:
        ended = expiry(sentence, incident.onset_at) == incident.onset_at
        found.append(("certificate", service, "own_expired" if ended else "own_words"))
    elif about == "capacity" and service is not None:
        found.append(("capacity", service, "own_words"))
    elif about == "vendor_outage":
        found.append((about, None, "own_words"))
    for place, name in places.service_names.within(sentence).items():
        if place in needed and place != service and blames(sentence, name):
            found.append(("upstream", place, "own_words"))
    for kind, where, begins in found:
        yield Suspect(kind, f"incidents:{incident.id}", incident.onset_at, text, where, begins, service, sentence)


def troubles(rows: Iterable[IncidentRow], places: Places) -> dict[str, list[Trouble]]:
    """Incidents as symptoms of their services, in order of time."""
    found: dict[str, list[Trouble]] = {}
    for row in sorted(rows, key=lambda row: (_start(row), row["id"])):
        service = places.service_of(row)
        if service is not None:
            symptom = Trouble(
                f"incidents:{row['id']}", service, _start(row), _incident_text(row), row["severity"], _end(row)
            )
            found.setdefault(service, []).append(symptom)
    return found


def _incident(
    row: IncidentRow, kind: str, place: str | None, text: str, places: Places, service: str | None
) -> Suspect:
    at = _start(row)
    where = f" on {places.name(service)}" if service is not None else ""
    return Suspect(
        kind,
        f"incidents:{row['id']}",
        at,
        f"{row['id']}, {row['title']}{where}",
        place,
        kind,
        service,
        text,
        row["severity"],
        _end(row),
        places.environment(service),
        expiry(text, at) if kind == "certificate" and mentions_tls(text) else None,
    )


def _incident_text(row: IncidentRow) -> str:
    """What an incident says of itself, annotations of its monitor included."""
    return plain(row["title"], row["summary"], *texts(row["annotations"]).values())


def _start(row: IncidentRow) -> datetime:
    return row["started_at"] or row["opened_at"]


def _end(row: IncidentRow) -> datetime | None:
    return row["mitigated_at"] or row["resolved_at"] or row["closed_at"]
