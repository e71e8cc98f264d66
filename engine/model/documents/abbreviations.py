"""Abbreviations that pages use: each is spelled once, and whoever reads it finds what it stands for.

They are explained on every page that uses them. A test holds that pages use no other, names apart.
"""

import re
from collections.abc import Iterable, Mapping

ABBREVIATIONS: Mapping[str, str] = {
    "AOC": "Attestation of compliance with PCI DSS.",
    "BAA": "Business associate agreement: the contract that HIPAA asks for with whoever handles health data.",
    "CDE": "Cardholder data environment: whatever stores, processes or transmits card data.",
    "CMMC": "Cybersecurity Maturity Model Certification of the United States Department of Defense.",
    "CSF": "Cybersecurity Framework of NIST.",
    "CUEC": "Complementary user entity control: what a vendor's report expects its customers to do.",
    "CVE": "Common Vulnerabilities and Exposures: the public number of a weakness.",
    "CVSS": "Common Vulnerability Scoring System: how severe a weakness is, from 0 to 10.",
    "DPA": "Data processing agreement: the contract that GDPR Article 28 asks for with a processor.",
    "DPIA": "Data protection impact assessment, GDPR Article 35.",
    "EPSS": "Exploit Prediction Scoring System: how likely a weakness is exploited within 30 days, from 0 to 1.",
    "FIPS": "Federal Information Processing Standards, here validated cryptography.",
    "HHI": "Herfindahl-Hirschman index: how concentrated shares are, from near 0 (even) to 1 (all in one).",
    "IG": "Implementation group of the CIS Controls: 1 for everybody, 2 and 3 for more.",
    "KEV": "Known Exploited Vulnerabilities: the catalogue of the United States agency CISA.",
    "KPI": "Key performance indicator.",
    "MAPE": "Mean absolute percentage error: how far forecasts were off on average.",
    "MFA": "Multifactor authentication.",
    "MTTD": "Mean time to detect.",
    "MTTR": "Mean time to restore.",
    "NDA": "Non-disclosure agreement.",
    "POA&M": "Plan of action and milestones: the list of open weaknesses with owners and dates.",
    "RACI": "Responsible (R) does it, accountable (A) answers for it, consulted (C) is asked, informed (I) is told.",
    "RAG": "Red, amber or green.",
    "RCA": "Root-cause analysis.",
    "RPO": "Recovery point objective: how much data may be lost.",
    "RTO": "Recovery time objective: how long a service may be down.",
    "SLA": "Service level agreement: the time within which something must be done.",
    "SLI": "Service level indicator: what is measured of a service.",
    "SLO": "Service level objective: how good a service is meant to be.",
    "SPRS": "Supplier Performance Risk System: the score of NIST SP 800-171, from -203 to 110.",
    "SSP": "System security plan.",
    "VDR": "Vulnerability detection and response, of FedRAMP.",
    "VER": "Vulnerability evaluation and reporting, of FedRAMP.",
}
LETTERS = re.compile(r"\b(?:POA&M|[A-Z]{2,}[a-z]?|[A-Z][a-z]+[A-Z]{2,})\b")


def abbreviations_in(texts: Iterable[str]) -> dict[str, str]:
    """The abbreviations that occur in texts with what they stand for, in the order of the alphabet; plurals count."""
    found = {letters.removesuffix("s") for text in texts for letters in LETTERS.findall(text)}
    return {letters: ABBREVIATIONS[letters] for letters in sorted(found & ABBREVIATIONS.keys())}
