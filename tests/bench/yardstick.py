"""A fixed piece of work, so that processor seconds of one machine and hour say something on another.

What costs as much as the yardstick costs 1 yard: interpreter, hashing, JSON and SQLite take about equal parts of it.
"""

import hashlib
import sqlite3
import time
from contextlib import closing

import msgspec

ROWS = 12_000


def yard() -> float:
    """Processor seconds of the work, here and now."""
    start = time.process_time()
    rows = [(number, f"row-{number:06}", number * 7 % 101) for number in range(ROWS)]
    counts: dict[int, int] = {}
    for _, name, kind in rows:
        counts[kind] = counts.get(kind, 0) + len(name)
    digest = b""
    for row in rows:
        digest = hashlib.sha256(digest + msgspec.json.encode(row)).digest()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER)")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows)
        connection.execute("SELECT kind, count(*), max(name) FROM rows GROUP BY kind ORDER BY 2").fetchall()
    return time.process_time() - start
