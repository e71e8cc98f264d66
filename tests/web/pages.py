"""What the pages about monitors and scanners say: their blocks, with this machine's console and token in them."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "monitors"
ADDRESS, TOKEN = "https://console.example.com", "svc_ingest_REPLACE_ME"
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(page):
    return (FOLDER / page).read_text()


def block(page, info, *, address=ADDRESS, token=TOKEN):
    """The code of the page's one block with this info string, such as ``json body``."""
    (code,) = (match["code"] for match in BLOCK.finditer(text_of(page)) if match["info"] == info)
    return code.replace(ADDRESS, address).replace(TOKEN, token)


def data(page, name, **here):
    """The value of a block of JSON."""
    return json.loads(block(page, f"json {name}", **here))
