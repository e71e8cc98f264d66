"""Where the findings lie in a body: it is one itself, a list, or an object around a list."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.intake.refusals import display
from engine.intake.values import as_list, mapping, plain
from engine.model.errors import BadRequest

WRAPPERS = ("findings", "vulnerabilities", "detections", "results")
OUTPUT = "HOST_LIST_VM_DETECTION_OUTPUT"
MORE_PAGES = "1980"


class Layout(NamedTuple):
    """Items with the path that the sender knows them by; ``truncated`` where the body says that more pages follow."""

    items: list[tuple[str, Any]]
    wrapper: Mapping[str, Any]
    truncated: bool = False


def layout(body: Any) -> Layout:
    if isinstance(body, list):
        return Layout(_numbered("", body), {})
    if not isinstance(body, dict):
        raise BadRequest(
            f"The body must be a finding, a list of findings or an object around one; got {display(body)}.",
            word="unknown_finding_shape",
        )
    for name in WRAPPERS:
        if isinstance(body.get(name), list):
            return Layout(_numbered(name, body[name]), body)
    if "findings" in body:
        if isinstance(body["findings"], dict):
            return Layout([("findings", body["findings"])], body)
        raise BadRequest(
            f"findings must be a list of findings; got {display(body['findings'])}.",
            word="invalid_finding",
            details=[{"field": "findings", "expected": "a list of findings", "found": display(body["findings"])}],
        )
    response = mapping(body.get("response"))
    if isinstance(response.get("results"), list):
        return Layout(_numbered("response.results", response["results"]), body)
    return _qualys(body) or Layout([("", body)], body)


def _qualys(body: Mapping[str, Any]) -> Layout | None:
    """The API's output from whichever of its outer elements a connector left on."""
    output = mapping(body.get(OUTPUT)) or body
    answer = mapping(output.get("RESPONSE")) or output
    if not isinstance(answer.get("HOST_LIST"), dict | list):
        return None
    inside = answer["HOST_LIST"]
    hosts = as_list(inside.get("HOST") if isinstance(inside, dict) else inside)
    warning = mapping(answer.get("WARNING"))
    return Layout(_numbered("HOST", hosts), body, truncated=plain(warning.get("CODE")) == MORE_PAGES)


def _numbered(name: str, items: list[Any]) -> list[tuple[str, Any]]:
    return [(f"{name}[{index}]", item) for index, item in enumerate(items)]
