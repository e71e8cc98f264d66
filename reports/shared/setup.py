"""What brings data to a report that has none: the file to import, the route to post to."""


def fill(*tables: str, route: str = "") -> str:
    """``Import vendors.csv with hq import, or post to /api/…, to fill this report.``"""
    files = [f"{table}.csv" for table in tables]
    named = f"{', '.join(files[:-1])} or {files[-1]}" if len(files) > 1 else files[0]
    posted = f", or post to {route}," if route else ""
    return f"Import {named} with hq import{posted} to fill this report."


IN_SCOPE = "Put a framework in scope: import organization_frameworks.csv with hq import."
EVIDENCE = fill("audit_log", "evidence_items", "attestations")
DUTIES = fill("attestations", "evidence_requests", "testing_schedules", "vendors")
VENDORS = fill("vendors", route="/api/governance/third-party/vendors")
READINESS_SNAPSHOTS = (
    "Leave hq scheduler running, which records one each week, or import readiness_snapshots.csv with hq import."
)
STAFFING = (
    "Nothing is to be done: actions are proposed when owners lack hours and others have room, or when an "
    "administrator sends /api/governance/compliance/peak-week-staffing-digest."
)
