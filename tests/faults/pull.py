"""A pull of one check over one file, for commands of which a call fails: what it reads, and what stands once it is done."""

import sqlite3
from contextlib import closing
from pathlib import Path

PEOPLE = "login,left_on\nann,\nbob,2026-11-20\n"
FILE = """
[source.people]
kind = "files"
paths = ["people.csv"]

[[check]]
id = "leavers"
title = "Nobody left"
controls = ["soc2:CC6.2"]
cadence = "weekly"
population = "select login, left_on from people"
exceptions = "select login from population where left_on is not null"
"""


def is_done(folder: Path) -> bool:
    """One run that failed, its three items, and every file that these name."""
    with closing(sqlite3.connect(folder / "var" / "hq.db")) as store:
        runs = store.execute("SELECT id, outcome FROM test_runs").fetchall()
        items = store.execute("SELECT run_id, held_sha256 FROM evidence_items WHERE run_id IS NOT NULL").fetchall()
    files = {path.name for path in (folder / "var" / "evidence").rglob("*")}
    (run, outcome), *others = runs
    return (
        not others
        and outcome == "failed"
        and [one for one, _ in items] == [run] * 3
        and {two for _, two in items} <= files
    )
