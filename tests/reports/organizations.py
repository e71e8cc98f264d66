"""Small organizations drawn at random: rows of the stored tables, for laws that all reports obey together."""

from datetime import timedelta

from hypothesis import strategies as st

from tests.factories import DAY

CONTROLS = ("CC6.1", "CC6.2", "CC7.2", "CC8.1", "A1.2", "CC1.1")
PEOPLE = ("ann@acme.example", "bob@acme.example", "cy@acme.example")
GOOD = ("backup.completed", "access.review.completed", "vuln.scan.completed")
BAD = ("backup.failed", "access.review.overdue")
AGO = st.integers(-40, 500)
PAST = st.integers(0, 500)
PERSON = st.sampled_from((*PEOPLE, None))
RATING = st.sampled_from([None, 1, 3, 5])


def day(ago):
    return None if ago is None else DAY - timedelta(days=ago)


def instant(ago):
    return None if ago is None else f"{day(ago)} 12:00"


def maybe(strategy):
    return st.one_of(st.none(), strategy)


def number_rows(prefix, **columns):
    """A few rows with identifiers of their own."""
    drawn = st.lists(st.fixed_dictionaries(columns), max_size=4)
    return drawn.map(lambda rows: [{"id": f"{prefix}{n}", **row} for n, row in enumerate(rows)])


ON = {"framework": st.just("soc2"), "control_id": st.sampled_from(CONTROLS)}
EVENTS = st.lists(
    st.tuples(
        st.sampled_from((*GOOD, *BAD)),
        PAST.map(instant),
        st.fixed_dictionaries(
            {
                "outcome": st.sampled_from(["success", "failure", "denied"]),
                "controls": st.sampled_from(CONTROLS).map(lambda name: f"soc2:{name}"),
            }
        ),
    ),
    max_size=6,
)


def with_decision(row):
    """Decided only with the moment of the decision."""
    return row if row["outcome"] else {**row, "attested_at": None}


TABLES = {
    "attestations": number_rows(
        "at",
        **ON,
        owner=PERSON,
        due_on=AGO.map(day),
        outcome=st.sampled_from([None, "attested", "rejected"]),
        attested_at=PAST.map(instant),
    ).map(lambda rows: [with_decision(row) for row in rows]),
    "evidence_requests": number_rows(
        "rq",
        **ON,
        title=st.just("A request"),
        owner=PERSON,
        priority=st.sampled_from(["P1", "P3"]),
        opened_on=PAST.map(day),
        due_on=maybe(AGO.map(day)),
        status=st.sampled_from(["open", "in_progress", "waiting_on_requester", "submitted"]),
        closed_on=maybe(PAST.map(day)),
    ),
    "vendors": number_rows(
        "ve",
        name=st.just("Vendor"),
        owner=PERSON,
        category=st.sampled_from(["cloud", "saas", "consulting"]),
        tier=st.sampled_from(["critical", "medium", "low"]),
        likelihood=RATING,
        impact=RATING,
        status=st.sampled_from(["assessed", "not_assessed"]),
        last_review_on=maybe(PAST.map(day)),
        next_review_on=maybe(AGO.map(day)),
    ),
    "vendor_documents": number_rows(
        "do",
        vendor_id=st.sampled_from(["ve0", "ve1"]),
        kind=st.sampled_from(["soc2_type2", "iso27001_certificate"]),
        issued_on=PAST.map(day),
        period_end_on=PAST.map(day),
        expires_on=maybe(AGO.map(day)),
    ),
    "risks": number_rows(
        "ri",
        title=st.just("A risk"),
        owner=PERSON,
        likelihood=RATING,
        impact=RATING,
        residual_likelihood=RATING,
        residual_impact=RATING,
        status=st.sampled_from(["open", "closed"]),
    ),
    "remediations": number_rows(
        "re",
        **ON,
        title=st.just("A fix"),
        owner=PERSON,
        opened_on=PAST.map(day),
        due_on=maybe(AGO.map(day)),
        status=st.sampled_from(["open", "blocked"]),
    ),
    "exceptions": number_rows(
        "ex",
        **ON,
        kind=st.sampled_from(["gap", "accepted_risk"]),
        reason=st.just("A reason"),
        approver=PERSON,
        approved_on=maybe(PAST.map(day)),
        expires_on=AGO.map(day),
        status=st.sampled_from(["approved", "draft"]),
    ),
    "incidents": number_rows(
        "in",
        title=st.just("An incident"),
        severity=st.sampled_from(["critical", "low"]),
        status=st.just("open"),
        opened_at=PAST.map(instant),
    ),
    "readiness_snapshots": st.lists(PAST, max_size=3, unique=True).map(
        lambda days: [
            {
                "taken_on": day(ago),
                "framework": "soc2",
                "strict_pct": 40.0,
                "weighted_pct": 50.0,
                "fresh_pct": 60.0,
                "attested_pct": 10.0,
                "gaps_open": 30,
                "gaps_opened": 2,
                "gaps_closed": 1,
            }
            for ago in days
        ]
    ),
}
# what every organization has: people, a framework, an owner of a control, hours
FIXED = {
    "users": [{"email": email, "name": email[:3], "active": email != PEOPLE[2]} for email in PEOPLE],
    "organization_frameworks": [
        {"framework": "soc2", "in_scope": True},
        {"framework": "fedramp-poam", "in_scope": True},
    ],
    "control_owners": [
        {"framework": "soc2", "control_id": name, "email": PEOPLE[n % 3], "raci": raci}
        for n, name in enumerate(CONTROLS)
        for raci in ("R", "A")
    ],
}
ORGANIZATIONS = st.fixed_dictionaries({"events": EVENTS, **TABLES})
