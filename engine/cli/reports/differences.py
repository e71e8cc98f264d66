"""The command that compares: a report on two days, or two archives."""

from pathlib import Path

import click

from engine.cli.common import org_option
from engine.cli.names import report_names
from engine.cli.on_terminal import print_report
from engine.cli.reports.reports import param_option, query_of, report_bytes
from engine.model.errors import Usage


@click.command(epilog="Example: hq diff posture-score --from 2026-11-01 --to 2026-11-20 --org aurora --format md")
@click.argument("names", nargs=-1, required=True, metavar="REPORT | OLD.zip NEW.zip", shell_complete=report_names)
@click.option("--from", "since", metavar="DAY", help="The end of this day, YYYY-MM-DD, is compared with.")
@click.option("--to", "until", metavar="DAY", help="The end of this day; now without.")
@org_option
@click.option("--format", "form", help="json, csv, html or md. Without: laid out on a terminal, else json.")
@param_option
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
        print_report(form, lambda text: _archives(Path(names[0]), Path(names[1]), text))
    elif len(names) == 1:
        if since is None:
            raise Usage("Say from which day on, with --from YYYY-MM-DD.")
        given = {"since": since, **({} if until is None else {"asOf": until})}
        print_report(form, lambda label: report_bytes(names[0], org, label, query_of(parameters, **given)))
    else:
        raise Usage(f"Name one report or two archives; got {len(names)} names.")


def _archives(old: Path, new: Path, form: str | None) -> bytes:
    from engine.archives.verification.archive_diff import compare_archives
    from engine.model.declarations.declaration import FORMATS
    from engine.render import RENDERERS
    from reports import CATALOGUE

    if form is not None and form not in FORMATS:
        raise Usage(f"--format must be one of {', '.join(FORMATS)}; got {form!r}.")
    try:
        edition = compare_archives(old, new, CATALOGUE["posture-score"].figures)
    except OSError as error:
        raise Usage(f"{error.filename} cannot be read: {error.strerror}.") from error
    return RENDERERS[form or FORMATS[0]].render(edition)
