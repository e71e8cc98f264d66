"""The door for assessors: a bearer token, or for calendars its secret as a password; whatever is asked is logged."""

from engine.accounts.assessors import CALENDAR
from engine.accounts.tokens import PREFIXES, digest, well_formed
from engine.model.errors import Problem, Unauthorized
from engine.model.vocabulary import CredentialKind
from engine.web.admission.access_log import note_access
from engine.web.admission.credentials import bearer, bearer_or_password, credential
from engine.web.admission.gate import Gate
from engine.web.admission.limits import Limit
from engine.web.http import Principal, Request, Response
from engine.web.negotiation import MEDIA_TYPES

KIND: CredentialKind = "assessor"
LIMIT = Limit("assessor", 60, 60)
CHALLENGES = 'Bearer, Basic realm="Compliance calendar", charset="UTF-8"'


def check_assessor(gate: Gate, request: Request) -> Principal:
    """Whose token it is; Unauthorized otherwise, and logged where the secret tells whom it concerns."""
    calendar = request.arguments["id"] == CALENDAR
    header = request.headers.get("authorization")
    try:
        secret = (bearer_or_password if calendar else bearer)(header, "assessor token")
        legacy = gate.services.settings.legacy_key_prefixes
        try:
            found = credential(gate.services.store, secret, KIND, now=request.now, legacy=legacy)
        except Unauthorized as refusal:
            _note_refused(gate, request, secret, refusal)
            raise
    except Unauthorized as refusal:
        if calendar:
            refusal.headers["WWW-Authenticate"] = CHALLENGES
        raise
    caller = Principal(found.org_id, found.label, None, found.id)
    try:
        gate.limiter.check(LIMIT, f"{found.org_id} {found.id}")
    except Problem as refusal:
        _note(request, caller, refusal.status)
        raise
    return caller


def note_answer(request: Request, response: Response) -> None:
    """One line of the access log for an answer; downloads have theirs already."""
    downloaded = response.headers.get("Content-Disposition", "").startswith("attachment")
    if request.principal is not None and not downloaded:
        form = "" if response.status >= 400 else MEDIA_TYPES.get(response.content_type.partition(";")[0], "")
        note_access(request, form or request.query.get("format", "")[:20], response.status)


def _note_refused(gate: Gate, request: Request, secret: str, refusal: Problem) -> None:
    legacy = gate.services.settings.legacy_key_prefixes
    if any(well_formed(secret, kind, legacy) for kind in PREFIXES):
        row = gate.services.store.credential(digest(secret))
        if row is not None:
            _note(request, Principal(row["org_id"], row["label"], None, row["id"]), refusal.status)


def _note(request: Request, caller: Principal, status: int) -> None:
    request.principal = caller
    note_access(request, "", status)
    request.principal = None
