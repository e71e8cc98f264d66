"""What may happen to a claim: it is emptied, aged, dated ahead, not approved, withdrawn, or its person left."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from random import Random
from typing import Literal

import polars as pl

from engine.catalogue import catalogue
from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import KINDS
from tests.claims.organizations import Organization, Tables

Way = Literal["blank", "age", "ahead", "unapprove", "leaver", "withdraw"]
WAYS: tuple[Way, ...] = ("blank", "age", "ahead", "unapprove", "leaver", "withdraw")
AGED, AHEAD = timedelta(days=1_000), timedelta(days=200)
STRANGER, LEAVER = "stranger@elsewhere.example", "leaver@gone.example"
APPROVERS = {
    "control_profiles": "approved_by",
    "exceptions": "approver",
    "policies": "accepted_by",
    "retention_overrides": "approved_by",
    "risks": "accepted_by",
    "remediations": "compensating_by",
}
# days by which a duty is done: earlier is sooner, which no ageing of evidence is
DONE = frozenset(
    {
        "submitted_on",
        "accepted_on",
        "closed_on",
        "fixed_at",
        "acknowledged_at",
        "mitigated_at",
        "resolved_at",
        "closed_at",
    }
    | {"completed_on", "decided_at", "tracked_on", "proposed_on", "started_on"}
)
# what a row says against us, whatever its columns are for: to withdraw it or empty it may be an improvement
AGAINST: dict[str, tuple[str, tuple[object, ...]]] = {
    "attestations": ("outcome", ("rejected",)),
    "test_runs": ("outcome", ("failed",)),
    "dry_runs": ("outcome", ("failed", "blocked")),
    "executions": ("status", ("failed", "rolled_back")),
    "test_links": ("status", ("rejected",)),
    "approvals": ("status", ("rejected",)),
    "users": ("active", (False,)),
    "staffing_actions": ("status", ("proposed", "tracked", "open")),  # a commitment that is not kept yet
    "exceptions": ("status", ("rejected",)),
    "remediations": ("status", ("blocked",)),
    "vendor_documents": ("opinion", ("qualified", "adverse", "disclaimer")),
    "data_flows": ("encrypted", (False,)),
}


@dataclass(frozen=True)
class Mutation:
    """One way in which one cell or row of a table is less than it was."""

    table: str
    column: str  # "" where the row goes
    way: Way
    row: int

    @property
    def place(self) -> str:
        """The column and the way, whatever the row."""
        return f"{self.table}.{self.column or '*'} {self.way}"

    def rows(self, org: Organization) -> Tables:
        """The rows with this mutation; every organization has somebody who left to hand a claim to."""
        tables = dict(org.tables)
        frame = tables[self.table]
        here = pl.int_range(pl.len()) == self.row
        if self.way == "withdraw":
            tables[self.table] = frame.filter(~here)
            return tables
        cell = pl.lit(self._value(org, frame), frame.schema[self.column])
        changed = pl.when(here).then(cell).otherwise(pl.col(self.column)).alias(self.column)
        tables[self.table] = frame.with_columns(changed)
        return tables

    def _value(self, org: Organization, frame: pl.DataFrame) -> object:
        column, now = IMPORTABLE[self.table].columns[self.column], frame[self.column][self.row]
        if self.way == "blank":
            return column.info.get("default")
        if self.way in ("unapprove", "leaver"):
            return STRANGER if self.way == "unapprove" else LEAVER
        if self.way == "age":
            return now - AGED
        ahead = org.day + AHEAD
        return datetime.combine(ahead, time(12), now.tzinfo) if isinstance(now, datetime) else ahead


def with_leaver(org: Organization) -> Organization:
    """The organization with a person who left, whom nothing names yet."""
    users = org.tables["users"]
    gone = pl.DataFrame(
        [{"email": LEAVER, "name": "Lee Gone", "active": False}], schema_overrides={"active": pl.Boolean}
    )
    tables = {**org.tables, "users": pl.concat([users, gone], how="diagonal")}
    return Organization(org.name, org.day, org.zone, tables)


def claims(org: Organization, table: str) -> list[int]:
    """The places of the rows that do not speak against us; a row that names who left speaks of that."""
    frame = org.tables[table]
    numbered = frame.with_row_index("#")
    if table == "audit_log":
        actions = catalogue().actions
        good = pl.col("action").is_in(
            actions.filter(pl.col("effect").is_in(["supports", "records"]))["action"].implode()
        )
        numbered = numbered.filter(good & (pl.col("outcome") == "success"))
    if table == "vendor_documents":
        numbered = numbered.filter("in_scope")
    if table == "exceptions":
        numbered = numbered.filter(pl.col("expires_on") >= org.day)
    if table == "control_owners":
        gone = org.tables["users"].filter(~pl.col("active"))["email"]
        numbered = numbered.filter(~pl.col("email").is_in(gone.implode()))
    if table in AGAINST:
        column, words = AGAINST[table]
        numbered = numbered.filter(~pl.col(column).is_in(words).fill_null(False))
    return numbered["#"].to_list()


def places(org: Organization) -> Iterator[tuple[str, str, Way]]:
    """Each column that is a claim with each way in which it can be less, and each table whose rows are claims."""
    for table, frame in sorted(org.tables.items()):
        columns = IMPORTABLE[table].columns
        keys = IMPORTABLE[table].info["primary"]
        if KINDS[table][keys[0] if keys else "id"] == "claim" or table == "audit_log":
            yield table, "", "withdraw"
        for name in frame.columns:
            if KINDS[table][name] != "claim" or name in keys:
                continue
            if columns[name].nullable or columns[name].info.get("default") is not None:
                yield table, name, "blank"
            if frame.schema[name].is_temporal():
                yield table, name, "ahead"
                if name not in DONE:
                    yield table, name, "age"
            if columns[name].info.get("person"):
                yield table, name, "leaver"
            if APPROVERS.get(table) == name:
                yield table, name, "unapprove"


def mutations(org: Organization, seed: int, each: int) -> Iterator[Mutation]:
    """At most ``each`` rows of every place, drawn by the seed among those in which the cell says something."""
    drawn = Random(f"{org.name} {seed}")
    for table, column, way in places(org):
        frame = org.tables[table]
        rows = claims(org, table)
        if column:
            default = IMPORTABLE[table].columns[column].info.get("default")
            full = (
                (frame[column].is_not_null() & (frame[column] != default).fill_null(True))
                if default is not None
                else frame[column].is_not_null()
            )
            rows = [row for row in rows if full[row]]
        for row in sorted(drawn.sample(rows, min(each, len(rows)))):
            yield Mutation(table, column, way, row)
