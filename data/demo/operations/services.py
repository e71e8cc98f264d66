"""Services, what they need, their objectives, their traffic, and the systems and flows behind them."""

from collections.abc import Mapping

from data.demo.cast import people
from data.demo.history.story import Story
from data.demo.programme import vendors

# name, criticality, internet-facing, holds customer data
NAMES: Mapping[str, tuple[tuple[str, int, bool, bool], ...]] = {
    "aurora": (
        ("patient-portal", 5, True, True),
        ("claims-api", 5, True, True),
        ("identity", 5, True, True),
        ("records-store", 5, False, True),
        ("consent-registry", 4, False, True),
        ("message-bus", 4, False, False),
        ("scheduling", 4, True, True),
        ("billing", 4, False, True),
        ("e-prescribing", 5, True, True),
        ("lab-gateway", 4, True, True),
        ("imaging-viewer", 3, True, True),
        ("document-vault", 4, False, True),
        ("telehealth", 4, True, True),
        ("notification", 3, False, True),
        ("search", 3, False, True),
        ("eligibility", 3, True, True),
        ("analytics-lake", 3, False, True),
        ("reporting", 2, False, True),
        ("audit-trail", 4, False, True),
        ("secrets", 5, False, False),
        ("key-service", 5, False, False),
        ("api-gateway", 5, True, False),
        ("edge-proxy", 5, True, False),
        ("object-store", 4, False, True),
        ("cache", 3, False, False),
        ("job-runner", 3, False, False),
        ("feature-flags", 2, False, False),
        ("mail-relay", 2, False, True),
        ("fax-bridge", 3, True, True),
        ("provider-directory", 3, True, False),
        ("care-plans", 4, False, True),
        ("forms", 2, True, True),
        ("translation", 1, False, False),
        ("terminology", 2, False, False),
        ("ci-runners", 3, False, False),
        ("artifact-registry", 3, False, False),
        ("monitoring", 3, False, False),
        ("log-pipeline", 4, False, False),
        ("backup", 4, False, True),
        ("internal-wiki", 1, False, False),
    ),
    "brightline": (
        ("checkout", 5, True, True),
        ("card-vault", 5, False, True),
        ("ledger", 5, False, True),
        ("identity", 5, True, True),
        ("risk-engine", 4, False, True),
        ("settlement", 4, False, True),
        ("merchant-portal", 4, True, True),
        ("chargebacks", 3, True, True),
        ("webhooks", 3, True, False),
        ("api-gateway", 5, True, False),
        ("key-service", 5, False, False),
        ("reporting", 2, False, True),
        ("notification", 2, False, True),
        ("object-store", 3, False, True),
        ("backup", 4, False, True),
        ("message-bus", 4, False, False),
        ("log-pipeline", 3, False, False),
        ("ci-runners", 2, False, False),
    ),
    "cobalt": (
        ("control-plane", 5, True, True),
        ("compute-scheduler", 5, False, False),
        ("block-storage", 5, False, True),
        ("object-storage", 5, True, True),
        ("identity", 5, True, True),
        ("virtual-network", 5, False, False),
        ("load-balancer", 5, True, False),
        ("dns", 5, True, False),
        ("customer-portal", 4, True, True),
        ("billing", 3, True, True),
        ("metering", 3, False, True),
        ("image-registry", 3, True, False),
        ("backup", 4, False, True),
        ("key-service", 5, False, False),
        ("monitoring", 3, False, False),
        ("log-pipeline", 3, False, False),
        ("support-desk", 3, True, True),
        ("provisioner", 4, False, False),
        ("bare-metal", 4, False, False),
        ("firewall-manager", 4, False, False),
        ("status-page", 2, True, False),
        ("message-bus", 4, False, False),
        ("database-service", 4, True, True),
        ("ci-runners", 2, False, False),
        ("inventory", 2, False, False),
    ),
}
SHARED = (
    "identity",
    "key-service",
    "message-bus",
    "log-pipeline",
    "object-store",
    "block-storage",
    "records-store",
    "ledger",
)
DEPENDENCY_KIND = {
    "message-bus": "queue",
    "records-store": "database",
    "ledger": "database",
    "block-storage": "storage",
    "object-store": "storage",
}
# Who stands behind a needed service: an outage there reaches all that need it.
BEHIND = {
    "identity": "Quillmere Identity",
    "key-service": "Emberlock Vault",
    "object-store": "Tarnfield Cloud",
    "block-storage": "Tarnfield Cloud",
    "mail-relay": "Northsedge Mail",
}
# Two services that need one another: a cycle that somebody should break.
CYCLE = {
    "aurora": ("scheduling", "notification"),
    "brightline": ("risk-engine", "ledger"),
    "cobalt": ("control-plane", "provisioner"),
}
# The service whose release four days ago burned its error budget, and the release's time of day in minutes.
BURNED = {"aurora": "claims-api", "brightline": "checkout", "cobalt": "control-plane"}
DEPLOYED_AGO, DEPLOYED_AT, BURNED_MINUTES = 4, 14 * 60 + 5, 95
RAISED, RAISED_AGO = 6, 220  # the position of a service that came to matter more


def service_id(name: str) -> str:
    return f"svc-{name}"


def ids(story: Story) -> list[str]:
    return [service_id(name) for name, *_ in NAMES[story.profile.org]]


def fill(story: Story) -> None:
    rng, org = story.rng("services"), story.profile.org
    owners = people.active(story)
    names = [name for name, *_ in NAMES[org]]
    for position, (name, criticality, internet, customer) in enumerate(NAMES[org]):
        row = story.add(
            "services",
            id=service_id(name),
            name=name,
            owner=rng.choice(owners),
            criticality=criticality,
            environment="production",
            internet_facing=internet,
            holds_customer_data=customer,
        )
        if position == RAISED:
            row["criticality"] -= 1
            story.amend(row, story.day(RAISED_AGO), criticality=criticality)
    edges = {(name, shared) for name in names for shared in SHARED if shared in names and rng.random() < 0.28}
    near = [(at, rng.randrange(at + 1, min(len(names), at + 12))) for at in range(len(names) - 4) for _ in range(2)]
    edges |= {(names[at], names[other]) for at, other in near}
    rank = {name: (name in SHARED, position) for position, name in enumerate(names)}
    edges = {(needs, needed) for needs, needed in edges if rank[needs] < rank[needed]}
    first, second = CYCLE[org]
    for needs, needed in sorted(edges | {(first, second), (second, first)}):
        story.add(
            "service_dependencies",
            service_id=service_id(needs),
            depends_on_id=service_id(needed),
            kind=DEPENDENCY_KIND.get(needed, "api"),
            segmented=rng.random() < 0.35,
            vendor_id=vendors.identifier(BEHIND[needed]) if needed in BEHIND else None,
        )
