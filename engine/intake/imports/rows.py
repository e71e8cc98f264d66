"""From named text cells to checked rows: values by column, then what concerns a row as a whole."""

from collections.abc import Iterator

import msgspec
import polars as pl

from engine.intake.imports.files.headers import ROW, Header
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import Importable, TableField
from engine.intake.imports.values import controls
from engine.intake.imports.values.cells import Notation
from engine.intake.imports.values.columns import values
from engine.intake.imports.values.expectations import cell_expectation
from engine.intake.imports.values.names import closest_name, slug
from engine.model.errors import InvalidData
from engine.model.recurrence import occurrences
from engine.model.thresholds import DEFAULTS, thresholds
from engine.store.chain.chain import OWN_EVENTS

ID_LENGTH = 200
_PATTERN = r"^[^\s*]+\*?$"


class RowReader:
    """Turns the frames of one file into values. ``columns`` are those that the rows have: given or made.

    ``once``: of each key there may be one row.
    """

    def __init__(
        self, header: Header, decimal: str | None, org_id: str, problems: Problems, *, once: bool = True
    ) -> None:
        self.table = header.table
        self._file = header.file
        self._given = header.given
        self._numeric = header.numeric
        self._problems = problems
        self._org_id = org_id
        self._once = once
        self._notations = {
            name: header.notations.of(self.table.fields[name], _decimal(self.table.fields[name], decimal))
            for name in header.given
        }
        self._makes_id = bool(self.table.natural) and set(self.table.natural) <= set(self._given)
        own = self._makes_id or self.table.name == "organizations"
        self._defaults = {
            name: self.table.fields[name].default
            for name in self.table.key
            if name not in self._given and self.table.fields[name].default is not None
        }
        added = {"id"} & {name for name in self.table.fields if own} | set(self._defaults)
        self.columns = tuple(name for name in self.table.fields if name in self._given or name in added)
        self._needed = {name for name, field in self.table.fields.items() if field.required}
        if self.table.natural and not self._makes_id:
            self._needed.add("id")

    def values(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of ``frame`` with typed columns and ``ROW``; every cell that does not hold is reported."""
        done: dict[str, pl.Series] = {}
        for name in self._given:
            field, notation = self.table.fields[name], self._notations[name]
            raw = frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=pl.String)
            if field.kind == "control":
                done[name] = self._controls(frame, raw, done["framework"])
            else:
                done[name] = values(raw, field, notation).alias(name)
                self._report(frame[ROW], raw, raw.is_not_null() & done[name].is_null(), field, notation)
            if name in self._needed:
                self._report(frame[ROW], raw, raw.is_null(), field, notation)
            if field.default is not None:
                done[name] = done[name].zip_with(raw.is_not_null(), pl.repeat(field.default, frame.height, eager=True))
        typed = pl.DataFrame([frame[ROW], *done.values()]).with_columns(
            pl.lit(value).alias(name) for name, value in self._defaults.items()
        )
        if self.table.name == "organizations":
            given = pl.col("id") if "id" in typed.columns else pl.lit(None, dtype=pl.String)
            typed = typed.with_columns(given.fill_null(self._org_id).alias("id"))
        elif self._makes_id:
            typed = self._with_id(typed)
        for row, column, wanted, found in _row_problems(self.table, typed, self._org_id, self._once):
            self._problems.add(self._file, row, column, wanted, found)
        return typed

    def _report(self, rows: pl.Series, raw: pl.Series, bad: pl.Series, field: TableField, notation: Notation) -> None:
        if bad.any():
            self._problems.add_all(
                self._file,
                field.name,
                lambda found: cell_expectation(field, notation, found),
                rows.filter(bad),
                raw.filter(bad),
            )

    def _controls(self, frame: pl.DataFrame, raw: pl.Series, frameworks: pl.Series) -> pl.Series:
        """Identifiers of the catalogue; silent where the framework itself is bad, which was reported."""
        risky = "control_id" in self._numeric
        known: dict[tuple[str, str], str | None] = {}
        found: list[str | None] = []
        for row, framework, text in zip(frame[ROW], frameworks, raw, strict=True):
            if framework is None or text is None:
                found.append(None)
                continue
            if (framework, text) not in known:
                known[framework, text] = controls.control(framework, text)
            exact = known[framework, text]
            found.append(exact)
            if exact is None:
                self._problems.add(self._file, row, "control_id", controls.expected_control(framework, text), text)
            elif risky and controls.may_lack_zero(framework, exact):
                wanted = f"text: as a number {exact} and {exact}0 are the same, so format the column as text"
                self._problems.add(self._file, row, "control_id", wanted, text)
        if "framework" not in self._needed:
            for row in frame.filter(raw.is_not_null() & frame["framework"].is_null())[ROW]:
                self._problems.add(self._file, row, "framework", "the framework of the control", None)
        return pl.Series("control_id", found, dtype=pl.String)

    def _with_id(self, typed: pl.DataFrame) -> pl.DataFrame:
        parts = [pl.col(name).cast(pl.String) for name in self.table.natural]
        made = typed.select(pl.concat_str(parts, separator="-").alias("id")).to_series()
        slugs = pl.Series("id", [slug(text)[:ID_LENGTH] or None if text else None for text in made], dtype=pl.String)
        nameless = made.is_not_null() & slugs.is_null()
        if "id" in typed.columns:
            nameless &= typed["id"].is_null()
            slugs = typed["id"].zip_with(typed["id"].is_not_null(), slugs)
        name = self.table.natural[0]
        wanted = "a name with letters or digits, or a column id"
        self._problems.add_all(self._file, name, lambda _: wanted, typed[ROW].filter(nameless), made.filter(nameless))
        return typed.with_columns(slugs.alias("id"))


def _decimal(field: TableField, decimal: str | None) -> str | None:
    """A file with decimal commas may still hold measured numbers with points, but hardly counts with decimals."""
    return None if decimal == "," and field.kind == "number" else decimal


def _row_problems(
    table: Importable, typed: pl.DataFrame, org_id: str, once: bool
) -> Iterator[tuple[int, str, str, object]]:
    """(row, column, expected, found) of what a column by itself does not show."""
    if table.name == "audit_log" and "event_id" in typed.columns:
        reserved = typed.filter(pl.col("event_id").str.starts_with(OWN_EVENTS))
        for row, found in reserved.select(ROW, "event_id").iter_rows():
            yield row, "event_id", f"an identifier that does not begin with {OWN_EVENTS}, which is reserved", found
    if table.name == "organizations":
        yield from _organization_problems(typed, org_id, once)
    if table.name == "organization_rules" and "pattern" in typed.columns:
        wanted = "an action in dotted words such as access.review.completed, with * at its end only"
        bad = ~pl.col("pattern").str.contains(_PATTERN)
        for row, found in typed.drop_nulls("pattern").filter(bad).select(ROW, "pattern").iter_rows():
            yield row, "pattern", wanted, found
    if table.name == "absences" and "repeats" in typed.columns:
        for row, start, found in typed.drop_nulls(["repeats", "starts_on"]).select(ROW, "starts_on", "repeats").rows():
            try:
                occurrences(start, found, start, start)
            except ValueError as error:
                yield row, "repeats", str(error), found
    if table.name == "organization_settings" and {"name", "value"} <= set(typed.columns):
        for row, name, value in typed.drop_nulls(["name", "value"]).select(ROW, "name", "value").iter_rows():
            yield from _setting_problems(row, name, value)


def _organization_problems(typed: pl.DataFrame, org_id: str, once: bool) -> Iterator[tuple[int, str, str, object]]:
    for row in typed[ROW][1:] if once else ():
        yield row, "(row)", "one organization", "another"
    for row, found in typed.filter(pl.col("id") != org_id).select(ROW, "id").iter_rows():
        yield row, "id", f"{org_id}, the organization that is imported into", found


def _setting_problems(row: int, name: str, value: str) -> Iterator[tuple[int, str, str, object]]:
    if name not in DEFAULTS:
        near = closest_name(name, list(DEFAULTS))
        yield row, "name", "the name of a setting" + (f", probably {near}" if near else ""), name
        return
    try:
        thresholds(0, {name: msgspec.json.decode(value)})
    except InvalidData:
        _, low, high, _ = DEFAULTS[name]
        yield row, "value", f"a number from {low:g} to {high:g}", value
