"""What people ask about, and which report answers: a table, read from top to bottom.

``words`` and ``hints`` are beginnings of words of the question. A hint alone decides only where no word does.
"""

from dataclasses import dataclass

from engine.copilot.sources import Source


@dataclass(frozen=True)
class Topic:
    """Something that people ask about."""

    name: str
    words: tuple[str, ...]
    hints: tuple[str, ...]
    sources: tuple[Source, ...]


GAPS = Source(
    "gap-remediations",
    "gaps",
    "{gap_id}",
    "{gap_id} {title}: {severity}, {state}, {effort_hours} h, owner {owner}",
    late=("overdue", (True,)),
)
CONTROLS = Source(
    "evidence-freshness",
    "controls",
    "{framework}:{control_id}",
    "{framework} {control_id} {title}: evidence {state}, last on {last_evidence_on}, owner {owner}",
    known="controls_of_frameworks",
)
READINESS = Source(
    "baseline-comparison",
    "packs",
    "{framework}",
    "{name}: {weighted_pct} % weighted readiness, {strict_pct} % strict, {open_weaknesses} open weaknesses, "
    "evidence for {coverage_pct} % of the controls",
    keep=("in_scope", (True,)),
    known="packs_in_scope",
)

TOPICS = (
    Topic(
        "what to do first",
        ("first", "priorit", "focus", "quick"),
        ("start", "next", "todo"),
        (
            Source("executive-summary", "decisions", "decision {number}", "{decision} ({reason}; with {owner})"),
            GAPS,
        ),
    ),
    Topic(
        "the posture",
        ("posture", "score", "grade"),
        ("doing", "overall", "status", "state", "summar"),
        (
            Source(
                "posture-score",
                "components",
                "{component}",
                "{title}: {value_pct} %, costs {lost} points",
                known="posture_score",
            ),
        ),
    ),
    Topic("gaps", ("gap", "remediat", "weakness", "runbook"), ("fix", "open", "close"), (GAPS,)),
    Topic(
        "attestations",
        ("attest", "sign-off", "signoff"),
        (),
        (
            Source(
                "attestations",
                "attestations",
                "{id}",
                "{framework} {control_id} {title}: {status}, due {due_on}, owner {owner}",
                keep=("status", ("overdue", "rejected", "due_soon", "due_30")),
                late=("status", ("overdue",)),
                known="attestations_on_board",
            ),
        ),
    ),
    Topic(
        "obligations",
        ("obligation", "deadline", "calendar", "dut", "commitment"),
        ("due", "overdue", "late", "upcoming", "week", "month"),
        (
            Source(
                "calendar",
                "obligations",
                "{obligation_id}",
                "{due_on} {title}: {status}, owner {owner}",
                keep=("status", ("overdue", "open")),
                late=("status", ("overdue",)),
                known="calendar_entries",
            ),
        ),
    ),
    Topic(
        "vendors",
        ("vendor", "supplier", "third", "subprocessor", "processor"),
        (),
        (
            Source(
                "third-party-vendors",
                "vendors",
                "{vendor_id}",
                "{name}: tier {tier}, assurance {assurance}, review {review}, {inherited_gaps} inherited gaps",
                route="/api/governance/third-party/vendors",
                late=("review", ("overdue", "never")),
                known="vendors",
            ),
        ),
    ),
    Topic(
        "incidents",
        ("incident", "outage", "alert"),
        (),
        (
            Source(
                "incidents",
                "open",
                "{id}",
                "{title}: {severity}, {status} since {opened_at}, owner {owner}",
                known="known",
                row_route="/api/incidents/{id}/evidence",
            ),
        ),
    ),
    Topic(
        "risks",
        ("risk", "appetite", "hotspot"),
        (),
        (
            Source(
                "risk-heatmap",
                "risks",
                "{id}",
                "{id} {title}: residual {residual} ({level}), appetite {appetite}, owner {owner}",
                known="risks",
            ),
        ),
    ),
    Topic(
        "evidence",
        ("evidence", "stale", "fresh"),
        ("missing",),
        (
            Source(
                "evidence-freshness",
                "queue",
                "{framework}:{control_id}",
                "{framework} {control_id} {title}: {state}, last on {last_evidence_on}, owner {owner}",
                known="controls_of_frameworks",
            ),
        ),
    ),
    Topic("readiness", ("readiness", "ready", "complian", "certif", "framework"), ("audit",), (READINESS,)),
    Topic(
        "control health",
        ("health", "famil", "scorecard"),
        ("red", "amber"),
        (
            Source(
                "control-health-scorecard",
                "families",
                "{framework}:{group_id}",
                "{framework_name} {group_title}: {health} ({rag}), worst {worst_control}",
                known="controls_applicable",
            ),
        ),
    ),
    Topic(
        "the crosswalk",
        ("crosswalk", "mapping", "overlap", "conflict"),
        (),
        (
            Source(
                "crosswalk",
                "conflicts",
                "{source_id}/{target_id}",
                "{source_id} is {source_state}, {target_id} {target_title} is {target_state}",
                known="crosswalk_pairs",
            ),
        ),
    ),
    Topic(
        "who has how much to do",
        ("workload", "assign"),
        ("who", "owner"),
        (
            Source(
                "gap-remediations",
                "owners",
                "{owner}",
                "{owner}: {gaps} gaps, {severe} critical or high, {effort_hours} h",
            ),
        ),
    ),
    Topic(
        "activity",
        ("activity", "cover", "audit-log", "untagged"),
        ("event", "log"),
        (
            Source(
                "summary",
                "uncovered",
                "{framework}:{control_id}",
                "{framework_name} {control_id} {title}: nothing in the period, last on {last_evidence_on}",
                known="activity_controls",
            ),
        ),
    ),
    Topic(
        "decisions",
        ("decision", "board", "executive"),
        (),
        (Source("executive-summary", "decisions", "decision {number}", "{decision} ({reason}; with {owner})"),),
    ),
)

# What can be asked for by its identifier, such as CC6.1, RSK-04 or inc_…
IDENTIFIED = (
    GAPS,
    CONTROLS,
    *(topic.sources[0] for topic in TOPICS if topic.name in ("risks", "vendors", "incidents", "obligations")),
)

# The name of each framework and how people write it; a space stands for a space, a hyphen or nothing.
FRAMEWORKS = {
    "soc2": ("SOC 2", ("soc 2", "soc")),
    "iso27001": ("ISO 27001", ("iso 27001", "iso")),
    "pci-dss": ("PCI DSS", ("pci dss", "pci")),
    "hipaa": ("HIPAA", ("hipaa",)),
    "nist-csf": ("NIST CSF", ("nist csf", "nist", "csf")),
    "cis-v8": ("CIS Controls", ("cis v8", "cis")),
    "cmmc-l2": ("CMMC Level 2", ("cmmc l2", "cmmc")),
    "gdpr-art32": ("GDPR Article 32", ("gdpr art 32", "gdpr")),
}
