"""Every error that a person may see: one base class, one shape on every door.

The HTTP door turns a ``Problem`` into ``{"error", "message", "details"?}`` with its status, the command
line into one sentence and its exit code.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class Problem(Exception):
    """What was expected, what came, what to do: ``message`` is one clear sentence for a person."""

    status = 500
    word = "internal_error"
    exit_code = 1
    members: Mapping[str, object] = {}  # what its answer has besides, the same for all of a kind

    def __init__(
        self,
        message: str,
        *,
        word: str | None = None,
        details: Sequence[dict[str, Any]] = (),  # goes out as JSON; each kind of error has its own members
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.word = word or type(self).word
        self.details = list(details)
        self.headers = headers or {}


class BadRequest(Problem):
    """A parameter or a body that is malformed or out of range."""

    status = 400
    word = "bad_request"
    exit_code = 2


class Unauthorized(Problem):
    """The credential is missing, wrong, expired, revoked or of another kind."""

    status = 401
    word = "unauthorized"


class Forbidden(Problem):
    """The role or the plan does not allow the action."""

    status = 403
    word = "forbidden"


class NotFound(Problem):
    """No such route or record in the caller's organization."""

    status = 404
    word = "not_found"
    exit_code = 2


class MethodNotAllowed(Problem):
    """The path exists, the method does not."""

    status = 405
    word = "method_not_allowed"


class Conflict(Problem):
    """The record is not in a state that allows the action."""

    status = 409
    word = "conflict"


class TooLarge(Problem):
    """The body is over the limit."""

    status = 413
    word = "body_too_large"


class TooManyRequests(Problem):
    """The rate limit is used up; ``Retry-After`` says for how long."""

    status = 429
    word = "rate_limited"


class Unavailable(Problem):
    """Something that we need (a store, a migration, a disk) is not there."""

    status = 503
    word = "unavailable"


class NotReady(Unavailable):
    """The store is not one that this process can work with; whoever looks at ``ok`` alone is told so, too."""

    members: Mapping[str, object] = {"ok": False}


class InvalidData(Problem):
    """Imported or catalogue data that does not hold; ``details`` has one entry for each bad cell."""

    status = 400
    word = "invalid_data"


class Usage(Problem):
    """A command line option or a setting that is wrong."""

    status = 400
    word = "usage"
    exit_code = 2


def unknown_organization(org_id: str) -> NotFound:
    """What is said of an organization that is not there."""
    return NotFound(f"There is no organization {org_id!r}.", word="unknown_organization")
