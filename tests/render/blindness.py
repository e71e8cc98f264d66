"""How colours look to readers without one kind of cones, and how far apart two of them are.

The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009), for full severity; they act on
linear light. The distance is that of CIE 1976 L*a*b* under D65.
"""

import math

from engine.render.html.charts.palette import linear

SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)


def perceived_colour(colour, sight):
    """The colour in L*a*b* as somebody of that sight sees it."""
    light = [min(1.0, max(0.0, part)) for part in _times(SIGHTS[sight], linear(colour))]
    x, y, z = (_root(part / white) for part, white in zip(_times(TO_XYZ, light), WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, sight="all cones"):
    return math.dist(perceived_colour(one, sight), perceived_colour(other, sight))


def lightness(colour):
    return perceived_colour(colour, "all cones")[0]


def hue(colour):
    """The angle of the hue in degrees: red is near 40, yellow 100, green 160, blue 280."""
    _, a, b = perceived_colour(colour, "all cones")
    return math.degrees(math.atan2(b, a)) % 360


def _times(matrix, column):
    return [sum(part * value for part, value in zip(row, column, strict=True)) for row in matrix]


def _root(part):
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116
