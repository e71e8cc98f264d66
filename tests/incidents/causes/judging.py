"""Cases run through a store, and how many causes the analysis found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.incidents.rootcause.analysis import explain
from engine.incidents.rootcause.rca import Analysis
from engine.store import Store
from engine.store.schema import metadata
from tests.incidents.causes.baseline import walk
from tests.incidents.causes.cases import NOW, Case

MONTHS_OF_ROWS = ("services", "vendors", "service_dependencies", "deploys", "incidents")


@dataclass(frozen=True)
class Verdict:
    """Candidates as the ids of their causes, the best first, and whether the first was called the cause."""

    case: Case
    ranked: Sequence[str]
    sure: bool

    @property
    def has_cause(self) -> bool:
        """Whether there is a cause to be found."""
        return bool(self.case.causes)

    @property
    def first(self) -> bool:
        """The first candidate is the cause; where there is none, none is called it."""
        return self.ranked[:1] != [] and self.ranked[0] in self.case.causes if self.has_cause else not self.sure

    @property
    def third(self) -> bool:
        """The cause is among the first three."""
        return any(one in self.case.causes for one in self.ranked[:3]) if self.has_cause else not self.sure

    @property
    def wrong(self) -> bool:
        """Something else was called the cause."""
        return self.sure and not (self.has_cause and self.first)

    @property
    def is_settled(self) -> bool:
        """The cause was called the cause."""
        return self.has_cause and self.sure and self.first


@dataclass(frozen=True)
class Score:
    """How many of so many cases."""

    cases: int
    known: int
    first: int
    third: int
    wrong: int
    settled: int


def score(verdicts: Iterable[Verdict]) -> Score:
    """The counts of all verdicts."""
    found = [*verdicts]
    counts = [
        sum(getattr(one, name) for one in found) for name in ("has_cause", "first", "third", "wrong", "is_settled")
    ]
    return Score(len(found), *counts)


def load(store: Store, org_id: str, case: Case) -> None:
    """An organization of its own with the rows of a case."""
    with store.revision(org_id, "setup", now=NOW, create={"name": org_id}) as revision:
        for name in MONTHS_OF_ROWS:
            if case.tables[name]:
                revision.insert(metadata.tables[name], case.tables[name])
        revision.record("import.completed")


def analyse(store: Store, org_id: str, case: Case) -> Analysis:
    """The analysis of the incident of a case that was loaded."""
    with store.reader() as connection:
        return explain(connection, org_id, case.incident_id, NOW)


def judge(store: Store, cases: Iterable[Case], prefix: str) -> list[Verdict]:
    """Every case, loaded and analysed."""
    verdicts = []
    for number, case in enumerate(cases):
        load(store, f"{prefix}{number}", case)
        analysis = analyse(store, f"{prefix}{number}", case)
        verdicts.append(Verdict(case, [one.evidence_ids[0] for one in analysis.candidates], analysis.conclusive))
    return verdicts


def judge_baseline(cases: Iterable[Case]) -> list[Verdict]:
    """The same by the walk of twenty lines."""
    return [Verdict(case, *walk(case)) for case in cases]
