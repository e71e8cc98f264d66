"""Who wrote to the platform in the last 120 days, what they wanted, and how far it went. All invented."""

from dataclasses import dataclass

NOOR, MAREN, IDRIS = "admin@hq.example", "maren.kjeldsen@hq.example", "idris.obeng@hq.example"


@dataclass(frozen=True)
class Prospect:
    """One enquiry. Days are days ago, negative ones are to come; ``path`` are the stages that it went through.

    ``website`` is what a bot put into the field that people do not see, ``seconds`` the time the form was open.
    """

    name: str
    email: str
    company: str | None
    message: str
    received: int
    path: tuple[tuple[str, int], ...] = ()
    owner: str | None = None
    priority: str = "normal"
    value: float | None = None
    follow_up: int | None = None
    lost_reason: str | None = None
    notes: str | None = None
    website: str | None = None
    seconds: int = 95
    spam_found: int | None = None


# set by hand: a person in a few lines, which the formatter would spread over twenty
PROSPECTS: tuple[Prospect, ...] = (
    Prospect(
        "Ingrid Valdés", "ingrid.valdes@mirador-pay.example", "Mirador Pay",
        "We process card payments for 300 shops. Our assessor wants PCI DSS and SOC 2 evidence from one place,\n"
        "and we keep it in four. Can you import what we have?",
        117, (("contacted", 117), ("qualified", 112), ("discovery", 105), ("proposal", 95), ("won", 84)),
        MAREN, "high", 48_000, notes="Assessor visit in spring. Decides: Ingrid with their CFO.",
    ),
    Prospect(
        "Dr. Rosalind Achterberg", "r.achterberg@tarnfell-clinics.example", "Tarn & Fell Clinics",
        "Seven clinics, one compliance officer (me). I need HIPAA readiness that I can show to the board each month.",
        103, (("contacted", 102), ("qualified", 97), ("discovery", 88), ("proposal", 77), ("won", 61)),
        IDRIS, "normal", 36_000, notes="Prefers calls before 09:00 UTC. Records come from two ticket systems.",
    ),
    Prospect(
        "Hyun-woo Baek", "hyunwoo.baek@quillon-robotics.example", "Quillon Robotics",
        "A customer asks for ISO 27001 by next autumn and for a SOC 2 report. Where would we start?",
        88, (("contacted", 88), ("qualified", 83), ("discovery", 70), ("proposal", 55), ("won", 38)),
        MAREN, "high", 54_000, notes="The customer's contract hangs on it. Engineering runs its own evidence scripts.",
    ),
    Prospect(
        "Bram Oosterhuis", "bram@saltmarsh-energy.example", "Saltmarsh Energy Cooperative",
        "Our regulator expects NIST CSF profiles for the grid control centre. We have spreadsheets, many.",
        61, (("contacted", 60), ("qualified", 52), ("discovery", 37), ("proposal", 16)),
        IDRIS, "high", 62_000, -4, notes="Board approves in its next meeting; until then no date for the review.",
    ),
    Prospect(
        "Priyanka Deshmukh", "priyanka@ledgerwick.example", "Ledgerwick Accounting",
        "We look for help with the records of Article 32 GDPR. Two offices, 80 people.",
        48, (("contacted", 47), ("qualified", 40), ("discovery", 31), ("proposal", 19)),
        IDRIS, "normal", 28_000, 6, notes="Asked for a price without the accompanied weeks.",
    ),
    Prospect(
        "Caleb Whitmore", "cwhitmore@northpier-aero.example", "Northpier Aerospace Components",
        "CMMC Level 2 flows down to us from a prime contractor. We must show a plan of action with dates.",
        40, (("contacted", 40), ("qualified", 34), ("discovery", 25), ("proposal", 9)),
        MAREN, "high", 85_000, -2, notes="Their counsel reviews the data processing terms.",
    ),
    Prospect(
        "Eleanor Kestrel", "eleanor@kestrel-rowe.example", "Kestrel & Rowe Solicitors",
        "Clients send us security questionnaires every week. Could the answers come from evidence instead of memory?",
        44, (("contacted", 43), ("qualified", 35), ("discovery", 13)),
        MAREN, "normal", 22_000, -5,
    ),
    Prospect(
        "سلمى الحدّاد", "salma@bluebell-genomics.example", "Bluebell Genomics 🧬",
        "مرحبا! We sequence samples for hospitals and fall under HIPAA and GDPR at once. Does one import do for both?",
        33, (("contacted", 33), ("qualified", 24), ("discovery", 11)),
        IDRIS, "high", 41_000, 2, notes="Write in English; she signs off in Arabic and English.",
    ),
    Prospect(
        "Walter Fennimore", "w.fennimore@fennimore-foods.example", "Fennimore Foods",
        "Our cyber insurer asks for CIS Controls. We have an IT team of three.",
        27, (("contacted", 27), ("qualified", 18)),
        IDRIS, "normal", 15_000, 1,
    ),
    Prospect(
        "Anneli Rautio", "anneli.rautio@plusnine-logistics.example", "+Nine Logistics",
        "ISO 27001 surveillance audit in eleven weeks and the internal audit is late. What can be done by then?",
        21, (("contacted", 21), ("qualified", 8)),
        MAREN, "high", 33_000, -1,
    ),
    Prospect(
        "Jonas 🚲 Weidmann", "jonas@velokurier-nord.example", "Velokurier Nord",
        "Hallo, wir sind 25 Leute und brauchen nur SOC 2. Gibt es einen kleinen Einstieg?",
        15, (("contacted", 14),),
        IDRIS, "low", None, -3,
    ),
    Prospect(
        "Margaret Okafor", "margaret.okafor@hollowbrook-council.example", "Hollowbrook Council",
        "We want to compare two suppliers before the budget closes. Please send your terms for public bodies.",
        23, (("contacted", 21),),
        MAREN, "normal", None, 7,
    ),
    Prospect(
        "Teodora Ilieva", "t.ilieva@pinewharf-analytics.example", "Pinewharf Analytics",
        "We lost a deal over a missing SOC 2 report. How long does a pilot take, and who has to be in it?",
        1, priority="high",
    ),
    Prospect(
        "Lucas Brandão", "lucas.brandao@marisol-hotels.example", "Marisol Hotels",
        "PCI DSS self-assessment for 14 hotels. We would like to see a demo next week.",
        2,
    ),
    Prospect(
        "Siobhán Mac Mahon", "siobhan@larkfield-schools.example", "Larkfield Schools Trust",
        "Could you tell us whether you have a price for charities?",
        6, (), IDRIS, "low", follow_up=3,
    ),
    Prospect(
        "Mateusz Zieliński", "m.zielinski@ostrow-castings.example", "Ostrów Castings",
        "Our group asks for a vendor risk register that feeds into ISO 27001. Is that part of it?",
        17,
    ),
    Prospect(
        "Deborah Lindgren", "deborah@amberjack-retail.example", "Amberjack Retail",
        "Please quote PCI DSS for 40 stores.",
        98, (("contacted", 97), ("nurture", 92), ("contacted", 82), ("qualified", 77), ("discovery", 71),
             ("proposal", 63), ("lost", 50)),
        IDRIS, "normal", 39_000, lost_reason="Chose a cheaper offer without an evidence bundle.",
    ),
    Prospect(
        "Ravi Subramanian", "ravi@cloudberry-hosting.example", "Cloudberry Hosting",
        "We are comparing three vendors for FedRAMP evidence.",
        82, (("contacted", 81), ("qualified", 73), ("lost", 58)),
        MAREN, "normal", 70_000, lost_reason="Needs an authorized environment that we do not offer.",
    ),
    Prospect(
        "Noémie Charpentier", "noemie@atelier-brumaire.example", None,
        "Je voudrais en savoir plus.",
        66, (("contacted", 64), ("lost", 36)),
        IDRIS, "low", lost_reason="No answer after three messages.",
    ),
    Prospect(
        "Gareth Penhaligon", "gareth@trevose-ferries.example", "Trevose Ferries",
        "Interested, but our budget for this year is spent. May I come back to you?",
        73, (("contacted", 72), ("qualified", 65), ("nurture", 57)),
        MAREN, "normal", 26_000, -45, notes="New budget in the first quarter.",
    ),
    Prospect(
        "Akiko Morimoto", "akiko.morimoto@lanternfish-games.example", "Lanternfish Games",
        "We are being acquired and the buyer asks for SOC 2. Not sure who decides now.",
        55, (("contacted", 54), ("nurture", 42)),
        IDRIS, "normal", None, 12, notes="Ask again once the acquisition is closed.",
    ),
    Prospect(
        "SEO Ranking Team", "offers@rank-rocket.example", "Rank Rocket",
        "Dear webmaster, we bring your site to PAGE ONE guaranteed!!! Visit us today.",
        69, website="https://rank-rocket.example", seconds=1,
    ),
    Prospect(
        "JamesVup", "jv8821@bulk-inbox.example", "followers4all",
        "Hello, cheap followers and backlinks, write to us.",
        29, seconds=1,
    ),
    Prospect(
        "Brenda Collins", "brenda@lead-lists.example", "Premier Lead Lists",
        "Would you like to buy a list of 40,000 compliance managers with phone numbers? Reply YES.",
        10, owner=MAREN, priority="low", spam_found=9,
    ),
)  # fmt: skip
