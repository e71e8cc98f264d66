"""Organizations of under two thousand rows, drawn from those of the demo: as varied, quick to compute."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from hashlib import sha256
from random import Random

import polars as pl

from data.demo import generate
from data.demo.frames import INSTANT, dtype
from engine.store.schema import IMPORTABLE
from tests.demo import SHARED, demo

Tables = dict[str, pl.DataFrame]
FRAMEWORKS = ("soc2", "cmmc-l2", "pci-dss", "hipaa", "gdpr-art32", "fedramp-poam")
FURTHER = ("soc2", "iso27001", "nist-csf", "cis-v8", "gdpr-art32")
MOST_ROWS = 2_000
# rows that are kept of a table; of those that are not named as many as of "others"
KEPT = {
    "audit_log": 400,
    "control_owners": 150,
    "control_profiles": 120,
    "evidence_links": 400,
    "test_runs": 200,
    "policy_controls": 150,
    "others": 36,
}
# rows that make no sense without one another are drawn by what they hang on
HANGS_ON = {"policy_controls": ("policy_id", "policies"), "evidence_links": ("evidence_id", "evidence_items")}


@dataclass(frozen=True)
class Organization:
    """Rows by table, with the day on which it is looked at."""

    name: str
    day: date
    zone: str
    tables: Tables

    @property
    def rows(self) -> int:
        return sum(frame.height for frame in self.tables.values())


@cache
def _demo_rows(org: str, day: date) -> Tables:
    return demo(org, day) if SHARED else generate(org, day)


@cache
def small(org: str, day: date, seed: int, frameworks: tuple[str, ...] = FRAMEWORKS) -> Organization:
    """A demo organization with few rows of each table, which ones the seed says. Same arguments: same rows."""
    drawn, tables = Random(f"{org} {day} {seed}"), {}
    for name, frame in _demo_rows(org, day).items():
        if "framework" in frame.columns:
            frame = frame.filter(pl.col("framework").is_in(frameworks) | pl.col("framework").is_null())
        most = KEPT.get(name, KEPT["others"])
        if frame.height > most and name not in ("users", "memberships", "organization_frameworks"):
            frame = frame[sorted(drawn.sample(range(frame.height), most))]
        tables[name] = frame
    return Organization(org, day, tables["organizations"]["time_zone"][0], _referring(tables))


def edge(day: date, seed: int) -> Organization:
    """Where the day begins first, on a leap day, with months that have no events and people who left."""
    made = small("brightline", day, seed)
    events, users = made.tables["audit_log"], made.tables["users"]
    silent = pl.col("occurred_at").dt.month().is_in([3, 4, 9])
    left = pl.col("email").is_in(users["email"].sort().to_list()[::4])
    zone = "Pacific/Kiritimati"
    tables = {
        **made.tables,
        "organizations": made.tables["organizations"].with_columns(time_zone=pl.lit(zone)),
        "audit_log": events.filter(~silent),
        "users": users.with_columns(active=pl.col("active") & ~left),
    }
    return replace(made, name="edge", zone=zone, tables=tables)


def young(day: date, seed: int) -> Organization:
    """Which took up its frameworks a fortnight ago, and has no record of before."""
    made, began = small("cobalt", day, seed), day - timedelta(days=14)
    tables = {
        **made.tables,
        "organization_frameworks": made.tables["organization_frameworks"].with_columns(adopted_on=pl.lit(began)),
        "audit_log": made.tables["audit_log"].filter(pl.col("occurred_at").dt.date() >= began),
        "attestations": made.tables["attestations"].filter(
            (pl.col("attested_at").dt.date() >= began).fill_null(value=True)
        ),
        **{name: made.tables[name].clear() for name in ("readiness_snapshots", "posture_snapshots")},
    }
    return replace(made, name="young", tables=tables)


def _referring(tables: Tables) -> Tables:
    """Without rows that name a row which is not there."""
    kept = dict(tables)
    for _ in range(3):  # references of references
        for name, frame in kept.items():
            for column in IMPORTABLE[name].columns:
                parent = column.info.get("references") or dict([HANGS_ON.get(name, ("", ""))]).get(column.name)
                if parent in kept and column.name in frame.columns:
                    there = pl.col(column.name).is_in(kept[parent]["id"].implode()) | pl.col(column.name).is_null()
                    frame = frame.filter(there)
            kept[name] = frame
    return kept


def replica_rows(org_id: str, tables: Tables) -> Tables:
    """The rows as the replica has them: of an organization of this name, events numbered as they were recorded."""
    owned = {}
    for name, frame in tables.items():
        owner = "id" if name == "organizations" else "org_id"
        more = [pl.lit(org_id).alias(owner), pl.lit(1, pl.Int64).alias("revision")]
        if name == "audit_log":
            frame = frame.sort("occurred_at", "event_id", maintain_order=True).with_row_index("seq", 1)
            more += [
                pl.col("seq").cast(pl.Int64),
                pl.col("occurred_at").alias("recorded_at"),
                pl.Series("hash", [sha256(each.encode()).hexdigest() for each in frame["event_id"]]),
            ]
        frame = frame.with_columns(more)
        instants = [column for column, kind in frame.schema.items() if kind == INSTANT]
        owned[name] = frame.with_columns(pl.col(instants).dt.replace_time_zone(None))
    return owned


def columns_of(table: str) -> dict[str, pl.DataType]:
    """The type of each importable column."""
    return {column.name: dtype(column) for column in IMPORTABLE[table].columns}
