"""The site: every page leads somewhere, every thing has a page, and a page says what the reports say."""

import json
import re
from datetime import timedelta
from html import unescape

import polars as pl
import pytest

from engine.facts.controls.detection import KINDS
from engine.facts.controls.horizons import ENDS_SOON
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.planning.verdict.likelihood import verdict_of
from engine.render import CONTENT_SECURITY_POLICY
from engine.reporting.site import write_site
from engine.reporting.site.named_answers import lapses, short_day
from engine.reporting.site.plan_pages import plan_editions
from engine.reporting.site.things import LISTS, file_of, list_file
from reports import SECTIONS
from tests.render.parsing import Page

pytestmark = pytest.mark.real  # the whole site of a demo organization, which the tests in a browser look at, too


@pytest.fixture(scope="module", params=["brightline", "empty"])
def site(request, sites):
    """The folder of either."""
    return sites[request.param][0]


def pages(folder):
    return {path.name: path.read_text() for path in sorted(folder.glob("*.html"))}


# what follows a 1 and is no plural: verbs, and titles of PCI DSS ("Requirement 1 policies and procedures")
SINGULAR = {"as", "has", "is", "renews", "was", "policies", "processes", "roles"}
PLURAL = re.compile(r"(?<![\w.,:/-])1(?:\.0)? ([a-z]+s|people)\b|\bthe (?:first|oldest) of [01]\b")


def test_no_page_says_several_of_one(site):
    """Every text of every page, whatever stands between its tags."""
    wrong = {}
    for name, text in pages(site).items():
        said = unescape(re.sub(r"<[^>]+>", "\n", re.sub(r"(?s)<(script|style)\b.*?</\1>", "", text)))
        for line in said.replace("\xa0", " ").splitlines():
            if any(found[1] not in SINGULAR for found in PLURAL.finditer(line)):
                wrong.setdefault(line.strip(), name)
    assert wrong == {}


def test_every_link_leads_to_a_page_or_a_place_on_one(site):
    found = pages(site)
    places = {name: set(re.findall(r' id="([^"]+)"', text)) for name, text in found.items()}
    for name, text in found.items():
        assert f'content="{CONTENT_SECURITY_POLICY}"' in unescape(text)
        for address in {unescape(link) for link in re.findall(r'href="([^"]+)"', text)} - {"data:,"}:
            file, _, place = address.partition("#")
            assert (site / (file or name)).is_file(), (name, address)
            assert not place or place in places[file or name], (name, address)


def test_no_identifier_of_a_page_is_there_twice(site):
    for name, text in pages(site).items():
        named = re.findall(r' id="([^"]+)"', text)
        assert len(named) == len(set(named)), name


def test_every_thing_on_record_has_a_page_that_its_list_names(sites):
    folder, snapshot = sites["brightline"]
    keys = {
        "control": [
            f"{f}:{c}" for f, c in snapshot.fact("control_assessments").select("framework", "control_id").rows()
        ],
        "framework": snapshot.fact("readiness")["framework"].to_list(),
        "owner": snapshot.fact("members")["email"].to_list(),
        "vendor": snapshot.fact("vendors")["vendor_id"].to_list(),
        "service": snapshot.fact("services_rows")["id"].to_list(),
        "request": snapshot.fact("requests")["id"].to_list(),
        "incident": snapshot.fact("incidents")["id"].to_list(),
    }
    assert keys.keys() == LISTS.keys()
    for kind, every in keys.items():
        listed = (folder / list_file(kind)).read_text()
        assert every
        for key in every:
            assert (folder / file_of(kind, key)).is_file()
            assert f'href="{file_of(kind, key)}"' in listed


def test_the_page_of_a_control_has_all_rows_that_name_it(sites):
    folder, snapshot = sites["brightline"]
    gaps = snapshot.edition("gap-remediations", {}).document.table("gaps").frame
    framework, control, title = gaps.select("framework", "control_id", "title").row(0)
    page = Page((folder / file_of("control", f"{framework}:{control}")).read_text())
    rows = [row for table in page.tables for row in table if any(title in cell for cell in row)]
    assert rows
    assert "Gap remediations" in page.text
    state = snapshot.fact("control_assessments").filter(framework=framework, control_id=control)["state"].item()
    assert state.replace("_", " ") in page.text


def test_all_pages_of_a_site_are_of_one_revision(site, sites):
    revision = next(snapshot for folder, snapshot in sites.values() if folder == site).subject.revision
    said = re.compile(r"(?:Computed from|\\b7) +revision (\d+) (?:\(<code>|\\b7 +)(\w{12})")
    found = {(name, *named) for name, text in pages(site).items() for named in said.findall(text)}
    assert {named[1:] for named in found} == {(str(revision.seq), revision.hash[:12])}
    assert {name for name, *_ in found} == pages(site).keys()


def test_a_person_is_called_by_name_and_has_a_page(sites):
    folder, snapshot = sites["brightline"]
    people = dict(snapshot.fact("people").select("email", "name").rows())
    text = (folder / "brightline-gap-remediations-2026-11-20.html").read_text()
    email = next(address for address in people if f'title="{address}"' in text)
    assert f'<a href="{file_of("owner", email)}" title="{email}">{people[email]}</a>' in text


def test_the_search_has_everything_with_a_page_and_no_other_page_has_its_index(sites):
    folder, _ = sites["brightline"]
    text = (folder / "search.html").read_text()
    index = json.loads(re.search(r'id="index">(.*?)</script>', text, re.DOTALL)[1])
    lists = {list_file(kind) for kind in LISTS}
    answers = {name for name in pages(folder) if "-since-" in name or "-descope-" in name}
    assert {file for _, file, _ in index} == pages(folder).keys() - lists - answers - {"index.html", "search.html"}
    assert [name for name, page in pages(folder).items() if 'id="index"' in page] == ["search.html"]


def test_the_front_page_begins_with_ten_questions(sites):
    text = (sites["brightline"][0] / "index.html").read_text()
    assert re.findall(r'<h3><a href="[^"]+">([^<]*\?)</a>', text) == [
        "What do I tell the board?",
        "Which gaps first, and who?",
        "What goes stale in 30 days?",
        "Who is overloaded, when?",
        "Which vendors block us?",
        "What did auditors ask that is late?",
        "What if we drop PCI?",
        "What changed since last month?",
        "Are we ready on the day?",
        "What proves CC6.1?",
    ]
    assert text.count('class="sparkline"') >= 8
    assert not re.search(r">([^<>]+)</a> \(<a [^>]+>\1</a>\)", text)  # nobody is named twice in a row
    assert (
        re.findall(r"\d{4}-W\d\d", re.sub(r"<(?:style|script).*?</(?:style|script)>|<[^>]+>", "", text, flags=re.S))
        == []
    )
    sentences = re.findall(r'<p class="named">(.*?)</p>', text)
    named = [unescape(re.sub(r"<[^>]+>", "", sentence)) for sentence in sentences]
    assert re.fullmatch(r"To decide: .+ \(.+\)\.", named[0])
    first = next(number for number, line in enumerate(named) if line.startswith("First "))
    assert [re.match(r"(\w+) \S+ .+ \(.+\)\.", line)[1] for line in named[first : first + 3]] == [
        "First",
        "then",
        "then",
    ]
    lapse = next(number for number, line in enumerate(named) if line.startswith("The evidence of "))
    assert re.fullmatch(r"The evidence of [\d,]+ controls? ends: \d+ needs? somebody.*\.", named[lapse])
    assert re.match(r"By week: \d+ \w+ \d+", named[lapse + 1])
    assert any(line.startswith("Hours that come free until ") for line in named)
    assert any(re.search(r", newest: \d+ \w+ \d{4}, \w+: ", line) for line in named)


def test_the_front_page_names_vendors_and_requests_in_the_order_of_their_reports(sites):
    folder, snapshot = sites["brightline"]
    text = unescape(re.sub(r"<[^>]+>", "", (folder / "index.html").read_text()))

    def rows(report, table):
        document = snapshot.edition(report, {}).document
        return next(each.frame for each in document.tables if each.name == table)

    register = rows("third-party-vendors", "vendors").filter(pl.col("inherited_gaps") > 0)["name"].to_list()
    blocking = rows("inherited-control-gaps", "vendors")["name"].to_list()
    assert blocking == register
    whole = rows("third-party-vendors", "vendors").filter(pl.col("attention").list.len() > 0)["name"].to_list()
    listed = unescape(re.sub(r"<[^>]+>", "", (folder / "vendors.html").read_text().partition("<tbody")[2]))
    places = [listed.index(name) for name in whole]
    assert places == sorted(places)
    first, second = (text.index(f"{name} (") for name in blocking[:2])
    assert text.index("Which vendors block us?") < first < second
    late = rows("evidence-request-sla", "overdue").row(0, named=True)
    assert f"First “{late['title']}”" in text


def test_the_front_page_says_what_the_plan_renews_in_time_as_the_plan_itself_does(sites):
    _, snapshot = sites["brightline"]
    until = snapshot.as_of + timedelta(days=ENDS_SOON)
    name, edition = next(plan_editions(snapshot))
    tables = {table.name: table.frame for table in edition.document.tables}
    lapsing, late = set(), set()
    for row in tables["lapses"].filter(pl.col("lapses_on") <= until, pl.col("evidence").is_in(KINDS)).to_dicts():
        named = pl.col("action").str.contains(
            "Sign|attestation" if row["evidence"] == "attestation" else row["evidence"]
        )
        mine = tables["actions"].filter(named, control_id=row["control_id"])
        lapsing.add(row["control_id"])
        late |= {row["control_id"]} if mine.filter(pl.col("ready_on") <= row["lapses_on"]).is_empty() else set()
    day = short_day(edition.document.summary["by"])
    said = f"For {snapshot.framework_name(name)} on {day} the evidence of {len(lapsing)} controls has to be renewed; "
    assert lapses(snapshot)[-1] == f"{said}the plan renews {len(lapsing) - len(late)} in time."


def test_the_plan_of_each_framework_with_a_day_has_a_page_that_the_front_page_and_the_framework_lead_to(sites):
    folder, snapshot = sites["brightline"]
    front = (folder / "index.html").read_text()
    days = snapshot.fact("framework_targets").filter(pl.col("target_on") >= snapshot.as_of).sort("target_on")
    lines = re.findall(r'<p class="named plan"><a href="([^"]+-plan-[^"]+)">([^<]+)</a>: (.+)\.</p>', front)
    assert [file for file, _, _ in lines] == [f"brightline-plan-{one}-2026-11-20.html" for one in days["framework"]]
    for (file, name, verdict), framework, day in zip(lines, days["framework"], days["target_on"], strict=True):
        asked = snapshot.edition("gap-remediations", {"framework": framework, "by": day.isoformat()})
        text = Page((folder / file).read_text()).text
        summary = asked.document.summary
        starts = {"no": "no;", "hardly": "hardly all controls", "yes": "all controls effective"}
        assert verdict.startswith(starts[verdict_of(summary["reached"], summary["likely_pct"] / 100)])
        assert name == f"{FRAMEWORK_NAMES[framework]}, {day.day} {day:%b}"
        assert f"Ready by a date: {FRAMEWORK_NAMES[framework]}, {day.day} {day:%b %Y}" in text
        assert f'href="{file}' in (folder / file_of("framework", framework)).read_text()
    assert f'<a href="{lines[0][0]}">Are we ready on the day?</a>' in front


def test_without_a_day_the_front_page_says_what_to_record(sites):
    text = (sites["empty"][0] / "index.html").read_text()
    assert "No framework in scope has a target date" in text


def test_the_same_records_give_the_same_site(sites, tmp_path):
    folder, snapshot = sites["empty"]
    write_site(snapshot, tmp_path / "again", sections=SECTIONS)
    assert pages(tmp_path / "again") == pages(folder)


@pytest.mark.parametrize(
    ("key", "file"),
    [
        ("soc2:CC6.1", "control-soc2-CC6.1.html"),
        ("hipaa:164.308(a)(1)(i)", "control-hipaa-164.308-a-1-i-7d0f8c4b.html"),
    ],
)
def test_files_of_things_are_told_apart_by_a_hash_where_their_names_would_be_one(key, file):
    assert file_of("control", key).rsplit("-", 1)[0] == file.rsplit("-", 1)[0]
    assert file_of("control", "hipaa:164.308(a)(1)(i)") != file_of("control", "hipaa:164.308-a-1-i")
