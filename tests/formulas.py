"""What a Polars expression says, in words of a formula; None where it says more than fits."""

import re

import polars as pl

from tests.factories import DAY, ask

TOKEN = re.compile(
    r'(?P<column>col\("(?P<name>\w+)"\))|(?P<open>\[\()|(?P<close>\)\])|(?P<method>\.(?P<called>[a-z_.]+)\()'
    r'|(?P<number>dyn (?:int|float): (?P<amount>-?[\d.]+))|(?P<text>"(?P<word>[^"]*)")|(?P<day>\d{4}-\d\d-\d\d)'
    r"|(?P<flag>true|false)|(?P<type>Int64|Float64)|(?P<sign>[<>=!]=|[<>&|+*/-])|(?P<mark>[\[\](),])|\s+"
)
SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "&": "and", "|": "or", "*": "×", "-": "−"}
JOINTS = ("and", "or")
DAYS = {DAY.isoformat(): "{as_of}", ask().period_start.isoformat(): "{period_start}"}
LONGEST = 160


class Unsaid(Exception):
    """The expression has a part that has no words here."""


def formula_text(expression):
    """The formula, or None."""
    with pl.Config(fmt_table_cell_list_len=-1, fmt_str_lengths=200):
        text = str(expression)
    try:
        words = _Reader(text).sentence()
    except Unsaid:
        return None
    return words if len(words) <= LONGEST else None


def _one(words):
    """In brackets, where it is more than a name or a literal."""
    return f"({words})" if " " in re.sub("“[^”]*”", "", words) else words


class _Reader:
    """Reads how Polars prints an expression: ``[(col("a")) == ("b")]``."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                raise Unsaid(text[at:])
            at = match.end()
            if match.lastgroup:
                self.tokens.append(match)

    def sentence(self):
        words = self.value()
        if self.tokens:
            raise Unsaid
        return words

    def next(self, *kinds):
        if not self.tokens or not any(self.tokens[0][kind] for kind in kinds):
            raise Unsaid
        return self.tokens.pop(0)

    def at(self, text):
        return bool(self.tokens) and self.tokens[0][0] == text

    def take(self, text):
        if not self.at(text):
            raise Unsaid
        self.tokens.pop(0)

    def value(self):
        """A column, a literal, or two values and a sign; then what is called on it."""
        if self.at("[("):
            words = self.pair()
        else:
            token = self.next("column", "number", "text", "day", "flag")
            words = f"`{token['name']}`" if token["column"] else token["amount"] or token["word"] or token["flag"]
            words = f"“{words}”" if token["text"] and " " in words else words or DAYS.get(token["day"] or "")
            if words is None:
                raise Unsaid
        while self.tokens and self.tokens[0]["method"]:
            words = self.call(words)
        return words

    def pair(self):
        self.take("[(")
        left = self.value()
        self.take(")")
        sign = SIGNS.get(found := self.next("sign")[0], found)
        self.take("(")
        right = self.value()
        self.take(")]")
        if (sign, left) == ("and", "true"):
            return right
        if sign in JOINTS:
            other = JOINTS[sign == "and"]
            left, right = (f"({each})" if f" {other} " in each else each for each in (left, right))
        else:
            left, right = map(_one, (left, right))
        return f"{left} {sign} {right}"

    def call(self, words):
        name = self.tokens.pop(0)["called"]
        given = self.arguments()
        whole = _one(words)
        match name, given:
            case "not", []:
                unequal = re.sub(r"^(`\w+`) = ([^ ]+|“[^”]+”)$", r"\1 ≠ \2", words)
                return unequal if unequal != words else words[4:] if words.startswith("not `") else f"not {whole}"
            case "is_null", []:
                return f"{whole} is absent"
            case "is_not_null", []:
                return f"{whole} is there"
            case "abs", []:
                return f"|{words}|"
            case "is_in", [_, *_]:
                return f"{whole} is {' or '.join(given)}"
            case "list.contains", [one]:
                return f"{whole} has {one}"
            case "is_between", [first, last]:
                return f"{whole} from {first} to {last}"
            case ("fill_null", ["false"]) | ("cast" | "strict_cast", _):
                return words
            case "fill_null", ["0"]:
                return f"{whole} or 0"
            case "clip_min", ["0"]:
                return f"the larger of 0 and {whole}"
            case "list.length", []:
                return f"the number of {whole}"
        raise Unsaid(name)

    def arguments(self):
        """What a method is called with: nothing, or lists of literals."""
        found = []
        depth = 0
        while depth or not self.at(")"):
            if self.at("["):
                depth += 1
                self.tokens.pop(0)
            elif self.at("]"):
                depth -= 1
                self.tokens.pop(0)
            elif self.at(",") or (self.tokens and self.tokens[0]["type"]):
                self.tokens.pop(0)
            elif self.at(")]"):
                raise Unsaid
            else:
                found.append(self.value())
        self.take(")")
        return found
