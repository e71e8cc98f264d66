"""The least that an analysis must beat: a walk of twenty lines over the same rows."""

from datetime import timedelta

from tests.incidents.causes.cases import Case, Row

NEAR = timedelta(hours=1)


def walk(case: Case) -> tuple[list[str], bool]:
    """Evidence ids from the likeliest on, and whether it is sure of the first."""
    rows = case.tables
    incident = next(row for row in rows["incidents"] if row["id"] == case.incident_id)
    onset, here = incident["opened_at"], incident["service_id"]

    def near_incidents(service: str | None) -> list[Row]:
        near = [row for row in rows["incidents"] if row is not incident and row["service_id"] == service]
        return [
            row for row in near if onset - NEAR <= row["opened_at"] <= onset and row["severity"] in ("high", "critical")
        ]

    seen, found = {here}, [f"incidents:{row['id']}" for row in near_incidents(here)]
    while True:
        needed = [edge["depends_on_id"] for edge in rows["service_dependencies"] if edge["service_id"] == here]
        worse = [(row["opened_at"], one, row["id"]) for one in needed if one not in seen for row in near_incidents(one)]
        if not worse:
            break
        _, here, identifier = min(worse)
        seen.add(here)
        found.insert(0, f"incidents:{identifier}")
    names = [row["name"] for row in rows["vendors"]]
    told = [row for row in near_incidents(None) if any(name in row["title"] for name in names)]
    found = [f"incidents:{row['id']}" for row in told] + found
    changed = [
        row for row in rows["deploys"] if row["service_id"] == here and onset - NEAR <= row["deployed_at"] <= onset
    ]
    latest = sorted(changed, key=lambda row: row["deployed_at"], reverse=True)
    found = [f"deploys:{row['id']}" for row in latest] + found
    return found[:3], len(found) == 1
