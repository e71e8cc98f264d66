"""The command that numbers the plan of action and milestones."""

import click

from engine.cli.common import now, open_console_services, org_option, organization

REPORT = "fedramp-poam"


@click.command(epilog="Example: hq poam --org aurora --actor iris@aurora.example")
@org_option
@click.option("--actor", default="poam", show_default=True, help="Who is named in the audit log.")
@click.option(
    "--scans",
    type=click.Choice(["late", "all"]),
    help="Findings of scanners: those past their deadline (as in the report), or all.",
)
def poam(org: str | None, actor: str, scans: str | None) -> None:
    """Give each weakness of the FedRAMP POA&M that has no number the next one: V-1, V-2, …

    What a number stands for never changes, and a closed number is never used again. Each becomes a duty with a
    deadline; close it by importing poam_items.
    """
    import polars as pl

    from engine.programme.poam import Weakness, number
    from reports.frameworks.poam.poam_items import UNNUMBERED

    with open_console_services() as services:
        org_id, at = organization(services, org), now()
        with services.snapshots.open(org_id, now=at) as snapshot:
            today = snapshot.as_of
            document = snapshot.edition(REPORT, {"scans": scans} if scans else {}).document
        columns = ("weakness_key", "original_detection_date", "scheduled_completion_date")
        weaknesses = [
            Weakness(*row)
            for name in ("items", "gaps_without_control")
            for row in document.table(name).frame.filter(pl.col("poam_id") == UNNUMBERED).select(columns).iter_rows()
        ]
        weaknesses.sort(key=lambda one: one.due_on)  # what is due first gets the first number
        numbers = services.store.write(org_id, actor, lambda revision: number(revision, weaknesses, today), now=at)
    due = {one.key: one.due_on for one in weaknesses}
    for key, poam_id in numbers.items():
        click.echo(f"{poam_id}  {key}  due {due[key].isoformat()}")
    if not numbers:
        click.echo(f"There is nothing to number. {document.headline}")
