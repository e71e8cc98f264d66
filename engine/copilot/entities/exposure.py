"""Where data and attackers may go, and what automation did: attack paths, systems, flows, runs, refusals, approvals."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, is_in, none, phrases
from engine.copilot.entities.wordbook import thing
from engine.exposure.attack_entries import INTERNET, OpenFinding
from engine.exposure.attack_paths import simulate
from engine.exposure.dependencies import Dependency, Service
from engine.facts.expressions import time_between

MOST_PATHS = 10_000
_SERVICE = ("id", "name", "criticality", "environment", "internet_facing")
_EDGE = ("service_id", "depends_on_id", "kind", "segmented")
_FINDING = phrases("id, title, severity, service_id, status, cve, cvss, epss, known_exploited, internet_reachable")


def _paths(records: Records) -> pl.DataFrame:
    """Every attack path as its route lists them, best first."""
    services = records.table("services")
    simulation = simulate(
        [Service(*row) for row in services.select(_SERVICE).iter_rows()],
        [Dependency(*row) for row in records.table("service_dependencies").select(_EDGE).iter_rows()],
        [
            OpenFinding(*row)
            for row in records.table("findings").filter(pl.col("status") == "open").select(_FINDING).iter_rows()
        ],
        max_depth=records.number("attack_depth"),
        listed=MOST_PATHS,
    )
    names = dict(services.select("id", "name").iter_rows())
    rows = [
        (
            path.id,
            path.rank,
            path.score,
            path.target_id,
            names[path.target_id],
            path.entry.finding_id,
            path.services[0],
            path.entry.exposure == INTERNET,
            " → ".join(names[one] for one in path.services),
            len(path.services) - 1,
        )
        for path in simulation.paths
    ]
    texts = dict.fromkeys(phrases("target_id, target, finding, start_id"), pl.String)
    columns = {"id": pl.String, "rank": pl.Int64, "score": pl.Float64, **texts, "from_outside": pl.Boolean}
    columns |= {"through": pl.String, "hops": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")


def _runs(records: Records) -> pl.DataFrame:
    """The runs of automation, each with the incident that it is for."""
    tables = ("dry_runs", "executions")
    incidents = pl.concat([records.table(name).select("id", "incident_id") for name in tables]).unique("id")
    runs = records.fact("automation_runs").with_columns(pl.col("kind").str.replace_all("_", " "))
    return runs.join(incidents, on="id", how="left", maintain_order="left")


def _flows(records: Records) -> pl.DataFrame:
    """The flows of data, each with the services at both of its ends."""
    ends = records.table("systems").select("id", "service_id")
    flows = records.fact("data_flows")
    for end in ("from", "to"):
        own = ends.rename({"id": f"{end}_system", "service_id": f"{end}_service"})
        flows = flows.join(own, on=f"{end}_system", how="left", maintain_order="left")
    return flows


def _holds(kind: str) -> Callable[[date], pl.Expr]:
    """Systems that hold data of a class."""
    return lambda _: pl.col("data_classes").list.contains(kind)


PATH = thing("attack path", _paths, RowState("from the internet", flag("from_outside"), after=True))

SYSTEM = thing(
    "system",
    lambda records: records.fact("systems"),
    RowState("in scope", flag("in_scope"), after=True),
    RowState("out of scope", flag("in_scope", False), after=True),
    RowState("unowned", none("owner"), aside=True),
    *(
        RowState(f"with {kind}", _holds(kind), after=True)
        for kind, said in (("health records", ("phi", "health data")), ("card data", ("cardholder data",)))
    ),
)

FLOW = thing(
    "data flow",
    _flows,
    RowState("unencrypted", flag("encrypted", False)),
    RowState("encrypted", flag("encrypted")),
    RowState("to a vendor", lambda _: pl.col("vendor_id").is_not_null(), after=True),
    RowState("leaving the boundary", flag("leaves"), after=True),
    turned={"to": {"service": "to_service"}, "into": {"service": "to_service"}},
)

RUN = thing(
    "automation run",
    _runs,
    RowState("failed", is_in("outcome", "failed")),
    RowState("successful", is_in("outcome", "succeeded"), assumed="without what a policy blocked"),
    RowState("rolled back", is_in("outcome", "rolled_back")),
    RowState("failed or rolled back", is_in("outcome", "failed", "rolled_back")),
)

BLOCK = thing(
    "policy block",
    lambda records: records.fact("policy_blocks").with_columns(pl.col("reason").str.replace_all("_", " ")),
    RowState("overridden", flag("overridden")),
)

APPROVAL = thing(
    "approval",
    lambda records: records.table("approvals").with_columns(
        hours_to_decide=time_between("decided_at", "requested_at").dt.total_seconds() / 3600
    ),
    RowState("pending", is_in("status", "pending")),
    RowState("approved", is_in("status", "approved")),
    RowState("rejected", is_in("status", "rejected")),
    RowState("decided by who asked", lambda _: pl.col("decided_by") == pl.col("requested_by"), after=True),
)
EXPOSURE = (PATH, SYSTEM, FLOW, RUN, BLOCK, APPROVAL)
