"""Why a control is in its state, as far as the facts say it."""

from functools import cache

from engine.model.document import FrameRow
from engine.reporting.catalogue import catalogue


def reason_of(row: FrameRow, family: str | None, against: str | None) -> str:
    """The reason that a row of ``control_status`` has for its state; empty where it says none.

    ``family`` is what its newest evidence was evidence of: ``backup``, ``access review``; ``against`` the event that
    speaks against it, as people call it.
    """
    match row["state"]:
        case "stale" if row["change_invalidated"]:
            return "because what they are about was changed after their evidence"
        case "stale" if family:
            return f"when {family} evidence stopped"
        case "ineffective" if row["failing_test"]:
            return "because a test failed"
        case "ineffective" if against:
            return f"after “{against}”"
        case "ineffective" if against:
            return f"after “{against}”"
        case "effective" if family:
            return f"with new {family} evidence"
    return ""


def family_of(action: str) -> str:
    """What an action is evidence of: ``access.review.completed`` of access reviews."""
    return (action.rpartition(".")[0] or action).replace(".", " ").replace("_", " ")


def title_of(action: str) -> str:
    """An action as people call it."""
    words = _titles().get(action) or action.replace(".", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


@cache
def _titles() -> dict[str, str]:
    return dict(catalogue().actions.select("action", "title").iter_rows())
