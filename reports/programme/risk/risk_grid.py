"""The risk register and where its risks stand on the grid of likelihood and impact (F11)."""

import polars as pl

from engine.model.documents.heat import HeatScale
from engine.model.documents.pictures import MatrixPicture
from engine.model.documents.tones import Tone
from engine.model.figures.formulas import NOT_RATED, risk_level

SCALE = range(1, 6)
LIKELIHOOD = {5: "5 almost certain", 4: "4 likely", 3: "3 possible", 2: "2 unlikely", 1: "1 rare"}
IMPACTS = tuple(f"impact_{impact}" for impact in SCALE)
# a cell of the grid has the shade of its level (F11), however many risks stand in it
RISK_LEVELS = HeatScale(
    (1, 5, 10, 17),
    names=("", "low", "moderate", "high", "critical"),
    by=pl.DataFrame(
        {name: [impact * likelihood for likelihood in LIKELIHOOD] for impact, name in enumerate(IMPACTS, 1)}
    ),
)
STEPS: dict[str, Tone] = {"low": "calm", "moderate": "mild", "high": "grave", "critical": "alarm"}
LEVELS = {cell: risk_level(cell) for cell in range(1, 26)}


def register_of(risks: pl.DataFrame) -> pl.DataFrame:
    """Open risks, the largest residual first, with their movement since the review before.

    A cell that stands on a missing rating, which counts as 5, has not moved anywhere.
    """
    change = pl.when(~pl.col("residual_unknown")).then(pl.col("residual") - pl.col("previous"))
    movement = (
        pl.when("residual_unknown")
        .then(pl.lit("not rated"))
        .when(change > 0)
        .then(pl.format("↑ up {}", change))
        .when(change < 0)
        .then(pl.format("↓ down {}", -change))
        .when(change == 0)
        .then(pl.lit("→ unchanged"))
        .otherwise(pl.lit("new"))
    )
    return (
        risks.filter(pl.col("status") == "open")
        .sort("residual", "inherent", "id", descending=[True, True, False])
        .select(
            *("id", "title", "category", "owner", "likelihood", "impact", "inherent", "residual_likelihood"),
            *("residual_impact", "residual", "level", "previous"),
            cell_words("residual").alias("residual_cell"),
            cell_words("inherent").alias("inherent_cell"),
            pl.when("residual_unknown").then(pl.lit(NOT_RATED)).otherwise("level").alias("rated_level"),
            movement.alias("movement"),
            change.alias("change"),
            *("appetite", "over_appetite", "treatment", "loss_low", "loss_high", "reviewed_on", "unknown"),
            *("inherent_unknown", "residual_unknown"),
            *("acceptance_approved", "accepted_by", "accepted_on"),
        )
    )


def cell_words(cell: str) -> pl.Expr:
    """A cell as people read it: one that stands on a missing rating says so, ahead of what it counts as."""
    return (
        pl.when(f"{cell}_unknown")
        .then(pl.format("not rated (counts as {})", cell))
        .otherwise(pl.col(cell).cast(pl.String))
    )


def unrated_note(register: pl.DataFrame) -> str:
    """What the cell of a risk that is not rated says, where one is among them."""
    if not register["residual_unknown"].any():
        return ""
    return (
        "Where likelihood or impact is missing, 5 counts for it: such a cell is not rated. What it "
        "counts as says that nobody knows, and can be above what is known of the other cell."
    )


def grid(rated: pl.DataFrame) -> pl.DataFrame:
    """Residual risks in each of the 25 cells: a row for each likelihood, 5 on top, a column for each impact."""
    counts = [(pl.col("residual_impact") == impact).sum().alias(f"impact_{impact}") for impact in SCALE]
    frame = rated.group_by(likelihood="residual_likelihood").agg(counts)
    rows = pl.DataFrame({"name": list(LIKELIHOOD.values()), "likelihood": list(LIKELIHOOD)})
    return rows.join(frame, on="likelihood", how="left", maintain_order="left").with_columns(
        pl.exclude("name", "likelihood").fill_null(0).cast(pl.Int64)
    )


def picture(rated: pl.DataFrame, appetite: float) -> list[MatrixPicture]:
    """The grid as people draw it, with how many risks stand in each cell; none without a rated risk."""
    if rated.is_empty():
        return []
    counted = grid(rated)
    cells = {
        (row["name"], str(impact)): (str(row[f"impact_{impact}"] or "·"), STEPS[LEVELS[row["likelihood"] * impact]])
        for row in counted.iter_rows(named=True)
        for impact in SCALE
    }
    alt = (
        f"Fully rated risks by residual likelihood and impact; cells above {appetite:g} are over the general appetite."
    )
    columns = [str(impact) for impact in SCALE]
    return [MatrixPicture("Likelihood by impact, 1 to 5", alt, counted["name"].to_list(), columns, cells, STEPS)]


def cells(rated: pl.DataFrame) -> pl.DataFrame:
    """Which risks stand in each occupied cell, residual and inherent, the worst cell first."""
    both = _grid_cells(rated, "residual_", "residual_ids").join(
        _grid_cells(rated, "", "inherent_ids"), on=["likelihood", "impact"], how="full", coalesce=True
    )
    cell = pl.col("likelihood") * pl.col("impact")
    return (
        both.with_columns(cell=cell, level=cell.replace_strict(LEVELS, return_dtype=pl.String))
        .sort("cell", "likelihood", "impact", descending=True)
        .select("likelihood", "impact", "cell", "level", "residual_ids", "inherent_ids")
    )


def _grid_cells(rated: pl.DataFrame, prefix: str, name: str) -> pl.DataFrame:
    return (
        rated.select("id", likelihood=f"{prefix}likelihood", impact=f"{prefix}impact")
        .drop_nulls()
        .group_by("likelihood", "impact")
        .agg(pl.col("id").sort().alias(name))
    )
