"""FedRAMP's consolidated rules as published: Key Security Indicators under their themes, mapped to SP 800-53."""

from collections.abc import Mapping
from typing import Any

from engine.frameworks.completion import PUBLISHED
from engine.frameworks.content import FrameworkContent, refuse

SOURCE = "FedRAMP Consolidated Rules"


def read_rules(file: str, document: dict[str, Any], content: FrameworkContent, stem: str) -> None:
    """Add the indicators as assessable rows, and their controls of SP 800-53 as pairs: one stands under several."""
    info = document["info"]
    title, version = (info.get(name) for name in ("title", "version")) if isinstance(info, dict) else (None, None)
    own = {
        "id": stem,
        "title": f"{title or SOURCE}: Key Security Indicators",
        "version": version,
        "publisher": "FedRAMP",
        "source": info.get("source") if isinstance(info, dict) else None,
        "assessable_levels": "; ".join(_levels(document)) or None,
    }
    content.add("own_frameworks", own, f"{file}, info")
    for theme, group in document["KSI"].items():
        place = f"{file}, KSI {theme}"
        if not isinstance(group, dict) or not isinstance(group.get("indicators"), dict):
            raise refuse(place, "a theme with indicators", None)
        top = str(group.get("id") or f"KSI-{theme}")
        row = {"framework": stem, "id": top, "kind": "group", "title": group.get("name"), "text": group.get("theme")}
        content.add("framework_controls", row, place)
        for name, indicator in group["indicators"].items():
            _indicator(f"{file}, {name}", stem, top, name, indicator, content)


def _levels(document: Mapping[str, Any]) -> list[str]:
    """The classes by which statements differ."""
    levels = {
        level
        for group in document["KSI"].values()
        for indicator in group.get("indicators", {}).values()
        for level in indicator.get("varies_by_class", {})
    }
    return [f"class {level}" for level in sorted(levels)]


def _indicator(
    place: str, framework: str, parent: str, name: str, indicator: Mapping[str, Any], content: FrameworkContent
) -> None:
    by_class = indicator.get("varies_by_class") or {}
    texts = [f"Class {level.upper()}: {said.get('statement', '')}" for level, said in sorted(by_class.items())]
    details = {key: indicator[key] for key in ("terms", "updated", "varies_by_class") if key in indicator}
    row = {
        "framework": framework,
        "id": name,
        "parent": parent,
        "kind": "control",
        "title": indicator.get("name"),
        "text": indicator.get("statement") or "\n\n".join(texts) or None,
        "details": details or None,
    }
    content.add("framework_controls", row, place)
    for control in dict.fromkeys(indicator.get("controls") or ()):
        pair = {
            "source_framework": framework,
            "source_id": name,
            "target_framework": PUBLISHED,
            "target_id": control,
            "relation": "intersects",
            "strength": 0.5,
            "rationale": f"{name} lists {control} among its controls.",
            "source": SOURCE,
        }
        content.add("framework_mappings", pair, f"{place}, controls")
