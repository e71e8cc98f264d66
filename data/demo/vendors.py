"""Third parties and the documents that they gave. Every name is invented."""

from random import Random

from data.demo import people
from data.demo.frames import json_text
from data.demo.profile import HISTORY_DAYS
from data.demo.story import Row, Story

# name, category, what it does; the first of the list are the ones that matter most
NAMES: tuple[tuple[str, str, str], ...] = (
    ("Tarnfield Cloud", "cloud", "hosting of production"),
    ("Quillmere Identity", "security", "workforce sign-in"),
    ("Emberlock Vault", "infrastructure", "key storage"),
    ("Pallidus Pay", "payments", "card processing"),
    ("Harrowgate Colocation", "data-centre", "second site"),
    ("Northsedge Mail", "saas", "transactional mail"),
    ("Vellumside Docs", "saas", "contract signing"),
    ("Osprey Ledgerworks", "saas", "accounting"),
    ("Brackenhall Support", "saas", "help desk"),
    ("Silverrush Telemetry", "infrastructure", "monitoring"),
    ("Mossgate Staffing", "people", "temporary staff"),
    ("Cindervale Code", "development", "mobile development"),
    ("Larkspine Advisory", "consulting", "penetration tests"),
    ("Thistlewick Backup", "cloud", "off-site backups"),
    ("Greywater Networks", "infrastructure", "traffic filtering"),
    ("Hollowbrook Voice", "saas", "telephony"),
    ("Inkwell & Thorne", "consulting", "legal advice"),
    ("Juniperfold Analytics", "saas", "product analytics"),
    ("Kestrelmoor Payroll", "people", "payroll"),
    ("Lowtide Messaging", "saas", "text messages"),
    ("Marrowstone Scan", "security", "vulnerability scanning"),
    ("Nettlebay Training", "people", "security training"),
    ("Oakenshard Storage", "data-centre", "tape vault"),
    ("Pinewhistle Surveys", "saas", "customer surveys"),
    ("Quartzhollow Search", "saas", "search service"),
    ("Ravenscar Translate", "consulting", "translation"),
    ("Saltmarsh Couriers", "other", "document transport"),
    ("Tidewrack Faxes", "saas", "fax delivery"),
    ("Umberline Devices", "other", "laptops"),
    ("Violetmere Forms", "saas", "web forms"),
    ("Wrenfold Records", "saas", "records exchange"),
    ("Yarrowdale Labs", "saas", "laboratory results"),
    ("Zephyrine Video", "saas", "video consultations"),
    ("Alderpike Claims", "saas", "claims clearing"),
    ("Birchloom Imaging", "cloud", "image archive"),
    ("Copperdene Pharmacy", "saas", "prescription routing"),
    ("Dovetarn Eligibility", "saas", "eligibility checks"),
    ("Elmsward Terminology", "saas", "code lists"),
    ("Foxbarrow Recruiting", "people", "recruiting"),
    ("Gorsehill Audit", "consulting", "internal audit"),
    ("Heronswell DNS", "infrastructure", "name service"),
    ("Ivywatch Guards", "other", "reception and guards"),
    ("Jackdaw Builds", "development", "build runners"),
    ("Kelpbridge CDN", "cloud", "content delivery"),
    ("Lichenrock Shredding", "other", "media destruction"),
    ("Merlinacre Research", "consulting", "usability research"),
    ("Nightjar Paging", "saas", "on-call paging"),
    ("Otterburn Printing", "other", "statements"),
    ("Peregrine Hollow", "security", "log analysis"),
    ("Quernstone Billing", "saas", "subscription billing"),
    ("Rookery Testing", "development", "test automation"),
    ("Starlingford CRM", "saas", "customer records"),
    ("Ternwood Travel", "other", "travel booking"),
    ("Uplandsea Insurance", "other", "cyber insurance"),
    ("Veridian Marsh", "saas", "consent forms"),
    ("Whinberry Events", "other", "conferences"),
    ("Yewtree Escrow", "consulting", "source code escrow"),
    ("Zinnia Bookkeeping", "consulting", "bookkeeping"),
    ("Ashcombe Cleaning", "other", "cleaning"),
    ("Burdockfield Fleet", "other", "vehicles"),
)
LAPSED_REPORT = "VEN-tarnfield-cloud"
MONTHS = {"critical": 365, "high": 365, "medium": 730, "low": 1095}
ASSURED = ("cloud", "infrastructure", "data-centre", "saas", "security", "payments", "development")


def fill(story: Story) -> None:
    rng, profile = story.rng("vendors"), story.profile
    for position, (name, category, service) in enumerate(NAMES[: profile.vendors]):
        tier = "critical" if position < 5 else rng.choices(("critical", "high", "medium", "low"), (2, 22, 44, 32))[0]
        _documents(story, _vendor(story, rng, position, name, category, service, tier), rng)


def identifier(name: str) -> str:
    return "VEN-" + name.lower().replace(" & ", "-").replace(" ", "-")


def _vendor(story: Story, rng: Random, position: int, name: str, category: str, service: str, tier: str) -> Row:
    profile = story.profile
    vendor_id = identifier(name)
    health = profile.org == "aurora"
    customer = category in ("cloud", "saas", "payments", "data-centre") and tier != "low"
    likelihood, impact = rng.randint(2, 4), {"critical": 5, "high": 4, "medium": 3, "low": 2}[tier]
    cadence = MONTHS[tier]
    # most are reviewed in time, some late, a few never
    draw = rng.random()
    reviewed = rng.randint(10, cadence - 20) if draw < profile.vendor_care else cadence + rng.randint(5, 90)
    never = position > 6 and draw > 0.95
    if 20 <= position < 24:
        tier, cadence, never = "medium", MONTHS["medium"], False
        reviewed = cadence - (story.peak_monday - story.today).days - (position - 20)
    onboarded = rng.randint(reviewed, reviewed + 900) + 5
    owner = (
        people.lead(story, "governance")
        if 20 <= position < 24
        else people.leaver(story)
        if position == 9
        else people.lead(story, "vendor")
        if rng.random() < 0.6
        else rng.choice(people.active(story))
    )
    unknown = position in (17, 21)
    row = story.add(
        "vendors",
        id=vendor_id,
        name=name,
        service=service,
        owner=owner,
        category=category,
        tier=tier,
        data_classes={"aurora": "health records", "brightline": "card data"}.get(profile.org, "customer content")
        if customer
        else None,
        stores_customer_data=customer,
        privileged_access=category in ("cloud", "infrastructure", "security"),
        outage_stops_service=tier == "critical",
        likelihood=None if unknown else likelihood,
        impact=None if unknown else impact,
        residual_likelihood=None if unknown else max(1, likelihood - 1),
        residual_impact=None if unknown else max(1, impact - (1 if tier != "critical" else 0)),
        status="not_assessed"
        if never
        else "expired"
        if reviewed > cadence
        else "in_progress"
        if position == 12
        else "assessed",
        region=rng.choice((profile.region, profile.region, profile.region, "ap-south")),
        handles_phi=health and customer,
        onboarded_on=story.day(onboarded),
        last_review_on=None if never else story.day(reviewed),
        next_review_on=None if never else story.day(reviewed - cadence),
        offboarded_on=story.day(40) if position == profile.vendors - 1 else None,
    )
    actor = owner if owner in people.active(story) else people.lead(story, "vendor")
    seen = [("vendor.review.completed", reviewed)] if not never else []
    seen += [
        (action, onboarded) for action in ("vendor.due_diligence.completed", "vendor.created", "vendor.contract.signed")
    ]
    seen += [("vendor.contract.signed", onboarded - 730), ("vendor.contract.signed", onboarded - 365)]
    if row["offboarded_on"]:
        seen.append(("vendor.offboarded", 40))
    if position == 1:
        seen += [("vendor.created", 31), ("vendor.due_diligence.completed", 33)]
    for number, (action, ago) in enumerate(seen):
        if 0 < ago <= HISTORY_DAYS:
            story.event(
                f"AE-{vendor_id}-{number}",
                story.office(ago, rng),
                actor,
                action,
                "vendor",
                vendor_id,
                details=json_text({"tier": tier}),
            )
    return row


def _documents(story: Story, vendor: Row, rng: Random) -> None:
    care, vendor_id, tier = story.profile.vendor_care, vendor["id"], vendor["tier"]

    def document(kind: str, ended: int, days: int, **more: object) -> None:
        story.add(
            "vendor_documents",
            id=story.number("VDOC"),
            vendor_id=vendor_id,
            kind=kind,
            issued_on=story.day(ended - 35 if ended > 35 else 0),
            period_start_on=story.day(ended + 364),
            period_end_on=story.day(ended),
            expires_on=story.day(ended - days),
            location=f"vault://vendors/{vendor_id}/{kind}",
            **{"in_scope": True, "cuecs_mapped": rng.random() < care, "flows_down": True} | more,
        )

    def agreement(kind: str, ago: int, days: int) -> None:
        story.add(
            "vendor_documents",
            id=story.number("VDOC"),
            vendor_id=vendor_id,
            kind=kind,
            issued_on=story.day(ago),
            expires_on=story.day(ago - days),
            in_scope=True,
            flows_down=rng.random() < care,
            location=f"vault://vendors/{vendor_id}/{kind}",
        )

    weighty = tier in ("critical", "high")
    if vendor_id == LAPSED_REPORT:
        document("soc2_type2", 365 + 61, 365, opinion="unqualified", cuecs_mapped=True)
        document("soc2_type2", 2 * 365 + 61, 365, opinion="unqualified", cuecs_mapped=True)
    elif vendor["category"] in ASSURED and (weighty or rng.random() < 0.45) and rng.random() < care + 0.08:
        ended = rng.randint(40, 345) if rng.random() < care else rng.randint(375, 520)
        opinion = "qualified" if rng.random() < 0.06 else "unqualified"
        document(
            "soc2_type2", ended, 365, opinion=opinion, cuecs_mapped=rng.random() < care, in_scope=rng.random() < 0.95
        )
        if 365 < ended < 430 and rng.random() < 0.5:
            agreement("bridge_letter", ended - 366, 90)
    if vendor["category"] in ASSURED and rng.random() < (0.75 if weighty else 0.35) * care:
        agreement("iso27001_certificate", rng.randint(30, 1000), 1095)
    if weighty and rng.random() < care:
        agreement("pen_test", rng.randint(20, 420), 365)
    if vendor["stores_customer_data"]:
        agreement("dpa", rng.randint(100, 900), 1460)
        if vendor["handles_phi"] and rng.random() < 0.93:
            agreement("baa", rng.randint(100, 900), 1460)
    if vendor["category"] == "payments":
        agreement("pci_aoc", rng.randint(30, 300), 365)
    if vendor["category"] in ("people", "consulting", "development"):
        for kind in ("screening", "nda", "training"):
            if rng.random() < care:
                agreement(kind, rng.randint(30, 420), 730 if kind != "training" else 365)
    if rng.random() < care:
        agreement("questionnaire", rng.randint(20, 500), 365)
