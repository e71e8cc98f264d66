"""Which past a report is asked for: the records as they were, and the day that it is computed for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Self

from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest

MOST_REVISIONS = 999_999_999
AS_OF = Parameter("asOf", None, "the records at the end of that day, computed for it; today without", is_day=True)
REVISION = Parameter(
    "revision",
    None,
    "the records at that position in the chain, computed for the day of its recording or for asOf",
    1,
    MOST_REVISIONS,
)
SINCE = Parameter(
    "since", None, "what changed since the end of that day and what did it, instead of the report", is_day=True
)
PAST_PARAMETERS = (AS_OF, REVISION, SINCE)


@dataclass(frozen=True)
class AsOf:
    """The records at ``revision``, else the last ones of ``day``; computed for ``day``, else that of the revision."""

    day: date | None = None
    revision: int | None = None

    @classmethod
    def take(cls, query: Mapping[str, str]) -> tuple[Self | None, dict[str, str]]:
        """What a query asks of the past, None where nothing, and the rest of it. BadRequest for what is malformed."""
        rest = {name: text for name, text in query.items() if name not in (AS_OF.name, REVISION.name)}
        day = AS_OF.parse(query[AS_OF.name]) if AS_OF.name in query else None
        revision = REVISION.parse(query[REVISION.name]) if REVISION.name in query else None
        if day is None and revision is None:
            return None, rest
        return cls(
            None if day is None else date.fromisoformat(str(day)), None if revision is None else int(revision)
        ), rest

    def refuse_day(self, first: date, last: date, why: str) -> BadRequest:
        """What is said of a day that has no answer, though others have."""
        return _refusal(AS_OF, f"a day from {first} to {last}: {why}", str(self.day))

    def refuse_revision(self, first: int, last: int, why: str) -> BadRequest:
        """What is said of a revision that has no answer, though others have."""
        return _refusal(REVISION, f"an integer from {first} to {last}: {why}", str(self.revision))


def _refusal(parameter: Parameter, expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The parameter {parameter.name} must be {expected}; got {got!r}.",
        word="invalid_parameter",
        details=[{"parameter": parameter.name, "expected": expected, "got": got}],
    )
