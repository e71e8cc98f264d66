"""Preconditions of playbooks, evaluated against the records: each says whether it holds, and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias, TypedDict

from engine.automation.situation import CheckOptions, Situation
from engine.model.vocabulary import LIVE_INCIDENTS

CheckVerdict: TypeAlias = tuple[bool, str]  # whether it holds, and why


class CheckOutcome(TypedDict):
    """How a check came out, as plans hold it."""

    check: str
    level: str
    passed: bool
    reason: str


@dataclass(frozen=True)
class CheckRule:
    """A check and the options that it takes; ``needs`` of them must be given."""

    holds: Callable[[Situation, CheckOptions], CheckVerdict]
    options: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()


def _id_list(ids: Sequence[str]) -> str:
    """Up to five of them in words."""
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(ids[:5]) + more


def _has_targets(at: Situation, options: CheckOptions) -> CheckVerdict:
    count = len(at.targets)
    return count > 0, f"{count} object{'s' if count != 1 else ''} to act on."


def _within_limit(at: Situation, options: CheckOptions) -> CheckVerdict:
    return len(at.targets) <= at.limit, f"{len(at.targets)} objects; at most {at.limit} in one run."


def _no_open_incident(at: Situation, options: CheckOptions) -> CheckVerdict:
    found = at.incidents_on(at.services, options.severity)
    if found:
        return False, f"Unresolved on the services: {_id_list(found)}."
    return True, f"No other unresolved incident of severity {options.severity} or above on the services."


def _dependencies_healthy(at: Situation, options: CheckOptions) -> CheckVerdict:
    needed = sorted({one for service in at.services for one in at.state.needs(service)} - set(at.services))
    found = at.incidents_on(needed, options.severity)
    if found:
        return False, f"Unresolved on what the services need: {_id_list(found)}."
    return True, f"No unresolved incident of severity {options.severity} or above on the {len(needed)} needed."


def _incident_open(at: Situation, options: CheckOptions) -> CheckVerdict:
    if at.incident is None:
        return False, "No incident is named (incident_id)."
    if at.incident["status"] not in LIVE_INCIDENTS:
        return False, f"Incident {at.incident['id']} is {at.incident['status']}."
    if at.incident["service_id"] not in (None, *at.services):
        return False, f"Incident {at.incident['id']} is on {at.incident['service_id']}, not on the service."
    return True, f"Incident {at.incident['id']} is {at.incident['status']}."


def _no_recent_deploy(at: Situation, options: CheckOptions) -> CheckVerdict:
    since = at.state.now - timedelta(minutes=options.minutes)
    recent = [row["id"] for one in at.services for row in at.state.deploys(one) if row["deployed_at"] > since]
    if recent:
        return False, f"Deployed in the last {options.minutes} minutes: {_id_list(recent)}."
    return True, f"Nothing was deployed to the services in the last {options.minutes} minutes."


def _deployed_within(at: Situation, options: CheckOptions) -> CheckVerdict:
    since = at.state.now - timedelta(hours=options.hours)
    recent = [row for one in at.services for row in at.state.deploys(one) if row["deployed_at"] > since]
    return bool(recent), f"{len(recent)} deploys in the last {options.hours} hours."


def _previous_deploy(at: Situation, options: CheckOptions) -> CheckVerdict:
    good = [row for one in at.services for row in at.state.deploys(one) if row["status"] == "succeeded"]
    if len(good) < 2:
        return False, "No earlier successful deploy is recorded to go back to."
    return True, f"Goes back to {good[1]['version'] or good[1]['id']}."


def _recent_event(at: Situation, options: CheckOptions) -> CheckVerdict:
    """The action was recorded for every target's service (``anywhere``: for anything) in the last hours."""
    action, hours = options.action, options.hours
    since = at.state.now - timedelta(hours=hours)
    fresh = {key for (_, key), moment in at.state.last_events([action]).items() if moment >= since}
    missing = [] if options.anywhere and fresh else [one for one in at.services if one not in fresh]
    if missing or not fresh:
        return False, f"No {action} in the last {hours} hours" + (f": {_id_list(missing)}." if missing else ".")
    return True, f"{action} was recorded in the last {hours} hours."


def _last_event_is(at: Situation, options: CheckOptions) -> CheckVerdict:
    """Of the two actions the first one is the newer on some service."""
    wanted, other = options.action, options.rather_than
    seen = at.state.last_events([wanted, other])
    hit = [
        one
        for one in at.services
        if (wanted, one) in seen and ((other, one) not in seen or seen[wanted, one] > seen[other, one])
    ]
    return bool(hit), f"{wanted} is the last word on {_id_list(hit)}." if hit else f"No {wanted} that still stands."


def _quiet(at: Situation, options: CheckOptions) -> CheckVerdict:
    """The same playbook was not carried out on the same thing within the hours."""
    since = at.state.now - timedelta(hours=options.hours)
    again = [row["id"] for row in at.state.executions_of(at.playbook, at.inputs) if row["executed_at"] > since]
    if again:
        return False, f"Carried out in the last {options.hours} hours: {_id_list(again)}."
    return True, f"Not carried out in the last {options.hours} hours."


def _owner_named(at: Situation, options: CheckOptions) -> CheckVerdict:
    without = [target.id for target in at.targets if not target.owner]
    return not without, f"Without an owner: {_id_list(without)}." if without else "Every object has an owner."


def _owner_remains(at: Situation, options: CheckOptions) -> CheckVerdict:
    """Enough owners stay who can undo the run (``spare``, default 1)."""
    wanted = options.spare
    gone = set() if "group" in at.inputs else {target.id for target in at.targets}
    staying = [
        email
        for email, member in at.state.members.items()
        if member.role == "owner" and member.employed and email not in gone
    ]
    return len(staying) >= wanted, f"{len(staying)} active owners who could undo it; {wanted} needed."


def _not_yourself(at: Situation, options: CheckOptions) -> CheckVerdict:
    mine = any(target.id == at.actor for target in at.targets)
    return not mine, "You are among those concerned." if mine else "You are not among those concerned."


def _owns_nothing(at: Situation, options: CheckOptions) -> CheckVerdict:
    people = {target.id for target in at.targets}
    records = (*at.state.services.values(), *at.state.vendors.values())
    left = sorted(row["id"] for row in records if row["owner"] in people)
    if left:
        return False, f"They still own {_id_list(left)}."
    return True, "They own no service and no vendor."


def _no_legal_hold(at: Situation, options: CheckOptions) -> CheckVerdict:
    held = [row["id"] for row in at.state.live_holds]
    if held:
        return False, f"Legal holds in force: {_id_list(held)}. Release them or exclude what they keep."
    return True, "No legal hold is in force."


def _inside_boundary(at: Situation, options: CheckOptions) -> CheckVerdict:
    outside = [target.id for target in at.targets if at.state.systems[target.id]["boundary"] != "inside"]
    return not outside, f"Outside the boundary: {_id_list(outside)}." if outside else "Inside the boundary."


def _environment(at: Situation, options: CheckOptions) -> CheckVerdict:
    wanted = options.environment
    others = [one for one in at.services if at.state.services[one]["environment"] != wanted]
    return (not others, f"Not in {wanted}: {_id_list(others)}." if others else f"Runs in {wanted}.")


def _dependents_at_most(at: Situation, options: CheckOptions) -> CheckVerdict:
    return len(at.dependents) <= options.count, f"{len(at.dependents)} services need it; {options.count} is few."


def _vendor_active(at: Situation, options: CheckOptions) -> CheckVerdict:
    until = at.state.vendors[str(at.inputs["vendor"])]["offboarded_on"]
    ended = until is not None and until <= at.state.local().date()
    return not ended, f"The relationship ended on {until}." if ended else "The relationship is live."


SEVERITY, HOURS, MINUTES = frozenset({"severity"}), frozenset({"hours"}), frozenset({"minutes"})
EVENT = frozenset({"action", "hours"})
PAIR = frozenset({"action", "rather_than"})

CHECKS: Mapping[str, CheckRule] = {
    "has_targets": CheckRule(_has_targets),
    "within_limit": CheckRule(_within_limit),
    "no_open_incident": CheckRule(_no_open_incident, SEVERITY, SEVERITY),
    "dependencies_healthy": CheckRule(_dependencies_healthy, SEVERITY, SEVERITY),
    "incident_open": CheckRule(_incident_open),
    "settled": CheckRule(_no_recent_deploy, MINUTES, MINUTES),
    "deployed_within": CheckRule(_deployed_within, HOURS, HOURS),
    "previous_deploy": CheckRule(_previous_deploy),
    "recent_event": CheckRule(_recent_event, EVENT | {"anywhere"}, EVENT),
    "last_event_is": CheckRule(_last_event_is, PAIR, PAIR),
    "quiet": CheckRule(_quiet, HOURS, HOURS),
    "owner_named": CheckRule(_owner_named),
    "owner_remains": CheckRule(_owner_remains, frozenset({"spare"})),
    "not_yourself": CheckRule(_not_yourself),
    "nothing_left_behind": CheckRule(_owns_nothing),
    "no_legal_hold": CheckRule(_no_legal_hold),
    "inside_boundary": CheckRule(_inside_boundary),
    "environment": CheckRule(_environment, frozenset({"is"}), frozenset({"is"})),
    "dependents_at_most": CheckRule(_dependents_at_most, frozenset({"count"}), frozenset({"count"})),
    "vendor_active": CheckRule(_vendor_active),
}
