"""Pictures beyond charts as inline SVG, each drawn for broad and for narrow pages as charts are."""

from markupsafe import Markup

from engine.model.pictures import CalendarPicture, GraphPicture, MatrixPicture, Picture, TimelinePicture, TrendPicture
from engine.reporting.render.charts import SIZES, picture
from engine.reporting.render.graph import draw_graph
from engine.reporting.render.grids import draw_calendar, draw_matrix
from engine.reporting.render.timeline import draw_timeline
from engine.reporting.render.trend import draw_trend


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
