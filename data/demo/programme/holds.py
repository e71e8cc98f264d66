"""Legal holds and retention of the organization's own choosing."""

from data.demo.cast import people
from data.demo.history.story import Story


def fill(story: Story) -> None:
    story.add(
        "legal_holds",
        id="HOLD-1",
        matter=f"{story.profile.name} v. former reseller",
        incident_id=story.tables["incidents"][7]["id"],
        reason="records may be evidence",
        placed_by=people.lead(story, "governance"),
        placed_at=story.at(210, 700),
        custodian=people.lead(story, "data"),
        scope="incident",
    )
    story.add(
        "legal_holds",
        id="HOLD-2",
        matter="Regulatory enquiry, closed",
        reason="request of the regulator",
        placed_by=people.lead(story, "governance"),
        placed_at=story.at(330, 640),
        custodian=people.lead(story, "data"),
        scope="access.",
        released_at=story.at(96, 800),
        released_by=people.lead(story, "risk"),
    )
    for record_class, days in (("audit_log", 730), ("incidents", 1095)):
        story.add(
            "retention_overrides",
            record_class=record_class,
            days=days,
            reason="agreed with the auditor",
            approved_by=people.lead(story, "governance"),
            approved_on=story.day(365),
        )
    for row in story.tables["legal_holds"]:
        story.event(
            f"AE-{row['id']}-placed", row["placed_at"], row["placed_by"], "legal_hold.placed", "legal_hold", row["id"]
        )
        if "released_at" in row:
            released = row["released_at"], row["released_by"]
            story.event(f"AE-{row['id']}-released", *released, "legal_hold.released", "legal_hold", row["id"])
