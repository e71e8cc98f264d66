"""One organization at one revision on one of its days: the only way from records to a report.

HTTP, batch, archives, digests, the site and the command line all ask a snapshot:

    with snapshots.open("aurora", now=now) as snapshot:
        snapshot.fact("gaps")                                   a frame, of this organization alone
        snapshot.edition("posture-score", {})                   the content, in no format yet
        snapshot.bytes("posture-score", {}, "html")             what its route answers with
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engine.model.declarations.as_of import SINCE
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS, Ask, Parameters
from engine.model.declarations.declaration import EXPLAIN, Declaration, find_report
from engine.model.declarations.report_loader import load_report
from engine.model.documents.document import Document, Edition, Position
from engine.model.errors import Unavailable
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import RENDERERS
from engine.reporting.artifacts.ahead import AHEAD, EDITION, content_hash_bytes, edition_ahead, render_ahead
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.index import parts_of, resolve_report
from engine.reporting.snapshot.part_positions import newest
from engine.reporting.snapshot.subject import FactSource, PartHeads, RevisionOnDay, Subject

if TYPE_CHECKING:  # cached answers must not import Polars
    import polars as pl

    from engine.model.declarations.report import Report
    from engine.model.figures.figure import Figures
    from engine.reporting.difference.comparison import Side

T = TypeVar("T")
KEPT_EDITIONS = 2  # a report is asked for in one format after the other

Render = Callable[[Edition], bytes]
Naming = Callable[[str, str, str, date, Position, Parameters, int], tuple[Name, str]]
Changes: TypeAlias = Callable[["Snapshot", "Report", Parameters], Document]
"""What differs between an earlier moment, which the parameters name, and the snapshot."""


@dataclass(frozen=True)
class Artifact:
    """The bytes of one report in one format, the name that they follow from, and whether they were made now."""

    name: Name
    etag: str
    data: bytes
    made: bool = False


class Snapshot:
    """An organization at a revision, on a day, under its thresholds.

    A snapshot that was opened at a head stands there until its first fact is read. Reading settles it: at that head,
    or at a later one where a write came between. From then on nothing moves it. Without ``open_source`` it has what
    was built before, and computes nothing.
    """

    def __init__(
        self,
        org_id: str,
        at: RevisionOnDay,
        part_heads: Callable[[], PartHeads] | None,
        catalogue: Mapping[str, Declaration],
        artifacts: Artifacts,
        open_source: Callable[[RevisionOnDay | None], FactSource] | None,
        naming: Naming,
        erased: Callable[[], int],
        changes: "Changes | None" = None,
    ) -> None:
        self.org_id = org_id
        self.catalogue = catalogue
        self.artifacts = artifacts
        self._at = at
        self._part_heads = part_heads
        self._open_source = open_source
        self._naming = naming
        self._erased = erased
        self._erased_before = erased()
        self._changes = changes
        self._opened: FactSource | None = None
        self._editions: dict[tuple[object, ...], Edition] = {}

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            self._opened.release()
            self._opened = None

    @property
    def _source(self) -> FactSource:
        if self._opened is None:
            from engine.replica.view import ReplicaLost

            try:
                self._opened = self._open(None)
            except ReplicaLost:
                self._opened = self._open(None)
            self._at = self._opened.subject.revision, self._opened.subject.as_of
        return self._opened

    def _open(self, at: RevisionOnDay | None) -> FactSource:
        if self._open_source is None:
            raise ValueError("nothing is open here that a report could be computed from")
        return self._open_source(at)

    @property
    def revision(self) -> Position:
        """Where it stands in the organization's chain."""
        return self._at[0]

    def _position(self, report: Declaration) -> Position:
        """What names a report: where the newest write to anything that it looks at ended; of the past where it is."""
        if self._part_heads is None:
            return self.revision
        heads = self._part_heads() if self._opened is None else self._opened.subject.part_heads
        return newest(parts_of(report), heads, self.revision)

    @property
    def as_of(self) -> date:
        """The day that it is computed for."""
        return self._at[1]

    @property
    def subject(self) -> Subject:
        """All that it is of; settles it."""
        return self._source.subject

    def report(self, name: str) -> Declaration:
        """A report of the catalogue; NotFound names the ones that exist."""
        return find_report(self.catalogue, name)

    def fact(self, name: str, period_days: int = DEFAULT_PERIOD_DAYS) -> "pl.DataFrame":
        """The rows of this organization in a fact or a scan, over a period that ends on the day."""
        return self._retry_if_replica_lost(lambda: self._source.frame(name, period_days))

    def edition(self, report: str | Declaration, query: Mapping[str, str]) -> Edition:
        """A report's content, kept or computed. BadRequest for a bad parameter, NotFound for an unknown report."""
        declared, query = resolve_report(self.report(report) if isinstance(report, str) else report, query)
        parameters, ahead = declared.parse(query), None
        if self._opened is not None:  # else what is computed next might settle it at a later head than that of this
            ahead = self._edition_ahead(declared, parameters, self._name(declared, "", parameters)[0])
        return ahead or self._retry_if_replica_lost(lambda: self._edition(declared, parameters))

    def bytes(
        self, report: str, query: Mapping[str, str], format: str | None = None, *, must_keep: bool = False
    ) -> Artifact:
        """What the report's route answers with, from the artifacts or computed now and kept there.

        BadRequest for an unlisted format or a bad parameter; NotFound for an unknown report. A disk that takes nothing
        is a line of the log, with ``must_keep`` Unavailable.
        """
        declared, query = resolve_report(self.report(report), query)
        form = declared.format(format, parameters := declared.parse(query))
        return self._keep(declared, form, parameters, RENDERERS[form].render, must_keep)

    def build_ahead(self, report: Declaration) -> list[Artifact]:
        """Keep what a report says under default parameters, and its JSON. Unavailable: the disk does not take them."""
        parameters = report.parse({})
        return [self._keep(report, form, parameters, partial(render_ahead, form), must_keep=True) for form in AHEAD]

    def is_built_ahead(self, report: Declaration) -> bool:
        """Whether there is nothing of it that ``build_ahead`` would make."""
        return all(self._from_cache(report, form, report.parse({})) for form in AHEAD)

    def from_cache(
        self, report: str, query: Mapping[str, str], format: str | None = None, *, shared: bool = False
    ) -> Artifact | None:
        """What ``bytes`` gives where it was built already, ``shared``: on any machine; it computes nothing."""
        declared, query = resolve_report(self.report(report), query)
        parameters = declared.parse(query)
        return self._from_cache(declared, declared.format(format, parameters), parameters, shared)

    def cached_hash(self, report: str, query: Mapping[str, str], *, shared: bool = False) -> str | None:
        """What ``content_hash`` gives where it was computed already."""
        declared, query = resolve_report(self.report(report), query)
        artifact = self._from_cache(declared, "sha256", declared.parse(query), shared)
        return None if artifact is None else artifact.data.decode()

    def prefetch(self) -> None:
        """Bring here what other machines built of every report."""
        every = [(report, form) for report in self.catalogue.values() for form in AHEAD]
        names = [self._name(report, form, report.parse({})) for report, form in every]
        self.artifacts.prefetch(self.org_id, names, self._is_wanted)

    def figures(self, report: str, query: Mapping[str, str]) -> "Figures":
        """The values of a report's figures. BadRequest for a bad parameter, NotFound for an unknown report."""
        declared, query = resolve_report(self.report(report), query)
        whole = load_report(declared)
        return self._retry_if_replica_lost(lambda: whole.values(*self._question(whole, declared.parse(query))))

    def content_hash(self, report: str, query: Mapping[str, str]) -> str:
        """The hash of what the report says whatever its revision, kept beside its artifacts."""
        declared, query = resolve_report(self.report(report), query)
        return self._keep(declared, "sha256", declared.parse(query), content_hash_bytes).data.decode()

    def _keep(
        self, report: Declaration, form: str, parameters: Parameters, render: Render, must_keep: bool = False
    ) -> Artifact:
        if kept := self._from_cache(report, form, parameters):
            return kept
        with self.artifacts.building(self._name(report, form, parameters)[0]):
            if kept := self._from_cache(report, form, parameters, shared=True):
                return kept
            name, key = self._name(report, form, parameters)
            if ahead := self._edition_ahead(report, parameters, name):
                data = render(ahead)
            else:
                data = self._retry_if_replica_lost(lambda: render(self._edition(report, parameters)))
                name, key = self._name(report, form, parameters)  # reading may have settled it at a later head
            try:
                self.artifacts.put(name, data, self._is_wanted)
            except Unavailable:  # is said in the log
                if must_keep:
                    raise
            return Artifact(name, key, data, made=True)

    def _edition_ahead(self, report: Declaration, parameters: Parameters, name: Name) -> Edition | None:
        """What a batch kept of the report, where there may be any and it was not computed here."""
        is_here = name.format == EDITION or (report.name, *parameters.items()) in self._editions
        if is_here or parameters != report.parse({}):
            return None
        ahead = edition_ahead(self.artifacts, name, self._is_wanted)
        return None if ahead is None else self._edition(report, parameters, ahead)

    def _is_wanted(self) -> bool:
        """Whether what is made here may be kept: not where a person went meanwhile."""
        return self._erased_before == self._erased()

    def _from_cache(
        self, report: Declaration, form: str, parameters: Parameters, shared: bool = False
    ) -> Artifact | None:
        name, key = self._name(report, form, parameters)
        data = self.artifacts.fetch(name, key, self._is_wanted) if shared else self.artifacts.get(name, key)
        return None if data is None else Artifact(name, key, data)

    def _name(self, report: Declaration, form: str, parameters: Parameters) -> tuple[Name, str]:
        stands_at = self._position(report)
        return self._naming(self.org_id, report.name, form, self.as_of, stands_at, parameters, self._erased_before)

    def _edition(self, report: Declaration, parameters: Parameters, ahead: Edition | None = None) -> Edition:
        key = (report.name, *parameters.items())
        if key not in self._editions:
            self._editions[key] = ahead or self._compute(load_report(report), parameters)
            while len(self._editions) > KEPT_EDITIONS:
                del self._editions[next(iter(self._editions))]
        return self._editions[key]

    def _retry_if_replica_lost(self, compute: Callable[[], T]) -> T:
        """Compute, and once more on another copy of the replica if the first was lost meanwhile."""
        from engine.replica.view import ReplicaLost
        from engine.reporting.snapshot.single_thread import in_own_thread

        try:
            return in_own_thread(compute)
        except ReplicaLost:
            if self._opened is not None:
                self._opened.release()
                self._opened = None
                self._opened = self._open(self._at)
            return in_own_thread(compute)

    def _compute(self, report: "Report", parameters: Parameters) -> Edition:
        from engine.reporting.snapshot.editions import edition_of

        subject, whole = self.subject, report.without_filters(parameters)
        document = self._compare(report, whole) if SINCE.name in parameters else self._document(report, whole)
        return edition_of(report, subject, parameters, document, self._source)

    def _compare(self, report: "Report", parameters: Parameters) -> Document:
        if self._changes is None:
            raise ValueError("nothing is known here of an earlier moment to compare with")
        return self._changes(self, report, parameters)

    def _document(self, report: "Report", parameters: Parameters) -> Document:
        """What the report says; nothing is computed where all that it rests on is what it was."""
        frames, ask = self._question(report, parameters)
        key, sources = (report.name, *parameters.items()), (*frames.values(), ask)
        return self._source.documents.get_or_make(
            key, sources, lambda: report.answer(frames, ask, parameters, self._source.row_memory.recall)
        )

    def comparison_side(self, report: "Report", parameters: Parameters) -> "Side":
        """What a report says here, and all that its difference from another moment is told with."""
        from engine.reporting.difference.comparison import Side

        frames, ask = self._question(report, parameters)
        return Side(
            report.answer(frames, ask, parameters),
            report.values(frames, ask),
            ask,
            self.revision.seq,
            lambda name: self._source.frame(name, None),
        )

    def framework_name(self, framework: str) -> str:
        """What a framework is called, of the program or of the organization's own."""
        return FRAMEWORK_NAMES.get(framework) or self.own_frameworks.get(framework, framework)

    @property
    def own_frameworks(self) -> Mapping[str, str]:
        """What the organization's own frameworks are called, by identifier."""
        from engine.reporting.snapshot.editions import own_framework_names

        return own_framework_names(lambda name: self._source.frame(name, None))

    def _question(self, report: "Report", parameters: Parameters) -> tuple[dict[str, "pl.DataFrame"], Ask]:
        """The facts of a report, and what they and it are asked."""
        subject, period = self.subject, report.period_days(parameters)
        over = period if report.has_period else None
        options = {name: value for name, value in parameters.items() if name not in (EXPLAIN, SINCE.name)}
        return (
            {name: self._source.frame(report.source_of(name), over) for name in report.facts},
            Ask(subject.as_of, period, subject.settings, options, self.own_frameworks),
        )
