"""A framework of the program under another name: out, in again, with the records that name it; figures must be equal.

What may differ is said here: figures of a pack's own reports, and of what is about frameworks by name.
"""

import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import polars as pl

from engine.facts import FactQuestion, Facts
from engine.frameworks.completion import complete
from engine.frameworks.exporting import built_in_content, csv_stream
from engine.frameworks.files import read_frameworks
from engine.model.declarations.ask import Ask
from engine.model.entities import FRAMEWORK_REPORTS
from engine.model.thresholds import Thresholds
from engine.replica.view import frame_view
from reports.mapping.crosswalk import REPORT as CROSSWALK
from tests.claims.organizations import Tables, replica_rows
from tests.claims.values import REPORTS_OF_FIGURES, Values

BY_NAME: Mapping[str, str] = {
    "activity_": "controls of SOC 2 and ISO 27001, as the summary has them",
    "controls_active": "controls of SOC 2 and ISO 27001",
    "controls_inactive": "controls of SOC 2 and ISO 27001",
    "crosswalk_": "SOC 2 and ISO 27001, unless two frameworks are named: ``crosswalk_values`` names them",
    "benchmark_at_or_above_median": "studies that were published about a framework",
    "benchmark_below_median": "studies that were published about a framework",
    "benchmark_without_percentile": "studies that were published about a framework",
    "catalogue_mappings": "the catalogue has the framework and its twin",
    "catalogue_requirements": "the catalogue has the framework and its twin",
    **{
        f"regulatory_{name}": "regulations of the program, which name controls of its frameworks"
        for name in (
            *("effort_hours", "existing_gaps", "falls_away", "new_gaps", "not_applicable", "requirements"),
            *("satisfied", "scenarios_in_scope"),
        )
    },
}
"""Figures, or with a line at their end the beginnings of their names, that are about frameworks by name, and why."""
OF_THE_ORGANIZATION = ("bundles_sealed_in_period", "legal_holds_in_period", "poam_")
"""Figures of a pack's report that are about the organization, whatever frameworks it has."""
_KEYED = ("controls", "weakness_key")
_NESTED = {"own_frameworks": ("details",), "framework_controls": ("details", "parameters")}


def twin_name(framework: str) -> str:
    """What the twin of a framework is called."""
    return f"own-{framework}"


def twin(tables: Tables, framework: str) -> Tables:
    """The records of an organization with the twin of a framework in its place, as the import has it."""
    other = twin_name(framework)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{other}.csv"
        path.write_bytes(csv_stream(built_in_content(framework)))
        content = read_frameworks(path, other)
    complete(content)
    frames = {name: _with_name(frame, framework, other) for name, frame in tables.items()}
    in_posture = pl.when(pl.col("framework") == other).then(True)
    frames["organization_frameworks"] = frames["organization_frameworks"].with_columns(in_posture=in_posture)
    for name, rows in content.tables.items():
        plain = [{**row, **dict.fromkeys(_NESTED.get(name, ()))} for row in rows]
        if plain:
            frames[name] = pl.DataFrame(plain, infer_schema_length=None)
    return frames


def _with_name(frame: pl.DataFrame, framework: str, other: str) -> pl.DataFrame:
    columns = [pl.col("framework").replace(framework, other)] if "framework" in frame.columns else []
    tag = rf"(^|[^a-z0-9-]){framework}:"
    columns += [pl.col(name).str.replace_all(tag, f"${{1}}{other}:") for name in _KEYED if name in frame.columns]
    return frame.with_columns(columns)


def generic() -> frozenset[str]:
    """Figures that every framework has, whoever brought it along."""
    reports: dict[str, set[str]] = {}
    for report in REPORTS_OF_FIGURES:
        for figure in report.figures:
            reports.setdefault(figure.id, set()).add(report.name)
    packs = set(FRAMEWORK_REPORTS.values())
    of_packs = {name for name, of in reports.items() if of <= packs and not name.startswith(OF_THE_ORGANIZATION)}
    return frozenset(name for name in reports if name not in of_packs and not _is_by_name(name))


def _is_by_name(figure: str) -> bool:
    return any(figure.startswith(name) if name.endswith("_") else figure == name for name in BY_NAME)


def unequal(before: Values, after: Values, framework: str) -> dict[str, tuple[object, object]]:
    """Generic figures that say something else of the twin."""
    return {
        name: (before[name], after[name])
        for name in sorted(generic())
        if before[name] != _plain(after[name], framework)
    }


def crosswalk_values(tables: Tables, day: date, source: str, target: str) -> Values:
    """The figures of the crosswalk of two frameworks."""
    settings, parameters = Thresholds(0, {}), {**CROSSWALK.parse({}), "source": source, "target": target}
    period, zone = CROSSWALK.period_days(parameters), tables["organizations"]["time_zone"][0]
    with frame_view(replica_rows("w", tables)) as view:
        facts = Facts(view, [FactQuestion("w", zone, day, period, settings)])
        frames = {name: facts.of("w", name) for name in CROSSWALK.facts}
        figures = CROSSWALK.values(frames, Ask(day, period, settings, parameters))
        return {name: figures[name] for name in figures.declared}


def _plain(value: object, framework: str) -> object:
    return value.replace(twin_name(framework), framework) if isinstance(value, str) else value
