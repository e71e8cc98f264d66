"""Decisions from the chat service, and suggestions that go into review."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec

from engine.automation import approvals, chat, policies
from engine.automation.playbooks import playbook
from engine.model.errors import BadRequest, Conflict, Forbidden, NotFound
from engine.model.records import ApprovalRow
from engine.model.vocabulary import SeparableDuty
from engine.store import rows
from engine.store.schema.organizations import memberships
from engine.web.answers.integrations import Decision, EarlierDecision
from engine.web.handlers.automations import Controls, Identifier, Title
from engine.web.http import Request, Response, answer


class NamedOption(msgspec.Struct):
    """A user or a team of the chat service."""

    id: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{1,100}\\Z")]


class ChatUser(NamedOption):
    """Who clicked; ``team_id`` says the workspace also where the app is installed for several at once."""

    team_id: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{1,100}\\Z")] | None = None


class Action(msgspec.Struct):
    """One click. Only buttons of ours carry ``value``."""

    value: Annotated[str, msgspec.Meta(max_length=2000)] | None = None


class Click(msgspec.Struct):
    """A ``block_actions`` payload, as far as it matters here."""

    user: ChatUser
    actions: Annotated[tuple[Action, ...], msgspec.Meta(max_length=25)]
    team: NamedOption | None = None

    @property
    def team_id(self) -> str | None:
        """The workspace, which the interaction or else its user names."""
        return self.team.id if self.team is not None else self.user.team_id


class Suggestion(msgspec.Struct, forbid_unknown_fields=True):
    """A policy that an analysis proposes."""

    playbook: Identifier
    title: Title
    rules: object
    rationale: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    source: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = "decision-intelligence"
    controls: Controls = ()
    separation: Annotated[tuple[SeparableDuty, ...], msgspec.Meta(max_length=3)] = ()


class Promotion(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/approvals/policy-suggestions/promote."""

    suggestion: Suggestion


class ChatForm(msgspec.Struct):
    """What the chat service posts: one field with a JSON object."""

    payload: str


@dataclass(frozen=True)
class Interaction:
    """The form of the chat service, read as the click in it; None for interactions of another type."""

    kind: type[msgspec.Struct] = ChatForm
    required: bool = True
    media_types: tuple[str, ...] = ("application/x-www-form-urlencoded",)

    def arguments(self, request: Request) -> tuple[object, ...]:
        """The click."""
        return (_click(request.body),)


def decide(request: Request, click: Click | None) -> Response:
    """POST /api/integrations/slack/approvals: decides a pending approval by a signed click in the chat.

    Interactions of another type, and buttons without a value, are accepted and change nothing. A click on what was
    decided answers with the earlier decision. A refused click is an audit event, but for the same click once more.
    """
    values = [action for action in click.actions if action.value is not None] if click else []
    if click is None or not values:
        return Response(b"", "text/plain; charset=utf-8")
    if len(values) > 1:
        raise _bad("one action with a value", str(len(values)))
    org_id, approval_id, decision = _parts(values[0].value or "")
    store = request.services.store
    actor, details = f"chat:{click.user.id}", {"channel": "chat", "chat_user": click.user.id}
    lifetime = request.services.settings.approval_lifetime
    with store.reader() as connection:
        approval = approvals.find(connection, org_id, approval_id)

    def refuse(reason: str) -> None:
        store.write(
            org_id,
            actor,
            lambda revision: approvals.refuse(revision, approval, decision, reason=reason, details=details),
            now=request.now,
        )

    try:
        with store.reader() as connection:
            actor, role = chat.member(connection, org_id, click.team_id, click.user.id)
        decided = store.write(
            org_id,
            actor,
            lambda revision: approvals.decide(
                revision, approval_id, decision, role=role, details=details, lifetime=lifetime
            ),
            now=request.now,
        )
    except approvals.SecondDecision as earlier:
        if not earlier.repeats(decision, actor):
            refuse(earlier.word)
        return answer(_earlier(earlier.approval, earlier.message))
    except (BadRequest, Conflict, Forbidden, NotFound) as problem:
        refuse(problem.word)
        raise
    if decided["status"] == "expired":
        refuse("expired")
        hours = lifetime.total_seconds() / 3600
        return answer(
            _earlier({**approval, "status": "expired"}, f"The approval expired {hours:g} hours after it was asked for.")
        )
    return Response(b"", "text/plain; charset=utf-8")


def _earlier(row: ApprovalRow, message: str) -> EarlierDecision:
    """Chat services repeat a click that is not answered 2xx, so what was decided or ran out is no error."""
    decision = Decision(id=row["id"], status=row["status"], decided_by=row["decided_by"], decided_at=row["decided_at"])
    return EarlierDecision(text=message, response_type="ephemeral", replace_original=False, approval=decision)


def promote(request: Request, body: Promotion) -> Response:
    """POST /api/approvals/policy-suggestions/promote: makes a suggestion a draft policy with a pending approval."""
    given, caller = body.suggestion, request.caller
    book = playbook(given.playbook)
    with request.services.store.reader() as connection:
        row = rows.first(connection, memberships, caller.org_id, email=caller.actor)
    draft = policies.PolicyDraft(
        given.title,
        given.rules,
        given.rationale or None,
        given.controls,
        None,
        row["workspace_id"] if row else None,
        given.separation,
    )
    with request.services.store.reader() as connection:
        policies.check_draft(connection, caller.org_id, book, draft)
    made = request.services.store.write(
        caller.org_id,
        caller.actor,
        lambda revision: approvals.promote(revision, book, draft, source=given.source, rationale=given.rationale),
        now=request.now,
    )
    return answer(made, status=201)


def _click(body: bytes) -> Click | None:
    """The click in a form-encoded body; None for another kind of interaction; BadRequest for what is none."""
    try:
        fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=10)
        (payload,) = [value for name, value in fields if name == "payload"]
        decoded = msgspec.json.decode(payload)
        if not isinstance(decoded, dict) or not isinstance(decoded.get("type"), str):
            raise _bad("a JSON object with a type", "something else")
        return msgspec.convert(decoded, Click) if decoded["type"] == "block_actions" else None
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise _bad("one form field `payload` with a JSON object", str(error)[:200]) from error


def _parts(value: str) -> tuple[str, str, str]:
    """organization, approval and decision of an action's value."""
    parts = value.rsplit(":", 2)
    if len(parts) != 3 or not all(parts) or parts[2] not in approvals.DECISIONS or not value.isprintable():
        raise _bad(f"a value organization:approval:{'|'.join(approvals.DECISIONS)}", repr(value[:80]))
    return parts[0], parts[1], parts[2]


def _bad(expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The interaction must hold {expected}; got {got}.",
        word="invalid_body",
        details=[{"field": "payload", "expected": expected, "got": got}],
    )
