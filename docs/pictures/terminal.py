"""A short recording of a terminal: the tutorial's records, imported, read, explained and verified.

The commands run, on the records and at the moment given here, so that the same code gives the same picture.
``make pictures`` writes it; ``tests/test_pictures.py`` holds it against what the commands print today.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from html import escape
from pathlib import Path

from freezegun import freeze_time

from engine.cli import commands
from engine.store.log.row_log import salts_from

PICTURE = Path(__file__).with_suffix(".svg")
TUTORIAL = Path(__file__).parents[1] / "tutorial" / "first-report.md"
MOMENT = "2026-11-20T09:00:00Z"
# a command, and how many lines of what it prints are shown
COMMANDS = (
    ("hq import exports/ --org northwind", 9),
    ("hq report gap-remediations --org northwind --format md", 5),
    ("hq explain program gaps_open --org northwind --format csv", 4),
    ("hq verify --org northwind", 1),
)
COLUMNS, SIZE, LEADING, LEFT, TOP = 100, 13, 19, 18, 46
CHARACTER = SIZE * 0.6
TYPED, LINE, PAUSE, REST = 0.035, 0.06, 1.6, 5.0  # seconds: a character, a line of output, after a command, at the end


def files() -> Iterator[tuple[str, str]]:
    """The files that the tutorial writes."""
    return ((name, text) for name, text in re.findall(r"cat > (\S+) <<'END'\n(.*?)END\n", TUTORIAL.read_text(), re.S))


def recorded() -> list[tuple[str, list[str]]]:
    """Each command with the lines that it prints, in an installation of its own."""
    before, told = Path.cwd(), []
    with tempfile.TemporaryDirectory() as folder, freeze_time(MOMENT), salts_from(b"recording"):
        kept = os.environ.get("SVC_DATA_DIR")
        warnings.filterwarnings("ignore", "datetime.*size changed")  # Arrow looks at a frozen clock
        try:
            os.chdir(folder)
            os.environ["SVC_DATA_DIR"] = f"{folder}/var"
            Path("exports").mkdir()
            for name, text in files():
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_text(text)
            for command, shown in COMMANDS:
                printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
                with contextlib.redirect_stdout(printed):
                    commands(args=command.split()[1:], prog_name="hq", standalone_mode=False)
                lines = [line for line in printed.buffer.getvalue().decode().splitlines() if line.strip()]
                told.append((command, lines[:shown]))
        finally:
            os.chdir(before)
            if kept is None:
                del os.environ["SVC_DATA_DIR"]
            else:
                os.environ["SVC_DATA_DIR"] = kept
    return told


def picture(told: list[tuple[str, list[str]]]) -> str:
    """The SVG: commands are typed, lines appear, and after a rest it begins anew; without motion all of it is there."""
    shown, rules, row, clock = [], [], 0, 0.5
    moments = []
    for command, lines in told:
        moments.append((row, command, clock))
        clock += TYPED * len(command) + 0.4
        for line in lines:
            row += 1
            moments.append((row, line, clock))
            clock += LINE
        row += 1
        clock += PAUSE
    whole = clock + REST
    typed = {command for command, _ in told}
    for number, (place, line, begin) in enumerate(moments):
        y = TOP + place * LEADING
        start = 100 * begin / whole
        rules.append(f"@keyframes a{number}{{0%,{start:.2f}%{{opacity:0}}{start + 0.01:.2f}%,100%{{opacity:1}}}}")
        if line in typed:
            end = 100 * (begin + TYPED * len(line)) / whole
            wide = len(line) * CHARACTER
            rules.append(
                f"@keyframes b{number}{{0%,{start:.2f}%{{transform:none;animation-timing-function:steps({len(line)})}}"
                f"{end:.2f}%,100%{{transform:translateX({wide:.1f}px)}}}}"
            )
            shown += [
                _text(f"a{number}", LEFT, y, "$", "p"),
                _text(f"a{number}", LEFT + 2 * CHARACTER, y, line, "c"),
                f'<rect class="cover" style="animation-name:b{number}" x="{LEFT + 2 * CHARACTER:.1f}" '
                f'y="{y - SIZE - 1}" width="{wide:.1f}" height="{LEADING}"/>',
            ]
        else:
            cut = line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"
            shown.append(_text(f"a{number}", LEFT, y, cut, "o"))
    width, height = 2 * LEFT + COLUMNS * CHARACTER, TOP + row * LEADING
    style = (
        f"text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}}"
        ".p{fill:#7ee787}.c{fill:#ffffff}.o{fill:#b6c2cf}.cover{fill:#10182b;opacity:0}"
        "@media (prefers-reduced-motion:no-preference){"
        f"text,.cover{{animation:{whole:.1f}s infinite}}.cover{{opacity:1}}{''.join(rules)}}}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
            "<title>A terminal: records are imported, read as a report, explained row by row, and verified</title>",
            f"<style>{style}</style>",
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#10182b"/>',
            *(
                f'<circle cx="{LEFT + 6 + 18 * number}" cy="16" r="5" fill="{colour}"/>'
                for number, colour in enumerate(("#ff6b6b", "#ffd166", "#7ee787"))
            ),
            *shown,
            "</svg>",
            "",
        ]
    )


def _text(name: str, x: float, y: int, line: str, kind: str) -> str:
    wide = len(line) * CHARACTER
    return (
        f'<text class="{kind}" style="animation-name:{name}" x="{x:.1f}" y="{y}" textLength="{wide:.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(line)}</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1] if sys.argv[1:] else PICTURE).resolve().write_text(picture(recorded()))
