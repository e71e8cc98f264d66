"""Every colour of pages and pictures, by meaning; ``templates/palette.css`` and the charts have no others.

Tones that stand side by side keep their distance for readers without red, green or blue cones, and the steps of a
scale go in one direction of lightness, so that the worst is told from the best in grey as well. The steps run towards
the ink: dark on light paper, light on dark.
"""

from collections.abc import Mapping
from functools import cache

from engine.model.documents.tones import TONES

LIGHT: Mapping[str, str] = {
    **{"paper": "#ffffff", "ink": "#1c2430", "soft": "#566173", "pale": "#f4f6f9", "line": "#d5dae1"},
    **{"edge": "#8a94a3", "grid": "#e3e7ec", "brand": "#0b3d6e"},
    **{"good": "#0b7d57", "watch": "#eaa91c", "bad": "#b3231c", "stale": "#8a55b5"},
    **{"unknown": "#8c949f", "neutral": "#d3d8de"},
    **{"calm": "#fbe3a4", "mild": "#f2ab4a", "grave": "#c9431a", "alarm": "#7d1128"},
    **{"main": "#17479f", "second": "#79b4ea", "third": "#3a4350"},
    **{"amount-1": "#e6e8ec", "amount-2": "#c3c8d0", "amount-3": "#8b93a0", "amount-4": "#464e5b"},
}
DARK: Mapping[str, str] = {
    **{"paper": "#12171e", "ink": "#e6eaf0", "soft": "#a3aebd", "pale": "#1b222c", "line": "#323c49"},
    **{"edge": "#758296", "grid": "#28313d", "brand": "#8fc1f5"},
    **{"good": "#3fb57c", "watch": "#f5c64f", "bad": "#ee5a45", "stale": "#a678e2"},
    **{"unknown": "#9aa5b4", "neutral": "#4a5463"},
    **{"calm": "#57461c", "mild": "#8f611a", "grave": "#f08f55", "alarm": "#ffb8ab"},
    **{"main": "#4f94ff", "second": "#2a5fae", "third": "#d5dce6"},
    **{"amount-1": "#242c37", "amount-2": "#3f4957", "amount-3": "#7e8a9a", "amount-4": "#c8d0db"},
}
ON_DARK, ON_LIGHT = "#ffffff", "#111111"
GROUND = {"light": 0.1, "dark": 0.2}  # how much of a tone the ground of its badge has
# what tells tones apart without any colour: the hatching of their areas
HATCHES = ("", "rising", "dots", "falling", "level", "cross", "upright", "grid")
HATCH = {
    **{"good": "", "watch": "rising", "bad": "falling", "stale": "dots", "unknown": "level", "neutral": "upright"},
    **{"calm": "", "mild": "rising", "grave": "dots", "alarm": "falling"},
    **{"main": "", "second": "rising", "third": "level"},
}


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def linear(colour: str) -> tuple[float, float, float]:
    """Red, green and blue as light, from 0 to 1 (IEC 61966-2-1)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in channels(colour))
    )
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted(_luminance(colour) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


@cache
def text_on(colour: str) -> str:
    """The colour of a text that stands on another."""
    return max(ON_DARK, ON_LIGHT, key=lambda text: contrast(text, colour))


def mix(colour: str, ground: str, share: float) -> str:
    """A ground with a share of a colour in it."""
    mixed = (
        round(share * mine + (1 - share) * under)
        for mine, under in zip(channels(colour), channels(ground), strict=True)
    )
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


@cache
def variables(scheme: str) -> Mapping[str, str]:
    """The variables of the style sheet for ``light`` or ``dark``: named colours, grounds, and the text on each tone."""
    colours = LIGHT if scheme == "light" else DARK
    marks = (*TONES, *(name for name in colours if name.startswith("amount-")))
    return {
        **colours,
        **{f"pale-{tone}": mix(colours[tone], colours["paper"], GROUND[scheme]) for tone in TONES},
        **{f"on-{name}": text_on(colours[name]) for name in marks},
    }


def fill(name: str) -> str:
    """The attributes of an area of a picture: the class that follows the scheme, and the colour where no style is."""
    return f'class="f-{name}" fill="{LIGHT[name]}"'


def stroke(name: str) -> str:
    """The same of a line."""
    return f'class="s-{name}" stroke="{LIGHT[name]}"'


def _luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
