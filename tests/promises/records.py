"""Rows for every table of an organization, made from the schema: a new table or column is in them by itself."""

from datetime import timedelta

from sqlalchemy import BigInteger, Boolean, Date, Float

from engine.store.schema import metadata
from engine.store.types import Instant

CONTROLS = {"soc2": ("CC6.1", "CC6.2", "CC7.1"), "iso27001": ("A.5.15", "A.8.1", "A.8.2")}
OWN = {  # the store's and the console's own: written with what they are about, by whoever sets a store up, or not at all
    "organizations", "heads", "audit_log", "chain_cuts", "record_starts", "organization_settings", "memberships",
    "organization_frameworks", "leases", "seen_events", "credential_uses", "credentials", "ended_sessions",
    "catalogue_snapshots", "rca_runs", "ingest_payloads", "access_log", "delivery_endpoints",
    "archive_heads", "change_log", "event_tiles", "signed_heads", "table_heads", "installation_commitments",
    "installation_heads", "framework_proposals",
}  # fmt: skip
PLATFORMS = {"leads", "pilots", "activities"}  # rows of the reserved organization
TABLES = [table for table in metadata.sorted_tables if table.name not in OWN | PLATFORMS]


def fill(store, org, texts, *, now, rows=4, tables=TABLES):
    """``rows`` rows in each of the tables, of ``org``; ``texts(table, column, number)`` is what a free text says."""
    with store.revision(org, "setup", now=now) as revision:
        for table in tables:
            revision.insert(table, list(make_rows(table, org, texts, now, rows)))
        for number in range(rows):
            text = texts("audit_log", "details", number)
            revision.record("evidence.added", object_type="evidence", object_id=text, details={"note": text})


def make_rows(table, org, texts, now, rows):
    """The rows; equal keys are left out, such as those of a table that has one row for each word."""
    seen = set()
    primary = list(table.info["primary"] or ())
    for number in range(rows):
        row = {
            column.name: value(table, column, org, texts, now, number, rows)
            for column in table.columns
            if column.name not in ("org_id", "revision", "moves")
        }
        key = tuple(row[name] for name in primary)
        if key not in seen:
            seen.add(key)
            yield row


def identifier(org, table, number):
    """The ``id`` of a row that was made."""
    return f"{org}-{table}-{number}"


def value(table, column, org, texts, now, number, rows):
    """What a column holds in the row of that number."""
    info, kind = column.info, column.type
    if "references" in info:  # a row that needs another never needs itself
        other = number + 1 if column.name in ("depends_on_id", "to_system") else number
        return identifier(org, info["references"], other % rows)
    if "choices" in info:
        return info["choices"][number % len(info["choices"])]
    if info.get("framework") or column.name == "framework":
        return list(CONTROLS)[number % 2]
    if info.get("control"):
        return list(CONTROLS.values())[number % 2][number // 2 % 3]
    if column.name == "separation":
        return ["requester", "executor"] if number % 2 else None
    if "holds" in info:
        text = texts(table.name, column.name, number)
        if (
            info["holds"] == "Json" and table.info["importable"] and table.name != "bundles"
        ):  # whoever imports may say anything
            return {"note": text, "list": [text, {"deep": text}]}
        return None if column.nullable else {}
    if isinstance(kind, Instant):
        return now - timedelta(days=number, minutes=5)
    if isinstance(kind, Date):
        return (now + timedelta(days=7 * number - 10)).date()
    if isinstance(kind, Boolean):
        return number % 2 == 0
    if isinstance(kind, (BigInteger, Float)):
        low, high = info.get("low") or 0, info.get("high")
        return min(low + number, high) if high is not None else low + number
    if table.name == "copilot_threads" and column.name == "email":
        return f"owner@{org}.example"
    if column.name == "email":
        return f"person{number}@{org}.example"
    if column.name == "week":
        return (now + timedelta(weeks=number)).strftime("%G-W%V")
    if table.name == "bundles" and column.name == "sealed_hash":
        return None  # as of one that was imported: this console sealed none of them
    if column.name.endswith(("sha256", "_root", "_hash")):
        return f"{number:064x}"
    if column.name == "previous_id":
        return None
    if column.name == "provider_ref":  # one provider, one order
        return f"{texts(table.name, column.name, number)} {org} {number}"
    if column.name == "delivery_id":
        return identifier(org, "deliveries", number)
    if column.primary_key:
        return identifier(org, table.name, number)
    return texts(table.name, column.name, number)
