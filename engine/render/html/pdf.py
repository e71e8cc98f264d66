"""PDF: the printed page as a file, through WeasyPrint, which is an extra. Same pages, same bytes.

Nothing is fetched from anywhere: what a page needs is in it.
"""

import logging
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from engine.model.documents.document import Edition
from engine.model.errors import Unavailable
from engine.render.html import html

if TYPE_CHECKING:
    from weasyprint import HTML

# it names, line by line, what of a page's style is for browsers; "weasyprint.progress" has each of its steps
for name in ("weasyprint", "weasyprint.progress"):
    logging.getLogger(name).setLevel(logging.ERROR)
INSTALL = "pip install 'hq-console[pdf]'"


def render(edition: Edition) -> bytes:
    """The page of an edition on paper; Unavailable where the extra is not installed."""
    return of_pages([html.render(edition)])


def of_pages(pages: Sequence[bytes]) -> bytes:
    """HTML pages, one behind the other, as one file; Unavailable where the extra is not installed."""
    documents = [_parse_page(page).render() for page in pages]
    whole = documents[0].copy([sheet for document in documents for sheet in document.pages])
    found: bytes = whole.write_pdf(pdf_identifier=sha256(b"\0".join(pages)).hexdigest().encode())
    return found


def _parse_page(page: bytes) -> "HTML":
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher, URLFetchingError
    except (ImportError, OSError) as error:  # OSError: the libraries that draw text are not there
        raise Unavailable(
            f"PDF is an extra that is not installed here: {INSTALL}. The same pages come as html, to be printed.",
            word="format_unavailable",
        ) from error

    class NoFetcher(URLFetcher):  # type: ignore[misc]  # is untyped
        """Fetches nothing."""

        def fetch(self, url: str, headers: object = None) -> None:
            """URLFetchingError, always."""
            raise URLFetchingError(f"a page may load nothing, and asks for {url}")

    return HTML(string=page.decode(), url_fetcher=NoFetcher())
