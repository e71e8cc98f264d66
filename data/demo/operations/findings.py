"""Weaknesses that scanners reported, and how long they lived."""

from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story
from data.demo.operations import services

FIXED_DAYS = {"critical": 15, "high": 30, "medium": 90, "low": 180}
WEAKNESSES = (
    "Deserialisation of untrusted data",
    "Outdated TLS library",
    "Path traversal in upload",
    "Privilege escalation in the kernel",
    "Cross-site scripting in a form",
    "Missing authentication on a debug port",
    "Memory safety flaw in the image parser",
    "Weak cipher offered",
    "Request smuggling in the proxy",
    "Default credentials on an appliance",
)


def fill(story: Story) -> None:
    rng = story.rng("findings")
    exposed = {row["id"] for row in story.tables["services"] if row["internet_facing"]}
    owned = services.ids(story)
    for number in range(1, story.profile.findings + 1):
        severity = rng.choices(("critical", "high", "medium", "low"), (5, 22, 48, 25))[0]
        seen = rng.randint(2, 45) if rng.random() < 0.22 else rng.randint(2, HISTORY_DAYS - 10)
        service, title = rng.choice(owned), rng.choice(WEAKNESSES)
        days = FIXED_DAYS[severity]
        took = round(days * rng.uniform(0.1, 1.25))
        status = "fixed" if took < seen else "open"
        if status == "open" and rng.random() < 0.06:
            status = rng.choice(("accepted", "false_positive"))
        base = {"critical": 9.1, "high": 7.4, "medium": 5.0, "low": 2.6}[severity]
        fixed = story.office(seen - took, rng) if status == "fixed" else None
        story.add(
            "findings",
            id=f"FND-{number:04d}",
            source=rng.choice(("scanner-net", "scanner-code", "scanner-image")),
            finding_key=f"{service}/{title.lower().replace(' ', '-')}/{number}",
            title=title,
            severity=severity,
            status=status,
            service_id=service,
            asset=f"{service.removeprefix('svc-')}-{rng.randint(1, 6)}",
            port=rng.choice((22, 443, 5432, 8443, None)),
            cve=f"CVE-{story.day(seen).year}-{90000 + number}" if rng.random() < 0.8 else None,
            cvss=round(base + rng.uniform(-0.4, 0.8), 1),
            epss=round(min(0.97, rng.expovariate(14)), 4),
            known_exploited=severity in ("critical", "high") and rng.random() < 0.08,
            internet_reachable=service in exposed,
            first_seen_at=story.office(seen, rng),
            last_seen_at=fixed or story.at(1, 180),
            fixed_at=fixed,
            due_on=story.day(seen - days),
            details={"plugin": 10_000 + number * 7},
        )
        if fixed:
            actor = f"scanner@{story.profile.org}.example"
            story.event(f"AE-FND-{number:04d}", fixed, actor, "vuln.remediated", "finding", f"FND-{number:04d}")
    _add_exploited(story)


def _add_exploited(story: Story) -> None:
    """What attackers already use, on a service that they can reach, past its date."""
    front = next(row for row in story.tables["services"] if row["internet_facing"])["id"]
    row = next(
        row for row in reversed(story.tables["findings"]) if row["status"] == "open" and row["severity"] != "low"
    )
    row |= {
        "severity": "critical",
        "service_id": front,
        "asset": f"{front.removeprefix('svc-')}-1",
        "port": 443,
        "title": "Remote code execution in the upload parser",
        "cve": f"CVE-{story.day(24).year}-90999",
        "cvss": 9.8,
        "epss": 0.94,
        "known_exploited": True,
        "internet_reachable": True,
        "first_seen_at": story.at(24, 610),
        "due_on": story.day(24 - FIXED_DAYS["critical"]),
    }
