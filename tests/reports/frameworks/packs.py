"""A framework pack from a few words: requirements of the catalogue, states, and the other facts of its report."""

import polars as pl

from engine.catalogue import catalogue
from tests.factories import ask, rows


def pack(framework, **states):
    """Requirements and statuses of a whole framework: ``default`` for all, ``but`` for some."""
    default, but = states.get("default", "effective"), states.get("but", {})
    controls = catalogue().details(framework).filter("assessable")
    own = {"hipaa": "required_or_addressable"}.get(framework)
    requirements, statuses = [], []
    for row in controls.to_dicts():
        flags = [name for name in ("ig1", "ig2", "ig3") if row.get(name)] + ([row[own]] if own else [])
        common = {"framework": framework, "control_id": row["control_id"], "position": row["position"]}
        requirements.append(
            {
                **common,
                "title": row["title"],
                "group_id": row["group_id"],
                "flags": flags,
                "group_title": row["group_title"],
                "assessable": True,
            }
        )
        given = but.get(row["control_id"], default)
        given = {"state": given} if isinstance(given, str) else given
        if given["state"] == "not_applicable":
            given = {"applicable": False, **given}
        statuses.append({**common, "title": row["title"], **given})
    return requirements, statuses


def report(declared, requirements=(), statuses=(), options=None, **facts):
    """The document of ``declared``; facts that are not given are empty."""
    given = {"requirements": requirements, "control_assessments": statuses, "control_status": statuses, **facts}
    frames = {name: rows(name, *given.get(name, ())) for name in declared.facts}
    return declared.document(frames, ask(**(options or {})))


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def one(document, name, control_id, *columns):
    """The cells of one row."""
    return table(document, name).filter(pl.col("control_id") == control_id).select(columns).row(0)
