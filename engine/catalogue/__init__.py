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

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

import polars as pl

from engine.catalogue.cells import Key, check, control_exists, empty, read, refuse
from engine.catalogue.columns import (
    ACTION_CONTROLS,
    ACTIONS,
    CADENCES,
    CONTROL,
    CROSSWALK,
    EVIDENCE_KINDS,
    FRAMEWORK_LIST,
    NIST_PAIRS,
    OWN,
    PAIRED_WITH,
    RUNBOOK_CONTROLS,
    RUNBOOKS,
    UNMAPPED,
    VENDOR_INHERITANCE,
    CatalogueColumn,
)
from engine.model.vocabulary import FRAMEWORKS

__all__ = ["CADENCES", "DATA", "EVIDENCE_KINDS", "FRAMEWORKS", "Catalogue", "catalogue", "load"]

DATA = Path(__file__).resolve().parents[2] / "data"
_NIST_CONTROL = r"^[a-z]{2}-[1-9]\d?(\.[1-9]\d?)?$"


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Everything in ``data/`` that says what a control is, how it is evidenced and how controls relate.

    ``position`` in ``controls`` is the order of the standard, which an identifier does not sort into. ``nist_pairs``
    lead to controls of NIST SP 800-53, which is no framework of the program: they stand apart from ``crosswalk``.
    """

    frameworks: pl.DataFrame
    controls: pl.DataFrame
    crosswalk: pl.DataFrame
    nist_pairs: pl.DataFrame
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

    def control_title(self, framework: str, control_id: str) -> str:
        """What a control is called; empty for one that the catalogue does not have."""
        return self._titles.get((framework, control_id), "")

    @cached_property
    def _titles(self) -> Mapping[Key, str]:
        rows = self.controls.select("framework", "control_id", "title").iter_rows()
        return {(framework, control_id): title for framework, control_id, title in rows}


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
        nist_pairs=_nist_pairs(data / "crosswalks" / PAIRED_WITH, keys),
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
    frame = read(path, CONTROL | OWN[framework], key=("control_id",))
    parent, own_id = pl.col("parent_id"), pl.col("control_id")
    check(
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
    frameworks = read(path, FRAMEWORK_LIST, key=("framework",))
    counted = dict(controls.filter("assessable").group_by("framework").len().iter_rows())
    actual = pl.col("framework").replace_strict(counted, return_dtype=pl.Int64)
    check(
        path,
        frameworks,
        ("framework", pl.col("framework") != pl.Series(FRAMEWORKS).head(len(frameworks)), "the order of FRAMEWORKS"),
        ("assessable_count", pl.col("assessable_count") != actual, "the number of assessable rows in its file"),
    )
    if len(frameworks) < len(FRAMEWORKS):
        refuse(path, len(frameworks) + 2, "framework", FRAMEWORKS[len(frameworks)], "nothing")
    return frameworks


def _crosswalks(folder: Path, keys: AbstractSet[Key]) -> tuple[pl.DataFrame, pl.DataFrame]:
    unmapped_path = folder / "unmapped.csv"
    edges = [empty(CROSSWALK)]
    for path in sorted(set(folder.glob("*.csv")) - {unmapped_path}):
        frame = _pairs(path, CROSSWALK, keys)
        check(path, frame, control_exists(frame, "target_framework", "target_id", keys))
        edges.append(frame)
    unmapped = empty(UNMAPPED)
    if unmapped_path.exists():
        unmapped = read(unmapped_path, UNMAPPED, key=("framework", "control_id", "against"))
        check(unmapped_path, unmapped, control_exists(unmapped, "framework", "control_id", keys))
    return pl.concat(edges), unmapped


def _nist_pairs(folder: Path, keys: AbstractSet[Key]) -> pl.DataFrame:
    pairs = [empty(NIST_PAIRS)]
    for path in sorted(folder.glob("*.csv")):
        frame = _pairs(path, NIST_PAIRS, keys)
        well_formed = pl.col("target_id").str.contains(_NIST_CONTROL)
        check(path, frame, ("target_id", ~well_formed, "a control of NIST SP 800-53 as OSCAL writes it, ac-2.1"))
        pairs.append(frame)
    return pl.concat(pairs)


def _pairs(path: Path, columns: Mapping[str, CatalogueColumn], keys: AbstractSet[Key]) -> pl.DataFrame:
    """A file of pairs between the two frameworks that its name says, from controls that exist."""
    frame = read(path, columns, key=("source_framework", "source_id", "target_framework", "target_id"))
    between = pl.concat_str("source_framework", "target_framework", separator="-")
    check(
        path,
        frame,
        ("target_framework", between != path.stem, f"a pair of the frameworks of the file name, {path.stem}"),
        control_exists(frame, "source_framework", "source_id", keys),
    )
    return frame


def _actions(folder: Path, assessable: AbstractSet[Key]) -> tuple[pl.DataFrame, pl.DataFrame]:
    path, pairs_path = folder / "actions.csv", folder / "action_controls.csv"
    actions = read(path, ACTIONS, key=("action",))
    pairs = read(pairs_path, ACTION_CONTROLS, key=("action", "framework", "control_id"))
    by_map = pl.col("controls_from") == "map"
    unknown = ~pl.col("action").is_in(actions.filter(by_map)["action"].implode())
    check(
        pairs_path,
        pairs,
        ("action", unknown, "an action of actions.csv with controls_from map"),
        control_exists(pairs, "framework", "control_id", assessable),
    )
    without = by_map & ~pl.col("action").is_in(pairs["action"].implode())
    check(path, actions, ("action", without, "at least one row in action_controls.csv"))
    return actions, pairs


def _vendor_inheritance(path: Path, assessable: AbstractSet[Key]) -> pl.DataFrame:
    rules = read(path, VENDOR_INHERITANCE, key=("tier", "category", "framework", "control_id"))
    check(path, rules, control_exists(rules, "framework", "control_id", assessable))
    return rules


def _runbooks(folder: Path, assessable: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Runbooks, and for each control the one whose pattern fits most closely: an exact id, else the longest prefix."""
    path = folder / "runbook_controls.csv"
    runbooks = read(folder / "runbooks.csv", RUNBOOKS, key=("runbook",))
    patterns = read(path, RUNBOOK_CONTROLS, key=("framework", "control_pattern"))
    pattern, control = pl.col("control_pattern"), pl.col("control_id")
    prefix = pattern.str.strip_suffix("*")
    fits = (control == pattern) | (pattern.str.ends_with("*") & control.str.starts_with(prefix))
    matches = patterns.join(assessable, on="framework", maintain_order="right").filter(fits)
    used = matches.select(pair=pl.struct("framework", pattern))["pair"]
    unused = ~pl.struct("framework", pattern).is_in(used.implode())
    check(
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
    for path in sorted(path for part in ("crosswalks", "frameworks", "rules") for path in (data / part).rglob("*.csv")):
        digest.update(f"{path.relative_to(data).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
