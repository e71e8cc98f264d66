"""The command that compares: a report on two days, or two archives."""

import sys
from pathlib import Path

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.reports import query_of
from engine.model.errors import Usage


@click.command(epilog="Example: hq diff posture-score --from 2026-11-01 --to 2026-11-20 --org aurora --format md")
@click.argument("names", nargs=-1, required=True, metavar="REPORT | OLD.zip NEW.zip")
@click.option("--from", "since", metavar="DAY", help="The end of this day, YYYY-MM-DD, is compared with.")
@click.option("--to", "until", metavar="DAY", help="The end of this day; now without.")
@org_option
@click.option("--format", "form", help="json, csv, html or md.")
@click.option("--param", "parameters", multiple=True, metavar="KEY=VALUE", help="A parameter of the report.")
def diff(
    names: tuple[str, ...],
    since: str | None,
    until: str | None,
    org: str | None,
    form: str | None,
    parameters: tuple[str, ...],
) -> None:
    """Print what changed in a report between two days, and what did it; or between two archives, from them alone."""
    if len(names) == 2:
        if since or until or org or parameters:
            raise Usage("Two archives say themselves of whom and of which days they are: give --format alone.")
        data = _archives(Path(names[0]), Path(names[1]), form)
    elif len(names) == 1:
        data = _report(names[0], since, until, org, form, parameters)
    else:
        raise Usage(f"Name one report or two archives; got {len(names)} names.")
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def _report(
    name: str, since: str | None, until: str | None, org: str | None, form: str | None, parameters: tuple[str, ...]
) -> bytes:
    from engine.model.as_of import AS_OF, SINCE, AsOf

    if since is None:
        raise Usage("Say from which day on, with --from YYYY-MM-DD.")
    given = {SINCE.name: since, **({} if until is None else {AS_OF.name: until})}
    at, query = AsOf.take(query_of(parameters, **given))
    with (
        open_console_services() as services,
        services.snapshots.open(organization(services, org), now=now(), at=at) as snapshot,
    ):
        return snapshot.bytes(name, query, form).data


def _archives(old: Path, new: Path, form: str | None) -> bytes:
    from engine.archives.comparing import compare_archives
    from engine.model.declaration import FORMATS
    from engine.reporting.render import RENDERERS
    from reports import CATALOGUE

    if form is not None and form not in FORMATS:
        raise Usage(f"--format must be one of {', '.join(FORMATS)}; got {form!r}.")
    try:
        edition = compare_archives(old, new, CATALOGUE["posture-score"].figures)
    except OSError as error:
        raise Usage(f"{error.filename} cannot be read: {error.strerror}.") from error
    return RENDERERS[form or FORMATS[0]].render(edition)
