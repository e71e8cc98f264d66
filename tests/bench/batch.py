"""The nightly batch over many organizations, beside a plain pandas script that computes figures of three reports.

``python -m tests.bench.batch clone COUNT`` copies the demo organization within the store of ``SVC_DATA_DIR``;
``python -m tests.bench.batch pandas`` prints the figures of the script; both are steps of ``figures``.
"""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pandas as pd
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from engine.cli.common import open_console_services
from engine.store import Store
from engine.store.schema import metadata
from tests.bench.step import HQ, hq, module
from tests.bench.table import Figure
from tests.databases import Databases

ORG = "aurora"
COMPARED = {
    "summary": ("audit_events_in_period",),
    "policy-blocks-summary": ("policy_blocks", "policy_runs_allowed", "policy_blocks_before"),
    "evidence-requests": ("requests_recorded", "requests_closed_in_period"),
}


def figures(folder: Path, organizations: int) -> Iterator[Figure]:
    """Copies the organization in ``folder`` until there are so many, and builds all of them."""
    events = int(module(folder, "batch", "clone", str(organizations)).output)
    built = hq(folder, "build", "--all", whole=True)
    plain = module(folder, "batch", "pandas")
    script = msgspec.json.decode(plain.output)
    for name, figures in COMPARED.items():
        summary = msgspec.json.decode(hq(folder, "report", name, "--org", ORG).output)["summary"]
        if any(summary[figure] != script[ORG][name][figure] for figure in figures):
            raise RuntimeError(f"{name}: the script found {script[ORG][name]}, the report says {summary}")
    yield Figure(
        f"nightly batch: {organizations} organizations, {events:,} events, all reports",
        f"{built.seconds:.0f} s",
        "pandas script: six figures of three of the reports",
        f"{plain.seconds:.0f} s",
        plain.seconds / built.seconds,
        built.sum_mb,
    )
    again = hq(folder, "build", "--all", whole=True)
    yield Figure(
        "the same again, when all is there",
        f"{again.seconds:.1f} s",
        "the first time",
        f"{built.seconds:.0f} s",
        built.seconds / again.seconds,
        again.sum_mb,
    )


def cluster_times(scratch: Path, organizations: int) -> Iterator[Figure]:
    """Two workers of a Dask cluster beside two processes; nothing where no PostgreSQL server answers."""
    server = os.environ.get("SVC_TEST_POSTGRESQL_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")
    try:
        databases = Databases(server)
    except OperationalError:
        return
    folder = scratch / "clustered"
    with closing(databases):
        settings = {"SVC_DATABASE_URL": databases.take()}
        module(folder, "aurora", "5", **settings)
        module(folder, "batch", "clone", str(organizations), **settings)
        pool = hq(folder, "build", "--all", "--jobs", "2", whole=True, **settings)
        shutil.rmtree(folder / "artifacts")
        with dask(folder) as address:
            spread = hq(folder, "build", "--all", "--cluster", address, **settings)
        databases.give_back(settings["SVC_DATABASE_URL"])
    yield Figure(
        f"{organizations} organizations of 20,000 events in PostgreSQL on two Dask workers",
        f"{spread.seconds:.1f} s",
        "two processes",
        f"{pool.seconds:.1f} s",
        pool.seconds / spread.seconds,
    )


@contextmanager
def dask(folder: Path) -> Iterator[str]:
    """A scheduler and two workers, which are there."""
    from distributed import Client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    worker = ("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    scheduler = ("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    with (folder / "dask.log").open("wb") as log:
        running = [
            subprocess.Popen([HQ.with_name("dask"), *arguments], stdout=log, stderr=log)
            for arguments in (scheduler, worker, worker)
        ]
        try:
            with Client(address, timeout=30) as client:
                client.wait_for_workers(2, timeout=60)
            yield address
        finally:
            for process in running:
                process.kill()
                process.wait()


def clone(store: Store, organizations: int) -> int:
    """Copies every row under other organizations' names until there are so many; returns how many audit events.

    The copies' hashes are those of the first: no chain is checked here.
    """
    names = [f"{ORG}-{number:04}" for number in range(2, organizations + 1)]
    there = {org_id for org_id, _ in store.organizations()}
    with create_engine(store.url).begin() as connection:
        for table in metadata.sorted_tables:
            columns = [column.name for column in table.columns]
            owner = "id" if table.name == "organizations" else "org_id"
            if owner not in columns or table.name in ("credentials", "credential_uses"):
                continue
            others = ", ".join(name for name in columns if name != owner)
            copied = f"SELECT CAST(:copy AS VARCHAR), {others} FROM {table.name} WHERE {owner} = :first"
            insert = text(f"INSERT INTO {table.name} ({owner}, {others}) {copied}")
            for name in names:
                if name not in there:
                    connection.execute(insert, {"copy": name, "first": ORG})
        return int(connection.execute(text("SELECT count(*) FROM audit_log")).scalar_one())


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
            "summary": {"audit_events_in_period": within(days("audit_log", "occurred_at"))},
            "policy-blocks-summary": {
                "policy_blocks": within(blocks),
                "policy_blocks_before": within(blocks, 30),
                "policy_runs_allowed": allowed,
            },
            "evidence-requests": {"requests_recorded": len(asked), "requests_closed_in_period": within(closed)},
        }
    return found


def main() -> None:
    with open_console_services() as services:
        if sys.argv[1] == "clone":
            print(clone(services.store, int(sys.argv[2])))
        else:
            database = Path(make_url(services.store.url).database or "")
            print(msgspec.json.encode(script(database)).decode())


if __name__ == "__main__":
    main()
