"""CycloneDX' XML as its JSON: a list is an element around its items there, and an attribute a member like any other."""

from collections.abc import Mapping

from engine.intake.values import as_list, mapping

ITEMS = {
    "components": "component",
    "services": "service",
    "vulnerabilities": "vulnerability",
    "ratings": "rating",
    "references": "reference",
    "affects": "target",
    "versions": "version",
    "properties": "property",
    "responses": "response",
}
RENAMED = {"responses": "response", "#text": "value"}
BILL = frozenset({"metadata", "components", "vulnerabilities", "@version", "@serialNumber"})
DEEPEST = 40


def bill_of_xml(body: object) -> Mapping[str, object] | None:
    """The bill as JSON would have it; None for any other document."""
    bill = mapping(body).get("bom") if isinstance(body, dict) and len(body) == 1 else None
    if not isinstance(bill, dict) or not BILL & bill.keys():
        return None
    return {"bomFormat": "CycloneDX", **mapping(_plain(bill, 0))}


def _plain(value: object, depth: int) -> object:
    if not isinstance(value, dict) or depth > DEEPEST:
        return None if isinstance(value, dict | list) else value
    plain: dict[str, object] = {}
    for name, inner in value.items():
        item = ITEMS.get(name)
        known = as_list(mapping(inner).get(item)) if item else None
        short = RENAMED.get(name, name.removeprefix("@"))
        plain[short] = _plain(inner, depth + 1) if known is None else [_plain(one, depth + 1) for one in known]
    return plain
