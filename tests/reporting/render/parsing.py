"""Reads pages back as a browser would: which tags, which texts, which cells."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """``tables`` holds the rows of each table (head and body), ``tags`` every start tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.text = ""
        self._cell: str | None = None
        self.feed(text)
        self.close()

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = ""
        elif tag == "br" and self._cell is not None:
            self._cell += "\n"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        self.text += data
        if self._cell is not None:
            self._cell += data
