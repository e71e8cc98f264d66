"""What does not fit between the declared scope and what was observed: one row for each gap."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.ordering import rank

REVIEW_MONTHS = 12
# gap: what to do, most urgent first
GAPS: Mapping[str, str] = {
    "flow_without_agreement": "Sign an agreement with the receiver, or stop the flow.",
    "flow_unencrypted": "Encrypt it in transit.",
    "undocumented_system": "Declare it with owner, data and boundary, or switch it off.",
    "flow_to_undeclared": "Declare the system at the other end.",
    "no_controls": "Say which frameworks apply to it or which controls protect it.",
    "excluded_without_reason": "Write down why it is out of scope, or bring it in.",
    "flow_crosses_region": "Check that the agreement allows data to leave the region.",
    "unclassified": "Give it a PCI DSS class.",
    "unknown_service": "Correct the service that it names, or retire it.",
    "no_owner": "Name an owner.",
    "review_overdue": "Confirm its scope; that is due once a year.",
}
SECURE = (
    "https",
    "tls",
    "sftp",
    "ssh",
    "mtls",
)  # protocols that encrypt: a flow by one that is not encrypted is an error
_COLUMNS = ("gap", "subject", "name", "detail", "owner")


def undeclared_systems(observations: pl.DataFrame) -> pl.DataFrame:
    """What was seen at work and is not declared, the most critical first."""
    return (
        observations.filter(pl.col("system_id").is_null())
        .select(
            *("name", "service_id", "seen_in", "alerts", "findings", "dependencies", "last_seen_on", "criticality"),
            *("environment", "internet_facing", "holds_customer_data", "owner"),
        )
        .sort(
            pl.col("criticality").fill_null(5),
            pl.col("internet_facing").fill_null(True),
            "findings",
            "name",
            "service_id",
            descending=[True, True, True, False, False],
        )
    )


def gaps(systems: pl.DataFrame, data_flows: pl.DataFrame, observations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Every gap, most urgent first; a flow is with the owner of the system that it comes from."""
    strangers = undeclared_systems(observations)
    services = observations.filter(pl.col("seen_in").list.contains("services"))["service_id"].drop_nulls().to_list()
    inside, outside = systems.filter("in_scope"), systems.filter(~pl.col("in_scope"))
    ahead = (pl.col("last_reviewed_on") > ask.as_of).fill_null(False)
    old = ahead | (pl.col("last_reviewed_on") < pl.lit(ask.as_of).dt.offset_by(f"-{REVIEW_MONTHS}mo")).fill_null(True)
    reviewed = (
        pl.when(pl.col("last_reviewed_on").is_null())
        .then(pl.lit("never reviewed"))
        .when(ahead)
        .then(pl.format("review dated ahead, on {}", pl.col("last_reviewed_on").dt.to_string()))
        .otherwise(pl.format("last reviewed on {}", pl.col("last_reviewed_on").dt.to_string()))
    )
    pci = pl.col("frameworks").list.contains("pci-dss") & pl.col("pci_class").is_null()
    stray = pl.col("service_id").is_not_null() & ~pl.col("service_id").is_in(services)
    crossing = (pl.col("from_region") != pl.col("to_region")).fill_null(False)
    unknown_end = pl.col("from_name").is_null() | pl.col("to_name").is_null()
    flows = data_flows.join(systems.select("owner", from_system="id"), on="from_system", how="left")
    frames = [
        _rows("undocumented_system", strangers, "name", pl.format("seen in {}", pl.col("seen_in").list.join(", "))),
        _flow_rows("flow_without_agreement", flows.filter("leaves", pl.col("agreement_ref").is_null())),
        _flow_rows("flow_unencrypted", flows.filter(~pl.col("encrypted").fill_null(False))),
        _flow_rows("flow_to_undeclared", flows.filter(unknown_end)),
        _flow_rows("flow_crosses_region", flows.filter(crossing)),
        _rows(
            "no_controls",
            inside.filter(pl.col("frameworks").list.len() == 0, pl.col("controls_named") == 0),
            "id",
            pl.lit("in scope, no framework and no control"),
        ),
        _rows("excluded_without_reason", outside.filter(_empty("justification")), "id", pl.lit("outside, no reason")),
        _rows("unclassified", inside.filter(pci), "id", pl.lit("in PCI DSS scope without a class")),
        _rows("unknown_service", systems.filter(stray), "id", pl.format("names the service {}", "service_id")),
        _rows("no_owner", inside.filter(_empty("owner")), "id", pl.lit("in scope without an owner")),
        _rows("review_overdue", inside.filter(old), "id", reviewed),
    ]
    todo = pl.col("gap").replace_strict(dict(GAPS), default=None, return_dtype=pl.String)
    return (
        pl.concat(frames).with_columns(todo=todo).sort(rank("gap", list(GAPS)), "name", "subject", maintain_order=True)
    )


def _empty(column: str) -> pl.Expr:
    return pl.col(column).fill_null("").str.strip_chars() == ""


def _rows(gap: str, frame: pl.DataFrame, subject: str, detail: pl.Expr) -> pl.DataFrame:
    return frame.with_columns(gap=pl.lit(gap), subject=pl.col(subject), detail=detail).select(_COLUMNS)


def _flow_rows(gap: str, flows: pl.DataFrame) -> pl.DataFrame:
    ends = pl.format("{} to {}", pl.coalesce("from_name", "from_system"), pl.coalesce("to_name", "to_system"))
    by = pl.format("{} by {}", "data_class", pl.coalesce("protocol", pl.lit("an unknown protocol")))
    doubt = (~pl.col("encrypted").fill_null(True)) & pl.col("protocol").str.to_lowercase().is_in(SECURE)
    detail = pl.when(doubt.fill_null(False)).then(
        pl.format("{}, which encrypts, yet declared as not encrypted: one of both is wrong", by)
    )
    return flows.with_columns(gap=pl.lit(gap), subject=pl.col("id"), name=ends, detail=detail.otherwise(by)).select(
        _COLUMNS
    )
