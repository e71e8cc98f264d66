"""Commands about pairs of controls of two frameworks."""

import sys

import click

from engine.cli.common import open_console_services, org_option, organization
from engine.model.errors import Usage


@click.group(epilog="Example: hq crosswalk suggest annex iso27001 --org aurora > pairs.csv")
def crosswalk() -> None:
    """Pairs of controls of two frameworks."""


@crosswalk.command(epilog="Example: hq crosswalk suggest annex iso27001 --org aurora > pairs.csv")
@click.argument("source", metavar="A")
@click.argument("target", metavar="B")
@click.option(
    "--least", type=click.FloatRange(0, 100), default=60, show_default=True, help="Least likeness of the wording."
)
@click.option(
    "--most", type=click.IntRange(1, 50), default=3, show_default=True, help="Most pairs for one control of A."
)
@org_option
def suggest(source: str, target: str, least: float, most: int, org: str | None) -> None:
    """Propose pairs of two frameworks by their wording, as CSV that `hq import --framework` takes.

    None has a reviewer: enter who signs a pair off and when, and leave out the others. Until then a pair counts for
    nothing.
    """
    from engine.frameworks.exporting import framework_content
    from engine.frameworks.suggesting import pairs_csv, suggested_pairs

    if source == target:
        raise Usage(f"Expected two frameworks, got {source} twice.")
    with open_console_services() as services:
        name = organization(services, org)
        with services.store.reader() as connection:
            ends = [framework_content(connection, name, framework) for framework in (source, target)]
    pairs = suggested_pairs(*ends, least=least, most=most)
    sys.stdout.buffer.write(pairs_csv(pairs))
    sys.stdout.flush()
    click.echo(f"{len(pairs)} pairs are proposed; none has a reviewer", err=True)
