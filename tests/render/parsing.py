"""What a test reads of a page."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """``tables`` holds the rows of each table (head and body), ``tags`` every start tag with its attributes.

    The rows behind a disclosure belong to the table before it and are counted by ``behind``; what is folded below a row
    is no row of its own and is in ``below``. ``same`` has what every row of a table has in common, by its heading.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.below: list[list[str]] = []
        self.same: list[dict[str, str]] = []
        self.behind = 0
        self.text = ""
        self._cell: str | None = None
        self._row: list[str] = []
        self._is_kept = True
        self._goes_on = False
        self._common: dict[str, str] = {}
        self._heading: str | None = None
        self._is_common = False
        self.feed(text)
        self.close()

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "details":
            self._goes_on = ("class", "rest") in attributes
        elif tag == "table" and not self._goes_on:
            self.tables.append([])
            self.same.append(self._common)
            self._common = {}
        elif tag == "p":
            self._is_common = ("class", "same") in attributes
        elif tag == "b" and self._is_common:
            self._heading = ""
        elif tag == "thead":
            self._is_kept = not self._goes_on
        elif tag == "tr":
            self._row = []
            if ("class", "more") in attributes:
                self.below.append(self._row)
            elif self._is_kept:
                self.tables[-1].append(self._row)
                self.behind += self._goes_on
        elif tag in ("td", "th"):
            self._cell = ""
        elif tag == "br" and self._cell is not None:
            self._cell += "\n"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._row.append(self._cell)
            self._cell = None
        elif tag == "p":
            self._is_common = False
        elif tag == "b" and self._heading is not None:
            self._common[self._heading] = ""
        elif tag == "span" and self._heading is not None:
            self._common[self._heading] = self._common[self._heading].removeprefix(" ")
            self._heading = None
        elif tag == "thead":
            self._is_kept = True
        elif tag == "table":
            self._goes_on = False

    def handle_data(self, data):
        self.text += data
        if self._heading is not None:
            if self._heading in self._common:
                self._common[self._heading] += data
            else:
                self._heading += data
        if self._cell is not None:
            self._cell += data
