"""What controls rest on, as a graph: requirements, systems, vendors, policies and sources of evidence around them.

An edge reads source, relation, target. A failure spreads along ``implements`` and ``evidences``, and against
``depends_on`` and ``inherits``.
"""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import shape

_KEY = ["org_id", "framework", "control_id"]
_OPERATION = ("operation", "incident", "test")  # kinds of actions that show a control at work
_STORE = "source:store:"
_CONTROL = pl.format("control:{}:{}", "framework", "control_id")


def graph_edges(
    control_status: pl.DataFrame,
    leverage: pl.DataFrame,
    tagged_events: pl.DataFrame,
    evidence_stores_rows: pl.DataFrame,
    control_tests: pl.DataFrame,
    policies: pl.DataFrame,
    vendor_controls: pl.DataFrame,
    systems: pl.DataFrame,
    profile_systems_rows: pl.DataFrame,
    service_links_rows: pl.DataFrame,
) -> pl.DataFrame:
    """Typed edges around the applicable controls; each pair once per relation."""
    applicable = control_status.filter("applicable").select(_KEY)
    required = (
        leverage.join(applicable, on=_KEY)
        .explode("requirements", empty_as_null=False)
        .select("org_id", source=_CONTROL, target=pl.format("requirement:{}", "requirements"))
    )
    events = tagged_events.filter(
        pl.col("effect") == "supports", pl.col("seq").is_not_null(), pl.col("kind").is_in(_OPERATION)
    )
    tests = control_tests.filter("counts", pl.col("outcome") == "passed")
    named = profile_systems_rows.with_columns(
        key=pl.col("systems").str.to_lowercase().str.split(";").list.eval(pl.element().str.strip_chars())
    ).explode("key", empty_as_null=False)
    keys = pl.concat([systems.select("org_id", "id", key=pl.col(name).str.to_lowercase()) for name in ("id", "name")])
    parts = [
        ("implements", required),
        ("implements", _onto(policies, applicable, pl.format("policy:{}", "policy_id"))),
        ("evidences", _onto(events, applicable, pl.format("source:action:{}", "action"))),
        ("evidences", _onto(evidence_stores_rows, applicable, pl.format(_STORE + "{}", "source"))),
        ("evidences", _onto(tests, applicable, pl.format("source:test:{}", "schedule_id"))),
        ("inherits", _reverse(_onto(vendor_controls, applicable, pl.format("vendor:{}", "vendor_id")))),
        (
            "depends_on",
            _reverse(_onto(named.join(keys, on=["org_id", "key"]), applicable, pl.format("system:{}", "id"))),
        ),
        ("depends_on", _between(systems.drop_nulls("service_id"), "system:{}", "id", "service:{}", "service_id")),
        ("depends_on", _between(service_links_rows, "service:{}", "service_id", "service:{}", "depends_on_id")),
    ]
    frame = pl.concat(
        edges.select("org_id", "source", "target", relation=pl.lit(relation)) for relation, edges in parts
    )
    return shape("graph_edges", frame.unique()).sort("org_id", "source", "relation", "target")


def _onto(frame: pl.DataFrame, applicable: pl.DataFrame, node: pl.Expr) -> pl.DataFrame:
    """Edges from a node to the applicable controls that its rows name."""
    return frame.join(applicable, on=_KEY).select("org_id", source=node, target=_CONTROL)


def _reverse(edges: pl.DataFrame) -> pl.DataFrame:
    return edges.select("org_id", source="target", target="source")


def _between(frame: pl.DataFrame, source: str, one: str, target: str, other: str) -> pl.DataFrame:
    return frame.select("org_id", source=pl.format(source, one), target=pl.format(target, other))


def graph_nodes(
    control_status: pl.DataFrame,
    requirements: pl.DataFrame,
    policies: pl.DataFrame,
    vendors: pl.DataFrame,
    systems: pl.DataFrame,
    services_rows: pl.DataFrame,
    test_windows: pl.DataFrame,
    graph_edges: pl.DataFrame,
) -> pl.DataFrame:
    """Everything that an edge names, and controls, policies, vendors and systems without any edge."""
    named = graph_edges.unpivot(["source", "target"], index="org_id", value_name="node").select("org_id", "node")
    title = pl.format("{} {}", "control_id", "title")
    governing = policies.filter((pl.col("kind") != "automation") | pl.col("control_id").is_not_null()).unique(
        ["org_id", "policy_id"], keep="first", maintain_order=True
    )
    labels = [
        control_status.filter("applicable").select(
            "org_id", node=_CONTROL, label=title, framework="framework", state="state"
        ),
        requirements.select(
            "org_id", node=pl.format("requirement:{}:{}", "framework", "control_id"), label=title, framework="framework"
        ),
        governing.select("org_id", node=pl.format("policy:{}", "policy_id"), label="title"),
        vendors.select("org_id", node=pl.format("vendor:{}", "vendor_id"), label="name"),
        systems.select("org_id", node=pl.format("system:{}", "id"), label="name"),
        services_rows.select("org_id", node=pl.format("service:{}", "id"), label="name"),
        test_windows.unique(["org_id", "schedule_id"], keep="first", maintain_order=True).select(
            "org_id", node=pl.format("source:test:{}", "schedule_id"), label="procedure"
        ),
        test_windows.filter(pl.col("schedule_id").str.starts_with("check-")).select(
            "org_id",
            node=pl.format("source:store:check {}", pl.col("schedule_id").str.strip_prefix("check-")),
            label=pl.format("Evidence items from the check: {}", "procedure"),
        ),
    ]
    known = pl.concat(labels, how="diagonal")
    kept = pl.col("node").str.contains("^(control|policy|vendor|system|service):")
    actions = catalogue().actions.select(node=pl.format("source:action:{}", "action"), action="title")
    word = pl.col("node").str.extract(r"^(source|\w+):")
    frame = (
        pl.concat([named, known.filter(kept).select("org_id", "node")])
        .unique()
        .join(known.unique(["org_id", "node"], keep="first", maintain_order=True), on=["org_id", "node"], how="left")
        .join(actions, on="node", how="left")
        .with_columns(
            kind=word.replace({"source": "evidence_source", "service": "system"}),
            label=pl.coalesce(
                "label",
                "action",
                pl.when(pl.col("node").str.starts_with(_STORE)).then(
                    pl.format("Evidence items from {}", pl.col("node").str.strip_prefix(_STORE))
                ),
                pl.col("node").str.replace(r"^\w+:", ""),
            ),
        )
    )
    return shape("graph_nodes", frame).sort("org_id", "node")
