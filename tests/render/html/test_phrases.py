"""Sentences name things, and lead to them."""

from dataclasses import replace

import polars as pl
import pytest

from engine.model.documents.document import Table
from engine.render.html.phrases import phrases, with_links
from engine.render.html.rows import sheet
from engine.render.links import Links

NAMES = {"owner": {"ann@acme.example": "Ann Lee"}, "vendor": {"v1": "Lee & Sons", "v2": "Twin", "v3": "Twin"}}
LINKS = Links(lambda kind, key: f"{kind}/{key}", names=NAMES, ids={"REQ-2026-0061": "request"}, phrases=phrases(NAMES))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("Start with SOC 2 CC6.1.", 'Start with <a href="control/soc2:CC6.1">SOC 2 CC6.1</a>.'),
        (
            "HIPAA 164.316(b)(2)(i) (audit log)",
            '<a href="control/hipaa:164.316(b)(2)(i)">HIPAA 164.316(b)(2)(i)</a> (audit log)',
        ),
        ("soc2:CC6.1, next", '<a href="control/soc2:CC6.1" title="soc2:CC6.1">SOC 2 CC6.1</a>, next'),
        ("(PCI DSS 8.2.6)", '(<a href="control/pci-dss:8.2.6">PCI DSS 8.2.6</a>)'),
        ("ISO 27001 49 days late, SOC 2 Type II", "ISO 27001 49 days late, SOC 2 Type II"),
        ("REQ-2026-0061, REQ-2026-0062", '<a href="request/REQ-2026-0061">REQ-2026-0061</a>, REQ-2026-0062'),
        ("ask bo@acme.example.", 'ask <a href="owner/bo@acme.example">bo@acme.example</a>.'),
        ("ask ann@acme.example", 'ask <a href="owner/ann@acme.example" title="ann@acme.example">Ann Lee</a>'),
        ("Ann Lee, not Ann Leeds", '<a href="owner/ann@acme.example">Ann Lee</a>, not Ann Leeds'),
        ("<Lee & Sons> or Twin", '&lt;<a href="vendor/v1">Lee &amp; Sons</a>&gt; or Twin'),
    ],
)
def test_what_a_sentence_names_leads_to_its_page(text, html):
    assert with_links(text, LINKS) == html


def test_what_has_no_page_stays_text():
    assert (
        with_links("SOC 2 CC6.1 & bo@acme.example", Links(lambda kind, key: "")) == "SOC 2 CC6.1 &amp; bo@acme.example"
    )


OWN = {"annex": "Customer annex", "nist-800-53": "NIST SP 800-53 rev. 5"}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Customer annex A.1.", '<a href="control/annex:A.1">Customer annex A.1</a>.'),
        ("(annex:A.1)", '(<a href="control/annex:A.1" title="annex:A.1">Customer annex A.1</a>)'),
        ("NIST SP 800-53 rev. 5 ac-2.1,", '<a href="control/nist-800-53:ac-2.1">NIST SP 800-53 rev. 5 ac-2.1</a>,'),
        ("Customer annex A.9, Customer annex is new", "Customer annex A.9, Customer annex is new"),
    ],
)
def test_controls_of_ones_own_that_have_a_page_lead_there(text, html):
    pages = ("annex:A.1", "nist-800-53:ac-2.1")
    links = Links(lambda kind, key: f"{kind}/{key}" if key in pages else "", own_frameworks=OWN)
    assert with_links(text, links) == html
    assert with_links(text, Links(lambda kind, key: "", own_frameworks={})) == text


@pytest.mark.parametrize("height", [1, 5000])
def test_sentences_of_tables_lead_there_too_however_large_a_table_is(height):
    frame = pl.DataFrame({"key": range(height), "because": ["SOC 2 CC6.1 <failed>"] * height})
    table = Table("rows", "Rows", frame.with_columns(because=pl.format("{} {}", "because", "key")))
    rows = sheet(table, "table-1", LINKS).rows
    text = '<td><a href="control/soc2:CC6.1">SOC 2 CC6.1</a> &lt;failed&gt;'
    assert [row.endswith(f"{text} {key}</td></tr>") for key, row in enumerate(rows)] == [True] * height


@pytest.mark.parametrize(
    ("framework", "text", "html"),
    [
        ("soc2", "Evaluate CC6.1 first.", 'Evaluate <a href="control/soc2:CC6.1">CC6.1</a> first.'),
        ("nist-csf", "PR.PS-01, GV.OC-99", '<a href="control/nist-csf:PR.PS-01">PR.PS-01</a>, GV.OC-99'),
        (
            "pci-dss",
            "1.4.2 fell by 8.2 points",
            '<a href="control/pci-dss:1.4.2">1.4.2</a> fell by <span class="whole">8.2 points</span>',
        ),
        ("hipaa", "164.308(a)(1)(ii)(B).", '<a href="control/hipaa:164.308(a)(1)(ii)(B)">164.308(a)(1)(ii)(B)</a>.'),
        ("", "Evaluate CC6.1 first.", "Evaluate CC6.1 first."),
    ],
)
def test_the_report_of_a_framework_names_its_controls_without_it(framework, text, html):
    assert with_links(text, replace(LINKS, framework=framework)) == html


def test_no_line_ends_between_a_number_and_its_unit_or_a_day_and_its_month():
    text = "78.6 % of 12 hours, 1.5 h until 2026-11-04, 4 hops"
    assert with_links(text, Links()) == (
        '<span class="whole">78.6 %</span> of <span class="whole">12 hours</span>, <span class="whole">1.5 h</span> until '
        '<span class="whole">4 Nov</span> 2026, 4 hops'
    )


def test_a_route_is_called_by_what_it_answers_and_posting_is_left_out():
    markup = with_links("Gaps [3]: /api/governance/compliance/gap-remediations (gaps_open, gaps_critical)", Links())
    page = "/api/governance/compliance/gap-remediations?format=html"
    assert markup == f'Gaps [3]: <a href="{page}">Gap remediations</a>'
    filled = "Import vendors.csv with hq import, or post to /api/governance/third-party/vendors, to fill this report."
    assert with_links(filled, Links()) == "Import vendors.csv with hq import to fill this report."
    assert (
        with_links("To rehearse, see /api/automations/dry-run: no change.", Links())
        == "To rehearse, see Dry run: no change."
    )
