"""The work of a plan for the tools where tickets live: CSV for the importers of Jira and Linear, lines for `gh`.

Each carries the identifier of its remediation: hours, states and days come back as rows of ``remediations`` by it.
"""

import csv
import io
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.facts.obligations.accepted_plans import planned_work
from engine.model.documents.document import Document

Row = Mapping[str, object]


def jira_csv(document: Document) -> str:
    """Rows for Jira's CSV importer; the estimate is in seconds, as it reads them."""
    head = (
        "Summary",
        "Description",
        "Issue Type",
        "Assignee",
        "Due Date",
        "Original Estimate",
        "Labels",
        "External ID",
    )
    rows = [
        (
            _summary(row),
            _description(row),
            "Task",
            row["owner"],
            row["due_on"],
            round(_hours(row) * 3600),
            f"compliance {row['framework']}",
            row["id"],
        )
        for row in _work(document)
    ]
    return _csv(head, rows)


def linear_csv(document: Document) -> str:
    """Rows for Linear's CSV importer."""
    head = ("Title", "Description", "Status", "Assignee", "Due Date", "Estimate", "Labels", "ID")
    rows = [
        (
            *(_summary(row), _description(row), "Todo", row["owner"], row["due_on"], f"{_hours(row):g}"),
            *(f"compliance, {row['framework']}", row["id"]),
        )
        for row in _work(document)
    ]
    return _csv(head, rows)


def gh_lines(document: Document) -> str:
    """A line of `gh issue create` for each piece of work, quoted for a shell."""
    lines = [
        shlex.join(
            [*("gh", "issue", "create", "--title", _summary(row)), "--body", _description(row), "--label", "compliance"]
        )
        for row in _work(document)
    ]
    return "".join(f"{line}\n" for line in lines)


WORK_FORMS: Mapping[str, Callable[[Document], str]] = {"jira": jira_csv, "linear": linear_csv, "gh": gh_lines}


def _work(document: Document) -> Iterator[Row]:
    rows = document.tables[0].frame.iter_rows(named=True)
    return (row for row in rows if row["table"] == "remediations")


def _summary(row: Row) -> str:
    return f"{row['control_id']} {row['title']}"


def _description(row: Row) -> str:
    asked = planned_work(str(row["details"]))
    kinds = ", ".join(asked.kinds) if asked and asked.kinds else "the work"
    owner, due = row["owner"], row["due_on"]
    what = f"{row['framework']} {row['control_id']}: {kinds}"
    return f"{what}. {_hours(row):g} h, {owner}, by {due}. Remediation {row['id']}."


def _hours(row: Row) -> float:
    asked = planned_work(str(row["details"]))
    return 0.0 if asked is None else asked.hours


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """A text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
