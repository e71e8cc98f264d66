"""Commands by which people say what they do about an incident."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import Usage
from engine.model.vocabulary import INCIDENT_LAWS, StepKind

if TYPE_CHECKING:
    from engine.incidents.hands.steps import PersonStep
    from engine.runtime.services import Services

DEFAULT_ACTOR = "command-line"
BY_COMMAND = "by command line"


@click.group()
def incident() -> None:
    """Say what people do about an incident: take it, assign it, relate it, close it, assess it.

    Each is a line of its history and an audit event with who, when it happened, when it was written, and why.
    """


def _step_command(kind: StepKind, summary: str, example: str, *own: click.Option) -> None:
    """A command of the group for a kind of step: what it takes of its own, and what every step takes."""
    options: list[click.Parameter] = [
        *own,
        click.Option(["--ask"], is_flag=True, help="Ask for it in the chat instead: print the values of the buttons."),
        click.Option(["--why"], metavar="TEXT", help="Reason, or the text of a note or a cause."),
        click.Option(["--at"], metavar="TIME", help="When it happened, ISO 8601, UTC without an offset; now without."),
        click.Option(["--actor"], metavar="MEMBER", help="Whose step it is: the address of an active member."),
        click.Argument(["identifier"], metavar="ID"),
    ]

    def take(**given: Any) -> None:  # what click hands over
        _take(kind, given)

    incident.add_command(
        org_option(click.Command(kind, callback=take, params=options, help=summary, epilog=f"Example: hq {example}"))
    )


_step_command(
    "acknowledge",
    "Take an incident: from then on it is acknowledged.",
    "incident acknowledge inc_01 --actor ann@acme.example --why 'on call'",
)
_step_command(
    "assign",
    "Say whose incident it is.",
    "incident assign inc_01 --to bob@acme.example",
    click.Option(["--to"], required=True, metavar="MEMBER", help="Whose incident it is from now on."),
)
_step_command(
    "note", "Write a note into its history; --why is the text.", "incident note inc_01 --why 'the provider confirms'"
)
_step_command("cause", "Establish its cause; --why is the text.", "incident cause inc_01 --why 'a certificate ran out'")
_step_command(
    "relate",
    "Confirm that it is of the family of another incident: both count once.",
    "incident relate inc_02 --to inc_01 --why 'the same switch'",
    click.Option(["--to", "parent"], required=True, metavar="PARENT", help="The incident of whose family it is."),
)
_step_command(
    "unrelate",
    "Take it out of its family, or refuse one that was proposed.",
    "incident unrelate inc_02 --why 'another switch'",
)
_step_command(
    "close",
    "Say that it is over. It opens again when its sender says that it goes on.",
    "incident close inc_01 --why 'a test of the alarm'",
)
_step_command("reopen", "Say that it is not over.", "incident reopen inc_01 --why 'it is not over'")
_step_command(
    "assess",
    "Assess it under a law, which starts the clocks of its notifications.",
    "incident assess inc_01 --under gdpr --aware-at 2026-11-20T08:00:00Z",
    click.Option(
        ["--under", "law"], required=True, type=click.Choice(INCIDENT_LAWS), help="Law that it is assessed under."
    ),
    click.Option(["--aware-at"], metavar="TIME", help="When the organization became aware; --at without."),
    click.Option(["--classified-at"], metavar="TIME", help="When it was classified as major, for dora."),
)


def _take(kind: StepKind, given: dict[str, Any]) -> None:  # what click hands over
    from engine.incidents.hands.steps import PersonStep, take_step

    moment = now()
    step = PersonStep(
        kind=kind,
        at=_time("--at", given["at"]) or moment,
        why=given["why"],
        parent=given.get("parent"),
        law=given.get("law"),
        aware_at=_time("--aware-at", given.get("aware_at")),
        classified_at=_time("--classified-at", given.get("classified_at")),
    )
    identifier = given["identifier"]
    with open_console_services() as services:
        org = organization(services, given["org"])
        actor = _member(services, org, "--actor", given["actor"]) or DEFAULT_ACTOR
        step = replace(step, to=_member(services, org, "--to", given.get("to")))
        if given["ask"]:
            _ask(services, org, actor, identifier, step, moment)
            return
        line = services.store.write(
            org, actor, lambda revision: take_step(revision, identifier, step, BY_COMMAND), now=moment
        )
    click.echo(f"{identifier}\t{line['body']}\t{step.at:%Y-%m-%d %H:%M:%S} UTC\t{actor}")


def _ask(services: "Services", org: str, actor: str, identifier: str, step: "PersonStep", moment: datetime) -> None:
    from engine.automation.incident_steps import ask_for_step

    made = services.store.write(org, actor, lambda revision: ask_for_step(revision, identifier, step), now=moment)
    click.echo(f"{made['id']}\tpending: {step.kind} {identifier}")
    for word, value in made["actions"].items():
        click.echo(f"{word}\t{value}")


def _time(option: str, text: str | None) -> datetime | None:
    from engine.intake.times import EXPECTED_TIME, instant

    if text is None:
        return None
    at = instant(text)
    if at is None:
        raise Usage(f"{option} must be {EXPECTED_TIME}; got {text[:80]!r}.")
    return at


def _member(services: "Services", org: str, option: str, given: str | None) -> str | None:
    from engine.store.rows import first
    from engine.store.schema.organizations import memberships

    if given is None:
        return None
    with services.store.reader() as connection:
        row = first(connection, memberships, org, email=given.lower())
    if row is None or row["status"] != "active":
        raise Usage(f"{option} must be an active member of {org}; got {given[:80]!r}.")
    return row["email"]
