"""The acts that people do to a record: two fields, filled in, and what an act writes beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from types import MappingProxyType

from engine.model.vocabulary import StepKind
from engine.store.types import canonical_json

NONE = ""  # in place of a word: the cell is empty
EVENT = "record.changed"
OPTIONAL = frozenset(
    {"next_review_on", "root_cause", "summary", "residual", "reason", "assignee", "relief_actual_hours"}
    | {"residual_likelihood", "residual_impact"}
)
"""Fields of acts that may be left empty."""
NEEDED_WITH: Mapping[str, tuple[str, str]] = MappingProxyType({"attestations": ("outcome", "statement")})
"""What a record says with something else: who attests says what."""
WITH_EVIDENCE = frozenset(
    {("attestations", "attest"), ("remediations", "finish"), ("test_runs", "finish"), ("incident_actions", "finish")}
    | {("evidence_requests", "send"), ("evidence_requests", "finish"), ("vendors", "review"), ("policies", "review")}
)
"""Acts whose form takes a file: its bytes are held as evidence, of the control where the record names one."""


@dataclass(frozen=True)
class Act:
    """``asks`` are the columns of its form and what they are filled with; ``sets`` what it writes besides.

    Both name values: ``person``, ``today``, ``now``, ``+30`` (days from today), ``same`` (what the row has),
    ``next`` (one more than the row has), ``empty``, or ``=word``. ``when`` says in which states there is such an act.
    ``event`` is recorded, by default that a record changed; ``reverse`` where the first field says no. ``step`` is
    what ``hq incident`` does by that name.
    """

    table: str
    name: str
    title: str
    asks: Mapping[str, str]
    sets: Mapping[str, str] = field(default_factory=dict)
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    event: str = EVENT
    reverse: str = EVENT
    step: StepKind | None = None

    @property
    def takes_files(self) -> bool:
        """Whether evidence may come with it."""
        return (self.table, self.name) in WITH_EVIDENCE

    def applies(self, row: Mapping[str, object]) -> bool:
        """Whether the row is in a state that the act ends."""
        return all(str(row.get(column) or NONE) in words for column, words in self.when.items())

    def event_for(self, cells: Mapping[str, str | None]) -> str:
        """The action that is recorded for what was filled in."""
        negative = any(cells.get(column) in ("rejected", "failed") for column in self.asks)
        return self.reverse if negative else self.event


GAP_OPEN = {"status": ("open", "in_progress", "blocked")}
REQUEST_OPEN = {"status": ("open", "in_progress", "waiting_on_requester")}

_ACTS = (
    Act(
        "attestations", "attest", "Attest",
        {"outcome": "=attested", "statement": "same"}, {"attestor": "person", "attested_at": "now"},
        {"outcome": (NONE,), "withdrawn_on": (NONE,)}, "attestation.signed",
    ),
    Act(
        "attestations", "delegate", "Delegate", {"delegated_to": "same"},
        when={"outcome": (NONE,), "withdrawn_on": (NONE,)},
    ),
    Act(
        "remediations", "take", "Take until", {"due_on": "+14"}, {"owner": "person", "status": "=in_progress"},
        {**GAP_OPEN, "owner": (NONE,)},
    ),
    Act("remediations", "move", "New date", {"due_on": "same"}, when=GAP_OPEN),
    Act("remediations", "finish", "Done", {"closed_on": "today"}, {"status": "=closed"}, GAP_OPEN),
    Act(
        "evidence_requests", "take", "Take until", {"due_on": "same"}, {"owner": "person", "status": "=in_progress"},
        {**REQUEST_OPEN, "owner": (NONE,)},
    ),
    Act("evidence_requests", "move", "New date", {"due_on": "same"}, when=REQUEST_OPEN),
    Act(
        "evidence_requests", "send", "Send to auditor", {"submitted_on": "today"},
        {"status": "=submitted", "auditor_status": "=submitted"}, REQUEST_OPEN,
    ),
    Act(
        "evidence_requests", "finish", "Done", {"closed_on": "today"}, {"status": "=closed"},
        {"status": (*REQUEST_OPEN["status"], "submitted")},
    ),
    Act(
        "test_runs", "finish", "Done", {"outcome": "=passed", "performed_on": "today"}, {"performer": "person"},
        {"outcome": (NONE,)}, "control.test.passed", "control.test.failed",
    ),
    Act("incident_actions", "move", "New date", {"due_on": "same"}, when={"status": ("open", NONE)}),
    Act(
        "incident_actions", "finish", "Done", {"closed_on": "today"}, {"status": "=done"}, {"status": ("open", NONE)}
    ),
    Act(
        "incidents", "close", "Close", {"root_cause": "same", "summary": "same"},
        when={"status": ("open", "acknowledged", "mitigated", "resolved")}, step="close",
    ),
    Act(
        "exceptions", "accept", "Accept", {"expires_on": "same", "residual": "same"},
        {"status": "=approved", "approver": "person", "approved_on": "today"}, {"status": ("draft", "in_review")},
        "exception.approved",
    ),
    Act(
        "exceptions", "reject", "Reject", {}, {"status": "=rejected", "approver": "person"},
        {"status": ("draft", "in_review")},
    ),
    Act(
        "exceptions", "renew", "Renew", {"expires_on": "+90", "residual": "same"},
        {"approver": "person", "approved_on": "today", "renewals": "next"}, {"status": ("approved",)},
        "exception.approved",
    ),
    Act("exceptions", "end", "End", {"reason": "same"}, {"status": "=resolved"}, {"status": ("approved",)}),
    Act(
        "vendors", "review", "Review", {"last_review_on": "today", "next_review_on": "+365"}, {"status": "=assessed"},
        {"offboarded_on": (NONE,)}, "vendor.review.completed",
    ),
    Act(
        "policies", "review", "Review", {"review_due_on": "+365"}, {"accepted_by": "person", "accepted_at": "now"},
        {"state": ("active",), "kind": ("governance", NONE)}, "policy.reviewed",
    ),
    Act(
        "risks", "review", "Review", {"residual_likelihood": "same", "residual_impact": "same"},
        {"reviewed_on": "today"}, {"status": ("open", NONE)},
    ),
    Act(
        "plays", "accept", "Accept", {"started_on": "today"}, {"status": "=active", "owner": "same-or-person"},
        {"status": ("proposed",)},
    ),
    Act("plays", "finish", "Done", {"closed_on": "today"}, {"status": "=completed"}, {"status": ("active",)}),
    Act(
        "staffing_actions", "accept", "Accept", {"tracked_on": "today", "assignee": "same"}, {"status": "=tracked"},
        {"status": ("proposed",)},
    ),
    Act(
        "staffing_actions", "finish", "Done", {"completed_on": "today", "relief_actual_hours": "same"},
        {"status": "=completed"}, {"status": ("tracked", "open")},
    ),
)  # fmt: skip
ACTS: Mapping[tuple[str, str], Act] = MappingProxyType({(act.table, act.name): act for act in _ACTS})


def acts_of(table: str) -> list[Act]:
    """The acts of a table, in the order in which they are offered."""
    return [act for act in _ACTS if act.table == table]


def value(source: str, column: str, row: Mapping[str, object], person: str, now: datetime, today: date) -> str | None:
    """The text of a cell that an act names a source for; None for an empty cell."""
    if source.startswith("="):
        return source[1:]
    if source.startswith("+"):
        return (today + timedelta(days=int(source[1:]))).isoformat()
    plain = {"person": person, "today": today.isoformat(), "now": now.isoformat(), "empty": None}
    if source in plain:
        return plain[source]
    if source == "next":
        return str(int(str(row.get(column) or 0)) + 1)
    if row.get(column) is not None:
        return cell_text(row[column])
    return plain.get(source.removeprefix("same-or-"))


def cell_text(day: object) -> str:
    """A value of the store as a cell of a form or a file has it."""
    if day is None:
        return ""
    if isinstance(day, bool):
        return "true" if day else "false"
    if isinstance(day, datetime):
        return day.isoformat().replace("+00:00", "Z")
    if isinstance(day, date):
        return day.isoformat()
    if isinstance(day, float):
        return repr(day).removesuffix(".0")
    if isinstance(day, dict | list):
        return canonical_json(day)
    return str(day)
