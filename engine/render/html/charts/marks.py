"""What the series of a chart look like: the tone of each, and the hatching that tells it from the others in grey."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.model.documents.document import Chart
from engine.model.documents.tones import MEASURES, Tone
from engine.render import words
from engine.render.html.charts import palette
from engine.render.html.charts.strokes import breadth, px, text

TILE = 7.0
# the strokes of a hatching on a tile of this size; dots are circles
_STROKES = {
    "rising": "M-1 1L1 -1M0 7L7 0M6 8L8 6",
    "falling": "M-1 6L1 8M0 0L7 7M6 -1L8 1",
    "level": "M0 2L7 2M0 5.5L7 5.5",
    "upright": "M2 0L2 7M5.5 0L5.5 7",
    "cross": "M0 7L7 0M0 0L7 7",
    "grid": "M0 3.5L7 3.5M3.5 0L3.5 7",
    "dots": "M2 2h.01M5.5 5.5h.01",
}


@dataclass(frozen=True)
class SeriesMark:
    """The tone and the hatching of a series; ``id`` is that of its pattern in the page."""

    tone: Tone
    hatch: str
    id: str

    def area(self, x: float, y: float, width: float, height: float, sentence: str = "") -> str:
        """A rectangle of the series; ``told`` is its markup for who points at it."""
        place = f'x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"'
        hatching = f'<rect {place} fill="url(#{self.id})"/>' if self.hatch else ""
        return f"<rect {place} {palette.fill(self.tone)}>{sentence}</rect>{hatching}"

    def pattern(self) -> str:
        """What the hatching is filled with; empty without one."""
        if not self.hatch:
            return ""
        on = palette.text_on(palette.LIGHT[self.tone])
        faint = ".3" if on == palette.ON_DARK else ".16"
        dotted = ' stroke-linecap="round" stroke-width="2.2"' if self.hatch == "dots" else ' stroke-width="1.1"'
        return (
            f'<pattern id="{self.id}" width="{px(TILE)}" height="{px(TILE)}" patternUnits="userSpaceOnUse">'
            f'<path d="{_STROKES[self.hatch]}" class="s-on-{self.tone}" stroke="{on}" stroke-opacity="{faint}" '
            f'fill="none"{dotted}/></pattern>'
        )


def tone_of(chart: Chart, name: str) -> Tone | None:
    """The tone of a series: its own, or that of its word; None where nobody gave it any."""
    return chart.tones.get(name) or words.tone(name, chart.series or chart.x)


def marks(chart: Chart, names: Sequence[str], key: str) -> Mapping[str, SeriesMark]:
    """The marks of the series of a chart; no two have the same hatching as long as there are enough."""
    series_marks: dict[str, SeriesMark] = {}
    taken: set[str] = set()
    for index, name in enumerate(names):
        tone = tone_of(chart, name) or MEASURES[index % len(MEASURES)]
        own = palette.HATCH[tone]
        hatch = own if own not in taken else next((one for one in palette.HATCHES if one not in taken), own)
        taken.add(hatch)
        series_marks[name] = SeriesMark(tone, hatch, f"{key}-{index}")
    return series_marks


def patterns(found: Mapping[str, SeriesMark] | Mapping[Tone, SeriesMark]) -> str:
    """The hatchings that a picture needs, for its head."""
    drawn = "".join(mark.pattern() for mark in found.values())
    return f"<defs>{drawn}</defs>" if drawn else ""


def tone_marks(tones: Iterable[Tone], key: str) -> Mapping[Tone, SeriesMark]:
    """The marks of the tones of a picture."""
    return {tone: SeriesMark(tone, palette.HATCH[tone], f"{key}-{tone}") for tone in dict.fromkeys(tones)}


def tone_legend(
    legend: Mapping[str, Tone], series_marks: Mapping[Tone, SeriesMark], width: float, y: float = 10.0
) -> tuple[str, float]:
    """What the tones of a picture mean, in rows of its width; and where the picture goes on."""
    out, x = [], 4.0
    for name, tone in legend.items():
        room = 24 + breadth(name) + 18
        if x + room > width and x > 4:
            x, y = 4.0, y + 20
        out.append(series_marks[tone].area(x, y - 7, 18, 14))
        out.append(text(name, x + 24, y, "legend"))
        x += room
    return "".join(out), y + 16 if legend else y - 6
