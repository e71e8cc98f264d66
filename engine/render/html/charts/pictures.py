"""Pictures beyond charts as inline SVG, each drawn for broad and for narrow pages as charts are."""

from markupsafe import Markup

from engine.model.documents.pictures import (
    CalendarPicture,
    GraphPicture,
    MatrixPicture,
    Picture,
    TimelinePicture,
    TrendPicture,
)
from engine.render.html.charts.charts import SIZES, picture
from engine.render.html.charts.graph import draw_graph
from engine.render.html.charts.grids import draw_calendar, draw_matrix
from engine.render.html.charts.timeline import draw_timeline
from engine.render.html.charts.trend import draw_trend


def drawing(shown: Picture, key: str) -> Markup:
    """The picture as SVG; ``key`` makes its ids unique in the page."""
    return Markup("\n").join(
        picture(shown.title, shown.alt, f"{key}-{size}", size, *_draw(shown, width, f"{key}-{size}"))
        for size, width in SIZES.items()
    )


def _draw(shown: Picture, width: int, key: str) -> tuple[str, float]:
    match shown:
        case TrendPicture():
            return draw_trend(shown, width)
        case CalendarPicture():
            return draw_calendar(shown, width, key)
        case MatrixPicture():
            return draw_matrix(shown, width, key)
        case TimelinePicture():
            return draw_timeline(shown, width, key)
        case GraphPicture():
            return draw_graph(shown, width, key)
