"""Commands by which people say what they do about an incident."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import Usage
from engine.model.vocabulary import INCIDENT_LAWS, StepKind

if TYPE_CHECKING:
    from engine.incidents.hands.steps import PersonStep
    from engine.runtime.services import Services

DEFAULT_ACTOR = "command-line"
BY_COMMAND = "by command line"
F = TypeVar("F", bound=Callable[..., None])


@click.group()
def incident() -> None:
    """Say what people do about an incident: take it, assign it, relate it, close it, assess it.

    Each is a line of its history and an audit event with who, when it happened, when it was written, and why.
    """


def _step_options(command: F) -> F:
    """What every step takes."""
    for option in (
        click.option("--ask", is_flag=True, help="Ask for it in the chat instead: print the values of the buttons."),
        click.option("--why", metavar="TEXT", help="Reason, or the text of a note or a cause."),
        click.option("--at", metavar="TIME", help="When it happened, ISO 8601, UTC without an offset; now without."),
        click.option("--actor", metavar="MEMBER", help="Whose step it is: the e-mail address of an active member."),
        org_option,
        click.argument("identifier", metavar="ID"),
    ):
        command = option(command)
    return command


@incident.command(epilog="Example: hq incident acknowledge inc_01 --actor ann@acme.example --why 'on call'")
@_step_options
def acknowledge(**given: Any) -> None:  # what click hands over
    """Take an incident: from then on it is acknowledged."""
    _take("acknowledge", given)


@incident.command(epilog="Example: hq incident assign inc_01 --to bob@acme.example")
@click.option("--to", required=True, metavar="MEMBER", help="Whose incident it is from now on.")
@_step_options
def assign(**given: Any) -> None:  # what click hands over
    """Say whose incident it is."""
    _take("assign", given)


@incident.command(epilog="Example: hq incident note inc_01 --why 'the provider confirms'")
@_step_options
def note(**given: Any) -> None:  # what click hands over
    """Write a note into its history; --why is the text."""
    _take("note", given)


@incident.command(epilog="Example: hq incident cause inc_01 --why 'a certificate ran out'")
@_step_options
def cause(**given: Any) -> None:  # what click hands over
    """Establish its cause; --why is the text."""
    _take("cause", given)


@incident.command(epilog="Example: hq incident relate inc_02 --to inc_01 --why 'the same switch'")
@click.option("--to", "parent", required=True, metavar="PARENT", help="The incident of whose family it is.")
@_step_options
def relate(**given: Any) -> None:  # what click hands over
    """Confirm that it is of the family of another incident: both count once."""
    _take("relate", given)


@incident.command(epilog="Example: hq incident unrelate inc_02 --why 'another switch'")
@_step_options
def unrelate(**given: Any) -> None:  # what click hands over
    """Take it out of its family, or refuse one that was proposed."""
    _take("unrelate", given)


@incident.command(epilog="Example: hq incident close inc_01 --why 'a test of the alarm'")
@_step_options
def close(**given: Any) -> None:  # what click hands over
    """Say that it is over. It opens again when its sender says that it goes on."""
    _take("close", given)


@incident.command(epilog="Example: hq incident reopen inc_01 --why 'it is not over'")
@_step_options
def reopen(**given: Any) -> None:  # what click hands over
    """Say that it is not over."""
    _take("reopen", given)


@incident.command(epilog="Example: hq incident assess inc_01 --under gdpr --aware-at 2026-11-20T08:00:00Z")
@click.option("--under", "law", required=True, type=click.Choice(INCIDENT_LAWS), help="Law that it is assessed under.")
@click.option("--aware-at", metavar="TIME", help="When the organization became aware; --at without.")
@click.option("--classified-at", metavar="TIME", help="When it was classified as major, for dora.")
@_step_options
def assess(**given: Any) -> None:  # what click hands over
    """Assess it under a law, which starts the clocks of its notifications."""
    _take("assess", given)


def _take(kind: StepKind, given: dict[str, Any]) -> None:  # what click hands over
    from engine.incidents.hands.steps import PersonStep, take_step

    moment = now()
    step = PersonStep(
        kind=kind,
        at=_time("--at", given["at"]) or moment,
        why=given["why"],
        to=given.get("to"),
        parent=given.get("parent"),
        law=given.get("law"),
        aware_at=_time("--aware-at", given.get("aware_at")),
        classified_at=_time("--classified-at", given.get("classified_at")),
    )
    identifier = given["identifier"]
    with open_console_services() as services:
        org = organization(services, given["org"])
        actor = _actor(services, org, given["actor"])
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


def _actor(services: "Services", org: str, given: str | None) -> str:
    from engine.store.rows import first
    from engine.store.schema.organizations import memberships

    if given is None:
        return DEFAULT_ACTOR
    with services.store.reader() as connection:
        row = first(connection, memberships, org, email=given.lower())
    if row is None or row["status"] != "active":
        raise Usage(f"--actor must be an active member of {org}; got {given[:80]!r}.")
    return row["email"]
