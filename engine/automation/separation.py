"""Separation of duties: which of requester, approver and executor a policy document wants to be different people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.model.records import PolicyRow
from engine.model.vocabulary import SEPARABLE_DUTIES

EXPECTATION = f"a list of two or three of {', '.join(SEPARABLE_DUTIES)}, each once"


@dataclass(frozen=True)
class DutyHolders:
    """Who made the dry-run, who approved it, and who executes; None where nobody did."""

    requester: str | None
    approver: str | None
    executor: str


def is_separation(value: object) -> bool:
    """Whether a document may say this: nothing, or two or three of the duties."""
    if value is None or value == []:
        return True
    if not isinstance(value, list) or not all(isinstance(one, str) and one in SEPARABLE_DUTIES for one in value):
        return False
    return 2 <= len(value) == len(set(value))


def separate_duties(documents: Sequence[PolicyRow]) -> list[str]:
    """The duties that any of the documents separates, in their order; what cannot be read separates all of them."""
    every: set[str] = set()
    for document in documents:
        every |= _duties(document)
    return [duty for duty in SEPARABLE_DUTIES if duty in every]


def wants_approver(documents: Sequence[PolicyRow]) -> bool:
    """Whether some document separates the approver from anybody: there has to be one."""
    return any("approver" in _duties(document) for document in documents)


def breaches(documents: Sequence[PolicyRow], people: DutyHolders) -> Iterator[tuple[str, str]]:
    """A sentence for each two duties that one person has and that a document separates, with the document's id."""
    names: Mapping[str, str | None] = vars(people)
    for document in documents:
        duties = [duty for duty in SEPARABLE_DUTIES if duty in _duties(document)]
        if "approver" in duties and people.approver is None:
            yield f"{document['id']} separates {_listing(duties)}, and nobody approved this dry-run.", document["id"]
        for one, other in combinations(duties, 2):
            if names[one] is not None and names[one] == names[other]:
                yield (
                    f"{document['id']} wants {one} and {other} to be different people; both are {names[one]}.",
                    document["id"],
                )


def _duties(document: PolicyRow) -> set[str]:
    value = document["separation"]
    if not is_separation(value):
        return set(SEPARABLE_DUTIES)
    return {str(one) for one in value} if isinstance(value, list) else set()


def _listing(duties: Sequence[str]) -> str:
    return " and ".join(duties) if len(duties) == 2 else ", ".join(duties)
