"""The page on which a committee writes down what it decides, below what became of its earlier decisions."""

import msgspec
import polars as pl

from engine.archives.contents.material import Material
from engine.render.text.prose import inline

MEETINGS = 12


def decisions(material: Material) -> bytes:
    """Markdown: decisions needed with lines to fill in, then those of the last meetings with owner, date and status."""
    needed = material.edition("committee-digest").document.table("decisions")
    held = material.snapshot.fact("committee_decisions").head(MEETINGS)
    lines = [
        f"# Decisions: {inline(material.owner.name)}",
        "",
        f"Day {material.snapshot.as_of.isoformat()}, revision {material.snapshot.revision.seq}.",
        "",
        "## To decide",
        "",
        *_to_decide(needed.frame),
        "## Further decisions",
        "",
        "| decision | owner | due | status |",
        "|---|---|---|---|",
        *(["| | | | |"] * 3),
        "",
        "## Earlier decisions",
        "",
        *_earlier(held),
    ]
    return ("\n".join(lines) + "\n").encode()


def _to_decide(needed: pl.DataFrame) -> list[str]:
    if needed.is_empty():
        return ["Nothing awaits a decision.", ""]
    lines = []
    for number, row in enumerate(needed.iter_rows(named=True), 1):
        lines += [
            f"### {number}. {inline(row['decision'])}",
            "",
            f"- Because: {inline(row['reason'])}",
            f"- With: {inline(row['owner'] or 'nobody yet')}",
            "- Decided: yes / no / postponed to ____",
            "- Owner and date: ____",
            "- Remarks: ____",
            "",
        ]
    return lines


def _earlier(held: pl.DataFrame) -> list[str]:
    rows = []
    for held_on, committee, decided in held.select("held_on", "name", "decisions").iter_rows():
        noted = msgspec.json.decode(decided)  # what was imported may be any JSON
        for one in (one for one in noted if isinstance(one, dict)) if isinstance(noted, list) else ():
            cells = (
                held_on.isoformat(),
                committee,
                one.get("decision"),
                one.get("owner"),
                one.get("due_on"),
                one.get("status"),
            )
            rows.append("| " + " | ".join(inline(str(cell or "")) for cell in cells) + " |")
    if not rows:
        return ["No earlier decision is on record."]
    return ["| meeting | committee | decision | owner | due | status |", "|---|---|---|---|---|---|", *rows]
