"""The baselines of HTTP: Bottle routes that return the bytes of a file, parse an alert, and keep a list of findings.

``python -m tests.bench.bare PORT THREADS FILE``. In the same waitress: no credential, no checks, no headers of ours,
nothing logged. Findings go into one table of ``FILE.db`` in one transaction, as durably as ours, without audit or upsert.
"""

import contextlib
import logging
import sqlite3
import sys
from pathlib import Path

import bottle
import waitress


def main() -> None:
    port, threads, data = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]).read_bytes()
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = bottle.Bottle()

    @app.get("/page")
    def page() -> bytes:
        bottle.response.content_type = "application/json"
        return data

    @app.post("/alert")
    def alert() -> dict[str, str]:
        return {"title": bottle.request.json["title"]}

    @app.post("/findings")
    def findings() -> dict[str, int]:
        rows = [tuple(map(str, json_load.values())) for json_load in bottle.json_loads(bottle.request.body.read())]
        with contextlib.closing(sqlite3.connect(f"{sys.argv[3]}.db", isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS findings ({', '.join(f'c{i}' for i in range(len(rows[0])))})"
            )
            connection.executemany(f"INSERT INTO findings VALUES ({', '.join('?' * len(rows[0]))})", rows)
            connection.execute("COMMIT")
        return {"created": len(rows)}

    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None, _quiet=True)


if __name__ == "__main__":
    main()
