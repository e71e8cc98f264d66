"""The one shape of a framework: its own row, its controls, and what belongs to it, as rows of the store's tables."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from engine.model.errors import Usage

Row = dict[str, object]
MOST_CONTROLS = 20_000
LONGEST_TITLE = 2_000
LONGEST_TEXT = 100_000
LARGEST_FILE = 100_000_000
LONGEST_ID = 60

DEFAULT_WEIGHT = 3
DEFAULT_CADENCE = "annual"
DEFAULT_EVIDENCE = "attestation"

# the columns of each table in the order in which they are written
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "own_frameworks": ("id", "title", "version", "publisher", "source", "assessable_levels", "details"),
    "framework_controls": (
        *("framework", "id", "parent", "kind", "title", "text", "weight", "cadence", "evidence_kinds", "parameters"),
        *("assessable", "replaces", "group_id", "group_title", "position", "details"),
    ),
    "framework_mappings": (
        *("source_framework", "source_id", "target_framework", "target_id", "relation", "strength", "rationale"),
        *("source", "source_count", "reviewer", "reviewed_on"),
    ),
    "organization_rules": ("pattern", "outcome", "framework", "control_id", "effect", "family", "note"),
    "framework_runbooks": ("framework", "control_pattern", "runbook", "title", "playbook", "effort_hours", "steps"),
    "framework_inheritance": (
        *("rule_version", "tier", "category", "framework", "control_id", "reason", "expected_evidence", "model"),
        *("customer_side", "vendor_data"),
    ),
}
KEYS: Mapping[str, tuple[str, ...]] = {
    "own_frameworks": ("id",),
    "framework_controls": ("framework", "id"),
    "framework_mappings": ("source_framework", "source_id", "target_framework", "target_id"),
    "organization_rules": ("pattern", "outcome", "framework", "control_id"),
    "framework_runbooks": ("framework", "control_pattern"),
    "framework_inheritance": ("tier", "category", "framework", "control_id"),
}
# where a row names its framework
OWNERS: Mapping[str, tuple[str, ...]] = {
    "own_frameworks": ("id",),
    "framework_controls": ("framework",),
    "framework_mappings": ("source_framework", "target_framework"),
    "organization_rules": ("framework",),
    "framework_runbooks": ("framework",),
    "framework_inheritance": ("framework",),
}


@dataclass
class FrameworkContent:
    """Rows by table, in no particular order; ``places`` says of a row where it stands in its file."""

    tables: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    places: dict[int, str] = field(default_factory=dict)
    urns: dict[int, tuple[str, str]] = field(default_factory=dict)  # of both ends of a pair, where a library has them
    notes: list[str] = field(default_factory=list)  # what was read and has no effect

    def add(self, table: str, row: Mapping[str, object], place: str, urns: tuple[str, str] | None = None) -> None:
        """A row with every column of its table; those that ``row`` lacks are empty."""
        complete = {name: row.get(name) for name in COLUMNS[table]}
        self.tables[table].append(complete)
        self.places[id(complete)] = place
        if urns is not None:
            self.urns[id(complete)] = urns

    def place(self, row: Row) -> str:
        """Where a row stands, for a sentence."""
        return self.places.get(id(row), "the file")

    @property
    def framework_ids(self) -> list[str]:
        """The frameworks that have a row or controls, in the order in which they came."""
        named = [row["id"] for row in self.tables["own_frameworks"]]
        named += [row["framework"] for row in self.tables["framework_controls"]]
        return list(dict.fromkeys(str(name) for name in named))

    def rename(self, before: str, after: str) -> None:
        """Another name for a framework, wherever a row names it."""
        for table, owners in OWNERS.items():
            for row in self.tables[table]:
                for name in owners:
                    if row[name] == before:
                        row[name] = after

    def controls(self, framework: str) -> Iterator[Row]:
        """The rows of one framework, in their order."""
        return (row for row in self.tables["framework_controls"] if row["framework"] == framework)

    def sorted_rows(self, table: str) -> list[Row]:
        """The rows of a table in the order in which they are handed out."""
        if table == "framework_controls":
            return sorted(self.tables[table], key=lambda row: (str(row["framework"]), position(row)))
        return sorted(self.tables[table], key=lambda row: tuple(str(row[name]) for name in KEYS[table]))

    def digest(self) -> str:
        """SHA-256 of all rows: equal for equal content, in whatever order or format it came."""
        rows = {table: self.sorted_rows(table) for table in COLUMNS}
        return hashlib.sha256(msgspec.json.encode(rows, order="sorted")).hexdigest()


def position(row: Mapping[str, object]) -> int:
    """The place of a control in its framework."""
    found = row["position"]
    return found if isinstance(found, int) else 0


def refuse(place: str, expected: str, found: object) -> Usage:
    """What is said of something that does not hold: where it stands, what was expected, what came."""
    text = "nothing" if found is None else repr(found if len(str(found)) <= 200 else f"{str(found)[:200]}…")
    return Usage(f"{place}: expected {expected}, got {text}.")


def words(text: object) -> Sequence[str]:
    """A list that is joined by semicolons."""
    return [word.strip() for word in str(text or "").split(";") if word.strip()]
