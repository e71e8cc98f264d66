"""The value of every figure over records that never change: ``figure_corpus.json``, an organization on one day.

``figure_values.json`` has what was accepted, by version of the figure's formula: values that move without a new version
are named, by the test and by ``python -m tests.reports.accept_figure_values``.
"""

import json
from pathlib import Path

from engine.model.declarations.ask import Ask
from engine.model.figures.versions import version_of
from engine.model.thresholds import Thresholds
from engine.render.plain_values import plain_value
from reports import REPORTS
from reports.digests import DIGESTS
from tests.factories import DAY, ORG

CORPUS = Path(__file__).with_name("figure_corpus.json")
VALUES = Path(__file__).with_name("figure_values.json")
NOT_OF_RECORDS = {"catalogue_version"}  # the hash of the catalogue, whatever is recorded
FULL = {report.name: report for report in (*REPORTS, *(digest.report for digest in DIGESTS))}


def corpus():
    """The rows of each table, as a test writes them."""
    tables = json.loads(CORPUS.read_text(encoding="utf-8"))
    return {
        name: [{key: cell for key, cell in zip(table["columns"], row, strict=True) if cell is not None} for row in rows]
        for name, table in tables.items()
        for rows in [table["rows"]]
    }


def values_of(facts):
    """Version and value of every figure, of the first report that shows it, asked without parameters."""
    found = {}
    for report in FULL.values():
        parameters = report.parse({})
        frames = {name: facts.of(ORG, name) for name in report.facts}
        ask = Ask(DAY, report.period_days(parameters), Thresholds(0, {}), parameters)
        figures = report.values(frames, ask)
        for figure in report.figures:
            if figure.id not in found and figure.id not in NOT_OF_RECORDS:
                value = plain_value(figures[figure.id], figure.id)
                found[figure.id] = {"version": version_of(figure.id), "value": json.loads(json.dumps(value))}
    return dict(sorted(found.items()))


def accepted_values():
    """What was accepted; nothing where there is no file yet."""
    return json.loads(VALUES.read_text(encoding="utf-8")) if VALUES.exists() else {}


def moves(now, before):
    """A sentence for each figure whose value is another one under the version that it had."""
    return [
        f"{name} was {before[name]['value']!r} and is {one['value']!r}, both as version {one['version']}"
        for name, one in now.items()
        if name in before and before[name]["version"] == one["version"] and before[name]["value"] != one["value"]
    ]


def values_bytes(now):
    """The file, a line for each figure."""
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in now.items())
    return f"{{\n{lines}\n}}\n".encode()
