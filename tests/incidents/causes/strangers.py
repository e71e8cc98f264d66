"""Twenty-six incidents written by hand in as many styles: few records, free words, no labels; the cause is known.

``needs`` has a line for each service: ``web > api, auth`` (web needs api and auth). Minutes count from the onset;
what went wrong before it is negative. The cause is the record whose name stands last; an empty one: nobody can tell.
"""

from collections.abc import Iterator
from datetime import timedelta

from tests.incidents.causes.cases import NOW, Case

ONSET = NOW - timedelta(hours=3)
SHOP = "web > api, auth; api > orders, payments; orders > orders-db; payments > payments-db; auth > users-db"
LINE = "portal > gateway; gateway > claims; claims > documents; documents > storage; storage > disks"

# title, needs, [service of the incident, its title], records, cause
# a record: (id, minutes, what, *more): "deploy" service [status]; else an incident: severity service title [ended]
Written = tuple[str, str, tuple[str, str], tuple[tuple[object, ...], ...], str]
WRITTEN: tuple[Written, ...] = (
    ("a release of the service itself", SHOP, ("api", "API 500s"), (("D1", -9, "deploy", "api"),), "D1"),
    (
        "a release two hops down, seen there first",
        SHOP,
        ("api", "Orders cannot be placed"),
        (
            ("D1", -14, "deploy", "orders"),
            ("D2", -6, "deploy", "users-db"),
            ("A1", -8, "high", "orders", "orders returns errors"),
        ),
        "D1",
    ),
    (
        "a rolled back release among others",
        SHOP,
        ("payments", "Payments declined at an unusual rate"),
        (
            ("D1", -20, "deploy", "payments", "rolled_back"),
            ("D2", -18, "deploy", "auth"),
            ("D3", -300, "deploy", "payments"),
        ),
        "D1",
    ),
    (
        "a release at the end of a long line",
        LINE,
        ("portal", "Portal slow for everyone"),
        (
            ("D1", -25, "deploy", "storage"),
            ("A1", -19, "critical", "storage", "storage: latency 4 s"),
            ("A2", -12, "high", "documents", "documents: latency 5 s"),
            ("A3", -7, "high", "claims", "claims: timeouts"),
        ),
        "D1",
    ),
    (
        "a release whose fix came after the onset",
        SHOP,
        ("auth", "Sign-in broken"),
        (("D1", -4, "deploy", "auth"), ("D2", 22, "deploy", "auth")),
        "D1",
    ),
    (
        "a release of the database while a caller released long ago",
        SHOP,
        ("orders", "Deadlocks when saving orders"),
        (
            ("D1", -11, "deploy", "orders-db"),
            ("A1", -6, "high", "orders-db", "orders-db lock waits"),
            ("D2", -900, "deploy", "orders"),
        ),
        "D1",
    ),
    (
        "a database that went away",
        SHOP,
        ("web", "Website shows error page"),
        (
            ("A1", -7, "critical", "users-db", "users-db primary unreachable"),
            ("A2", -4, "high", "auth", "auth failing logins"),
        ),
        "A1",
    ),
    (
        "a needed service in trouble, deploys elsewhere",
        SHOP,
        ("api", "Gateway timeout on /checkout"),
        (
            ("A1", -5, "high", "payments", "payments not answering"),
            ("D1", -12, "deploy", "users-db"),
            ("D2", -33, "deploy", "web"),
        ),
        "A1",
    ),
    (
        "the title names the service that fails",
        SHOP,
        ("api", "Upstream orders 5xx"),
        (("A1", -2, "high", "orders", "orders 5xx ratio 31 %"),),
        "A1",
    ),
    (
        "the alert of the needed service came a minute later",
        SHOP,
        ("orders", "orders: p95 6 s"),
        (("A1", 1, "critical", "orders-db", "orders-db does not accept connections"),),
        "A1",
    ),
    (
        "two needed services, only one of them before",
        SHOP,
        ("api", "Errors in API"),
        (
            ("A1", -6, "critical", "orders", "Orders down"),
            ("A2", 14, "medium", "payments", "payments retries climbing"),
        ),
        "A1",
    ),
    (
        "a full disk below the service",
        SHOP,
        ("orders", "Orders fail to save"),
        (("A1", -21, "high", "orders-db", "Disk full on db-1"),),
        "A1",
    ),
    (
        "a full disk on the service itself",
        SHOP,
        ("payments-db", "payments-db read-only"),
        (("A1", -3, "critical", "payments-db", "filesystem at 100 percent"),),
        "A1",
    ),
    (
        "connections ran out",
        SHOP,
        ("auth", "Cannot log in"),
        (("A1", -12, "high", "users-db", "max_connections reached"), ("D1", -10, "deploy", "payments")),
        "A1",
    ),
    (
        "memory two hops away",
        SHOP,
        ("web", "Pages take ten seconds"),
        (
            ("A1", -28, "high", "orders", "orders pods OOM"),
            ("A2", -9, "medium", "api", "api slow"),
            ("D1", -1000, "deploy", "orders"),
        ),
        "A1",
    ),
    (
        "a vendor on the dependency",
        SHOP + "; payments > card-gateway @ Payfast",
        ("payments", "Card payments fail"),
        (("A1", -6, "high", "", "Payfast outage"), ("D1", -45, "deploy", "orders")),
        "A1",
    ),
    (
        "a vendor one hop further",
        SHOP + "; payments > card-gateway @ Payfast",
        ("api", "Checkout errors"),
        (("A1", -9, "high", "", "Payfast API degraded"), ("A2", -4, "high", "payments", "payments: declined 80 %")),
        "A1",
    ),
    (
        "a vendor that the title of the incident names",
        SHOP + "; x > y @ Mailwind",
        ("auth", "Password mails not delivered, Mailwind rejects"),
        (("A1", -11, "medium", "", "Mailwind: incident on SMTP relay"),),
        "A1",
    ),
    (
        "a vendor seen by the service that calls it",
        SHOP + "; payments > card-gateway @ Payfast",
        ("web", "Checkout broken"),
        (("A1", -5, "critical", "payments", "Payfast returns 503"),),
        "A1",
    ),
    (
        "an expired certificate below",
        SHOP,
        ("api", "API errors since midnight"),
        (("A1", -2, "high", "payments", "Certificate of payments expired"),),
        "A1",
    ),
    (
        "a certificate that was warned about for days",
        SHOP,
        ("auth", "TLS handshake failures"),
        (("A1", -3 * 1440, "medium", "auth", "Certificate expires in 3 days"), ("D1", -50, "deploy", "orders")),
        "A1",
    ),
    (
        "a certificate of the service itself",
        LINE,
        ("gateway", "Browsers refuse the connection"),
        (
            ("A1", -1, "critical", "gateway", "gateway.example SSL certificate expired"),
            ("D1", -700, "deploy", "claims"),
        ),
        "A1",
    ),
    ("nothing recorded", SHOP, ("web", "Website slow"), (), ""),
    (
        "only what has nothing to do with it",
        SHOP,
        ("payments", "Payments slow"),
        (
            ("D1", -15, "deploy", "auth"),
            ("D2", -5, "deploy", "web"),
            ("A1", -8, "high", "users-db", "users-db replication lag"),
            ("D3", -1400, "deploy", "payments"),
        ),
        "",
    ),
    (
        "words alike, long ago and elsewhere",
        LINE,
        ("claims", "claims latency above objective"),
        (
            ("A1", -20 * 1440, "high", "portal", "portal latency above objective", -20 * 1440 + 60),
            ("A2", 6, "high", "gateway", "gateway latency above objective"),
        ),
        "",
    ),
    (
        "a quiet release below, and a small alert",
        LINE,
        ("claims", "claims errors"),
        (("D1", -95, "deploy", "disks"), ("A1", -40, "low", "storage", "storage log rotation late")),
        "",
    ),
)


def strangers() -> Iterator[Case]:
    """The cases, each with its few rows."""
    for name, needs, (service, title), records, cause in WRITTEN:
        case = Case(name, "none" if not cause else "by hand")
        _estate(case, needs)
        case.add(
            "incidents", id="INC", title=title, severity="high", status="open", service_id=service, opened_at=ONSET
        )
        for identifier, minutes, what, *more in records:
            at = ONSET + timedelta(minutes=float(str(minutes)))
            if what == "deploy":
                status = more[1] if len(more) > 1 else "succeeded"
                case.add(
                    "deploys",
                    id=identifier,
                    service_id=more[0],
                    deployed_at=at,
                    actor="ci",
                    status=status,
                    environment="production",
                )
            else:
                ended = ONSET + timedelta(minutes=float(str(more[2]))) if len(more) > 2 else None
                case.add(
                    "incidents",
                    id=identifier,
                    title=more[1],
                    severity=what,
                    service_id=more[0] or None,
                    opened_at=at,
                    resolved_at=ended,
                    status="resolved" if ended else "open",
                    root_cause="a cache that was too small" if ended else None,
                )
        if cause:
            case.causes = frozenset({f"{'deploys' if cause.startswith('D') else 'incidents'}:{cause}"})
        yield case


def _estate(case: Case, needs: str) -> None:
    known = set()
    for line in needs.split(";"):
        service, _, needed = (part.strip() for part in line.partition(">"))
        for one in needed.split(","):
            target, _, vendor = (part.strip() for part in one.partition("@"))
            known |= {service, target}
            edge = case.add("service_dependencies", service_id=service, depends_on_id=target)
            if vendor:
                case.add("vendors", id=f"v-{vendor.lower()}", name=vendor, category="saas", tier="high")
                edge["vendor_id"] = f"v-{vendor.lower()}"
    for name in sorted(known):
        case.add("services", id=name, name=name, criticality=4)
