"""Evidence items whose bytes are held: their rows, and what the store's rows name."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from engine.evidence.incoming import media_type
from engine.evidence.store import EvidenceBytes, EvidenceStore, measure
from engine.model.errors import Conflict, NotFound, Usage
from engine.model.records import EvidenceItemRow
from engine.store import Reader, Revision, Store
from engine.store.ids import new_id
from engine.store.rows import first, many
from engine.store.schema.controls import evidence_items, evidence_links, evidence_requests

ITEM_ADDED = "evidence.collected"
Control = tuple[str, str]  # framework and identifier


@dataclass(frozen=True)
class EvidenceFile:
    """A file that becomes an item: its name, how it is opened, and what its row says of it."""

    name: str
    opened: AbstractContextManager[BinaryIO]
    title: str
    values: Mapping[str, object]  # further columns of the item


def byte_columns(found: EvidenceBytes, file: str, now: datetime) -> dict[str, object]:
    """The columns of an item that say that its bytes are held, whole as of ``now``."""
    return {
        "sha256": found.sha256,
        "file": file,
        "held_sha256": found.sha256,
        "held_bytes": found.size,
        "media_type": media_type(file),
        "held_state": "whole",
        "checked_at": now,
        "removed": None,
        "removed_at": None,
    }


def must_show_something(name: str, found: EvidenceBytes) -> None:
    """Usage for a file without a byte."""
    if not found.size:
        raise Usage(f"{name} is empty: a file without a byte is evidence of nothing.")


def add_files(
    store: Store,
    evidence: EvidenceStore,
    org_id: str,
    files: Sequence[EvidenceFile],
    controls: Sequence[Control],
    *,
    actor: str,
    now: datetime,
) -> list[EvidenceItemRow]:
    """Hold the bytes of files and write an item for each, linked to the controls, in one revision; returns the items.

    Usage where a file cannot be read, is empty or too large, they are more than may be held, or a request is not there:
    then nothing is kept and no item written.
    """
    with store.reader() as connection:
        _must_exist(connection, org_id, {file.values.get("request_id") for file in files})
    columns = []
    with ExitStack() as stack:
        opened = [(file.name, stack.enter_context(file.opened)) for file in files]
        measured = [(name, measure(one)) for name, one in opened]
        for name, found in measured:
            must_show_something(name, found)
        evidence.must_fit(org_id, measured)
        for name, one in opened:
            one.seek(0)
            columns.append(byte_columns(evidence.put(org_id, one, name), name, now))
    with store.revision(org_id, actor, now=now) as revision:
        ids = [
            add_item(revision, {"title": file.title, **file.values, **held}, controls)
            for file, held in zip(files, columns, strict=True)
        ]
    with store.reader() as connection:
        rows = {row["id"]: row for row in many(connection, evidence_items, org_id, id=ids)}
    return [rows[one] for one in ids]


@contextmanager
def item_bytes(store: Store, evidence: EvidenceStore, org_id: str, identifier: str) -> Iterator[BinaryIO]:
    """The bytes that an item holds, checked. NotFound without such an item; Conflict where it holds none, where they
    were removed, and where they are not those that were put here."""
    with store.reader() as connection:
        row = first(connection, evidence_items, org_id, id=identifier)
    if row is None:
        raise NotFound(f"There is no evidence item {identifier!r} of {org_id}; `hq evidence list` lists them.")
    if row["removed"] is not None:
        raise Conflict(
            f"The bytes of {identifier} were {row['removed']} on {row['removed_at']:%Y-%m-%d}; their SHA-256 was "
            f"{row['held_sha256']}.",
            word=f"evidence_{row['removed']}",
        )
    if row["held_sha256"] is None:
        where = f": it is told to be at {row['location']}" if row["location"] else ""
        raise Conflict(f"The bytes of {identifier} are not held here{where}.", word="evidence_not_held")
    with evidence.open(org_id, row["held_sha256"]) as file:
        yield file


def add_item(revision: Revision, values: Mapping[str, object], controls: Iterable[Control]) -> str:
    """Write an item and its links to controls into a revision, with an event of it; returns its identifier."""
    identifier = str(values.get("id") or new_id("evi"))
    revision.insert(evidence_items, [{**values, "id": identifier}])
    named = sorted(set(controls))
    links = [{"evidence_id": identifier, "framework": framework, "control_id": control} for framework, control in named]
    revision.insert(evidence_links, links)
    revision.record(
        ITEM_ADDED,
        object_type="evidence_item",
        object_id=identifier,
        details={
            "sha256": values.get("held_sha256"),
            "bytes": values.get("held_bytes"),
            "controls": [f"{framework}:{control}" for framework, control in named],
        },
    )
    return identifier


def named_hashes(connection: Reader, org_id: str) -> set[str]:
    """The hashes of the bytes that items of an organization hold."""
    return {row["held_sha256"] or "" for row in items_with_bytes(connection, org_id)}


def items_with_bytes(connection: Reader, org_id: str) -> list[EvidenceItemRow]:
    """The items whose bytes are to be in the evidence store, by identifier."""
    return [row for row in many(connection, evidence_items, org_id) if row["held_sha256"] and row["removed"] is None]


def _must_exist(connection: Reader, org_id: str, requests: Collection[object]) -> None:
    for request in requests:
        if request is not None and first(connection, evidence_requests, org_id, id=request) is None:
            raise Usage(f"There is no evidence request {request!r} of {org_id}.")
