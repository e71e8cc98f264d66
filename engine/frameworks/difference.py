"""What a new version of a framework changes: rows added, gone, reworded, renamed, and whose records move along."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.frameworks.content import COLUMNS, KEYS, FrameworkContent, Row

EVIDENCE = ("evidence_links", "policy_controls", "test_links", "testing_schedules", "control_state_changes")
OWNERS = ("control_owners",)
SIGNATURES = ("attestations",)
_POSITIONS = frozenset({"position", "replaces"})


@dataclass(frozen=True)
class FrameworkDifference:
    """Identifiers of controls by what happens to them; ``renamed`` from the old to the new one."""

    added: tuple[str, ...]
    gone: tuple[str, ...]
    reworded: tuple[str, ...]
    changed: tuple[str, ...]
    renamed: Mapping[str, str]
    has_other_changes: bool

    @property
    def has_changes(self) -> bool:
        return bool(self.added or self.gone or self.reworded or self.changed or self.renamed or self.has_other_changes)


def difference(before: FrameworkContent, after: FrameworkContent, framework: str) -> FrameworkDifference:
    """What ``after`` has in place of ``before``.

    A row is renamed where the new one says that it replaces it, or where exactly one that is new has its title and
    text. Reworded: title or text differ. Changed: anything else of the row differs, but for its place.
    """
    old = {str(row["id"]): row for row in before.controls(framework)}
    new = {str(row["id"]): row for row in after.controls(framework)}
    gone, added = old.keys() - new.keys(), new.keys() - old.keys()
    renamed = _renames(old, new, gone, added)
    reworded, changed = [], []
    for name in sorted(old.keys() & new.keys(), key=list(old).index):
        if _wording(old[name]) != _wording(new[name]):
            reworded.append(name)
        elif any(old[name][column] != new[name][column] for column in old[name] if column not in _POSITIONS):
            changed.append(name)
    others = any(_others(before, table) != _others(after, table) for table in COLUMNS if table != "framework_controls")
    order = [name for name in new if name in old] != [name for name in old if name in new]
    replaced = any(old[name]["replaces"] != new[name]["replaces"] for name in old.keys() & new.keys())
    return FrameworkDifference(
        added=tuple(name for name in new if name in added and name not in renamed.values()),
        gone=tuple(name for name in old if name in gone and name not in renamed),
        reworded=tuple(reworded),
        changed=tuple(changed),
        renamed=renamed,
        has_other_changes=others or order or replaced,
    )


def _wording(row: Row) -> tuple[object, object]:
    return row["title"], row["text"]


def _renames(old: Mapping[str, Row], new: Mapping[str, Row], gone: set[str], added: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in new:
        before = new[name]["replaces"]
        if name in added and isinstance(before, str) and before in gone and before not in found:
            found[before] = name
    left = [name for name in new if name in added and name not in found.values()]
    for name in old:
        if name not in gone or name in found:
            continue
        same = [one for one in left if _wording(new[one]) == _wording(old[name])]
        twins = [one for one in gone if _wording(old[one]) == _wording(old[name])]
        if len(same) == 1 and len(twins) == 1:
            found[name] = same[0]
            left.remove(same[0])
    return {name: found[name] for name in old if name in found}


def _others(content: FrameworkContent, table: str) -> dict[tuple[object, ...], Row]:
    return {tuple(row[name] for name in KEYS[table]): row for row in content.tables[table]}


def difference_lines(found: FrameworkDifference, records: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The difference in lines for a person; ``records`` are counted by control and table."""
    yield (
        f"{len(found.added)} added, {len(found.gone)} gone, {len(found.reworded)} reworded, "
        f"{len(found.renamed)} renamed, {len(found.changed)} otherwise changed"
    )
    for name in found.added:
        yield f"  added     {name}"
    for name in found.gone:
        yield f"  gone      {name}: {_records(records.get(name, {}), 'stays behind', 'stay behind')}"
    for name in found.reworded:
        yield f"  reworded  {name}: {_records(records.get(name, {}), 'stays', 'stay')}"
    for before, after in found.renamed.items():
        yield f"  renamed   {before} to {after}: {_records(records.get(before, {}), 'moves along', 'move along')}"
    for name in found.changed:
        yield f"  changed   {name}"
    if found.has_other_changes:
        yield "  what belongs to the framework besides its controls differs, or their order"


def _records(counts: Mapping[str, int], one: str, several: str) -> str:
    """What belongs to a control, and what becomes of it."""
    kinds = {
        "evidence": sum(counts.get(table, 0) for table in EVIDENCE),
        "owners": sum(counts.get(table, 0) for table in OWNERS),
        "signatures": sum(counts.get(table, 0) for table in SIGNATURES),
    }
    kinds["further records"] = sum(counts.values()) - sum(kinds.values())
    parts = [f"{kind} {count}" for kind, count in kinds.items() if count]
    total = sum(counts.values())
    return f"{', '.join(parts)} {one if total == 1 else several}" if parts else "no evidence, owner or signature"
