"""The demo's organizations as cases: the releases that burned their budgets, and drawn causes among all their past."""

from collections.abc import Iterator
from datetime import date

from data.demo import generate
from tests.incidents.causes.cases import Case, Row, draw
from tests.incidents.causes.wordings import SECOND

DAY = date(2026, 11, 20)
ORGANIZATIONS = ("aurora", "brightline", "cobalt")
TABLES = ("services", "service_dependencies", "vendors", "deploys", "incidents")
EACH = 24


def demo_cases() -> Iterator[Case]:
    """For each organization the story that the demo tells, and drawn ones at drawn moments of its year."""
    for number, org in enumerate(ORGANIZATIONS):
        frames = generate(org, DAY)
        rows = {name: frames[name].to_dicts() for name in TABLES}
        yield _case_of(org, rows)
        for seed in range(EACH):
            yield draw(1000 * (number + 1) + seed, SECOND, rows)


def _case_of(org: str, rows: dict[str, list[Row]]) -> Case:
    incident = next(row for row in rows["incidents"] if row["dedupe_key"] == "release")
    release = incident["root_cause"].removeprefix("release ")
    case = Case(f"{org}: {incident['title']}", "deploy", incident["id"], causes=frozenset({f"deploys:{release}"}))
    for name in TABLES:
        case.tables[name] = [dict(row) for row in rows[name]]
    return case
