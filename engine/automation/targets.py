"""What a playbook acts on: selectors that read the records and name the objects, in a total order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from engine.automation.state import RANKS, ActiveMember, State

InputValue: TypeAlias = str | int  # an identifier, a text, a choice; a number, yes or no
Inputs: TypeAlias = Mapping[str, InputValue]


@dataclass(frozen=True)
class AutomationTarget:
    """An object that is acted on, and why. ``service_id`` is the service that it belongs to."""

    kind: str
    id: str
    name: str
    why: str
    service_id: str | None = None
    owner: str | None = None

    def plan_entry(self) -> dict[str, str | None]:
        """As plans hold it."""
        return {"kind": self.kind, "id": self.id, "name": self.name, "why": self.why, "service_id": self.service_id}


Selector: TypeAlias = Callable[[State, Inputs], Iterable[AutomationTarget]]


def _service(state: State, inputs: Inputs, why: str = "named") -> Iterable[AutomationTarget]:
    return [_as_target(state, str(inputs["service"]), why)]


def _as_target(state: State, service_id: str, why: str) -> AutomationTarget:
    row = state.services[service_id]
    return AutomationTarget("service", service_id, row["name"], why, service_id, row["owner"])


def _service_or_environment(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    if "service" in inputs:
        return _service(state, inputs)
    where = inputs["environment"]
    chosen = [key for key, row in state.services.items() if row["environment"] == where]
    return [_as_target(state, key, f"runs in {where}") for key in chosen]


def _service_and_callers(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    own = str(inputs["service"])
    callers = [one for one in state.callers_of(own) if one != own]
    return [*_service(state, inputs), *(_as_target(state, one, "calls it directly") for one in callers)]


def _open_findings(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    service, least = str(inputs["service"]), RANKS[str(inputs["severity"])]
    finding_rows = [row for row in state.open_findings(service) if RANKS[row["severity"]] >= least]
    owner = state.services[service]["owner"]
    ranked = sorted(finding_rows, key=lambda row: (-RANKS[row["severity"]], row["id"]))
    return [
        AutomationTarget("finding", row["id"], row["title"], f"open, {row['severity']}", service, owner)
        for row in ranked
    ]


def _last_deploy(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    service = str(inputs["service"])
    live = [row for row in state.deploys(service) if row["status"] == "succeeded"][:1]
    owner = state.services[service]["owner"]
    return [
        AutomationTarget("deploy", row["id"], row["version"] or row["id"], "runs now", service, owner) for row in live
    ]


def _members(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    group = inputs["group"]
    chosen = [row for row in state.members.values() if group in ("everybody", row.role)]
    return [_person(row, f"is {row.role}") for row in chosen]


def _leavers(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    chosen = [row for row in state.members.values() if not row.employed]
    if "person" in inputs:
        chosen = [row for row in chosen if row.email == inputs["person"]]
    return [_person(row, f"has left and is still {row.role}") for row in chosen]


def _named_person(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    return [_person(state.members[str(inputs["person"])], "named")]


def _members_without_training(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    """Active members without a completed training in the period; the audit log names them by e-mail address."""
    done = state.last_events(["training.completed"])
    since = state.now - timedelta(days=int(inputs["within_days"]))
    chosen = []
    for email, row in state.members.items():
        last = done.get(("training.completed", email))
        if row.employed and (last is None or last < since):
            chosen.append(_person(row, "no training recorded" if last is None else f"last trained {last.date()}"))
    return chosen


def _person(who: ActiveMember, why: str) -> AutomationTarget:
    return AutomationTarget("member", who.email, who.name or who.email, why, None, who.email)


def _named_system(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    row = state.systems[str(inputs["system"])]
    return [AutomationTarget("system", row["id"], row["name"], "named", row["service_id"], row["owner"])]


def _unencrypted_flows(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    """Flows in the clear; not known to be encrypted counts as in the clear."""
    chosen = []
    for row in state.data_flows:
        ends = (row["from_system"], row["to_system"])
        if row["encrypted"] is True or ("system" in inputs and inputs["system"] not in ends):
            continue
        source = state.systems.get(row["from_system"])
        why = "not encrypted" if row["encrypted"] is False else "not known to be encrypted"
        chosen.append(
            AutomationTarget(
                "data_flow",
                row["id"],
                f"{ends[0]} to {ends[1]}: {row['data_class']}",
                why,
                source["service_id"] if source else None,
                source["owner"] if source else None,
            )
        )
    return chosen


def _vendor_documents(state: State, inputs: Inputs) -> Iterable[AutomationTarget]:
    """Documents that have expired; a vendor without any document is itself what is asked about."""
    vendor = state.vendors[str(inputs["vendor"])]
    held = state.vendor_documents(vendor["id"])
    if not held:
        return [AutomationTarget("vendor", vendor["id"], vendor["name"], "holds no document", None, vendor["owner"])]
    today = state.local().date()
    kinds = {row["kind"] for row in held if row["expires_on"] is None or row["expires_on"] >= today}
    return [
        AutomationTarget(
            "vendor_document", row["id"], row["kind"], f"expired {row['expires_on']}", None, vendor["owner"]
        )
        for row in held
        if row["kind"] not in kinds
    ]


SELECTORS: Mapping[str, Selector] = {
    "service": _service,
    "service_or_environment": _service_or_environment,
    "service_and_callers": _service_and_callers,
    "open_findings": _open_findings,
    "last_deploy": _last_deploy,
    "members": _members,
    "leavers": _leavers,
    "person": _named_person,
    "untrained": _members_without_training,
    "system": _named_system,
    "unencrypted_flows": _unencrypted_flows,
    "vendor_documents": _vendor_documents,
}
