"""What the site makes of the pages, and that none of them asks the network for anything."""

import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

# the second word of a fence is for the tests that use the block, not for readers
FENCE = re.compile(r"^(?P<fence>```\w+) [\w -]+$", re.MULTILINE)
# the theme's offline search asks for this; ours does the same without asking
OUTSIDE, OURS = "https://unpkg.com/iframe-worker/shim", "assets/worker.js"
LOADED = re.compile(r"<(?:script|img|iframe|source|use)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^\"'\s>]*")
LINKED = re.compile(r"<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^\"'\s>]*")


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page as it is rendered."""
    return FENCE.sub(r"\g<fence>", markdown)


def on_post_page(output: str, *, page: Page, **_: object) -> str:
    """The page with our own worker; PluginError where it would load something from outside."""
    return _inside(output, page.url)


def on_post_template(output_content: str, *, template_name: str, **_: object) -> str:
    """The same of pages that the theme brings along."""
    return _inside(output_content, template_name) if template_name.endswith(".html") else output_content


def _inside(output: str, url: str) -> str:
    html = output.replace(OUTSIDE, get_relative_url(OURS, url))
    outside = [found[0] for pattern in (LOADED, LINKED) for found in pattern.finditer(html)]
    if outside:
        raise PluginError(f"{url} asks the network: {', '.join(outside)}")
    return html
