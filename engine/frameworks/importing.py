"""A framework into an organization: taken at once the first time, proposed and then accepted as a new version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import cast

from engine.catalogue.nameable import nameable_controls
from engine.catalogue.patterns import fits
from engine.frameworks.ciso import name_ends
from engine.frameworks.completion import check_references, check_reviews, complete, framework_id
from engine.frameworks.content import COLUMNS, KEYS, OWNERS, FrameworkContent, Row, refuse
from engine.frameworks.difference import difference, difference_lines
from engine.frameworks.files import read_frameworks
from engine.model.days import local_day
from engine.model.errors import Usage, unknown_organization
from engine.model.vocabulary import FRAMEWORKS
from engine.store import Revision, Store
from engine.store.queries.accounts.organizations import time_zone
from engine.store.queries.own_frameworks import (
    TABLES,
    attached_records,
    framework_rows,
    move_records,
    own_control_urns,
    remove_rows,
)
from engine.store.rows import Reader, first, many
from engine.store.schema.frameworks import framework_mappings, framework_proposals, own_frameworks
from engine.store.schema.organizations import organization_frameworks


@dataclass
class FrameworkImport:
    """What an import did, in lines for a person. ``after`` is the new head, None where nothing changed."""

    before: int
    lines: list[str] = field(default_factory=list)
    after: int | None = None


def import_framework(
    store: Store, path: Path, *, org_id: str, actor: str, now: datetime, name: str | None = None, accept: bool = False
) -> FrameworkImport:
    """Import the frameworks, pairs and rules of a file or folder into one organization, in one revision.

    A framework that the organization has not takes effect. One that it has is kept as a proposal, unless ``accept``;
    without ``accept`` the catalogue stays as it is. Usage for what cannot be read or does not hold; nothing is written.
    """
    head = store.head(org_id)
    if head is None:
        raise unknown_organization(org_id)
    content = read_frameworks(path, name)
    if not any(content.tables.values()):
        raise refuse(path.name, "at least one row", None)
    for framework in content.framework_ids:
        framework_id(framework, path.name)
    if content.urns:
        with store.reader() as connection:
            name_ends(content, nameable_controls(connection, org_id), own_control_urns(connection, org_id))
    complete(content)
    with store.revision(org_id, actor, now=now) as revision:
        check_reviews(content, local_day(now, time_zone(revision.records, org_id)))
        known = nameable_controls(revision.records, org_id)
        check_references(content, known)
        done = FrameworkImport(head.seq, list(content.notes))
        for framework in content.framework_ids:
            _one_framework(revision, content, framework, framework in known, accept, done)
        _pairs_alone(revision, content, done)
        if revision.touched:
            done.after = revision.record(
                "import.completed",
                object_type="framework",
                object_id="; ".join(content.framework_ids) or path.name[:200],
                details={"files": [{"name": path.name, "sha256": content.digest()}], "changes": done.lines[:100]},
            )
    return done


def stored_content(connection: Reader, org_id: str, framework: str) -> FrameworkContent:
    """A framework of the organization's own as it is stored."""
    content = FrameworkContent()
    for table, rows in framework_rows(connection, org_id, framework).items():
        for row in rows:
            content.add(table, row, f"{table} of {org_id}")
    content.tables["framework_controls"] = content.sorted_rows("framework_controls")
    return content


def of_framework(content: FrameworkContent, framework: str) -> FrameworkContent:
    """The part of a content that belongs to one framework."""
    part = FrameworkContent(places=content.places)
    for table, rows in content.tables.items():
        part.tables[table] = [row for row in rows if framework in (row[name] for name in OWNERS[table])]
    part.tables["framework_controls"] = part.sorted_rows("framework_controls")
    return part


def _one_framework(
    revision: Revision, content: FrameworkContent, framework: str, is_known: bool, accept: bool, done: FrameworkImport
) -> None:
    part = of_framework(content, framework)
    title = part.tables["own_frameworks"][0]["title"]
    if not is_known:
        _write(revision, part)
        _begin(revision, framework)
        counted = list(part.controls(framework))
        assessable = sum(row["assessable"] is True for row in counted)
        done.lines.append(
            f"{framework}: {title}, {len(counted)} rows, {assessable} of them assessable; it is in scope from now on"
        )
        _count(part, done)
        return
    before = stored_content(revision.records, revision.org_id, framework)
    _keep_pairs(before, part, framework)
    found = difference(before, part, framework)
    records = attached_records(revision.records, revision.org_id, framework)
    if not found.has_changes:
        done.lines.append(f"{framework}: as it was")
        if _withdraw_proposal(revision, framework):
            done.lines.append(f"{framework}: the proposal that waited is withdrawn")
        return
    version = part.tables["own_frameworks"][0]["version"]
    named = f"{framework} {version}" if version else framework
    if not accept:
        _propose(revision, part, framework)
        done.lines.append(f"{named} is proposed; the catalogue stays as it is until --accept. It would change:")
        done.lines.extend(difference_lines(found, records))
        return
    for old, new in found.renamed.items():
        move_records(revision, framework, old, new)
    _remove_rows_without(revision, before, part)
    _write(revision, part)
    _withdraw_proposal(revision, framework)
    done.lines.append(f"{named} is accepted:")
    done.lines.extend(difference_lines(found, records))


def _keep_pairs(before: FrameworkContent, after: FrameworkContent, framework: str) -> None:
    """A version without pairs, rules, runbooks or inheritance leaves those that still lead to a control."""
    there = {str(row["id"]) for row in after.controls(framework)}
    for table in ("framework_mappings", "organization_rules", "framework_runbooks", "framework_inheritance"):
        if not after.tables[table]:
            after.tables[table] = [row for row in before.tables[table] if _leads_on(row, table, framework, there)]


def _leads_on(row: Row, table: str, framework: str, there: set[str]) -> bool:
    if table == "framework_mappings":
        ends = ((row["source_framework"], row["source_id"]), (row["target_framework"], row["target_id"]))
        return all(name != framework or control in there for name, control in ends)
    if table == "framework_runbooks":
        pattern = str(row["control_pattern"])
        return any(fits(pattern, name) for name in there)
    return row["control_id"] in there


def _write(revision: Revision, part: FrameworkContent) -> None:
    for table, rows in part.tables.items():
        if rows:
            revision.upsert(TABLES[table], rows)


def _remove_rows_without(revision: Revision, before: FrameworkContent, after: FrameworkContent) -> None:
    for table, key in KEYS.items():
        kept = {tuple(row[name] for name in key) for row in after.tables[table]}
        gone = [row for row in before.tables[table] if tuple(row[name] for name in key) not in kept]
        remove_rows(revision, table, [{name: row[name] for name in key} for row in gone])


def _begin(revision: Revision, framework: str) -> None:
    """A new framework is in scope, unless somebody said otherwise before."""
    if first(revision.records, organization_frameworks, revision.org_id, framework=framework) is None:
        row = {"framework": framework, "in_scope": True, "adopted_on": _today(revision)}
        revision.insert(organization_frameworks, [row])


def _today(revision: Revision) -> date:
    return local_day(revision.now, time_zone(revision.records, revision.org_id))


def _propose(revision: Revision, part: FrameworkContent, framework: str) -> None:
    content = {table: [_plain(row) for row in part.sorted_rows(table)] for table in COLUMNS}
    row: Row = {
        "framework": framework,
        "version": part.tables["own_frameworks"][0]["version"],
        "proposed_on": _today(revision),
        "sha256": part.digest(),
        "content": content,
    }
    before = first(revision.records, framework_proposals, revision.org_id, framework=framework)
    if before is None or before["sha256"] != row["sha256"]:
        revision.upsert(framework_proposals, [row])


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in row.items()}


def _withdraw_proposal(revision: Revision, framework: str) -> bool:
    return bool(revision.delete(framework_proposals, framework_proposals.c.framework == framework))


def _pairs_alone(revision: Revision, content: FrameworkContent, done: FrameworkImport) -> None:
    """Pairs, rules, runbooks and inheritance that come without a framework: of those that are there."""
    own = set(content.framework_ids)
    rest = FrameworkContent(places=content.places)
    for table, rows in content.tables.items():
        rest.tables[table] = [row for row in rows if not own & {row[name] for name in OWNERS[table]}]
    _leave_signed(revision, rest, done)
    for table, rows in rest.tables.items():
        if rows:
            counts = revision.upsert(TABLES[table], rows)
            done.lines.append(
                f"{table}: {counts.created} new, {counts.updated} changed, {counts.unchanged} as they were"
            )
    _note_proposals(rest, done)


def _leave_signed(revision: Revision, content: FrameworkContent, done: FrameworkImport) -> None:
    """A pair that a person signed off is not undone by a proposal of the same pair."""
    waiting = [row for row in content.tables["framework_mappings"] if row["reviewer"] is None]
    if not waiting:
        return
    key = KEYS["framework_mappings"]
    rows = many(revision.records, framework_mappings, revision.org_id)
    signed = {tuple(cast(Row, row)[name] for name in key) for row in rows if row["reviewer"] is not None}
    left = [row for row in waiting if tuple(row[name] for name in key) in signed]
    if left:
        kept = [row for row in content.tables["framework_mappings"] if not any(row is one for one in left)]
        content.tables["framework_mappings"] = kept
        done.lines.append(f"{len(left)} pairs were signed off before and stay as they are")


def _count(part: FrameworkContent, done: FrameworkImport) -> None:
    for table, rows in part.tables.items():
        if rows and table not in ("own_frameworks", "framework_controls"):
            done.lines.append(f"{table}: {len(rows)} rows")
    _note_proposals(part, done)


def _note_proposals(content: FrameworkContent, done: FrameworkImport) -> None:
    waiting = sum(row["reviewer"] is None for row in content.tables["framework_mappings"])
    if waiting:
        done.lines.append(f"{waiting} pairs have no reviewer: they are proposed and count for nothing")


def require_own(connection: Reader, org_id: str, framework: str) -> None:
    """Usage for a framework that the organization has not brought along."""
    there = [row["id"] for row in many(connection, own_frameworks, org_id)]
    if framework not in there and framework not in FRAMEWORKS:
        known = ", ".join([*FRAMEWORKS, *there])
        raise Usage(f"There is no framework {framework!r}; there are {known}.")
