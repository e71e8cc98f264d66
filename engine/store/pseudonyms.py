"""A person's address and names in values of any kind, and what is put in their place."""

import re
from collections.abc import Iterable

SEVERAL = "; "  # between the addresses of a column that holds several


class Pseudonym:
    """Puts ``said`` in place of a person. Letters count alike in either case.

    An address is found in any text where it stands for itself: not as the end or the beginning of a longer one. A name
    is found in any text where it has two words or more; of one word only where a column for people holds nothing else.
    """

    def __init__(self, email: str, names: Iterable[str], said: str) -> None:
        self.email = email.strip().lower()
        self.said = said
        self._names = {" ".join(name.split()).lower() for name in names} - {""}
        phrases = sorted((name for name in self._names if " " in name), key=len, reverse=True)
        before, _, after = self.email.rpartition("@")
        address = rf"(?<![\w.+%-]){re.escape(before)}(?:@|%40){re.escape(after)}(?![\w-]|\.\w)"
        whole = [r"(?<!\w)" + r"\s+".join(map(re.escape, name.split())) + r"(?!\w)" for name in phrases]
        self._pattern = re.compile("|".join([address, *whole]), re.IGNORECASE)
        self.needles = (self.email, f"{before}%40{after}", *phrases)
        self.words = tuple(sorted(self._names - set(phrases)))

    def is_person(self, value: object) -> bool:
        """Whether a value is the address, or a name and nothing else."""
        return isinstance(value, str) and value.strip().lower() in (self.email, *self._names)

    def in_people(self, value: str) -> str:
        """The same for the value of a column that names people."""
        parts = [self.said if self.is_person(part) else self.in_text(part) for part in value.split(SEVERAL)]
        return SEVERAL.join(parts)

    def in_text(self, text: str) -> str:
        """A text without the person."""
        return self._pattern.sub(self.said, text)

    def in_value(self, value: object) -> object:
        """A JSON value without the person."""
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, list):
            return [self.in_value(each) for each in value]
        if isinstance(value, dict):
            return {self.in_text(name): self.in_value(each) for name, each in value.items()}
        return value
