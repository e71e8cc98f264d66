"""What the desk says of the form that was just sent: the next address carries it, and no other text of an address."""

from functools import cache

from engine.desk.acts import ACTS
from engine.desk.visits import Visit
from engine.desk.wording import table_title
from engine.store.schema import IMPORTABLE

NOTICE = "notice"
_OUTCOMES = {True: "written", False: "nothing was new"}


def notice_of(title: str, changed: bool) -> str:
    """What became of a form; ``title`` is that of an act or a table."""
    return f"{title}: {_OUTCOMES[changed]}."


def notice_from(visit: Visit) -> str:
    """The notice in the address, where it is one of the desk's own; whatever else stands there is not said."""
    text = visit.query.get(NOTICE, "")
    return text if text in _own_notices() else ""


@cache
def _own_notices() -> frozenset[str]:
    titles = {*(act.title for act in ACTS.values()), *map(table_title, IMPORTABLE)}
    return frozenset(notice_of(title, changed) for title in titles for changed in _OUTCOMES)
