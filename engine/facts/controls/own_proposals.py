"""New versions of frameworks of one's own that wait to be accepted, and what each would change."""

import json
from collections.abc import Iterator, Mapping

import polars as pl

from engine.facts.expressions import shape

Wording = tuple[object, object]


def framework_proposals(
    framework_proposals_rows: pl.DataFrame, own_texts: pl.DataFrame, own_controls: pl.DataFrame
) -> pl.DataFrame:
    """A row for each control that a proposal adds, drops, rewords or renames (same title and text, or ``replaces``)."""
    if framework_proposals_rows.is_empty():
        return shape("framework_proposals", pl.DataFrame(schema=dict.fromkeys(_COLUMNS, pl.String)))
    known = own_controls.join(own_texts, on=["org_id", "framework", "control_id"], how="left")
    rows = [
        {**dict.fromkeys(_COLUMNS), **proposal, **change}
        for proposal in framework_proposals_rows.iter_rows(named=True)
        for change in _changes(known, proposal)
    ]
    frame = pl.DataFrame(
        [{name: row[name] for name in _COLUMNS} for row in rows],
        schema={**dict.fromkeys(_COLUMNS, pl.String), "proposed_on": pl.Date},
    )
    return shape("framework_proposals", frame).sort("org_id", "framework", "change", "control_id")


_COLUMNS = ("org_id", "framework", "version", "proposed_on", "change", "control_id", "title", "target_id")


def _changes(known: pl.DataFrame, proposal: Mapping[str, object]) -> Iterator[dict[str, object]]:
    mine = known.filter(pl.col("org_id") == proposal["org_id"], pl.col("framework") == proposal["framework"])
    iter_rows = mine.select("control_id", "title", "requirement").iter_rows()
    before: dict[str, Wording] = {name: (title, text) for name, title, text in iter_rows}
    rows = json.loads(str(proposal["content"]))["framework_controls"]
    after: dict[str, Wording] = {row["id"]: (row["title"], row["text"]) for row in rows}
    replaces = {row["replaces"]: row["id"] for row in rows if row["replaces"]}
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    renames = {name: replaces[name] for name in gone if replaces.get(name) in new}
    for name in sorted(gone - renames.keys()):
        same = [one for one in new - set(renames.values()) if after[one] == before[name]]
        twins = [one for one in gone if before[one] == before[name]]
        if len(same) == 1 and len(twins) == 1:
            renames[name] = same[0]
    for name, into in renames.items():
        yield {"change": "renamed", "control_id": name, "title": before[name][0], "target_id": into}
    for name in gone - renames.keys():
        yield {"change": "gone", "control_id": name, "title": before[name][0]}
    for name in new - set(renames.values()):
        yield {"change": "added", "control_id": name, "title": after[name][0]}
    for name in before.keys() & after.keys():
        if before[name] != after[name]:
            yield {"change": "reworded", "control_id": name, "title": after[name][0]}
