"""Where the findings lie in a body: it is one itself, a list, or an object around a list."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.intake.refusals import display
from engine.intake.values import as_list, mapping, whole_number
from engine.model.errors import BadRequest

WRAPPERS = ("findings", "vulnerabilities", "detections", "results", "rows")
SINGLE = WRAPPERS[:3]  # where one finding may stand without a list around it


class Layout(NamedTuple):
    """Items with the path that the sender knows them by.

    ``format`` where the wrapping alone says whose they are; ``expected`` is where items belong. ``truncated`` where the
    body says that more pages follow; ``hosts`` are those that it names, also without a finding, and ``origins`` the
    tools that looked at them, where a document is of others than its format says.
    """

    items: list[tuple[str, object]]
    wrapper: Mapping[str, object]
    expected: str
    format: str | None = None
    truncated: bool = False
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()


def plain_layout(body: object) -> Layout:
    """Findings in a list of their own, whoever's they are; Security Center's list may say that there are more."""
    if isinstance(body, list):
        return Layout(number_items("", body), {}, "the list that the body is")
    if not isinstance(body, dict):
        raise BadRequest(
            f"The body must be a finding, a list of findings or an object around one; got {display(body)}.",
            word="unknown_finding_shape",
        )
    for name in WRAPPERS:
        if isinstance(inside := body.get(name), list):
            return Layout(number_items(name, inside), body, f"{name}[]")
        if isinstance(inside, dict) and name in SINGLE:
            return Layout([(name, inside)], body, name)
    if "findings" in body:
        raise BadRequest(
            f"findings must be a list of findings; got {display(body['findings'])}.",
            word="invalid_finding",
            details=[{"field": "findings", "expected": "a list of findings", "found": display(body["findings"])}],
        )
    answer = mapping(body.get("response"))
    if "results" in answer:
        more = (whole_number(answer.get("totalRecords")) or 0) > (whole_number(answer.get("endOffset")) or 2**31)
        rows = number_items("response.results", as_list(answer["results"]))
        return Layout(rows, body, "response.results[]", "tenable", truncated=more)
    return Layout([("", body)], body, "the body")


def number_items(name: str, items: list[object]) -> list[tuple[str, object]]:
    """The items with their place in the list of that name."""
    return [(f"{name}[{index}]", item) for index, item in enumerate(items)]
