"""What the parts of an organization's records are called: a table, or the audit events of one action."""

EVENTS = "audit_log"
PERSON_ERASED = "person.erased"  # the action after which the past reads otherwise


def part_of(action: str) -> str:
    """The part that the audit events of an action are."""
    return f"{EVENTS}:{action}"
