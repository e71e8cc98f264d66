"""The nightly batch over many organizations, beside a plain pandas script that computes figures of three reports.

``python -m tests.bench.batch clone COUNT`` copies the demo organization within the store of ``SVC_DATA_DIR``;
``python -m tests.bench.batch pandas`` prints the figures of the script; both are steps of ``figures``.
"""

import sqlite3
import sys
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pandas as pd
from sqlalchemy.engine import make_url

from engine.cli.common import open_console_services
from engine.store.schema import metadata
from tests.bench.step import hq, module
from tests.bench.table import Figure

ORG = "aurora"
COMPARED = {
    "summary": ("events",),
    "policy-blocks-summary": ("blocks", "allowed_runs", "blocks_before"),
    "evidence-requests": ("requests_recorded", "requests_closed_in_period"),
}


def figures(folder: Path, organizations: int) -> Iterator[Figure]:
    """Copies the organization in ``folder`` until there are so many, and builds all of them."""
    events = int(module(folder, "batch", "clone", str(organizations)).output)
    built = hq(folder, "build", "--all")
    plain = module(folder, "batch", "pandas")
    script = msgspec.json.decode(plain.output)
    for name, figures in COMPARED.items():
        said = msgspec.json.decode(hq(folder, "report", name, "--org", ORG).output)["summary"]
        if any(said[figure] != script[ORG][name][figure] for figure in figures):
            raise RuntimeError(f"{name}: the script found {script[ORG][name]}, the report says {said}")
    yield Figure(
        f"nightly batch: {organizations} organizations, {events:,} events, all reports",
        f"{built.seconds:.0f} s",
        "pandas script: six figures of three of the reports",
        f"{plain.seconds:.0f} s",
        plain.seconds / built.seconds,
        built.peak_mb,
    )


def clone(database: Path, organizations: int) -> int:
    """Copies every row under other organizations' names; returns how many audit events there are then.

    The copies' hashes are those of the first: no chain is checked here.
    """
    connection = sqlite3.connect(database)
    copies = [f"{ORG}-{number:02}" for number in range(2, organizations + 1)]
    for table in metadata.sorted_tables:
        names = [column.name for column in table.columns]
        owner = "id" if table.name == "organizations" else "org_id"
        if owner not in names or table.name in ("credentials", "credential_uses"):
            continue
        others = ", ".join(name for name in names if name != owner)
        insert = f"INSERT INTO {table.name} ({owner}, {others}) SELECT ?, {others} FROM {table.name} WHERE {owner} = ?"
        connection.executemany(insert, [(copy, ORG) for copy in copies])
    connection.commit()
    count: int = connection.execute("SELECT count(*) FROM audit_log").fetchone()[0]
    return count


def script(database: Path) -> dict[str, dict[str, dict[str, int]]]:
    """What somebody would write in an afternoon: tables into memory, days by time zone, counts."""
    connection = sqlite3.connect(database)
    found = {}
    for org, zone in connection.execute("SELECT id, time_zone FROM organizations ORDER BY id").fetchall():
        today = datetime.now(ZoneInfo(zone)).date()

        def days(table: str, column: str, where: str = "", org: str = org, zone: str = zone) -> pd.Series:
            query = f"SELECT {column} FROM {table} WHERE org_id = ? AND {column} IS NOT NULL {where}"
            frame = pd.read_sql_query(query, connection, params=(org,))
            return pd.to_datetime(frame[column], utc=True, format="ISO8601").dt.tz_convert(zone).dt.date

        def within(dates: pd.Series, ago: int = 0, today: date = today) -> int:
            end = today - timedelta(days=ago)
            return int(((dates > end - timedelta(days=30)) & (dates <= end)).sum())

        blocks = days("policy_blocks", "blocked_at")
        allowed = within(days("dry_runs", "ran_at", "AND outcome <> 'blocked'")) + within(
            days("executions", "executed_at")
        )
        asked = pd.read_sql_query("SELECT closed_on FROM evidence_requests WHERE org_id = ?", connection, params=(org,))
        closed = pd.to_datetime(asked["closed_on"].dropna()).dt.date
        found[org] = {
            "summary": {"events": within(days("audit_log", "occurred_at"))},
            "policy-blocks-summary": {
                "blocks": within(blocks), "blocks_before": within(blocks, 30), "allowed_runs": allowed,
            },
            "evidence-requests": {
                "requests_recorded": len(asked), "requests_closed_in_period": within(closed),
            },
        }  # fmt: skip
    return found


def main() -> None:
    with open_console_services() as services:
        database = Path(make_url(services.store.url).database or "")
    if sys.argv[1] == "clone":
        print(clone(database, int(sys.argv[2])))
    else:
        print(msgspec.json.encode(script(database)).decode())


if __name__ == "__main__":
    main()
