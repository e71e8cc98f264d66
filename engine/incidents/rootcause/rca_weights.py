"""Every number of the root-cause analysis, each with its reason.

A score is the product of the steps of a chain. A step has a value from 0 to 1, what was observed, and a weight, its
exponent: 1 takes the value as it is, less lets it count for less.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from engine.model.vocabulary import Severity


class Weight(NamedTuple):
    """The exponent of a step, and why it is that."""

    exponent: float
    why: str


class Value(NamedTuple):
    """What an observation is worth, and why."""

    value: float
    why: str


STEPS: Mapping[str, Weight] = {
    "origin": Weight(1.0, "what sort of record it begins with: without a cause there is no chain"),
    "temporal": Weight(0.5, "nearness in time is needed and cheap: everything that was recorded that hour has it"),
    "symptom": Weight(1.0, "a change nobody saw an effect of where it was made explains nothing elsewhere"),
    "severity": Weight(0.5, "a small alert rarely takes down what depends on it, but severities are set by habit"),
    "propagation": Weight(0.35, "as temporal, for two symptoms: monitors notice them at intervals of their own"),
    "topological": Weight(0.25, "1 / (1 + hops): far causes are rarer, not rare"),
    "way": Weight(1.0, "services between the two that showed nothing speak against the way through them"),
    "link": Weight(1.0, "what is needed is needed where somebody recorded or said so"),
    "words": Weight(1.0, "what the incident itself says of its nature or of whom it blames"),
    "overlap": Weight(1.0, "what was over before the onset cannot have gone on"),
    "environment": Weight(1.0, "another environment is another system"),
    "expiry": Weight(1.0, "a certificate does harm when it ends, not when somebody warns of it"),
    "alternative": Weight(1.0, "a symptom that something else explains is not where it began"),
    "history": Weight(1.0, "what people found to be the cause of the same problem before"),
    "company": Weight(1.0, "what cannot have reached services that fail in the same minutes hardly is the one cause"),
    "taken_back": Weight(1.0, "trouble that goes on without the change was not made by it"),
    "callers": Weight(1.0, "whoever calls more after a change makes load where nothing was changed"),
    "rhythm": Weight(1.0, "what comes at the same hour without a change needs none today"),
    "third_party": Weight(1.0, "who needs a third party is seldom recorded in full"),
}

VALUES: Mapping[str, Value] = {
    # where a chain begins
    "deploy": Value(0.90, "most incidents follow a change"),
    "change": Value(0.75, "a change of settings or an automation: fewer of them do harm than of releases"),
    "certificate": Value(0.95, "an expired certificate always fails"),
    "vendor_outage": Value(0.90, "an outage that the vendor or its monitor reported"),
    "capacity": Value(0.90, "what ran out fails by itself"),
    "upstream": Value(0.72, "trouble of unknown cause there: certain as trouble, open as a cause"),
    "recurrence": Value(0.45, "the same key had this cause before: a reason to look, not an observation of today"),
    "recurrence_alike": Value(0.38, "as above for the same symptom without the same key: below what is conclusive"),
    "policy_block": Value(0.35, "an automation that did not run seldom is the cause; it may have let one happen"),
    "own_expired": Value(0.60, "the incident itself says that a certificate has expired; no other record does"),
    "own_words": Value(0.38, "the incident itself says so; below what is conclusive without another record"),
    # what a change did
    "deploy_failed": Value(0.55, "it failed, so it may never have been live"),
    "effect_seen": Value(1.0, "an incident there after the change"),
    "effect_burning": Value(0.95, "bad events there after the change"),
    "effect_named": Value(0.75, "the incident blames that service; nothing was recorded there"),
    "effect_unknown": Value(0.33, "nothing is known of the service that was changed: most changes do no harm"),
    "effect_before": Value(0.20, "that service was in trouble before the change"),
    "effect_none": Value(0.15, "its good and bad events were counted, and it was healthy"),
    "effect_other": Value(0.45, "what was seen there is of another nature: a release ends no certificate"),
    # the way to the incident
    "silent": Value(0.94, "for each service between that showed nothing: alerts are never everywhere"),
    "link_recorded": Value(1.0, "the vendor stands on a dependency of the way"),
    "link_flow": Value(0.85, "a flow of data to the vendor is recorded for a system of the way"),
    "link_named": Value(0.95, "a record of the way names the vendor"),
    "link_said": Value(0.70, "no dependency on the service is recorded; the incident names it"),
    "link_vital": Value(0.75, "nobody recorded who needs the vendor; its outage stops the service, says the register"),
    "link_guess": Value(0.50, "nobody recorded who needs the vendor"),
    "link_other": Value(0.15, "the vendor is recorded for other services, none of them on the way"),
    "link_unknown": Value(0.40, "a third party that is in no register"),
    # what the incident says
    "other_nature": Value(0.35, "the incident says that it is about certificates, the record is about something else"),
    "other_resource": Value(0.80, "the incident is about a resource; releases cause that, too"),
    "other_named": Value(0.75, "the incident names another service or vendor that it needs"),
    "over": Value(0.25, "it was over before the onset"),
    "over_just": Value(0.70, "it ended so shortly before the onset that what it left behind may have gone on"),
    "over_early": Value(0.80, "the incident went on long after it was over"),
    "elsewhere": Value(0.15, "another environment"),
    "expiry_far": Value(0.12, "the certificate does not end near the onset"),
    "expiry_ahead": Value(0.7, "it ends hours after the onset, which only another time zone makes its cause"),
    "expiry_unknown": Value(0.35, "it warns, and nothing says when the certificate ends"),
    "expiry_fits": Value(0.75, "it warns without a date, and the incident is about certificates"),
    # what else there is
    "explained": Value(1.0, "of a plain symptom, all that another chain explains of it is lost"),
    "explained_unseen": Value(0.5, "as above by a change that nobody saw an effect of: it may be none"),
    "explained_capacity": Value(0.45, "a resource that ran out right after a release may have begun with the release"),
    "explained_change": Value(0.6, "a change on a service whose trouble a needed service explains"),
    "known_cause": Value(1.08, "people found this kind of cause for the same problem before"),
    # what speaks against
    "company_one": Value(0.85, "one service that it cannot have reached failed in the same minutes: chance does that"),
    "company_two": Value(0.40, "two of them: chance seldom does"),
    "company_more": Value(0.33, "three or more of them"),
    "taken_back_before": Value(0.30, "it was not live any more at the onset"),
    "taken_back_vain": Value(0.30, "it was taken back, and the trouble went on for more than half an hour"),
    "caller_changed": Value(0.42, "what calls it was changed just before its load rose"),
    "caller_changed_plain": Value(0.80, "as above, where nothing says that it is load"),
    "third_small": Value(0.80, "as third_unlinked, of an outage of medium severity"),
    "rhythm_alone": Value(0.40, "the same began at this hour before, without such a change"),
    "third_unlinked": Value(0.55, "a third party was down at the onset, and nobody recorded who needs it"),
    "link_caller": Value(0.45, "a caller was changed before load rose; that it calls more is not recorded"),
    "common_need": Value(0.38, "several that fail need it; it shows nothing itself: below what is conclusive"),
    "rhythm": Value(0.38, "it comes by the clock; what runs then is not recorded: below what is conclusive"),
    "cause_missing": Value(0.5, "a cause that leaves records, and there is none this time"),
}

SEVERITY: Mapping[Severity, float] = {"critical": 1.0, "high": 0.95, "medium": 0.55, "low": 0.25, "info": 0.1}

# after so long a cause of that kind is half as likely to be the one: changes show soon, resources drain slowly
HALF_LIVES: Mapping[str, timedelta] = {
    "deploy": timedelta(minutes=30),
    "change": timedelta(minutes=30),
    "policy_block": timedelta(minutes=30),
    "upstream": timedelta(minutes=60),
    "vendor_outage": timedelta(hours=2),
    "capacity": timedelta(hours=2),
    "certificate": timedelta(hours=24),
    "recurrence": timedelta(days=180),
    "common_need": timedelta(minutes=60),
}
LATE_HALF_LIFE = timedelta(minutes=5)  # alerts come in the order of their intervals, not of what they report
CLOCK_SLACK = timedelta(minutes=2)  # changes are recorded to the second: by clocks that differ
ALERT_SLACK = timedelta(minutes=10)  # what monitors notice may be told this long after its effect
EXPIRY_SLACK = timedelta(hours=14)  # certificates are often dated by the day alone
RECENT = timedelta(hours=6)  # trouble that goes on for longer is a state of the service, not a step of a chain
GOES_ON = timedelta(minutes=30)
SAME_MINUTES = timedelta(minutes=3)  # how far from the onset what fails with it may begin: monitors look at intervals
CALLER_LEAD = timedelta(minutes=20)  # how long before load at the callee a change of a caller may have made it
OUTAGE_LEAD = timedelta(minutes=20)  # how long before the onset the outage of a third party may have begun
SAME_HOUR = timedelta(minutes=20)  # how far from the time of day of an earlier one
RHYTHM_DAYS = timedelta(days=42)  # how far back recurrence by the clock is looked for
LEAST_TIMES = 3  # earlier days from which on it is a rhythm
SURE = 0.99  # nothing is certain
LEAST = 0.05  # below this a chain is not worth a reader's time


def worth(name: str) -> float:
    """The value of an observation."""
    return VALUES[name].value
