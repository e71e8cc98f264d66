"""Where the copilot reads: the route of a report, the table in it, and how one of its rows reads as a line.

``row`` and ``line`` of a source are filled from the columns of a table's row.
"""

from dataclasses import dataclass

PROGRAMME = "/api/governance/compliance"
ELSEWHERE = {
    "deployment-profile": "/api/deployment/profile",
    "deployment-retention": "/api/deployment/retention",
    "legal-holds": "/api/governance/legal-holds",
    "policy-blocks-summary": "/api/governance/policy-blocks/summary",
    "third-party-vendors": "/api/governance/third-party/vendors",
}


def route_of(report: str) -> str:
    """The path that answers with a report."""
    return ELSEWHERE.get(report, f"{PROGRAMME}/{report}")


@dataclass(frozen=True)
class Source:
    """The table of a report that answers, and how one of its rows reads.

    ``keep`` and ``late`` name a column and the values that count, always and when the question asks for what is
    overdue. ``number`` in ``row`` is the row's place in the table. ``known`` is the figure of the summary that is 0 or
    absent when there is no data. ``row_route`` is where a single row stands, where no route shows the whole table.
    """

    report: str
    table: str
    row: str
    line: str
    route: str = ""
    keep: tuple[str, tuple[object, ...]] | None = None
    late: tuple[str, tuple[object, ...]] | None = None
    known: str | None = None
    row_route: str | None = None

    @property
    def path(self) -> str:
        """The route of the report."""
        return self.route or route_of(self.report)
