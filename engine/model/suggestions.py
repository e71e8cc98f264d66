"""What somebody probably meant who wrote a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(text: str, names: Iterable[str]) -> str:
    """``Did you mean posture-score?``, or empty where no name is near."""
    by_form = {name.casefold().replace("_", "-"): name for name in names}
    found = get_close_matches(text.casefold().replace("_", "-"), by_form, cutoff=0.6)
    found = found or [form for form in by_form if len(text) > 2 and text.casefold() in form][:3]
    return f"Did you mean {' or '.join(by_form[form] for form in found)}?" if found else ""
