"""Regulatory scenarios: changes of requirements that are proposed, decided or already in force, from ``data/``."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from engine.catalogue import DATA, catalogue
from engine.catalogue.cells import check, control_exists, read
from engine.catalogue.columns import FRAMEWORK, OPTIONAL, TEXT, WEIGHT, WORDS, CatalogueColumn, one_of, texts
from engine.model.vocabulary import FRAMEWORKS

POAM = "fedramp-poam"  # a pack without controls of its own
CHANGES = ("mandatory", "new", "extended", "clarified", "merged", "withdrawn", "in_force")
DATE = CatalogueColumn(pl.Date())
SCENARIO = {
    **texts("scenario title authority"),
    "framework": one_of(*FRAMEWORKS, POAM),
    "status": one_of("proposed", "final"),
    "published_on": DATE,
    "effective_on": CatalogueColumn(pl.Date(), optional=True),
    "status_as_of": DATE,
    **texts("timing summary source"),
}
REQUIREMENT = {
    **texts("scenario requirement title"),
    "change": one_of(*CHANGES),
    "control_id": OPTIONAL,
    "into": CatalogueColumn(WORDS, optional=True),
    "weight": WEIGHT,
    "effort_hours": CatalogueColumn(pl.Float64(), optional=True, between=(0.25, 1000)),
}
ANSWER = {
    **texts("scenario requirement"),
    "framework": FRAMEWORK,
    "control_id": TEXT,
    "coverage": one_of("full", "part"),
}


@dataclass(frozen=True, eq=False)
class Scenarios:
    """``requirements`` have the framework of their scenario; ``answers`` name controls that meet a new requirement."""

    scenarios: pl.DataFrame
    requirements: pl.DataFrame
    answers: pl.DataFrame


@cache
def scenarios() -> Scenarios:
    """The scenarios that ship with the program."""
    return load_scenarios(DATA / "scenarios")


def load_scenarios(folder: Path) -> Scenarios:
    """Read and check the scenarios in ``folder``; InvalidData names the first cell that does not hold."""
    paths = {name: folder / f"{name}.csv" for name in ("scenarios", "requirements", "answers")}
    listed = read(paths["scenarios"], SCENARIO, key=("scenario",))
    deltas = read(paths["requirements"], REQUIREMENT, key=("scenario", "requirement"))
    answers = read(paths["answers"], ANSWER, key=("scenario", "requirement", "framework", "control_id"))
    assessable = frozenset(catalogue().controls.filter("assessable").select("framework", "control_id").iter_rows())
    unknown = ~pl.col("scenario").is_in(listed["scenario"].implode())
    check(paths["requirements"], deltas, ("scenario", unknown, "a scenario of scenarios.csv"))
    framed = deltas.join(listed.select("scenario", "framework"), on="scenario", how="left", maintain_order="left")
    is_new, has_control = pl.col("change") == "new", pl.col("control_id").is_not_null()
    target, _, expected = control_exists(framed, "framework", "control_id", assessable)
    stranger = pl.lit(pl.Series([pair not in assessable for pair in framed.select("framework", target).iter_rows()]))
    check(
        paths["requirements"],
        framed,
        ("control_id", has_control & stranger, expected),
        ("control_id", is_new == has_control, "a control for every change but a new requirement"),
        ("weight", is_new & pl.col("weight").is_null(), "the weight of a new requirement"),
        ("effort_hours", is_new & pl.col("effort_hours").is_null(), "the effort of a new requirement"),
        ("into", (pl.col("change") == "merged") != pl.col("into").is_not_null(), "what a merged requirement goes into"),
        ("into", _is_unresolved(framed, assessable), "controls of the framework or new requirements of the scenario"),
    )
    news = deltas.filter(is_new).select("scenario", "requirement")
    pairs = frozenset(news.iter_rows())
    check(
        paths["answers"],
        answers,
        control_exists(answers, "scenario", "requirement", pairs),
        control_exists(answers, "framework", "control_id", assessable),
    )
    return Scenarios(listed, framed, answers)


def _is_unresolved(framed: pl.DataFrame, assessable: frozenset[tuple[str, str]]) -> pl.Expr:
    """Whether a target of a merger is neither a control nor a new requirement."""
    news = frozenset(framed.filter(pl.col("change") == "new").select("scenario", "requirement").iter_rows())
    lost = [
        any((framework, name) not in assessable and (scenario, name) not in news for name in into or ())
        for scenario, framework, into in framed.select("scenario", "framework", "into").iter_rows()
    ]
    return pl.lit(pl.Series(lost, dtype=pl.Boolean))
