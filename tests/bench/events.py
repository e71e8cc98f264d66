"""A year of audit events as one CSV file, and the simplest programs that could handle it: the baselines.

``python -m tests.bench.events STEP CSV [SCRATCH]`` where STEP is write:N, load, export, hash or columnar.
"""

import csv
import sqlite3
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path

COLUMNS = ("event_id", "occurred_at", "actor", "action", "object_type", "object_id", "outcome", "controls", "details")
ACTIONS = (
    "access.granted",
    "access.review.completed",
    "login.succeeded",
    "login.failed",
    "backup.completed",
    "mfa.enforced",
    "key.rotated",
    "data.classified",
)
ACTOR = "owner@bench.example"  # one person did all of it, so that the own export is as long as can be
END = datetime(2026, 11, 1, tzinfo=UTC)


def write(path: Path, count: int) -> None:
    """``count`` events over a year, no two alike."""
    pace = timedelta(days=365) / count
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for i in range(count):
            moment = (END - pace * (count - i)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            writer.writerow(
                (
                    f"evt-{i:08}",
                    moment,
                    ACTOR,
                    ACTIONS[i % len(ACTIONS)],
                    "account",
                    f"acc-{i % 20_011}",
                    "failure" if i % 50 == 0 else "success",
                    "soc2:CC6.1" if i % 10 == 0 else "",
                    '{"source":"idp"}' if i % 4 == 0 else "",
                )
            )


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(newline="") as file:
        reader = csv.reader(file)
        next(reader)
        yield from reader


def load(path: Path, database: Path) -> None:
    """csv and executemany into one keyed table: no check, no chain, the same durability."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"CREATE TABLE events ({', '.join(COLUMNS)}, PRIMARY KEY (event_id))")
    connection.execute("BEGIN IMMEDIATE")
    rows = _rows(path)
    while batch := list(islice(rows, 20_000)):
        connection.executemany(f"INSERT INTO events VALUES ({', '.join('?' * len(COLUMNS))})", batch)
    connection.execute("COMMIT")
    connection.close()


def export(path: Path, database: Path) -> None:
    """Every row read back and written as CSV beside the file that it came from: no page, no formula made safe."""
    connection = sqlite3.connect(database)
    with path.with_suffix(".out").open("w", newline="") as file:
        csv.writer(file).writerows(connection.execute("SELECT * FROM events ORDER BY rowid"))
    connection.close()


def hash_rows(database: Path) -> None:
    """Every row read back and hashed into a chain, without looking at what it says."""
    connection = sqlite3.connect(database)
    previous = b""
    for row in connection.execute("SELECT * FROM events ORDER BY rowid"):
        previous = sha256(previous + repr(row).encode()).digest()
    connection.close()


def columnar(path: Path, database: Path) -> None:
    """The file read by DuckDB itself into a table of text and times."""
    import duckdb

    connection = duckdb.connect(str(database))
    connection.execute("CREATE TABLE events AS SELECT * FROM read_csv(?)", [str(path)])
    connection.close()


def main() -> None:
    name, path = sys.argv[1], Path(sys.argv[2])
    if name.startswith("write:"):
        write(path, int(name.removeprefix("write:")))
    elif name == "hash":
        hash_rows(path)
    else:
        {"load": load, "export": export, "columnar": columnar}[name](path, Path(sys.argv[3]))


if __name__ == "__main__":
    main()
