"""The picture of the architecture: boxes and arrows, drawn here so that they can be changed."""

from pathlib import Path

PICTURE = Path(__file__).with_suffix(".svg")
WIDTH, HEIGHT = 960, 430
INK, LINE, QUIET, KEPT, MADE = "#102a43", "#486581", "#627d98", "#d9e8f6", "#f0f4f8"

# (x, y, width, height, title, words below it, fill)
BOXES = (
    (20, 30, 170, 56, "Files", "CSV, XLSX, Parquet", MADE),
    (20, 106, 170, 56, "Monitors, scanners", "alerts, findings", MADE),
    (20, 182, 170, 56, "People", "decisions, signatures", MADE),
    (250, 106, 170, 56, "Records", "SQLite or PostgreSQL", KEPT),
    (480, 106, 150, 56, "Replica", "DuckDB, disposable", KEPT),
    (690, 106, 110, 56, "Facts", "frames by name", MADE),
    (840, 106, 100, 56, "Reports", "pure functions", MADE),
    (690, 226, 250, 56, "Artifacts", "bytes named by their inputs", KEPT),
    (250, 226, 170, 56, "Archives", "sealed, signed", KEPT),
    (480, 226, 150, 56, "Digests", "an outbox", KEPT),
    (250, 340, 170, 56, "Assessors", "verify.py, offline", MADE),
    (480, 340, 150, 56, "Mail, chat", "webhooks, once each", MADE),
    (690, 340, 110, 56, "HTTP", "ETag, formats", MADE),
    (830, 340, 110, 56, "hq, export", "a site to browse", MADE),
)
# points that a line goes through; it ends in an arrow
ARROWS = (
    ((190, 58), (220, 58), (220, 122), (250, 122)),
    ((190, 134), (250, 134)),
    ((190, 210), (220, 210), (220, 146), (250, 146)),
    ((420, 134), (480, 134)),
    ((630, 134), (690, 134)),
    ((800, 134), (840, 134)),
    ((890, 162), (890, 226)),
    ((335, 162), (335, 226)),
    ((690, 244), (630, 244)),
    ((690, 268), (660, 268), (660, 304), (400, 304), (400, 282)),
    ((335, 282), (335, 340)),
    ((555, 282), (555, 340)),
    ((745, 282), (745, 340)),
    ((885, 282), (885, 340)),
)
NOTES = ((335, 96, "revisions, a hash chain"), (850, 200, "rendered"))


def picture() -> str:
    """The SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" text-anchor="middle">',
        "<title>From records over facts and reports to bytes</title>",
        f'<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for points in ARROWS:
        way = "L".join(f"{x} {y}" for x, y in points)
        parts.append(f'<path d="M{way}" fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#end)"/>')
    for x, y, width, height, title, words, fill in BOXES:
        middle = x + width / 2
        parts += [
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{LINE}"/>',
            f'<text x="{middle:g}" y="{y + 24}" font-size="14" font-weight="600" fill="{INK}">{title}</text>',
            f'<text x="{middle:g}" y="{y + 43}" font-size="12" fill="{QUIET}">{words}</text>',
        ]
    parts += [f'<text x="{x}" y="{y}" font-size="12" fill="{QUIET}">{words}</text>' for x, y, words in NOTES]
    return "\n".join([*parts, "</svg>", ""])
