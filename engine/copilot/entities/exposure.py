"""Where data and attackers may go, and what automation did: attack paths, systems, flows, runs, refusals, approvals."""

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, meanings, none, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED
from engine.exposure.attack_entries import INTERNET, OpenFinding
from engine.exposure.attack_paths import simulate
from engine.exposure.dependencies import Dependency, Service

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


PATH = Entity(
    "attack path",
    "attack paths",
    phrases("attack path, attack route, attacker, attack, path of an attacker, breach path, attack chain, kill chain"),
    _paths,
    "id",
    "rank {rank}, score {score}: {finding} on {through}",
    states=(
        RowState(
            "from the internet",
            phrases("from the internet, from outside, over the internet, from the outside, internet, in from outside"),
            flag("from_outside"),
            after=True,
        ),
    ),
    dates={},
    names=("finding",),
    row_route="/api/attack-paths/simulate",
    links={"service": "target_id"},
    size="score",
    scale="score",
    attributes={"target": ("target", "reach"), "score": ("score", "likely")},
    measures={"hops": phrases("hops, hop, steps, length, long")},
    fillers=("lead", "leading", "path", "production", "way", "get", "reach", "into", "possible", "come"),
)

SYSTEM = Entity(
    "system",
    "systems",
    ("system", "scope boundary", "asset in scope"),
    lambda records: records.fact("systems"),
    "id",
    "{id} {name}: {boundary}, region {region}, reviewed on {last_reviewed_on}, owner {owner}",
    names=("id",),
    states=(
        RowState("in scope", ("inside", "in the boundary"), flag("in_scope"), after=True),
        RowState("out of scope", ("outside", "not in scope", "outside scope"), flag("in_scope", False), after=True),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState(
            "with health records",
            phrases("health records, phi, ephi, health data, patient data"),
            lambda _: pl.col("data_classes").list.contains("health records"),
            after=True,
        ),
    ),
    choices={
        "region": {},
        "environment": {"prod": "production"},
        "pci_class": meanings(
            "cde: cardholder data environment; connected_to: connected to the cde; out: out of pci scope"
        ),
    },
    dates={"last_reviewed_on": ("reviewed", "last reviewed", "review")},
    people={"owner": OWNER},
    links={"service": "service_id", "framework": "frameworks"},
    attributes={"region": ("region", "where", "located"), "boundary": ("boundary",)},
    report="scope-boundary",
    dated=False,
)

FLOW = Entity(
    "data flow",
    "data flows",
    ("data flow", "flow", "transfer", "data transfer"),
    _flows,
    "id",
    "{id} {from_name} to {to_name}: {data_class}, {protocol}, encrypted {encrypted}",
    names=("id",),
    states=(
        RowState(
            "unencrypted",
            phrases("not encrypted, in clear, in clear text, without encryption, plaintext"),
            flag("encrypted", False),
        ),
        RowState("encrypted", (), flag("encrypted")),
        RowState(
            "to a vendor",
            ("to vendors", "to a third party", "to third parties", "to suppliers"),
            lambda _: pl.col("vendor_id").is_not_null(),
            after=True,
        ),
        RowState("leaving the boundary", ("leaving", "leave", "outbound", "external"), flag("leaves"), after=True),
    ),
    choices={"data_class": {}},
    links={"vendor": "vendor_id", "service": "from_service"},
    turned={"to": {"service": "to_service"}, "into": {"service": "to_service"}},
    fillers=phrases("go, goes, from, out, of, to, into, send, sends, sent, system, systems"),
    attributes={"to_name": ("destination", "target"), "from_name": ("origin",), "data_class": ("data", "data class")},
    report="scope-boundary",
    loose=phrases("transfer"),
)

RUN = Entity(
    "automation run",
    "automation runs",
    ("automation run", "automation", "playbook run", "execution", "dry run", "playbook", "run", "remediation run"),
    _runs,
    "id",
    "{id} {kind} of {playbook}: {outcome} on {ran_on}, by {actor}",
    names=("id",),
    states=(
        RowState("failed", ("fail", "failing"), is_in("outcome", "failed")),
        RowState(
            "successful",
            ("succeeded", "succeed", "worked"),
            is_in("outcome", "succeeded"),
            assumed="without what a policy blocked",
        ),
        RowState("rolled back", ("rollback",), is_in("outcome", "rolled_back")),
        RowState(
            "failed or rolled back", phrases("went wrong, gone wrong, bad"), is_in("outcome", "failed", "rolled_back")
        ),
    ),
    choices={"kind": {"rehearsal": "dry run", "for real": "execution", "real": "execution"}, "playbook": {}},
    dates={"ran_on": ("run", "ran", "executed", "start", "started")},
    people={"actor": ("ran", "run", "executed", *OWNER)},
    attributes={"outcome": ("outcome", "status", "result"), "playbook": ("playbook",), "incident_id": ("incident",)},
    links={"incident": "incident_id"},
    fillers=("executed", "prior"),
    loose=("automation", "playbook", "run"),
)

BLOCK = Entity(
    "policy block",
    "policy blocks",
    phrases(
        "policy block, blocked automation, refusal, block, blocked run, guardrail block, blocked by policy, policy "
        "refusal, blocked playbook, automation blocked, automations were refused, automations refused, refused "
        "automation, automation was refused, blocked, stopped by a guardrail, "
        "stopped by guardrails, blocked by a guardrail, stopped by policy, stopped by a policy"
    ),
    lambda records: records.fact("policy_blocks").with_columns(pl.col("reason").str.replace_all("_", " ")),
    "id",
    "{id} {playbook}: {reason} ({message}) on {blocked_on}, {actor}",
    names=("id",),
    states=(RowState("overridden", ("overruled",), flag("overridden")),),
    choices={
        "reason": meanings(
            "working-hours: outside working hours, outside of working hours, out of hours, after hours; "
            "max-targets: too many targets, too many objects; dry run missing: without a dry run, no dry run"
        ),
        "playbook": {},
    },
    dates={"blocked_on": ("blocked", "refused", "stopped")},
    people={"actor": ("tried", *OWNER)},
    attributes={"reason": ("reason", "why"), "playbook": ("playbook",)},
    reason="message",
    fillers=("automation", "automations", "by", "policy", "guardrail", "rule"),
    loose=("blocked", "block", "refusal"),
)

APPROVAL = Entity(
    "approval",
    "approvals",
    ("approval", "approval request"),
    lambda records: records.table("approvals"),
    "id",
    "{id} {kind} {subject}: {status}, asked by {requested_by}, decided by {decided_by} on {decided_on}",
    names=("id", "subject"),
    states=(
        RowState("pending", ("open", "waiting", "undecided", "outstanding"), is_in("status", "pending")),
        RowState("approved", ("granted",), is_in("status", "approved")),
        RowState("rejected", ("refused", "declined"), is_in("status", "rejected")),
        RowState(
            "decided by who asked",
            phrases("decided by the requester, approved by the requester, self approved, approved their own"),
            lambda _: pl.col("decided_by") == pl.col("requested_by"),
            after=True,
        ),
    ),
    choices={"kind": {}},
    dates={"requested_on": ("requested", "asked"), "decided_on": ("decided", "approved", "rejected")},
    people={"decided_by": ("decided", "approved", "approver", *OWNER), "requested_by": ("requested", "asked")},
    attributes={"status": ("status", "state"), "note": ("note",)},
)
EXPOSURE = (PATH, SYSTEM, FLOW, RUN, BLOCK, APPROVAL)
