"""Which of the formats that there are a caller wants most: the one reader of ``Accept`` (RFC 9110, 12.5.1)."""

from collections.abc import Sequence
from functools import lru_cache

MEDIA_TYPES = {
    "application/json": "json",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/calendar": "ics",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/pdf": "pdf",
    "application/zip": "zip",
}


@lru_cache(maxsize=1000)  # clients send the same few headers again and again
def preferred_format(accept: str, formats: Sequence[str]) -> str | None:
    """The format of the most wanted media type among those that there are; None leaves the choice to the route."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept.split(",")):
        media, *options = (piece.strip() for piece in part.split(";"))
        form = MEDIA_TYPES.get(media.lower())
        if form is not None and form in formats:
            weight = next((option[2:] for option in options if option.startswith("q=")), "1")
            try:
                wanted.append((-float(weight), place, form))
            except ValueError:
                continue
    best = min(wanted, default=None)
    return best[2] if best and best[0] < 0 else None
