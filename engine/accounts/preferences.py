"""Which notifications a person wants: one flag for each digest and channel, and one that keeps mails apart.

E-mail is on until switched off; mails of a day come as one until somebody wants them apart.
"""

from collections.abc import Mapping

from engine.model.errors import BadRequest
from engine.model.vocabulary import PERSONAL_CHANNELS
from engine.store import Revision
from engine.store.queries.sending.claims import APART
from engine.store.rows import first
from engine.store.schema.organizations import users

DIGESTS = (
    "evidence_request_sla",
    "mapping_digest",
    "peak_week_staffing",
    "staffing_reminders",
    "staffing_rollup",
    "staffing_sla_breach",
    "staffing_escalation",
    "committee_digest",
    "density_alerts",
    "attestation_renewal",
    "compliance_digest",
    "sla_reminders",
    "bundle_created",
)
DEFAULTS: Mapping[str, bool] = {
    **{f"{digest}_{channel}": channel == "email" for digest in DIGESTS for channel in PERSONAL_CHANNELS},
    APART: False,
}


def flags(stored: object) -> dict[str, bool]:
    """Every flag: as stored on a profile, else its default. Other stored names are not ours to show."""
    own = stored if isinstance(stored, dict) else {}
    return {name: value if isinstance(value := own.get(name), bool) else DEFAULTS[name] for name in DEFAULTS}


def check_flags(given: Mapping[str, object]) -> dict[str, bool]:
    """The flags of a body; BadRequest names each one that does not exist or is neither true nor false."""
    wrong = [
        {"field": name[:80], "expected": "true or false" if name in DEFAULTS else "a flag that exists"}
        for name, value in given.items()
        if name not in DEFAULTS or not isinstance(value, bool)
    ]
    if wrong:
        raise BadRequest(
            f"The preference {wrong[0]['field']!r} must be {wrong[0]['expected']}; there are {', '.join(DEFAULTS)}.",
            word="invalid_body",
            details=wrong,
        )
    return {name: value for name, value in given.items() if isinstance(value, bool)}


def change(revision: Revision, given: Mapping[str, bool]) -> dict[str, bool]:
    """Set flags on the profile of the revision's actor, which is made where there is none; returns all flags."""
    profile = first(revision.connection, users, revision.org_id, email=revision.actor)
    stored = profile["preferences"] if profile and isinstance(profile["preferences"], dict) else {}
    before = flags(stored)
    differing = {name: value for name, value in given.items() if before[name] != value}
    if differing:
        revision.upsert(users, [{"email": revision.actor, "preferences": {**stored, **differing}}])
        revision.record(
            "notification.preferences.changed", object_type="user", object_id=revision.actor, details=differing
        )
    return {**before, **differing}
