"""The evidence pack: policies in force and audit events with the controls that they are evidence for.

It is read page by page, so that memory does not grow with the log. An event has tags under the same conditions as in
the reports: it succeeded, the vocabulary knows its action as evidence or as its contrary, and the action map or the
event itself names the control; or a rule of the organization's own does, unless it supports what did not succeed.
Events without tags stay in, because the chain is made of all of them.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.own_catalogue import version_of
from engine.facts.controls.own_rules import closest_rules
from engine.model.errors import BadRequest
from engine.model.records import OrganizationRuleRow
from engine.store import Store
from engine.store.log.part_heads import read_part_heads
from engine.store.queries.history.audit import COLUMNS as AUDIT
from engine.store.queries.history.audit import AuditEntry, events_until, position
from engine.store.queries.operations.vendors import frameworks_in_scope
from engine.store.queries.own_frameworks import own_assessable
from engine.store.rows import Reader, many
from engine.store.schema.automation import policies, policy_controls
from engine.store.schema.controls import evidence_items, evidence_links, organization_rules
from engine.store.types import instant_text

COLUMNS = (
    "event_id", "at", "actor", "action", "object", "control_tags", "framework", "evidence_id", "hash", "prev_hash",
    "policy_version", "outcome", "seq",
)  # fmt: skip
_TAG = pl.format("{}:{}", "framework", "control_id")
EVIDENCE = ("evidence", "evidence_item")


class PackFile(NamedTuple):
    """A held file of the window, which a pack names and does not carry."""

    item: str
    title: str
    name: str | None
    captured_at: datetime
    control_tags: list[str]
    sha256: str
    bytes: int | None


@dataclass(frozen=True)
class EvidencePack:
    """What a pack is made from: the head of the chain that it ends at, the policies in force, how events are tagged.

    ``by_action`` has the tags of an action; ``known`` are all tags in scope; ``wanted`` drops what has no other.
    """

    org_id: str
    head: tuple[int, str]
    since: datetime | None
    wanted: str | None
    frameworks: tuple[str, ...]
    policies: pl.DataFrame
    versions: pl.DataFrame
    by_action: pl.DataFrame
    known: tuple[str, ...]
    files: tuple[PackFile, ...]
    rules: tuple[OrganizationRuleRow, ...]
    catalogue_version: str


def open_pack(
    store: Store, org_id: str, *, since: datetime | None, framework: str | None, now: datetime
) -> EvidencePack:
    """One state of the organization to export. ``framework`` leaves out rows and tags of others.

    BadRequest for a framework that is not in scope.
    """
    with store.reader() as connection:
        head = position(connection, org_id)
        followed = frameworks_in_scope(connection, org_id)
        every = many(connection, policies, org_id)
        pairs = many(connection, policy_controls, org_id)
        own = own_assessable(connection, org_id)
        rules = many(connection, organization_rules, org_id)
        files = _files_with_bytes(connection, org_id, since, now)
        version = version_of(read_part_heads(connection, org_id))
    scope = [name for name in followed if framework in (None, name)]
    if framework is not None and not scope:
        raise BadRequest(
            f"The framework {framework} is not in scope, so nothing is evidence for it.",
            word="invalid_parameter",
            details=[{"parameter": "framework", "expected": "a framework in scope", "got": framework}],
        )
    tags = catalogue().controls.filter("assessable", pl.col("framework").is_in(scope)).select(tag=_TAG)["tag"]
    tags = pl.concat(
        [tags, pl.Series("tag", [f"{name}:{control}" for name, control in own if name in scope], dtype=pl.String)]
    )
    texts = dict.fromkeys(("policy_id", "framework", "control_id"), pl.String)
    links = pl.DataFrame(pairs, schema_overrides=texts, schema=None if pairs else texts).select("policy_id", tag=_TAG)
    in_force = [
        (row["id"], instant_text(row["accepted_at"]), row["accepted_by"], row["version"])
        for row in every
        if row["state"] == "active" and row["accepted_at"] is not None and row["accepted_at"] <= now
    ]
    schema = {"id": pl.String, "at": pl.String, "actor": pl.String, "policy_version": pl.Int64}
    return EvidencePack(
        org_id,
        head,
        since,
        framework,
        tuple(scope),
        _policy_rows(pl.DataFrame(in_force, schema=schema, orient="row"), links, tags, framework),
        pl.DataFrame(
            [(f"policy:{row['id']}", row["version"]) for row in every],
            schema={"object": pl.String, "policy_version": pl.Int64},
            orient="row",
        ),
        _action_tags(tags),
        tuple(tags.to_list()),
        _files_in_scope(files, set(tags), framework),
        tuple(rules),
        version,
    )


def _files_with_bytes(connection: Reader, org_id: str, since: datetime | None, now: datetime) -> list[PackFile]:
    """The items of the window whose bytes are held and whole, with all controls that they are linked to."""
    links: dict[str, list[str]] = {}
    for link in many(connection, evidence_links, org_id):
        links.setdefault(link["evidence_id"], []).append(f"{link['framework']}:{link['control_id']}")
    return [
        PackFile(
            row["id"],
            row["title"],
            row["file"],
            row["captured_at"],
            sorted(links.get(row["id"], [])),
            row["held_sha256"],
            row["held_bytes"],
        )
        for row in many(connection, evidence_items, org_id, order=("captured_at", "id"))
        if row["held_sha256"] is not None
        and row["removed"] is None
        and row["captured_at"] <= now
        and (since is None or row["captured_at"] >= since)
    ]


def _files_in_scope(files: Sequence[PackFile], tags: AbstractSet[str], wanted: str | None) -> tuple[PackFile, ...]:
    scoped = [one._replace(control_tags=[tag for tag in one.control_tags if tag in tags]) for one in files]
    return tuple(one for one in scoped if one.control_tags or wanted is None)


def pages(store: Store, pack: EvidencePack) -> Iterator[pl.DataFrame]:
    """The rows of a pack: policies first, then the events in the order of the chain. The first page always comes."""
    yield pack.policies
    for page in events_until(store, pack.org_id, pack.head[0], pack.since):
        yield rows_of(page, pack)


def _policy_rows(in_force: pl.DataFrame, links: pl.DataFrame, tags: pl.Series, wanted: str | None) -> pl.DataFrame:
    named = links.filter(pl.col("tag").is_in(tags.implode())).sort("tag").group_by("policy_id", maintain_order=True)
    frame = (
        in_force.join(named.agg(control_tags="tag"), left_on="id", right_on="policy_id", how="left")
        .with_columns(pl.col("control_tags").fill_null([]))
        .sort("at", "id")
        .with_columns(
            event_id=pl.lit(None, dtype=pl.String),
            action=pl.lit("policy.accepted"),
            object=pl.format("policy:{}", "id"),
            evidence_id="id",
            hash=pl.lit(None, dtype=pl.String),
            prev_hash=pl.lit(None, dtype=pl.String),
            outcome=pl.lit("success"),
            seq=pl.lit(None, dtype=pl.Int64),
        )
    )
    return _pack_rows(_with_frameworks(frame), wanted)


def _action_tags(tags: pl.Series) -> pl.DataFrame:
    """Each action that is evidence or its contrary, with the tags that the map gives it (none: by its own words)."""
    known = catalogue()
    mapped = known.action_controls.select("action", tag=_TAG).filter(pl.col("tag").is_in(tags.implode()))
    return (
        known.actions.filter(pl.col("effect") != "neutral")
        .select("action")
        .join(mapped.group_by("action").agg(mapped="tag"), on="action", how="left")
        .with_columns(pl.col("mapped").fill_null([]), evidence=pl.lit(True))
    )


def rows_of(page: list[AuditEntry], pack: EvidencePack) -> pl.DataFrame:
    """The rows of a page of audit events."""
    columns = dict(zip(AUDIT, zip(*page, strict=True), strict=True)) if page else dict.fromkeys(AUDIT, ())
    schema = {name: pl.Int64 if name in ("seq", "revision") else pl.String for name in AUDIT}
    frame = pl.DataFrame({name: list(values) for name, values in columns.items()}, schema=schema)
    told = ["action", "controls", "outcome"]  # an event's tags depend on these alone, so each kind is tagged once
    tagged = tags_of(frame.select(told).unique(maintain_order=True), pack)
    complete = (
        frame.join(tagged, on=told, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(object=pl.concat_str("object_type", "object_id", separator=":", ignore_nulls=True))
        .with_columns(
            object=pl.when(pl.col("object") != "").then("object"),
            evidence_id=pl.when(pl.col("object_type").is_in(EVIDENCE)).then("object_id").otherwise("event_id"),
        )
        .join(pack.versions, on="object", how="left", maintain_order="left")
        .rename({"occurred_at": "at", "previous_hash": "prev_hash"})
    )
    return _pack_rows(complete, pack.wanted)


def tags_of(kinds: pl.DataFrame, pack: EvidencePack) -> pl.DataFrame:
    """Each action, own controls and outcome with the control tags and frameworks of such an event."""
    own = pl.col("controls").str.split("; ").fill_null([])
    own = own.list.eval(pl.element().filter(pl.element().is_in(list(pack.known))))
    nothing = pl.lit([], dtype=pl.List(pl.String))
    counts = pl.col("evidence").fill_null(False) & (pl.col("outcome") == "success")
    usual = pl.when(counts).then(pl.concat_list(pl.col("mapped").fill_null([]), own)).otherwise(nothing)
    ruled = [_own_tags(pack, action, outcome) for action, outcome in kinds.select("action", "outcome").iter_rows()]
    frame = kinds.with_columns(pl.Series("ruled", ruled, dtype=pl.List(pl.String)))
    return _with_frameworks(
        frame.join(pack.by_action, on="action", how="left", maintain_order="left").select(
            *kinds.columns, control_tags=pl.concat_list(usual, "ruled").list.unique().list.sort()
        )
    )


def _own_tags(pack: EvidencePack, action: str | None, outcome: str) -> list[str]:
    """The controls that an event is evidence for, or against, by rules of one's own."""
    closest = closest_rules(pack.rules, action or "", outcome)
    unmet = {key for key, rule in closest.items() if rule["effect"] == "supports" and outcome != "success"}
    return [tag for tag in map(":".join, closest.keys() - unmet) if tag in pack.known]


def _with_frameworks(tagged: pl.DataFrame) -> pl.DataFrame:
    named = pl.col("control_tags").list.eval(pl.element().str.split(":").list.first()).list.unique().list.sort()
    return tagged.with_columns(framework=named)


def _pack_rows(frame: pl.DataFrame, wanted: str | None) -> pl.DataFrame:
    rows = frame.select(COLUMNS)
    return rows.filter(pl.col("control_tags").list.len() > 0) if wanted else rows
