"""A line of the size of a word: how a figure went, without axes; the figure itself stands beside it."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from engine.render.html.charts.strokes import px

WIDTH, HEIGHT, MARGIN = 120.0, 28.0, 3.0


def sparkline(numbers: Sequence[float], of: str) -> Markup:
    """The line; empty for fewer than two numbers."""
    if len(numbers) < 2:
        return Markup("")
    low, high = min(numbers), max(numbers)
    span, step = (high - low) or 1.0, (WIDTH - 2 * MARGIN) / (len(numbers) - 1)
    points = [
        (MARGIN + index * step, HEIGHT - MARGIN - (number - low) / span * (HEIGHT - 2 * MARGIN))
        for index, number in enumerate(numbers)
    ]
    line = "L".join(f"{px(x)} {px(y)}" for x, y in points)
    alt = f"{of}: from {numbers[0]:g} to {numbers[-1]:g}, lowest {low:g}, highest {high:g}"
    return Markup(  # noqa: S704 - figures, and a text that is escaped
        f'<svg class="sparkline" viewBox="0 0 {px(WIDTH)} {px(HEIGHT)}" role="img" aria-label="{escape(alt)}">'
        f'<path d="M{line}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<circle cx="{px(points[-1][0])}" cy="{px(points[-1][1])}" r="2.5" fill="currentColor"/></svg>'
    )
