"""What each control in scope rests on, drawn once. Its state is not drawn: it follows from what was recorded."""

from random import Random

from data.demo.cast import people
from data.demo.cast.profile import Maturity
from data.demo.history import stories
from data.demo.history.story import Story
from data.demo.programme.plan import Control
from data.demo.programme.practice import EvidenceAges
from engine.catalogue import catalogue

DOMAINS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "vendor",
        ("vendor", "supplier", "service provider", "third part", "third-part", "tpsp", "associate", "supply chain"),
    ),
    ("incident", ("incident", "respon", "breach", "event report")),
    ("continuity", ("continuity", "contingency", "disaster", "recover", "restor", "resilien", "availab", "capacity")),
    ("backup", ("backup", "redundan")),
    ("cryptography", ("crypt", "key", "certificate", "pan ")),
    ("access", ("access", "authent", "account", "identi", "password", "privileg", "mfa", "log-on", "login", "session")),
    ("monitoring", ("log", "audit record", "monitor", "detect", "alert", "intrusion", "clock", "time")),
    ("malware", ("malware", "malicious", "anti-", "phishing", "email", "browser")),
    ("vulnerability", ("vulnerab", "patch", "scan", "penetration", "flaw")),
    ("network", ("network", "firewall", "segment", "wireless", "transmi", "remote", "boundary", "connection")),
    ("development", ("software", "development", "code", "application", "change", "secure design", "deploy")),
    ("configuration", ("configur", "baseline", "harden", "component", "system")),
    ("asset", ("asset", "inventory", "device", "media", "equipment", "endpoint", "hardware")),
    ("physical", ("physical", "facilit", "visitor", "premises", "workstation", "utilit", "environment")),
    ("people", ("train", "aware", "personnel", "screen", "competen", "human", "employ", "workforce", "sanction")),
    ("privacy", ("privacy", "consent", "personal", "data subject", "disclos", "notice")),
    ("data", ("data", "information", "retention", "classif", "dispos")),
    ("risk", ("risk", "threat")),
    ("audit", ("audit", "assess", "review", "evaluat", "nonconform", "test")),
    ("policy", ("polic", "procedure", "document")),
)


def domain_of(title: str) -> str:
    words = title.lower()
    return next((domain for domain, marks in DOMAINS if any(mark in words for mark in marks)), "governance")


def controls(story: Story) -> list[Control]:
    """Every assessable control in scope, drawn beside the events that the story has so far."""
    rng, seen = story.rng("maturity"), EvidenceAges(story.action_ages())
    frame = (
        catalogue()
        .controls.filter("assessable")
        .select("framework", "control_id", "title", "group_id", "weight", "cadence", "evidence_kinds")
    )
    lapses = story.rng("lapses")
    drawn = []
    for framework, control_id, title, group, weight, cadence, kinds in frame.iter_rows():
        if framework not in story.profile.frameworks:
            continue
        domain = domain_of(title)
        owner = people.lead(story, domain)
        control = Control(framework, control_id, title, group, weight, cadence, tuple(kinds), domain, owner)
        control.practice_age = seen.practice_age(framework, control_id)
        opposed = seen.weeks_since_failure(framework, control_id)
        control.contradicted, control.drop_week = opposed is not None, opposed
        _draw(control, story.profile.org, story.profile.frameworks[framework], rng)
        if control.attestation == "overdue" and lapses.random() < 0.3:
            control.attestation = "lapsed"
        stories.bend(story, control)
        _document(control, seen)
        drawn.append(control)
    return drawn


def _draw(control: Control, org: str, maturity: Maturity, rng: Random) -> None:
    shares = (maturity.signed, maturity.first, maturity.overdue, maturity.rejected)
    names = ("signed", "first", "overdue", "rejected", "none")
    control.attestation = rng.choices(names, (*shares, max(0.0, 1 - sum(shares))))[0]
    control.policy_lapsed = control.domain in stories.LAPSED_POLICIES[org]
    control.policy = rng.random() < 0.6 + 0.4 * maturity.signed
    control.test = "failed" if rng.random() < 0.012 else "passed"
    control.begun = rng.random() < maturity.start
    changed, recent = rng.random() < 0.04, rng.random() < 0.3
    if changed and "policy" not in control.kinds:
        control.changed = rng.randint(12, 40) if recent else rng.randint(150, 380)


def _document(control: Control, seen: EvidenceAges) -> None:
    """Where tests are all that the log can show, a filed document shows that the control operates."""
    tested_only = "operation" in control.kinds and not seen.has_practice(control.framework, control.control_id)
    if tested_only and control.attestation in ("signed", "first"):
        control.documented, control.practice_age = True, min(2 + control.window // 4, 60)
