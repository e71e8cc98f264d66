"""Guardrails: versioned rule documents of playbooks, and what the active ones say about a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.automation.playbooks import Playbook, playbooks
from engine.automation.policy_fields import fields_of
from engine.automation.policy_rules import evaluate, problems
from engine.automation.separation import EXPECTATION, is_separation
from engine.model.errors import BadRequest
from engine.model.records import PolicyRow
from engine.model.vocabulary import Json, PolicyState, RuleEffect
from engine.store import Reader, Revision, rows
from engine.store.queries.operations import automation as queries
from engine.store.schema.automation import policies, policy_controls

UNREADABLE = "unreadable"
SHOWN = (
    "id",
    "policy",
    "version",
    "playbook",
    "title",
    "state",
    "body",
    "rules",
    "owner",
    "accepted_by",
    "accepted_at",
    "review_due_on",
    "workspace_id",
    "separation",
)


@dataclass(frozen=True)
class PolicyDraft:
    """What a caller says about a new version."""

    title: str
    rules: object
    body: str | None = None
    controls: tuple[str, ...] = ()
    review_due_on: date | None = None
    workspace_id: str | None = None
    separation: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ruling:
    """One rule of an active policy, and what it says."""

    policy_id: str
    rule: str
    effect: RuleEffect
    holds: bool
    refuses: bool
    message: str


def active(connection: Reader, org_id: str, playbook: str | None) -> list[PolicyRow]:
    """The active guardrails of a playbook: one, unless more were imported. They hold for the whole organization."""
    return rows.many(connection, policies, org_id, kind="automation", playbook=playbook, state="active")


def rulings(documents: Sequence[PolicyRow], book: Playbook, context: Mapping[str, object]) -> list[Ruling]:
    """What every rule of the documents says; a document that cannot be read refuses."""
    fields = fields_of(book)
    found = []
    for document in documents:
        written = document["rules"] if document["rules"] is not None else []
        if problems(written, fields):
            message = f"The rules of {document['id']} are not in the rule language; write a new version."
            found.append(Ruling(document["id"], UNREADABLE, "deny", True, True, message))
            continue
        found += [
            Ruling(document["id"], one.rule, one.effect, one.holds, one.refuses, one.message)
            for one in evaluate(written, fields, context)
        ]
    return found


def check_draft(connection: Reader, org_id: str, book: Playbook, draft: PolicyDraft) -> None:
    """BadRequest with every place at which the rules, the separation or the controls do not hold."""
    from engine.catalogue.nameable import nameable_controls

    found = [
        {"field": one.field, "expected": one.expected, "got": one.got}
        for one in problems(draft.rules, fields_of(book))[:20]
    ]
    if not is_separation(list(draft.separation)):
        found.append({"field": "separation", "expected": EXPECTATION, "got": ", ".join(draft.separation)[:80]})
    known = nameable_controls(connection, org_id) if draft.controls else {}
    for number, control in enumerate(draft.controls):
        framework, _, control_id = control.partition(":")
        if control_id not in known.get(framework, ()):
            found.append({"field": f"controls[{number}]", "expected": "framework:control", "got": control[:80]})
    if found:
        first = found[0]
        raise BadRequest(
            f"The policy does not hold: {first['field']} must be {first['expected']}; got {first['got']}.",
            word="invalid_policy",
            details=found,
        )


def create(revision: Revision, book: Playbook, draft: PolicyDraft, *, state: PolicyState) -> dict[str, object]:
    """The next version of the playbook's guardrail, as draft or active; an active one retires those before.

    The draft must pass ``check_draft``.
    """
    connection, org_id, rules = revision.connection, revision.org_id, _rules(draft)
    series = _series(connection, org_id, book.id)
    version = queries.last_version(connection, org_id, series) + 1
    row: PolicyRow = {
        "org_id": org_id,
        "id": f"{series}-v{version}",
        "policy": series,
        "version": version,
        "kind": "automation",
        "title": draft.title,
        "playbook": book.id,
        "state": "draft",
        "body": draft.body,
        "rules": rules,
        "owner": revision.actor,
        "accepted_by": None,
        "accepted_at": None,
        "review_due_on": draft.review_due_on,
        "workspace_id": draft.workspace_id,
        "separation": list(draft.separation) or None,
        "moves": 0,
        "revision": revision.seq,
    }
    revision.insert(policies, [row])
    named = [one.split(":", 1) for one in sorted({*draft.controls})]
    revision.insert(
        policy_controls,
        [{"policy_id": row["id"], "framework": framework, "control_id": control} for framework, control in named],
    )
    revision.record(
        "policy.drafted",
        object_type="policy",
        object_id=row["id"],
        workspace_id=draft.workspace_id,
        details={"playbook": book.id, "version": version, "rules": len(rules)},
    )
    return activate(revision, row) if state == "active" else as_answer(row, sorted({*draft.controls}))


def _rules(draft: PolicyDraft) -> list[Json]:
    if not isinstance(draft.rules, list):
        raise TypeError("a draft is stored after it was checked: its rules are a list")
    return draft.rules


def activate(revision: Revision, row: PolicyRow) -> dict[str, object]:
    """Accept a version by the revision's actor: it becomes active, those that were active are retired."""
    connection, org_id = revision.connection, revision.org_id
    retired = [one["id"] for one in active(connection, org_id, row["playbook"]) if one["id"] != row["id"]]
    for other in retired:
        revision.update(policies, {"id": other}, {"state": "retired"})
    accepted = {"state": "active", "accepted_by": revision.actor, "accepted_at": revision.now}
    revision.update(policies, {"id": row["id"]}, accepted)
    controls = queries.controls_of(connection, org_id, [row["id"]]).get(row["id"], [])
    revision.record(
        "policy.published",
        object_type="policy",
        object_id=row["id"],
        workspace_id=row["workspace_id"],
        controls="; ".join(controls) or None,
        details={"playbook": row["playbook"], "version": row["version"], "retired": retired},
    )
    return as_answer({**row, **accepted}, controls)


def as_answer(row: Mapping[str, object], controls: Sequence[str]) -> dict[str, object]:
    """A version as answers hold it."""
    return {**{name: row[name] for name in SHOWN}, "controls": list(controls)}


def listing(
    connection: Reader, org_id: str, *, playbook: str | None, state: str | None, workspace_id: str | None
) -> list[dict[str, object]]:
    """Versions of guardrails, newest of each first, with whether the program can read their rules."""
    policy_rows = queries.guardrails(connection, org_id, playbook=playbook, state=state, workspace_id=workspace_id)
    controls = queries.controls_of(connection, org_id, [row["id"] for row in policy_rows])
    return [{**as_answer(row, controls.get(row["id"], [])), "readable": _readable(row)} for row in policy_rows]


def _readable(row: PolicyRow) -> bool:
    book = playbooks().get(row["playbook"] or "")
    return book is not None and not problems(row["rules"] if row["rules"] is not None else [], fields_of(book))


def _series(connection: Reader, org_id: str, playbook: str) -> str:
    """The name of the playbook's guardrail through all versions: the one that it has, else a new one."""
    policy_rows = queries.guardrails(connection, org_id, playbook=playbook, state=None, workspace_id=None)
    return policy_rows[0]["policy"] if policy_rows else f"guardrail-{playbook}"
