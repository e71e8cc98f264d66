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
    from weasyprint import CSS, HTML
    from weasyprint.document import Document as RenderedPages

# it names, line by line, what of a page's style is for browsers; "weasyprint.progress" has each of its steps
for name in ("weasyprint", "weasyprint.progress"):
    logging.getLogger(name).setLevel(logging.ERROR)
INSTALL = "pip install 'hq-console[pdf]'"


def render(edition: Edition) -> bytes:
    """The page of an edition on paper; Unavailable where the extra is not installed."""
    return of_pages([html.render(edition)])


def of_pages(pages: Sequence[bytes]) -> bytes:
    """HTML pages, one behind the other, as one file; Unavailable where the extra is not installed."""
    return _write([_parse_page(page).render() for page in pages], pages)


def pack(title: str, description: str, editions: Sequence[Edition]) -> bytes:
    """Editions as one document: a cover that says where each begins, then their pages under one count.

    Unavailable where the extra is not installed.
    """
    pages, documents, lines, number = [], [], [], 2
    for place, edition in enumerate(editions, 1):
        part = f"part-{place}"
        pages.append(html.render(edition, part))
        documents.append(_parse_page(pages[-1]).render(stylesheets=[_numbering(number)]))
        lines.append((edition, part, number))
        number += len(documents[-1].pages)
    about = editions[0]
    shown = {"title": title, "organization": about.organization, "as_of": about.as_of, "revision": about.revision}
    cover = html.ENVIRONMENT.get_template("cover.html").render(
        edition=shown, description=description, parts=lines, last=number - 1, around=None
    )
    first = _parse_page(cover.encode()).render(stylesheets=[_numbering(1)])
    return _write([first, *documents], [cover.encode(), *pages])


def _write(documents: Sequence["RenderedPages"], pages: Sequence[bytes]) -> bytes:
    """Tagged as PDF/UA-1 asks, with headings as bookmarks; its identifier follows from the pages."""
    whole = documents[0].copy([sheet for document in documents for sheet in document.pages])
    identifier = sha256(b"\0".join(pages)).hexdigest().encode()
    pdf: bytes = whole.write_pdf(pdf_identifier=identifier, pdf_variant="pdf/ua-1")
    return pdf


def _numbering(first: int) -> "CSS":
    """Page numbers from ``first`` on; how many there are in all is not known before the last part is laid out."""
    from weasyprint import CSS

    return CSS(
        string=f"@page :first {{ counter-reset: page {first} !important }}"
        '@page { @bottom-right { content: "Page " counter(page) !important } }'
    )


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
