"""What controls are called, for pages of a process that has no frames."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from engine.desk.visits import Visit
from engine.store.queries.own_frameworks import own_control_titles

FOLDER = Path(__file__).resolve().parents[2] / "data" / "frameworks"
LIST = "frameworks.csv"


@cache
def _control_titles() -> Mapping[tuple[str, str], str]:
    """The title of each control of the packs that come with the console, by framework and identifier."""
    titles: dict[tuple[str, str], str] = {}
    for path in sorted(FOLDER.glob("*.csv")):
        if path.name == LIST:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                titles[path.stem, row["control_id"]] = row["title"]
    return titles


def control_titles(visit: Visit) -> Mapping[tuple[str, str], str]:
    """The title of each control, of the packs that come with the console, and of the organization's own."""
    with visit.services.store.reader() as connection:
        own = own_control_titles(connection, visit.caller.org_id)
    return {**_control_titles(), **own} if own else _control_titles()
