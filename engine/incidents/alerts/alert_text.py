"""What the alert of an incident said, for the documents about the incident: all of it, and nothing without one."""

from collections.abc import Iterator, Mapping

from engine.incidents.review.markdown import facts, table
from engine.model.records import IncidentRow
from engine.model.vocabulary import Json


def alert_blocks(incident: IncidentRow) -> Iterator[str]:
    """Host, measured value, runbook, graph and links; then labels and annotations."""
    said = [
        ("Host", incident.get("host")),
        ("Measured", incident.get("value")),
        ("Runbook", incident.get("runbook_url")),
        ("Graph", incident.get("image_url")),
        *((f"Link to the {name}", address) for name, address in texts(incident.get("links")).items()),
    ]
    yield facts((name, value) for name, value in said if value)
    labels, annotations = texts(incident.get("labels")), texts(incident.get("annotations"))
    yield table(("Label", "Value"), list(labels.items()), nothing="")
    yield table(("Annotation", "Text"), list(annotations.items()), nothing="")


def has_alert(incident: IncidentRow) -> bool:
    """Whether there is anything to show."""
    return any(alert_blocks(incident))


def texts(value: Json) -> Mapping[str, str]:
    """Texts by name, sorted; nothing out of what an import brought that is no object."""
    held = value if isinstance(value, dict) else {}
    return {name: str(text) for name, text in sorted(held.items()) if text not in (None, "")}
