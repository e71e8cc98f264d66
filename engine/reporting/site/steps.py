"""The way from one page to the next of its kind."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from engine.render.html.html import Step


class Place(Protocol):
    """What has a page."""

    @property
    def step(self) -> Step:
        """What the page is called where another leads to it, and its file."""


P = TypeVar("P", bound=Place)


def with_steps(every: Sequence[P]) -> Iterator[tuple[P, Step | None, Step | None]]:
    """Each place with the steps to the one before it and the one after."""
    steps = [place.step for place in every]
    around = zip([None, *steps], [*steps[1:], None], strict=False)
    return ((place, before, after) for place, (before, after) in zip(every, around, strict=False))
