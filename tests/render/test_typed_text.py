"""What somebody typed is shown as it was typed; only declared words of the program are spelled for people."""

import csv
import io
from dataclasses import replace

import markdown
import polars as pl
import pytest

from engine.digests.chat import blocks
from engine.model.documents.document import Chart, Document, Table
from engine.model.vocabulary import BLOCK_REASONS
from engine.render import RENDERERS
from engine.render.mail import mail
from tests.render.editions import edition
from tests.render.parsing import Page

# a service, somebody's sentence, people, a rule of a policy: each looks like words of a machine, two are such words
FRAME = pl.DataFrame(
    {
        "service": ["payment_gateway", "at_risk", "no_data"],
        "note": ["rotate api_key", "see run_book_two", "in_progress"],
        "teams": [["site_reliability", "on_call"], ["on_call"], []],
        "state": ["due_soon", "no_data", "effective"],
        "kind": ["test_window", "policy_review", "test_window"],
        "reason": ["dry_run_missing", "no_deploy_on_friday", "checks_failed"],
        "controls": [3, 2, 1],
    }
)
TYPED = ("service", "note", "teams")
TABLE = Table(
    "services",
    "Services",
    FRAME,
    state=("state",),
    words={"kind": ("test_window", "policy_review"), "reason": BLOCK_REASONS},
)
SPELLED = [
    ["payment_gateway", "rotate api_key", "site_reliability; on_call", "due soon", "test window", "dry run missing"],
    ["at_risk", "see run_book_two", "on_call", "no data", "policy review", "no_deploy_on_friday"],
    ["no_data", "in_progress", "", "effective", "test window", "checks failed"],
]
EDITION = edition(
    Document(
        "payment_gateway is at_risk.",
        summary={
            "worst": "payment_gateway",
            "next": "at_risk",
            "busiest": ["payment_gateway", "due_soon"],
            "overall": "no_data",
            "parts": {"state": "due_soon"},
        },
        tables=(TABLE,),
        charts=(
            Chart("bars", "By service", FRAME, "service", "controls", "payment_gateway leads."),
            Chart("stacked", "By state", FRAME, "kind", "controls", "All.", series="state", words=("state", "kind")),
            Chart("bars", "By reason", FRAME, "reason", "controls", "All.", words={"reason": BLOCK_REASONS}),
        ),
        words=("overall", "parts"),
    )
)


def render_text(form):
    return RENDERERS[form].render(EDITION).decode()


def test_in_html_only_the_declared_columns_are_spelled():
    alone = replace(EDITION, document=replace(EDITION.document, charts=()))  # no column folds beside a picture
    page = Page(RENDERERS["html"].render(alone).decode())
    assert [cells[:6] for cells in page.tables[0][1:]] == SPELLED


def test_in_markdown_only_the_declared_columns_are_spelled():
    page = Page(markdown.markdown(render_text("md"), extensions=["tables"]))
    assert [cells[:6] for cells in page.tables[0][1:]] == SPELLED


def test_machines_get_every_cell_as_it_is():
    lines = list(csv.DictReader(io.StringIO(render_text("csv"), newline="")))
    assert [[line[name] for name in ("service", "note", "teams", "state", "kind", "reason")] for line in lines] == [
        [
            "payment_gateway",
            "rotate api_key",
            "site_reliability; on_call",
            "due_soon",
            "test_window",
            "dry_run_missing",
        ],
        ["at_risk", "see run_book_two", "on_call", "no_data", "policy_review", "no_deploy_on_friday"],
        ["no_data", "in_progress", "", "effective", "test_window", "checks_failed"],
    ]


def test_in_both_parts_of_a_mail_only_the_declared_columns_are_spelled():
    letter = mail.Mail(
        EDITION,
        [mail.narrow(TABLE, ("service", "note", "teams", "state", "kind", "reason"))],
        "https://hq.example/r",
        greeting="payment_gateway is yours.",
    )
    text = mail.text(letter)
    sentence = " ".join(text.split())
    assert "* payment_gateway State: due soon; Note: rotate api_key; Teams: site_reliability; on_call;" in sentence
    assert "Kind: test window; Reason: dry run missing * at_risk" in sentence
    assert "State: no data; Note: see run_book_two; Teams: on_call;" in sentence
    assert "Kind: policy review; Reason: no_deploy_on_friday * no_data" in sentence
    assert "State: effective; Note: in_progress; Kind: test window; Reason: checks failed" in sentence
    assert "For you: payment_gateway is yours." in text
    assert "\npayment_gateway is at_risk.\n" in text
    page = Page(mail.html(letter))
    named = [row for table in page.tables for row in table if row and row[0].startswith(tuple(FRAME["service"]))]
    assert [
        [(cell or "") in " ".join(filter(None, row)) for cell in cells]
        for row, cells in zip(named, SPELLED, strict=True)
    ] == [[True] * 6] * 3


def test_in_a_chat_message_only_the_declared_columns_are_spelled():
    said = blocks(EDITION, [mail.narrow(TABLE, ("service", "state"))], [], "https://hq.example/r", [[None] * 3], {})
    texts = [block["text"]["text"] for block in said if block["type"] == "section"]
    assert texts == [
        "payment_gateway is at_risk.",
        "payment_gateway\nState: due soon",
        "at_risk\nState: no data",
        "no_data\nState: effective",
    ]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "html",
            [
                '<dd class="long">payment_gateway</dd>',
                ">at_risk<",
                ">payment_gateway; due_soon<",
                ">no data<",
                ">due soon<",
                '<p class="headline">payment_gateway is at_risk.</p>',
            ],
        ),
        (
            "md",
            [
                "- **Worst**: payment_gateway\n",
                "- **Next**: at_risk\n",
                "- **Busiest**: payment_gateway; due_soon\n",
                "- **Overall**: no data\n",
                "- **State**: due soon\n",
                "\n\npayment_gateway is at_risk.\n",
            ],
        ),
    ],
)
def test_of_the_key_figures_only_the_declared_are_spelled(form, expected):
    text = render_text(form)
    assert [part for part in expected if part not in text] == []


def test_in_a_chart_only_the_declared_names_are_spelled():
    pictures = [picture for picture in render_text("html").split("<svg")[1:] if 'class="broad"' in picture]
    shown = [
        {
            name
            for name in (
                "payment_gateway",
                "payment gateway",
                "at_risk",
                "at risk",
                "due_soon",
                "due soon",
                "test window",
                "dry run missing",
                "no_deploy_on_friday",
            )
            if f">{name}</text>" in picture
        }
        for picture in pictures
    ]
    assert shown == [
        {"payment_gateway", "at_risk"},
        {"due soon", "test window"},
        {"dry run missing", "no_deploy_on_friday"},
    ]
