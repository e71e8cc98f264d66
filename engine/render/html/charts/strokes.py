"""What charts are drawn with: a scale with round ticks, text, lines and markers as pieces of SVG.

Every text goes through ``escape`` here; coordinates have one decimal at most.
"""

import math
from dataclasses import dataclass

from markupsafe import escape

from engine.model.documents.tones import Tone
from engine.render.html.charts import palette

WIDE, NARROW = 760, 360  # the widths of pictures
_SLIM, _BROAD = frozenset(" ijlftr.,:;|'()[]!-"), frozenset("MW@%mw–—…")
LONGEST_LABEL = 34
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 4", "6 2 1 2 1 2")


@dataclass(frozen=True)
class Scale:
    """Values from ``low`` to ``high`` on pixels from ``start`` to ``end``, with round ``ticks``."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def breadth(text: str) -> float:
    """Room for a text at 12 px in the widest of the common system fonts, in pixels; capitals and digits count more."""
    return sum(
        4.9 if character in _SLIM else 11.5 if character in _BROAD else 8.0 if not character.islower() else 7.3
        for character in text
    )


def scale(extent: tuple[float, float], start: float, end: float, *, percent: bool) -> Scale:
    """A scale that holds zero and the extent, percentages at least up to a hundred; whole numbers have whole ticks."""
    low, high = float(min(0.0, extent[0])), float(max(0.0, extent[1]))
    if percent:
        high = max(high, 100.0)
    if high - low < 1e-9:
        low, high = 0.0, 1.0
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    steps = [power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999]
    whole = low.is_integer() and high.is_integer()
    step = next((one for one in steps if one.is_integer() or not whole), 1.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(float(f"{index * step:.12g}") for index in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], start, end, ticks)


def path(points: list[tuple[float, float] | None], tone: Tone, index: int) -> str:
    """The line of the series number ``index``, broken at None; long lines are marked at their end only."""
    steps, pen = [], "M"
    for point in points:
        if point is not None:
            steps.append(f"{pen}{px(point[0])} {px(point[1])}")
        pen = "M" if point is None else "L"
    dash = f' stroke-dasharray="{DASHES[index % len(DASHES)]}"' if DASHES[index % len(DASHES)] else ""
    drawn = [point for point in points if point is not None]
    marked = drawn if len(drawn) <= 31 else drawn[-1:]
    return f'<path d="{"".join(steps)}" fill="none" {palette.stroke(tone)} stroke-width="2"{dash}/>' + "".join(
        _marker(x, y, palette.fill(tone), index) for x, y in marked
    )


def _marker(x: float, y: float, filled: str, index: int) -> str:
    shape = index % 4
    if shape == 0:
        return f'<circle cx="{px(x)}" cy="{px(y)}" r="3" {filled}/>'
    if shape == 1:
        return f'<rect x="{px(x - 3)}" y="{px(y - 3)}" width="6" height="6" {filled}/>'
    foot = y + 4 if shape == 2 else y - 4
    tip = 2 * y - foot
    return f'<path d="M{px(x - 4)} {px(foot)}L{px(x + 4)} {px(foot)}L{px(x)} {px(tip)}Z" {filled}/>'


def shorten(name: str) -> str:
    """The name, cut where it would push the picture aside."""
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"


def text(content: str, x: float, y: float, kind: str, anchor: str = "start", full: str = "") -> str:
    """A text whose middle is at ``y``; ``kind`` is its class, and gives the colour where no style is."""
    title = f"<title>{escape(full)}</title>" if full else ""
    place = f'x="{px(x)}" y="{px(y + 4)}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}" fill="{_ink(kind)}">{escape(content)}{title}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line of the class ``grid`` or ``axis``."""
    colour = palette.LIGHT["soft" if kind == "axis" else kind]
    return f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}" class="{kind}" stroke="{colour}"/>'


def px(value: float) -> str:
    """A coordinate with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")


def _ink(kind: str) -> str:
    if kind.startswith("on-"):
        return palette.text_on(palette.LIGHT[kind.removeprefix("on-").split()[0]])
    return palette.LIGHT["soft" if kind in ("tick", "muted") else "ink"]
