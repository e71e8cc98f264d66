"""What people do with records at the desk: whose a row is, when it is due, which acts there are, and who may do which.

The desk, its list of rights in the reference and the test that walks it read the same three tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

EVERY_TABLE = "*"


@dataclass(frozen=True)
class WorkColumns:
    """How a row is somebody's work: ``owners`` name whose, ``due`` dates it, ``live`` are the states that ask for it.

    A state of None is an empty cell. A row with anything in a column of ``unless`` is nobody's work.
    """

    owners: tuple[str, ...]
    due: str | None = None
    state: str | None = None
    live: tuple[str | None, ...] = ()
    unless: tuple[str, ...] = ()


DUTIES: Mapping[str, WorkColumns] = MappingProxyType(
    {
        "attestations": WorkColumns(
            ("owner", "attestor", "delegated_to"), "due_on", "outcome", (None,), ("withdrawn_on",)
        ),
        "remediations": WorkColumns(("owner",), "due_on", "status", ("open", "in_progress", "blocked")),
        "evidence_requests": WorkColumns(
            ("owner", "backup"), "due_on", "status", ("open", "in_progress", "waiting_on_requester")
        ),
        "test_runs": WorkColumns(("performer",), "window_close_on", "outcome", (None,)),
        "incident_actions": WorkColumns(("owner",), "due_on", "status", ("open",)),
        "incidents": WorkColumns(("owner",), None, "status", ("open", "acknowledged", "mitigated")),
        "exceptions": WorkColumns(("approver",), "expires_on", "status", ("draft", "in_review", "approved")),
        "vendors": WorkColumns(("owner",), "next_review_on", "status", (), ("offboarded_on",)),
        "policies": WorkColumns(("owner",), "review_due_on", "state", ("active",)),
        "staffing_actions": WorkColumns(("owner", "assignee"), None, "status", ("proposed", "tracked", "open")),
        "plays": WorkColumns(("owner",), None, "status", ("proposed", "active")),
        "risks": WorkColumns(("owner",), None, "status", ("open",)),
        "findings": WorkColumns((), "due_on", "status", ("open",)),
        "poam_items": WorkColumns((), "due_on", "status", ("open",)),
        "committee_meetings": WorkColumns((), "held_on", "status", ("planned",)),
        "committees": WorkColumns(("chair",)),
        "evidence_items": WorkColumns(("owner",)),
        "services": WorkColumns(("owner",)),
        "systems": WorkColumns(("owner",)),
        "testing_schedules": WorkColumns(("owner", "performer"), "ends_on"),
        "control_owners": WorkColumns(("email",)),
        "owner_capacity": WorkColumns(("email",)),
        "absences": WorkColumns(("email",)),
        "users": WorkColumns(("email",)),
        "memberships": WorkColumns(("email",), None, "status"),
        "approvals": WorkColumns(("requested_by",), None, "status", ("pending",)),
        "vendor_documents": WorkColumns((), "expires_on"),
        "organization_frameworks": WorkColumns((), "target_on"),
    }
)  # fmt: skip
NO_DUTY = WorkColumns(())

_LINES: tuple[tuple[str, str, str], ...] = (
    # table                 acts                                who may; a later line takes the place of an earlier one
    (EVERY_TABLE,           "read",                             "owner admin operator member"),
    (EVERY_TABLE,           "add change import",                "owner admin"),
    ("audit_log",           "read",                             "owner admin"),
    ("audit_log",           "change",                           ""),
    # what the product wrote itself stands: a seal, and what a week's snapshot saw
    ("bundles",             "change",                           ""),
    ("posture_snapshots",   "change",                           ""),
    ("readiness_snapshots", "change",                           ""),
    ("obligation_snapshots", "change",                          ""),
    ("control_state_changes", "change",                         ""),
    ("memberships",         "read",                             "owner admin"),
    ("memberships",         "add change import",                "owner"),
    ("organization_settings", "read",                           "owner admin"),
    ("legal_holds",         "read",                             "owner admin"),
    ("incidents",           "add change import",                "owner admin operator"),
    ("incident_timeline",   "add change import",                "owner admin operator"),
    ("incident_actions",    "add change import",                "owner admin operator"),
    ("on_call_shifts",      "add change import",                "owner admin operator"),
    ("maintenance_windows", "add change import",                "owner admin operator"),
    ("service_senders",     "add change import",                "owner admin operator"),
    ("findings",            "add change import",                "owner admin operator"),
    ("deploys",             "add change import",                "owner admin operator"),
    ("dry_runs",            "add import",                       "owner admin operator"),
    ("executions",          "add import",                       "owner admin operator"),
    ("evidence_items",      "add",                              "owner admin operator member"),
    ("evidence_items",      "change",                           "owner admin own"),
    ("attestations",        "attest delegate",                  "owner admin own"),
    ("remediations",        "take",                             "owner admin operator member"),
    ("remediations",        "move finish",                      "owner admin own"),
    ("evidence_requests",   "take",                             "owner admin operator member"),
    ("evidence_requests",   "move send finish",                 "owner admin own"),
    ("test_runs",           "finish",                           "owner admin own"),
    ("incident_actions",    "move finish",                      "owner admin operator own"),
    ("incidents",           "close",                            "owner admin operator"),
    ("exceptions",          "accept reject renew end",          "owner admin"),
    ("vendors",             "review",                           "owner admin own"),
    ("policies",            "review",                           "owner admin own"),
    ("risks",               "review",                           "owner admin own"),
    ("plays",               "accept",                           "owner admin own"),
    ("plays",               "finish",                           "owner admin own"),
    ("staffing_actions",    "accept finish",                    "owner admin own"),
)  # fmt: skip


RIGHTS: Mapping[tuple[str, str], frozenset[str]] = MappingProxyType(
    {(table, act): frozenset(who.split()) for table, acts, who in _LINES for act in acts.split()}
)
"""Who may do an act to a table: roles, and ``own``. What no line of a table names is as in that of every table."""


def may(role: str | None, table: str, act: str, *, own: bool = False) -> bool:
    """Whether somebody in a role may do it to a row, ``own`` where the row names them. False for what is in no line."""
    who = RIGHTS.get((table, act), RIGHTS.get((EVERY_TABLE, act), frozenset()))
    return role in who or (own and role is not None and "own" in who)


def is_own(table: str, row: Mapping[str, object], person: str) -> bool:
    """Whether the row names the person (an address in lower case) as one whose it is."""
    named = (str(row.get(column) or "") for column in DUTIES.get(table, NO_DUTY).owners)
    return any(person == part.strip().lower() for text in named for part in text.split(";"))
