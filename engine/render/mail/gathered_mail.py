"""Several mails to one person as one: what they are about first, then one after the other; and how to get no more."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from engine.render.html.charts.palette import variables

BEGIN, END, FOOTER = "<!--mail-->", "<!--/mail-->", "<!--footer-->"  # as templates/mail.html has them
RULE = "_" * 40


@dataclass(frozen=True)
class MailPart:
    """One of the mails: what it is called and says first, and its two bodies."""

    title: str
    headline: str
    text: str
    html: str

    @property
    def card(self) -> Markup:
        """What it says, without the page around it; it was escaped when it was made."""
        return Markup(self.html.partition(BEGIN)[2].partition(END)[0])  # noqa: S704 - our own template's output


def is_part(html: str | None) -> bool:
    """Whether a body can stand in a mail with others."""
    return html is not None and BEGIN in html and END in html


def gathered_html(parts: Sequence[MailPart], title: str) -> str:
    """The HTML part of all of them."""
    from engine.render.html.html import ENVIRONMENT  # with all that draws a page: who only answers needs none of it

    return ENVIRONMENT.get_template("mails.html").render(parts=parts, title=title)


def gathered_text(parts: Sequence[MailPart]) -> str:
    """The plain text part."""
    about = [f"* {part.title}" for part in parts]
    bodies = [line for part in parts for line in ("", RULE, "", part.text.rstrip())]
    return "\n".join([f"Today there are {len(parts)} messages for you:", *about, *bodies]) + "\n"


def with_footer(html: str, sentences: Sequence[str], mailto: str | None) -> str:
    """The page with who gets it and how to get no more of it at its end."""
    colours = variables("light")
    lines = [Markup("{}").format(sentence) for sentence in sentences]
    if mailto is not None:
        link = Markup('<a href="{}" style="color:{};">Get no more of this by e-mail</a>: send that mail as it is.')
        lines.insert(0, link.format(mailto, colours["brand"]))
    place = "max-width:680px;margin:12px auto 0;text-align:left;font:12px Helvetica,Arial,sans-serif;"
    style = f"{place}color:{colours['soft']};"
    return html.replace(FOOTER, Markup('<p style="{}">{}</p>').format(style, Markup("<br>").join(lines)))


def text_footer(sentences: Sequence[str], mailto: str | None) -> str:
    """The same for the plain text part."""
    more = [] if mailto is None else ["To get no more of this by e-mail, send this mail:", f"  {mailto}"]
    return "\n".join(["", "-- ", *more, *sentences]) + "\n"
