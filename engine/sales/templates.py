"""E-mails to whoever sent an enquiry: prepared from the lead alone, so that the same lead gives the same text."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model.records import LeadRow


@dataclass(frozen=True)
class EmailTemplate:
    """``subject`` and ``body`` have the places reference, name, company and sender; ``purpose`` says when to use it."""

    purpose: str
    subject: str
    body: str


TEMPLATES: Mapping[str, EmailTemplate] = {
    "first_response": EmailTemplate(
        "the first answer to an enquiry",
        "Your enquiry {reference}",
        "Thank you for writing to us. We have read your enquiry and would like to understand what {company} needs:\n"
        "which frameworks you report on, where your records are kept today, and by when you need the first result.\n\n"
        "A reply to this message is enough. If you prefer to talk, send two times that suit you, with your time zone.",
    ),
    "follow_up": EmailTemplate(
        "nothing was heard since the last message",
        "Following up on {reference}",
        "We have not heard from you since our last message about your enquiry {reference}.\n\n"
        "Is this still of interest to {company}? If now is not the time, tell us when we may ask again, or that we\n"
        "should not: either is fine.",
    ),
    "discovery_call": EmailTemplate(
        "agreeing on the discovery call",
        "A discovery call about {reference}",
        "To scope a pilot for {company} we suggest a call of 30 minutes. We would go through the frameworks in scope,\n"
        "the systems that hold your records, who signs off evidence, and what would make the pilot a success.\n\n"
        "Please send two times that suit you, with your time zone; we confirm one with a calendar entry.",
    ),
    "proposal": EmailTemplate(
        "sending the proposal of the pilot",
        "Proposal for {company} ({reference})",
        "Here is our proposal for the pilot, as discussed: scope, success criteria, timeline and price, and until\n"
        "when it is valid.\n\n"
        "Please read the assumptions with care and tell us where they do not hold. A reply with your agreement is all\n"
        "that we need to confirm the dates.",
    ),
}
SENT = "Sent because you asked us to contact you. Reply with the word stop and we will not write again."


def prepare_email(template: str, lead: LeadRow, sender: str, note: str | None = None) -> dict[str, str]:
    """The message: ``to``, ``subject``, ``body``. ``note`` is a paragraph of our own before the closing."""
    chosen = TEMPLATES[template]
    places = {
        "reference": lead["reference_id"],
        "company": lead["company"] or "your organization",
        "name": lead["name"] or "",
        "sender": sender,
    }
    greeting = f"Dear {lead['name']}," if lead["name"] else "Hello,"
    parts = [greeting, chosen.body.format(**places), note, f"Kind regards\n{sender}", f"-- \n{SENT}"]
    subject = chosen.subject.format(**places)
    return {"to": lead["email"], "subject": subject, "body": "\n\n".join(part for part in parts if part) + "\n"}
