"""Frameworks of an organization's own as they are stored, and the records that name their controls."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Table, and_, func, or_, select

from engine.store.schema import metadata
from engine.store.schema.controls import organization_rules
from engine.store.schema.frameworks import (
    framework_controls,
    framework_inheritance,
    framework_mappings,
    framework_runbooks,
    own_frameworks,
)
from engine.store.schema.risk import risks
from engine.store.writing.revisions import Revision

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        own_frameworks,
        framework_controls,
        framework_mappings,
        organization_rules,
        framework_runbooks,
        framework_inheritance,
    )
}
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "own_frameworks": ("id",),
    "framework_mappings": ("source_framework", "target_framework"),
}
# records of people that belong to a control; rules and inheritance come with the framework
_ATTACHED = tuple(
    table
    for table in metadata.tables.values()
    if "control_id" in table.c and table.name not in TABLES and table.info["primary"]
)


def own_framework_ids(connection: Connection, org_id: str) -> list[str]:
    """The frameworks that an organization brought along, by identifier."""
    query = select(own_frameworks.c.id).where(own_frameworks.c.org_id == org_id)
    return list(connection.execute(query.order_by(own_frameworks.c.id)).scalars())


def own_control_ids(connection: Connection, org_id: str) -> dict[str, list[str]]:
    """The rows of each framework of an organization's own, groups included, in their order."""
    table = framework_controls
    query = select(table.c.framework, table.c.id).where(table.c.org_id == org_id)
    ids: dict[str, list[str]] = {name: [] for name in own_framework_ids(connection, org_id)}
    for framework, control in connection.execute(query.order_by(table.c.framework, table.c.position)):
        ids.setdefault(framework, []).append(control)
    return ids


def own_control_titles(connection: Connection, org_id: str) -> dict[tuple[str, str], str]:
    """What each row of frameworks of an organization's own is called, by framework and identifier."""
    table = framework_controls
    query = select(table.c.framework, table.c.id, table.c.title).where(table.c.org_id == org_id)
    return {(row[0], row[1]): row[2] for row in connection.execute(query)}


def own_control_urns(connection: Connection, org_id: str) -> dict[str, tuple[str, str]]:
    """Framework and identifier of the rows that came with a URN, by it, in lower case."""
    table = framework_controls
    query = select(table.c.framework, table.c.id, table.c.details).where(table.c.org_id == org_id)
    return {
        details["urn"].lower(): (framework, control)
        for framework, control, details in connection.execute(query.order_by(table.c.framework, table.c.id))
        if isinstance(details, dict) and isinstance(details.get("urn"), str)
    }


def own_assessable(connection: Connection, org_id: str) -> list[tuple[str, str]]:
    """Framework and identifier of every control of an organization's own that has a state."""
    table = framework_controls
    query = select(table.c.framework, table.c.id).where(table.c.org_id == org_id, table.c.assessable)
    return [(row[0], row[1]) for row in connection.execute(query.order_by(table.c.framework, table.c.id))]


def own_rule_patterns(connection: Connection, org_id: str) -> list[tuple[str, str, str]]:
    """Pattern, framework and control of the rules of an organization's own."""
    table = organization_rules
    query = select(table.c.pattern, table.c.framework, table.c.control_id).where(table.c.org_id == org_id)
    return [(row[0], row[1], row[2]) for row in connection.execute(query.order_by(*table.primary_key.columns))]


def own_inheritance(connection: Connection, org_id: str) -> list[dict[str, object]]:
    """The rules of frameworks of an organization's own about its vendors, with title and place of their controls."""
    rules, controls = framework_inheritance, framework_controls
    same = (controls.c.org_id == rules.c.org_id, controls.c.framework == rules.c.framework)
    columns = [column for column in rules.c if column.name != "revision"]
    query = (
        select(*columns, controls.c.title, controls.c.position)
        .join(controls, and_(*same, controls.c.id == rules.c.control_id))
        .where(rules.c.org_id == org_id)
        .order_by(*rules.primary_key.columns)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def framework_rows(connection: Connection, org_id: str, framework: str) -> dict[str, list[dict[str, object]]]:
    """All that is stored of one framework, by table, without organization and revision."""
    rows: dict[str, list[dict[str, object]]] = {}
    for name, table in TABLES.items():
        owners = [table.c[column] == framework for column in _OWNERS.get(name, ("framework",))]
        query = select(table).where(table.c.org_id == org_id, or_(*owners)).order_by(*table.primary_key.columns)
        rows[name] = [
            {key: value for key, value in row.items() if key not in ("org_id", "revision")}
            for row in connection.execute(query).mappings()
        ]
    return rows


def attached_records(connection: Connection, org_id: str, framework: str) -> dict[str, dict[str, int]]:
    """By control, how many rows of each table of records belong to it."""
    records: dict[str, dict[str, int]] = {}
    for table in _ATTACHED:
        query = (
            select(table.c.control_id, func.count())
            .where(table.c.org_id == org_id, table.c.framework == framework)
            .group_by(table.c.control_id)
        )
        for control, count in connection.execute(query):
            if control is not None:
                records.setdefault(control, {})[table.name] = count
    return records


def move_records(revision: Revision, framework: str, before: str, after: str) -> int:
    """Records of one control belong to another from now on; returns how many. Those that it has already stay."""
    moved = _move_risks(revision, f"{framework}:{before}", f"{framework}:{after}")
    for table in _ATTACHED:
        mine = (table.c.org_id == revision.org_id, table.c.framework == framework)
        keys = table.info["primary"]
        if "control_id" not in keys:
            moved += len(revision.update_where(table, {"control_id": after}, *mine[1:], table.c.control_id == before))
            continue
        rows = revision.records.execute(select(table).where(*mine, table.c.control_id == before)).mappings().all()
        there = revision.records.execute(
            select(*(table.c[name] for name in keys)).where(*mine, table.c.control_id == after)
        ).all()
        taken = {tuple(row) for row in there}
        new = [{**row, "control_id": after} for row in rows]
        new = [row for row in new if tuple(row[name] for name in keys) not in taken]
        revision.delete(table, table.c.framework == framework, table.c.control_id == before)
        drop = ("org_id", "revision")
        revision.insert(table, [{name: value for name, value in row.items() if name not in drop} for row in new])
        moved += len(new)
    return moved


def _move_risks(revision: Revision, before: str, after: str) -> int:
    query = select(risks.c.id, risks.c.controls).where(
        risks.c.org_id == revision.org_id, risks.c.controls.contains(before)
    )
    moved = 0
    for name, text in revision.records.execute(query).all():
        named = [after if one.strip() == before else one.strip() for one in text.split(";")]
        if after in named:
            changed = {"controls": "; ".join(dict.fromkeys(named))}
            moved += len(revision.update_where(risks, changed, risks.c.id == name))
    return moved


def remove_rows(revision: Revision, name: str, keys: Sequence[Mapping[str, object]]) -> None:
    """Rows of a table of frameworks go, by their keys."""
    table = TABLES[name]
    for key in keys:
        revision.delete(table, *(table.c[column] == value for column, value in key.items()))
