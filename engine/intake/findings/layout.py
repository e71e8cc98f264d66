"""Where the findings lie in a body: it is one itself, a list, or an object around a list."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.intake.refusals import display
from engine.intake.values import as_list, mapping, plain
from engine.model.errors import BadRequest

WRAPPERS = ("findings", "vulnerabilities", "detections", "results")
OUTPUT = "HOST_LIST_VM_DETECTION_OUTPUT"
MORE_PAGES = "1980"


class Layout(NamedTuple):
    """Items with the path that the sender knows them by; ``truncated`` where the body says that more pages follow."""

    items: list[tuple[str, object]]
    wrapper: Mapping[str, object]
    truncated: bool = False


def layout(body: object) -> Layout:
    if isinstance(body, list):
        return Layout(_numbered("", body), {})
    if not isinstance(body, dict):
        raise BadRequest(
            f"The body must be a finding, a list of findings or an object around one; got {display(body)}.",
            word="unknown_finding_shape",
        )
    for name in WRAPPERS:
        if isinstance(inside := body.get(name), list):
            return Layout(_numbered(name, inside), body)
    if "findings" in body:
        if isinstance(body["findings"], dict):
            return Layout([("findings", body["findings"])], body)
        raise BadRequest(
            f"findings must be a list of findings; got {display(body['findings'])}.",
            word="invalid_finding",
            details=[{"field": "findings", "expected": "a list of findings", "found": display(body["findings"])}],
        )
    results = mapping(body.get("response")).get("results")
    if isinstance(results, list):
        return Layout(_numbered("response.results", results), body)
    return _qualys(body) or Layout([("", body)], body)


def _qualys(body: Mapping[str, object]) -> Layout | None:
    """The API's output from whichever of its outer elements a connector left on."""
    output = mapping(body.get(OUTPUT)) or body
    answer = mapping(output.get("RESPONSE")) or output
    inside = answer.get("HOST_LIST")
    if not isinstance(inside, dict | list):
        return None
    hosts = as_list(inside.get("HOST") if isinstance(inside, dict) else inside)
    warning = mapping(answer.get("WARNING"))
    return Layout(_numbered("HOST", hosts), body, truncated=plain(warning.get("CODE")) == MORE_PAGES)


def _numbered(name: str, items: list[object]) -> list[tuple[str, object]]:
    return [(f"{name}[{index}]", item) for index, item in enumerate(items)]
