"""The command that numbers the plan of action and milestones."""

from datetime import date

import click

from engine.cli.common import (
    now,
    open_console_services,
    org_option,
    organization,
)

REPORT = "fedramp-poam"


@click.command(epilog="Example: hq poam --org aurora --actor iris@aurora.example")
@org_option
@click.option("--actor", default="poam", show_default=True, help="Who is named in the audit log.")
@click.option("--scans", type=click.Choice(["late", "all"]), default="late", show_default=True,
              help="Findings of scanners: those past their deadline, or all.")  # fmt: skip
def poam(org: str | None, actor: str, scans: str) -> None:
    """Give each weakness of the FedRAMP POA&M that has no number the next one: V-1, V-2, …

    What a number stands for never changes, and a closed number is never used again. Each becomes a duty with a
    deadline; close it by importing poam_items.
    """
    import msgspec

    from engine.programme.poam import Weakness, number
    from reports.frameworks.poam_items import UNNUMBERED

    with open_console_services() as services:
        org_id, at = organization(services, org), now()
        artifact = services.editions.artifact(org_id, REPORT, "json", {"scans": scans}, now=at)
        report = msgspec.json.decode(artifact.data)
        weaknesses = [
            Weakness(
                item["weakness_key"],
                date.fromisoformat(item["original_detection_date"]),
                date.fromisoformat(item["scheduled_completion_date"]),
            )
            for item in report["items"]
            if item["poam_id"] == UNNUMBERED
        ]
        numbers = services.store.write(org_id, actor, lambda revision: number(revision, weaknesses), now=at)
    due = {one.key: one.due_on for one in weaknesses}
    for key, poam_id in numbers.items():
        click.echo(f"{poam_id}  {key}  due {due[key].isoformat()}")
    if not numbers:
        click.echo(f"There is nothing to number. {report['headline']}")
