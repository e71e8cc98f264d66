"""An organization in its first month: a founder who has begun with SOC 2, and not much on record yet."""

from hashlib import sha256

from data.demo.history.story import Story, plus_months
from engine.catalogue import catalogue

ORG = "dune"
BEGAN_AGO, SIGNED_AGO, POLICY_AGO, SCOPED_AGO = 22, 3, 12, 20
POLICY, VENDOR, EVIDENCE, SIGNED = "POL-ISP-v1", "VEN-brackwater-cloud", "EVD-0001", "CC1.1"
# criteria that the first report leaves out, by the beginning of their number
LEFT_OUT = {
    "A": "Availability is not promised to any customer yet; it joins the second report.",
    "P": "We process the records of companies; personal information is not collected for our own purposes.",
}
SPOKEN_OF = ("CC1.1", "CC1.5", "CC5.3")  # by the policy
OWED = ("CC2.2", "CC6.1", "CC6.3", "CC7.2", "CC8.1")  # the next signatures that were agreed
OWNED = (SIGNED, *OWED, "CC1.5", "CC5.3", "CC6.2", "CC6.6", "CC7.1", "CC9.2", "PI1.2")
# days ago, minutes after midnight, action, kind of object, object, outcome
NOTED = (
    (21, 610, "mfa.enforced", "user", None, "success"),
    (20, 655, "access.granted", "user", None, "success"),
    (17, 840, "change.approved", "change", "change-1", "success"),
    (16, 905, "code.review.completed", "repository", "pipelines", "success"),
    (14, 700, "vendor.created", "vendor", VENDOR, "success"),
    (11, 1180, "data.validation.failed", "service", "svc-loader", "failure"),
    (9, 930, "data.validation.completed", "service", "svc-loader", "success"),
    (6, 1010, "backup.failed", "service", "svc-loader", "failure"),
    (5, 620, "vuln.scan.failed", "service", "svc-loader", "denied"),
    (2, 560, "code.review.completed", "repository", "pipelines", "success"),
)


def exclusion_reason(control_id: str) -> str | None:
    """Why a criterion is not applicable, None for those that are."""
    return LEFT_OUT.get(control_id.rstrip("0123456789."))


def fill(story: Story) -> None:
    _organization(story)
    _scope(story)
    _policy(story)
    _signatures(story)
    _vendor(story)
    _evidence(story)
    for number, (ago, minutes, action, kind, name, outcome) in enumerate(NOTED, start=1):
        moment = story.at(ago, minutes)
        story.event(f"AE-{number:03d}", moment, owner(story), action, kind, name or owner(story), outcome=outcome)


def owner(story: Story) -> str:
    """The only person with an account."""
    return f"owner@{story.profile.org}.example"


def _organization(story: Story) -> None:
    profile, began = story.profile, story.day(BEGAN_AGO)
    story.add(
        "organizations",
        id=profile.org,
        name=profile.name,
        time_zone=profile.time_zone,
        sector=profile.sector,
        headcount=profile.headcount,
        deployment_tier=profile.tier,
        plan=profile.plan,
        data_region=profile.region,
        boundary="the vendor operates the console, the organization its own systems",
        key_custody="vendor",
        auth_mode="password and one-time code",
        modules=["compliance"],
        created_at=story.at(BEGAN_AGO, 580),
    )
    story.add("workspaces", id="ws-pipelines", name="Pipelines")
    story.add("users", email=owner(story), name="Jule Brandt", title="Founder and Chief Technology Officer")
    story.add(
        "memberships",
        email=owner(story),
        role="owner",
        workspace_id="ws-pipelines",
        since_on=began,
        display_name="Jule Brandt",
    )
    story.add("owner_capacity", email=owner(story), week="default", hours=6.0, absence_hours=0.0)
    story.add("organization_frameworks", framework="soc2", adopted_on=story.day(SCOPED_AGO), target_on=story.day(-215))
    story.add(
        "services",
        id="svc-loader",
        name="loader",
        owner=owner(story),
        criticality=5,
        environment="production",
        internet_facing=True,
        holds_customer_data=True,
    )


def _scope(story: Story) -> None:
    for control_id in catalogue().controls.filter("assessable", framework="soc2")["control_id"]:
        reason = exclusion_reason(control_id)
        if reason is not None:
            story.add(
                "control_profiles",
                framework="soc2",
                control_id=control_id,
                applicable=False,
                justification=reason,
                approved_by=owner(story),
                approved_on=story.day(SCOPED_AGO),
            )
    for control_id in OWNED:
        for raci in "AR":
            story.add("control_owners", framework="soc2", control_id=control_id, email=owner(story), raci=raci)


def _policy(story: Story) -> None:
    accepted = story.at(POLICY_AGO, 690)
    row = story.add(
        "policies",
        since=story.day(POLICY_AGO + 6),
        id=POLICY,
        policy="POL-ISP",
        version=1,
        kind="governance",
        title="Information Security Policy",
        state="draft",
        body="Information Security Policy, version 1.",
        owner=owner(story),
    )
    due = plus_months(accepted.date(), 12)
    now_binding = {"state": "active", "accepted_by": owner(story), "accepted_at": accepted, "review_due_on": due}
    story.amend(row, story.day(POLICY_AGO), **now_binding)
    for control_id in SPOKEN_OF:
        story.add(
            "policy_controls",
            since=story.day(POLICY_AGO + 6),
            policy_id=POLICY,
            framework="soc2",
            control_id=control_id,
        )
    named = "; ".join(f"soc2:{control_id}" for control_id in SPOKEN_OF)
    story.event(f"AE-{POLICY}", accepted, owner(story), "policy.published", "policy", POLICY, controls=named)


def _signatures(story: Story) -> None:
    """One is given, the next and those of some other controls are owed."""
    signed = story.at(SIGNED_AGO, 1000)
    for number, control_id in enumerate((SIGNED, *OWED)):
        row = story.add(
            "attestations",
            since=story.day(SCOPED_AGO - 2),
            id=f"ATT-soc2-{control_id}-1",
            framework="soc2",
            control_id=control_id,
            owner=owner(story),
            statement=f"{control_id} operates as described.",
            due_on=story.day(-7 * number),
            outcome=None,
        )
        if control_id == SIGNED:
            story.amend(row, story.day(SIGNED_AGO), outcome="attested", attestor=owner(story), attested_at=signed)
            about = f"AE-{row['id']}", signed, owner(story), "attestation.signed", "attestation", row["id"]
            story.event(*about, controls=f"soc2:{control_id}")


def _vendor(story: Story) -> None:
    story.add(
        "vendors",
        since=story.day(14),
        id=VENDOR,
        name="Brackwater Cloud",
        service="hosting of everything",
        owner=owner(story),
        category="cloud",
        tier="critical",
        data_classes="customer records",
        stores_customer_data=True,
        privileged_access=True,
        outage_stops_service=True,
        region=story.profile.region,
        status="not_assessed",
        onboarded_on=story.day(14),
    )
    story.add(
        "vendor_documents",
        since=story.day(13),
        id="VDOC-1",
        vendor_id=VENDOR,
        kind="soc2_type2",
        issued_on=story.day(75),
        period_start_on=story.day(110 + 364),
        period_end_on=story.day(110),
        opinion="unqualified",
        in_scope=True,
        location=f"vault://vendors/{VENDOR}/soc2_type2",
    )


def _evidence(story: Story) -> None:
    captured = story.at(8, 640)
    story.add(
        "evidence_items",
        since=story.day(8),
        id=EVIDENCE,
        title="List of everybody who may sign in",
        source="cloud console",
        owner=owner(story),
        captured_at=captured,
        location=f"vault://evidence/{EVIDENCE}",
        sha256=sha256(f"{ORG}/{EVIDENCE}".encode()).hexdigest(),
    )
    story.add("evidence_links", since=story.day(8), evidence_id=EVIDENCE, framework="soc2", control_id="CC6.2")
    about = captured, owner(story), "evidence.linked", "evidence", EVIDENCE
    story.event(f"AE-{EVIDENCE}", *about, controls="soc2:CC6.2")
