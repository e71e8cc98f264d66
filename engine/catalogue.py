"""The catalogue: frameworks, controls, crosswalks and rules from ``data/``, checked as a whole and loaded once.

A catalogue that contradicts itself must not reach a report, so the first cell that does not hold stops the
load with its file, row, column, what was expected and what was found. Rows count as a spreadsheet shows them.

``assessable`` marks the rows that carry a state of their own; the others are headings, kept because people cite
them. Headings are the PCI DSS principals and sections and the ISO clauses that only hold sub-clauses. For HIPAA
a standard with specifications is met through them, so it is not counted a second time; a standard without any
is assessed itself. Of the further paragraphs 164.316(b)(1)(i) and (ii) are assessed, because no specification
repeats the duty to keep the records; 164.308(b)(2) is met through the written contract of (b)(3), and
164.314(a)(2)(i)(A) to (C) are the content of one contract. Of the GDPR the eight provisions of Article 32
are assessed and the neighbouring articles are context.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import polars as pl

from engine.errors import InvalidData

DATA = Path(__file__).resolve().parent.parent / "data"
FRAMEWORKS = ("soc2", "iso27001", "pci-dss", "hipaa", "nist-csf", "cis-v8", "cmmc-l2", "gdpr-art32")
CADENCES = ("continuous", "daily", "weekly", "monthly", "quarterly", "semi-annual", "annual")
EVIDENCE_KINDS = ("operation", "policy", "test", "attestation")
RELATIONS = ("equal", "superset", "subset", "intersects")
TIERS = ("critical", "high", "medium", "low")
ANY_TIER = "*"
VENDOR_EVIDENCE = (
    "soc2_type2",
    "iso27001_certificate",
    "baa",
    "dpa",
    "pen_test",
    "bridge_letter",
    "pci_aoc",
    "screening",
    "nda",
    "training",
)
Key = tuple[str, str]  # framework, control_id
Check = tuple[str, pl.Expr, str]  # column, what is bad about a row, what was expected
WORD, WORDS = pl.String(), pl.List(pl.String())
EXPECTED: dict[pl.DataType, str] = {
    pl.Boolean(): "true or false",
    pl.Int64(): "a whole number",
    pl.Float64(): "a number",
    pl.Date(): "a date YYYY-MM-DD",
}


@dataclass(frozen=True)
class Column:
    """How one column of a file is read: empty cells only where ``optional``; ``WORDS`` are joined by ``;``."""

    dtype: pl.DataType = WORD
    allowed: tuple[str, ...] = ()
    optional: bool = False
    between: tuple[float, float] | None = None


TEXT, OPTIONAL, FLAG = Column(), Column(optional=True), Column(pl.Boolean())
COUNT = Column(pl.Int64(), between=(0, 1_000_000))
WEIGHT = Column(pl.Int64(), optional=True, between=(1, 5))
FRAMEWORK = Column(allowed=FRAMEWORKS)


def one_of(*allowed: str, optional: bool = False) -> Column:
    return Column(allowed=allowed, optional=optional)


def texts(names: str) -> dict[str, Column]:
    return dict.fromkeys(names.split(), TEXT)


CONTROL: dict[str, Column] = {
    "control_id": TEXT,
    "parent_id": OPTIONAL,
    **texts("group_id group_title title"),
    "assessable": FLAG,
    "weight": WEIGHT,
    "cadence": one_of(*CADENCES, optional=True),
    "evidence_kinds": Column(WORDS, allowed=EVIDENCE_KINDS, optional=True),
}
OWN: dict[str, dict[str, Column]] = {
    "soc2": {
        "trust_services_category": TEXT,
        "coso_principle": Column(pl.Int64(), optional=True, between=(1, 17)),
    },
    "iso27001": {
        "part": one_of("clause", "annex_a"),
        "theme": one_of("Organizational", "People", "Physical", "Technological", optional=True),
        "new_in_2022": FLAG,
    },
    "pci-dss": {
        "level": one_of("principal", "section", "requirement"),
        "service_provider_only": FLAG,
        "future_dated": one_of("no", "whole", "bullet", "partial"),
        "note": OPTIONAL,
    },
    "hipaa": {
        "safeguard": one_of("administrative", "physical", "technical", "organizational", "documentation"),
        "level": one_of("standard", "specification", "paragraph"),
        "standard": TEXT,
        "required_or_addressable": one_of("required", "addressable"),
    },
    "nist-csf": texts("function_id function category_id category_name"),
    "cis-v8": {**texts("asset_type security_function"), **dict.fromkeys(("ig1", "ig2", "ig3"), FLAG)},
    "cmmc-l2": {
        **texts("domain domain_name nist_800_171_id"),
        "requirement_type": one_of("basic", "derived"),
        "sprs_points": WEIGHT,
        "sprs_points_partial": WEIGHT,
        "poam_eligible": one_of("yes", "no", "conditional"),
        "level_1": FLAG,
    },
    "gdpr-art32": {
        "article": COUNT,
        "measure_type": one_of("technical", "organisational", "both", optional=True),
    },
}
FRAMEWORK_LIST = {
    "framework": FRAMEWORK,
    **texts("name version authority report"),
    "assessable_count": COUNT,
    "in_words": TEXT,
}
CROSSWALK = {
    "source_framework": FRAMEWORK,
    "source_id": TEXT,
    "target_framework": FRAMEWORK,
    "target_id": TEXT,
    "relation": one_of(*RELATIONS),
    "strength": Column(pl.Float64(), between=(0, 1)),
    **texts("rationale basis"),
    "source_count": COUNT,
    "reviewer": OPTIONAL,
    "reviewed_on": Column(pl.Date(), optional=True),
}
UNMAPPED = {"framework": FRAMEWORK, "control_id": TEXT, "against": FRAMEWORK, "reason": TEXT}
ACTIONS = {
    **texts("action title"),
    "kind": one_of("operation", "test", "policy", "incident", "admin"),
    "effect": one_of("supports", "contradicts", "neutral"),
    "family": TEXT,
    "controls_from": one_of("map", "event", "none"),
}
ACTION_CONTROLS = {"action": TEXT, "framework": FRAMEWORK, "control_id": TEXT}
VENDOR_INHERITANCE = {
    "rule_version": TEXT,
    "tier": one_of(ANY_TIER, *TIERS),
    "category": TEXT,
    "framework": FRAMEWORK,
    **texts("control_id reason"),
    "expected_evidence": one_of(*VENDOR_EVIDENCE),
    "model": one_of("carve-out", "inclusive"),
    "customer_side": TEXT,
}
RUNBOOKS = {
    **texts("runbook title"),
    "playbook": OPTIONAL,
    "effort_hours": Column(pl.Float64(), between=(0.25, 1000)),
    "steps": Column(WORDS),
}
RUNBOOK_CONTROLS = {"runbook": TEXT, "framework": FRAMEWORK, "control_pattern": TEXT}


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Everything in ``data/`` that says what a control is, how it is evidenced and how controls relate.

    ``position`` in ``controls`` is the order of the standard, which an identifier does not sort into.
    """

    frameworks: pl.DataFrame
    controls: pl.DataFrame
    crosswalk: pl.DataFrame
    unmapped: pl.DataFrame
    actions: pl.DataFrame
    action_controls: pl.DataFrame
    vendor_inheritance: pl.DataFrame
    runbooks: pl.DataFrame
    runbook_controls: pl.DataFrame
    version: str
    _details: Mapping[str, pl.DataFrame]
    _keys: frozenset[Key]

    def details(self, framework: str) -> pl.DataFrame:
        """The controls of one framework with the columns that only this framework has."""
        return self._details[framework]

    def has_control(self, framework: str, control_id: str) -> bool:
        return (framework, control_id) in self._keys


@cache
def catalogue() -> Catalogue:
    """The catalogue that ships with the program."""
    return load(DATA)


def load(data: Path) -> Catalogue:
    """Read and check the catalogue below ``data``; InvalidData names the first cell that does not hold."""
    details = {name: _details(data / f"frameworks/{name}.csv", name) for name in FRAMEWORKS}
    controls = pl.concat([frame.select("framework", "position", *CONTROL) for frame in details.values()])
    keys, assessable = _keys(controls), _keys(controls.filter("assessable"))
    edges, unmapped = _crosswalks(data / "crosswalks", keys)
    actions, action_controls = _actions(data / "rules", assessable)
    runbooks, runbook_controls = _runbooks(data / "rules", controls.filter("assessable"))
    return Catalogue(
        frameworks=_frameworks(data / "frameworks/frameworks.csv", controls),
        controls=controls,
        crosswalk=edges,
        unmapped=unmapped,
        actions=actions,
        action_controls=action_controls,
        vendor_inheritance=_vendor_inheritance(data / "rules/vendor_inheritance.csv", assessable),
        runbooks=runbooks,
        runbook_controls=runbook_controls,
        version=_version(data),
        _details=details,
        _keys=keys,
    )


def _details(path: Path, framework: str) -> pl.DataFrame:
    frame = _read(path, CONTROL | OWN[framework], key=("control_id",))
    parent, own_id = pl.col("parent_id"), pl.col("control_id")
    _check(
        path,
        frame,
        ("parent_id", ~parent.is_in(own_id.implode()) | (parent == own_id), "the control_id of another row"),
        *(
            (column, pl.col(column).is_null() & pl.col("assessable"), "a value, because the row is assessable")
            for column in ("weight", "cadence", "evidence_kinds")
        ),
    )
    return frame.select(pl.lit(framework).alias("framework"), pl.int_range(pl.len()).alias("position"), pl.all())


def _keys(controls: pl.DataFrame) -> frozenset[Key]:
    return frozenset(controls.select("framework", "control_id").iter_rows())


def _frameworks(path: Path, controls: pl.DataFrame) -> pl.DataFrame:
    frameworks = _read(path, FRAMEWORK_LIST, key=("framework",))
    counted = dict(controls.filter("assessable").group_by("framework").len().iter_rows())
    actual = pl.col("framework").replace_strict(counted, return_dtype=pl.Int64)
    _check(
        path,
        frameworks,
        ("framework", pl.col("framework") != pl.Series(FRAMEWORKS).head(len(frameworks)), "the order of FRAMEWORKS"),
        ("assessable_count", pl.col("assessable_count") != actual, "the number of assessable rows in its file"),
    )
    if len(frameworks) < len(FRAMEWORKS):
        _refuse(path, len(frameworks) + 2, "framework", FRAMEWORKS[len(frameworks)], "nothing")
    return frameworks


def _crosswalks(folder: Path, keys: AbstractSet[Key]) -> tuple[pl.DataFrame, pl.DataFrame]:
    unmapped_path = folder / "unmapped.csv"
    edges = [_empty(CROSSWALK)]
    for path in sorted(set(folder.glob("*.csv")) - {unmapped_path}):
        frame = _read(path, CROSSWALK, key=("source_framework", "source_id", "target_framework", "target_id"))
        between = pl.concat_str("source_framework", "target_framework", separator="-")
        _check(
            path,
            frame,
            ("target_framework", between != path.stem, f"a pair of the frameworks of the file name, {path.stem}"),
            _known(frame, "source_framework", "source_id", keys),
            _known(frame, "target_framework", "target_id", keys),
        )
        edges.append(frame)
    unmapped = _empty(UNMAPPED)
    if unmapped_path.exists():
        unmapped = _read(unmapped_path, UNMAPPED, key=("framework", "control_id", "against"))
        _check(unmapped_path, unmapped, _known(unmapped, "framework", "control_id", keys))
    return pl.concat(edges), unmapped


def _actions(folder: Path, assessable: AbstractSet[Key]) -> tuple[pl.DataFrame, pl.DataFrame]:
    path, pairs_path = folder / "actions.csv", folder / "action_controls.csv"
    actions = _read(path, ACTIONS, key=("action",))
    pairs = _read(pairs_path, ACTION_CONTROLS, key=("action", "framework", "control_id"))
    by_map = pl.col("controls_from") == "map"
    unknown = ~pl.col("action").is_in(actions.filter(by_map)["action"].implode())
    _check(
        pairs_path,
        pairs,
        ("action", unknown, "an action of actions.csv with controls_from map"),
        _known(pairs, "framework", "control_id", assessable),
    )
    without = by_map & ~pl.col("action").is_in(pairs["action"].implode())
    _check(path, actions, ("action", without, "at least one row in action_controls.csv"))
    return actions, pairs


def _vendor_inheritance(path: Path, assessable: AbstractSet[Key]) -> pl.DataFrame:
    rules = _read(path, VENDOR_INHERITANCE, key=("tier", "category", "framework", "control_id"))
    _check(path, rules, _known(rules, "framework", "control_id", assessable))
    return rules


def _runbooks(folder: Path, assessable: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Runbooks, and for each control the one whose pattern fits most closely: an exact id, else the longest prefix."""
    path = folder / "runbook_controls.csv"
    runbooks = _read(folder / "runbooks.csv", RUNBOOKS, key=("runbook",))
    patterns = _read(path, RUNBOOK_CONTROLS, key=("framework", "control_pattern"))
    pattern, control = pl.col("control_pattern"), pl.col("control_id")
    prefix = pattern.str.strip_suffix("*")
    fits = (control == pattern) | (pattern.str.ends_with("*") & control.str.starts_with(prefix))
    matches = patterns.join(assessable, on="framework", maintain_order="right").filter(fits)
    unused = ~pl.struct("framework", pattern).is_in(matches.select(pl.struct("framework", pattern).implode()).item())
    _check(
        path,
        patterns,
        ("runbook", ~pl.col("runbook").is_in(runbooks["runbook"].implode()), "a runbook of runbooks.csv"),
        ("control_pattern", unused, "an assessable control_id, or the beginning of one and *"),
    )
    closeness = (control == pattern).cast(pl.UInt32) * 1000 + prefix.str.len_chars()
    closest = matches.filter(closeness == closeness.max().over("framework", "control_id"))
    return runbooks, closest.select("runbook", "framework", "control_id")


def _version(data: Path) -> str:
    digest = sha256()
    for path in sorted(path for part in ("crosswalks", "frameworks", "rules") for path in (data / part).glob("*.csv")):
        digest.update(f"{path.relative_to(data).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _read(path: Path, columns: Mapping[str, Column], key: tuple[str, ...]) -> pl.DataFrame:
    try:
        raw = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InvalidData(f"{_name(path)}: expected a CSV file, found {error}") from error
    if raw.columns != list(columns):
        _refuse(path, 1, "(header)", ", ".join(columns), ", ".join(raw.columns))
    again = (key[-1], ~pl.struct(key).is_first_distinct(), f"each {', '.join(key)} once")
    _check(path, raw, *_checks(columns), again)
    return raw.select(_parsed(name, column) for name, column in columns.items())


def _checks(columns: Mapping[str, Column]) -> Iterator[Check]:
    for name, column in columns.items():
        value, parsed = pl.col(name), _parsed(name, column)
        if not column.optional:
            yield name, value.is_null(), "a value"
        if column.allowed:
            word = f"({'|'.join(map(re.escape, column.allowed))})"
            pattern = f"^{word}(;{word})*$" if column.dtype == WORDS else f"^{word}$"
            yield name, ~value.str.contains(pattern), f"one of {', '.join(column.allowed)}"
        if column.dtype in EXPECTED:
            yield name, parsed.is_null() & value.is_not_null(), EXPECTED[column.dtype]
        if column.between:
            low, high = column.between
            yield name, ~parsed.is_between(low, high), f"from {low:g} to {high:g}"


def _parsed(name: str, column: Column) -> pl.Expr:
    """The cells as values; a cell that is none becomes null."""
    value = pl.col(name)
    if column.dtype == WORDS:
        return value.str.split(";")
    if column.dtype == pl.Boolean:
        return value.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    return value.str.to_date(strict=False) if column.dtype == pl.Date else value.cast(column.dtype, strict=False)


def _empty(columns: Mapping[str, Column]) -> pl.DataFrame:
    return pl.DataFrame(schema={name: column.dtype for name, column in columns.items()})


def _known(frame: pl.DataFrame, framework: str, control_id: str, keys: AbstractSet[Key]) -> Check:
    unknown = [pair not in keys for pair in frame.select(framework, control_id).iter_rows()]
    return (
        control_id,
        pl.lit(pl.Series(unknown, dtype=pl.Boolean)),
        "a control of that framework that may be named here",
    )


def _check(path: Path, frame: pl.DataFrame, *checks: Check) -> None:
    """Refuse the first row that fails a check."""
    first = (bad.fill_null(False).arg_true().first().alias(str(number)) for number, (_, bad, _) in enumerate(checks))
    failed = [(row, number) for number, row in enumerate(frame.select(first).row(0)) if row is not None]
    if failed:
        row, number = min(failed)
        column, _, expected = checks[number]
        found = frame[column][row]
        _refuse(path, row + 2, column, expected, "nothing" if found is None else repr(found))


def _refuse(path: Path, row: int, column: str, expected: str, found: str) -> NoReturn:
    cell = {"file": _name(path), "row": row, "column": column, "expected": expected, "found": found}
    sentence = f"{_name(path)} row {row}, column {column}: expected {expected}, found {found}"
    raise InvalidData(sentence, details=[cell])


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
