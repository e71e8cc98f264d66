"""What the copilot may read: reports, figures, facts and tables of one organization at one moment, each read once."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import TypeVar

import polars as pl

from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.lexicon import Lexicon
from engine.copilot.grammar.names import Names
from engine.exposure.dependencies import Dependency, Graph, Service, build
from engine.incidents.rootcause.analysis import explain
from engine.incidents.rootcause.rca import Analysis
from engine.incidents.slo.service_budgets import service_budgets
from engine.model.declarations.as_of import AsOf
from engine.model.declarations.report import Report
from engine.model.documents.document import Edition, Position
from engine.model.figures.figure import Figures
from engine.model.thresholds import Thresholds
from engine.reporting.snapshot.snapshot import Snapshot
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store.queries.operations.services import all_dependencies, all_services

T = TypeVar("T")


class Library:
    """The records of one organization. ``entities`` prepares what people ask about, with a day for each instant."""

    def __init__(self, snapshots: Snapshots, org_id: str, *, now: datetime) -> None:
        self._snapshots = snapshots
        self.org_id = org_id
        self._now = now
        self._editions: dict[object, Edition | None] = {}
        self._lexicons: dict[str, Lexicon] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._facts: dict[str, pl.DataFrame] = {}
        self._tables: dict[str, pl.DataFrame] = {}
        self._rows: dict[str, pl.DataFrame] = {}
        self._subject: tuple[date, Position, str, Thresholds] | None = None

    @property
    def catalogue(self) -> Mapping[str, Report]:
        """Every report there is, by name."""
        return self._snapshots.catalogue

    @property
    def now(self) -> datetime:
        """The moment that is asked at."""
        return self._now

    @property
    def today(self) -> date:
        """The organization's day."""
        return self._about()[0]

    @property
    def revision(self) -> int:
        """Where the organization stands in its chain."""
        return self._about()[1].seq

    def framework_name(self, framework: str) -> str:
        """What a framework is called, of the program or of the organization's own."""
        names = dict(self.fact("frameworks").select("framework", "name").iter_rows())
        return str(names.get(framework, framework))

    def number(self, threshold: str) -> int:
        """A threshold of the organization, as a whole number."""
        return int(self._about()[3][threshold])

    def edition(self, report: str, query: Mapping[str, str] | None = None, *, at: AsOf | None = None) -> Edition | None:
        """A report of the organization, asked as its route would be; None where the catalogue has none of that name.

        ``at`` is the past that it is asked for. BadRequest where it has no answer for the query or for that day.
        """
        key = (report, tuple(sorted((query or {}).items())), at)
        if key not in self._editions:
            found = None
            if report in self.catalogue:
                with self._open(at) as snapshot:
                    found = snapshot.edition(report, query or {})
            self._editions[key] = found
        return self._editions[key]

    def against(self, day: date, compare: Callable[[Snapshot, Snapshot], T]) -> T:
        """What a comparison of the organization now and at the end of a day says. BadRequest where nothing is recorded
        of that day."""
        with self._open() as now, self._open(AsOf(day)) as then:
            return compare(now, then)

    def root_cause(self, incident_id: str) -> Analysis:
        """What the root-cause analysis makes of an incident as things stand; no run is kept."""
        with self._snapshots.store.reader() as connection:
            return explain(connection, self.org_id, incident_id, self._now)

    def graph(self) -> Graph:
        """The services and what they need, as the route of the dependency graph has them."""
        with self._snapshots.store.reader() as connection:
            services = [Service(*row) for row in all_services(connection, self.org_id)]
            return build(services, [Dependency(*row) for row in all_dependencies(connection, self.org_id)])

    def report_ids(self, report: str) -> frozenset[str]:
        """The identifiers of the rows that a report lists."""
        if report not in self._listed:
            edition = self.edition(report)
            self._listed[report] = frozenset() if edition is None else _identifiers(edition)
        return self._listed[report]

    def figures(self, report: str, query: Mapping[str, str]) -> Figures:
        """The figures of a report, asked as its route would be."""
        with self._open() as snapshot:
            return snapshot.figures(report, query)

    def fact(self, name: str) -> pl.DataFrame:
        """The rows of a fact or a scan, without the organization."""
        if name not in self._facts:
            with self._open() as snapshot:
                self._facts[name] = _plain(snapshot.fact(name))
        return self._facts[name]

    def table(self, name: str) -> pl.DataFrame:
        """The rows of a table as they are stored, without the organization."""
        if name not in self._tables:
            query = f"SELECT * FROM {name} WHERE org_id = ? ORDER BY ALL"  # noqa: S608 - names of tables are ours
            rows = self._snapshots.replica.read([self.org_id], lambda view: view.frame(query, (self.org_id,)))
            self._tables[name] = _plain(rows)
        return self._tables[name]

    def budgets(self) -> pl.DataFrame:
        """The error budgets of services with an objective, as the route of each answers."""
        content = self._snapshots.replica.read(
            [self.org_id], lambda view: service_budgets(view, self.org_id, self._now)
        )
        rows = [
            (
                one.service_id,
                one.severity,
                *(
                    value
                    for days in (30, 7)
                    for value in (one.window(days).used_pct, one.window(days).remaining_pct, one.window(days).burn)
                ),
            )
            for one in content
        ]
        parts = [
            f"{part}_{days}d{unit}"
            for days in (30, 7)
            for part, unit in (("used", "_pct"), ("left", "_pct"), ("burn", ""))
        ]
        schema = {"service_id": pl.String, "level": pl.String, **dict.fromkeys(parts, pl.Float64)}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def rows(self, entity: Entity) -> pl.DataFrame:
        """The rows of what people ask about, with a local day ``…_on`` beside each instant ``…_at``."""
        if entity.name not in self._rows:
            frame = entity.source(self)
            zone = self._about()[2]
            instants = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
            days = [
                pl.col(name)
                .dt.replace_time_zone("UTC")
                .dt.convert_time_zone(zone)
                .dt.date()
                .alias(f"{name.removesuffix('_at')}_on")
                for name in instants
                if f"{name.removesuffix('_at')}_on" not in frame.columns
            ]
            self._rows[entity.name] = self._with_age(entity, frame.with_columns(days))
        return self._rows[entity.name]

    def _with_age(self, entity: Entity, frame: pl.DataFrame) -> pl.DataFrame:
        """With the days since each came to be, where that is its usual date."""
        due = entity.due
        overdue = next((one for one in entity.states if one.label in ("overdue", "late", "expired")), None)
        if overdue is not None and due is not None and frame.schema.get(due) == pl.Date:
            late = (pl.lit(self.today) - pl.col(due)).dt.total_days()
            frame = frame.with_columns(late_days=pl.when(overdue.where(self.today) & (late > 0)).then(late))
        born = next(iter(entity.dates), None)
        if entity.until is not None and born is not None:
            ends = {"from_local": born, "to_local": entity.until}
            moments = {name: f"{day.removesuffix('_on')}_at" for name, day in ends.items()}
            if moments["to_local"] in frame.columns:
                frame = frame.with_columns(
                    pl.col(at)
                    .dt.replace_time_zone("UTC")
                    .dt.convert_time_zone(self._about()[2])
                    .dt.replace_time_zone(None)
                    .alias(name)
                    for name, at in moments.items()
                )
        moment = f"{(born or '').removesuffix('_on')}_at"
        if entity.dated and isinstance(frame.schema.get(moment), pl.Datetime):
            local = pl.col(moment).dt.replace_time_zone("UTC").dt.convert_time_zone(self._about()[2])
            frame = frame.with_columns(
                weekday=local.dt.strftime("%A").str.to_lowercase(), hour=local.dt.strftime("%H:00")
            )
        if born is None or born == entity.due or not entity.dated or "age_days" in frame.columns:
            return frame
        return frame.with_columns(age_days=(pl.lit(self.today) - pl.col(born)).dt.total_days())

    @cached_property
    def names(self) -> Names:
        """The organization's own names."""
        return Names(self)

    def lexicon(self, entity: Entity) -> Lexicon:
        """What phrases mean of a kind of thing."""
        if entity.name not in self._lexicons:
            self._lexicons[entity.name] = Lexicon(entity, self.rows(entity), self.names)
        return self._lexicons[entity.name]

    def _open(self, at: AsOf | None = None) -> Snapshot:
        return self._snapshots.open(self.org_id, now=self._now, at=at)

    def _about(self) -> tuple[date, Position, str, Thresholds]:
        if self._subject is None:
            with self._open() as snapshot:
                subject = snapshot.subject
                zone = subject.organization.time_zone
                self._subject = subject.as_of, subject.revision, zone, subject.settings
        return self._subject


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Without the organization, instants in UTC without zone."""
    zoned = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime) and kind.time_zone]
    return frame.drop("org_id", strict=False).with_columns(
        pl.col(zoned).dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    )


def _identifiers(edition: Edition) -> frozenset[str]:
    found: set[str] = set()
    for table in edition.document.tables:
        frame = table.frame
        columns = [name for name in frame.columns if name.endswith("id") or name in ("name", "framework", "email")]
        for name in columns:
            found.update(str(value).lower() for value in frame[name].drop_nulls().unique())
        if {"framework", "control_id"} <= set(frame.columns):
            found.update(f"{a}:{b}".lower() for a, b in frame.select("framework", "control_id").iter_rows())
    return frozenset(found)
