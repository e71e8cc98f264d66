"""OSCAL plan of action and milestones as JSON, valid under the public schema (NIST OSCAL 1.0.4, 1.0.6 and 1.2.1).

    {"plan-of-action-and-milestones": {"uuid": "…", "metadata": {…}, "system-id": {…}, "observations": [{…}, …],
     "risks": [{…}, …], "poam-items": [{"uuid": "…", "title": "…", "related-risks": [{"risk-uuid": "…"}]}, …]}}

The items are the rows of the table ``items``, whose columns are those of the POA&M template in snake case with
``subject``, the identity from which an item's UUIDs (version 5) follow, and ``kind``, gap or finding. The schema asks
for at least one item, so a plan without any has one that says so.
"""

from collections.abc import Iterable
from datetime import date
from uuid import NAMESPACE_URL, uuid5

import msgspec

from engine.model.documents.document import Edition, FrameRow
from engine.render.text.json import plain_dicts

VERSION = "1.1.2"
FEDRAMP = "https://fedramp.gov/ns/oscal"
STATUS = {"accepted": "deviation-approved", "completed": "closed", "false_positive": "closed"}
DEVIATIONS = ("risk_adjustment", "false_positive", "operational_requirement")
# property of an item: column
PROPERTIES = {
    "POAM-ID": "poam_id",
    "weakness-source-identifier": "weakness_source_identifier",
    "impacted-control-id": "controls",
    "asset-identifier": "asset_identifier",
    "point-of-contact": "point_of_contact",
    "resources-required": "resources_required",
    "vendor-dependency": "vendor_dependency",
    "last-vendor-check-in": "last_vendor_check_in_date",
    "vendor-dependent-product": "vendor_dependent_product_name",
    "false-positive": "false_positive",
    "operational-requirement": "operational_requirement",
    "risk-adjustment": "risk_adjustment",
    "cisa-kev-catalog": "bod_22_01_tracking",
    "cisa-kev-due-date": "bod_22_01_due_date",
    "cve": "cve",
}
# parameters that choose a part of the plan: each part is a document of its own
PARTS = ("sheet", "scans")
RATINGS = {"initial-risk-rating": "original_risk_rating", "residual-risk-rating": "adjusted_risk_rating"}


def render(edition: Edition) -> bytes:
    """The plan as one line of JSON; same edition, same bytes."""
    rows = [row for table in edition.document.tables if table.name == "items" for row in plain_dicts(table)]
    plan: dict[str, object] = {
        "uuid": _uuid(edition, "plan", *(edition.parameters[name] for name in PARTS if name in edition.parameters)),
        "metadata": {
            "title": f"{edition.title}: {edition.organization.name or edition.organization.id}",
            "last-modified": _instant(edition.as_of),
            "version": str(edition.revision.seq),
            "oscal-version": VERSION,
            "props": _props({"revision-hash": edition.revision.hash, "report": edition.report}),
            "roles": [{"id": "prepared-by", "title": "Prepared by"}],
            "parties": [_party(edition)],
            "responsible-parties": [{"role-id": "prepared-by", "party-uuids": [_uuid(edition, "party")]}],
        },
        "system-id": {"identifier-type": "http://ietf.org/rfc/rfc4122", "id": _uuid(edition, "system")},
    }
    if rows:
        plan["observations"] = [_observation(edition, row) for row in rows]
        plan["risks"] = [_risk(edition, row) for row in rows]
    plan["poam-items"] = [_item(edition, row) for row in rows] or [_no_weakness(edition)]
    return msgspec.json.encode({"plan-of-action-and-milestones": plan}) + b"\n"


def _party(edition: Edition) -> dict[str, object]:
    name = _line(edition.organization.name) or edition.organization.id
    return {"uuid": _uuid(edition, "party"), "type": "organization", "name": name}


def _observation(edition: Edition, row: FrameRow) -> dict[str, object]:
    return {
        "uuid": _uuid(edition, "observation", row["subject"]),
        "title": row["weakness_name"],
        "description": row["weakness_description"],
        "methods": ["TEST" if row["kind"] == "finding" else "EXAMINE"],
        "types": ["finding"],
        "origins": [{"actors": [{"type": "party", "actor-uuid": _uuid(edition, "party")}]}],
        "collected": _instant(row["original_detection_date"]),
        "remarks": f"Source: {row['weakness_detector_source']}.",
    }


def _risk(edition: Edition, row: FrameRow) -> dict[str, object]:
    risk: dict[str, object] = {
        "uuid": _uuid(edition, "risk", row["subject"]),
        "title": row["weakness_name"],
        "description": row["weakness_description"],
        "statement": row["deviation_rationale"] or row["weakness_description"],
        "status": _status(row),
        "deadline": _instant(row["scheduled_completion_date"]),
        "related-observations": [{"observation-uuid": _uuid(edition, "observation", row["subject"])}],
    }
    ratings = _props({name: row[column] for name, column in RATINGS.items()}, FEDRAMP)
    if ratings:
        risk["props"] = ratings
    if row["remediation_plan"]:
        risk["remediations"] = [
            {
                "uuid": _uuid(edition, "remediation", row["subject"]),
                "lifecycle": "completed" if risk["status"] == "closed" else "planned",
                "title": "Remediation plan",
                "description": row["remediation_plan"],
            }
        ]
    return risk


def _status(row: FrameRow) -> str:
    asked = "Pending" in (row[column] for column in DEVIATIONS)
    return STATUS.get(row["status"], "deviation-requested" if asked else "open")


def _item(edition: Edition, row: FrameRow) -> dict[str, object]:
    item: dict[str, object] = {
        "uuid": _uuid(edition, "poam-item", row["subject"]),
        "title": row["weakness_name"],
        "description": row["weakness_description"],
        "props": _props({name: row[column] for name, column in PROPERTIES.items()}, FEDRAMP),
        "related-observations": [{"observation-uuid": _uuid(edition, "observation", row["subject"])}],
        "related-risks": [{"risk-uuid": _uuid(edition, "risk", row["subject"])}],
    }
    if row["comments"]:
        item["remarks"] = row["comments"]
    return item


def _no_weakness(edition: Edition) -> dict[str, object]:
    return {
        "uuid": _uuid(edition, "poam-item", "none"),
        "title": "No weakness on record",
        "description": _line(edition.document.headline) or "There is nothing on this plan.",
        "props": _props({"placeholder": "yes"}),
    }


def _props(values: FrameRow, namespace: str | None = None) -> list[dict[str, str]]:
    """A property for each value that is there; lists have one for each item."""
    props = []
    for name, value in values.items():
        for part in value if isinstance(value, list) else [value]:
            text = _line(part)
            if text:
                props.append({"name": name, **({"ns": namespace} if namespace else {}), "value": text})
    return props


def _line(value: object) -> str:
    """Text in one line without blanks around it, as the schema asks of names and values."""
    return "" if value is None else " ".join(str(value).split())


def _instant(day: date | str) -> str:
    return f"{day}T00:00:00Z"


def _uuid(edition: Edition, *names: str) -> str:
    """Version 5, from organization and subject alone: the same in every revision of the plan."""
    return str(uuid5(NAMESPACE_URL, _path(("poam", edition.organization.id, *names))))


def _path(parts: Iterable[str]) -> str:
    return "urn:" + "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)
