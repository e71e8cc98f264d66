"""Where a report is read: its route."""

PROGRAMME = "/api/governance/compliance"
ELSEWHERE = {
    "deployment-profile": "/api/deployment/profile",
    "deployment-retention": "/api/deployment/retention",
    "legal-holds": "/api/governance/legal-holds",
    "policy-blocks-summary": "/api/governance/policy-blocks/summary",
    "third-party-vendors": "/api/governance/third-party/vendors",
}
PERSONAL = frozenset(("policy-blocks-summary",))  # its route shows what the caller did, and no number of all


def route_of(report: str) -> str:
    """The path that answers with a report."""
    return ELSEWHERE.get(report, f"{PROGRAMME}/{report}")
