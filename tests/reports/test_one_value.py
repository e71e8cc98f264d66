"""Laws of all reports together: one name has one value, every figure has its rows, evidence never harms."""

import re
from datetime import timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Document
from engine.model.thresholds import Thresholds
from reports import REPORTS
from reports.digests import DIGESTS
from reports.figures import FIGURES
from tests.factories import DAY, ORG
from tests.reports.explanations import follows
from tests.reports.organizations import CONTROLS, FIXED, ORGANIZATIONS, TABLES, instant

few = settings(  # a world of all facts and reports takes seconds: what fails is not made smaller
    max_examples=2,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# settings and parameters that a summary repeats; all other numbers are figures
ECHOES = {"risk_appetite"}
# the organization, and the first record of its framework: with it the records begin
BEGINNING = [("organization.created", instant(520)), ("access.granted", instant(510), {"controls": "soc2:CC6.1"})]
ALL = {report.name: report for report in (*REPORTS, *(digest.report for digest in DIGESTS))}


class Answers:
    """Every report of one organization on one day, asked as its route is without parameters."""

    def __init__(self, facts_with, drawn, changed=None, as_of=DAY, fixed=FIXED, begun=BEGINNING):
        tables = {name: rows for name, rows in drawn.items() if name != "events"}
        facts = facts_with(**fixed | tables, events=[*begun, *drawn["events"]], as_of=as_of, settings=changed)
        self.settings, self.as_of, self.facts = Thresholds(0, changed or {}), as_of, facts

    def _question(self, report):
        parameters = report.parse({})
        frames = {name: self.facts.of(ORG, name) for name in report.facts}
        return frames, Ask(self.as_of, report.period_days(parameters), self.settings, parameters)

    def figures(self, report):
        return report.values(*self._question(report))

    def document(self, report) -> Document:
        return report.document(*self._question(report))

    def values(self):
        """All figures of all reports: name → report → value."""
        found: dict[str, dict[str, object]] = {}
        for report in ALL.values():
            figures = self.figures(report)
            for figure in report.figures:
                found.setdefault(figure.id, {})[report.name] = figures[figure.id]
        return found

    def single(self):
        """All figures: name → value of the first report that shows it."""
        return {name: next(iter(values.values())) for name, values in self.values().items()}


def different(values):
    return {name: by for name, by in values.items() if len(set(by.values())) > 1}


def improvements(before, after):
    """Figures that got better; what was unknown or is unknown now is neither."""
    found = {}
    for name, value in after.items():
        way, old = FIGURES[name].better, before.get(name)
        if way == "neither" or isinstance(value, str) or isinstance(old, str) or None in (value, old):
            continue
        if (value > old) if way == "more" else (value < old):
            found[name] = (old, value)
    return found


def deteriorations(before, after):
    """Figures that got worse; the chain of these rows is not a real one, so that claims cannot be traced in it."""
    return {name: pair for name, pair in improvements(after, before).items() if name != "claims_broken"}


@pytest.mark.real
@few
@given(ORGANIZATIONS)
def test_one_name_has_one_value_and_every_figure_equals_its_explained_rows(facts_with, drawn):
    answers = Answers(facts_with, drawn)
    assert different(answers.values()) == {}
    wrong = [
        (report.name, figure.id)
        for report in ALL.values()
        for figure in report.figures
        if not follows(figure, answers.figures(report))
    ]
    assert wrong == []


@pytest.mark.real
@few
@given(ORGANIZATIONS)
def test_a_failing_event_improves_nothing(facts_with, drawn):
    before = Answers(facts_with, drawn).single()
    failure = ("backup.failed", instant(0), {"outcome": "failure", "controls": f"soc2:{CONTROLS[0]}"})
    after = Answers(facts_with, {**drawn, "events": [*drawn["events"], failure]}).single()
    assert improvements(before, after) == {}


@pytest.mark.real
@few
@given(ORGANIZATIONS)
def test_a_supporting_event_worsens_nothing(facts_with, drawn):
    before = Answers(facts_with, drawn).single()
    support = ("backup.completed", instant(0), {"outcome": "success", "controls": f"soc2:{CONTROLS[0]}"})
    after = Answers(facts_with, {**drawn, "events": [*drawn["events"], support]}).single()
    assert deteriorations(before, after) == {}


@pytest.mark.real
def test_without_records_no_figure_is_good(facts_with):
    nothing = {"events": [], **{name: [] for name in TABLES}}
    values = Answers(facts_with, nothing, fixed={**FIXED, "control_owners": []}, begun=BEGINNING[:1]).single()
    good = {
        name: value
        for name, value in values.items()
        if FIGURES[name].unit == "percent" and FIGURES[name].better == "more" and value
    }
    assert good == {}


def texts(document):
    """All that a person reads beside the cells."""
    yield document.headline
    yield document.next_step
    yield from document.warnings
    yield from document.footnotes
    yield from document.titles.values()
    yield from (f"{term} {meaning}" for term, meaning in document.definitions.items())
    for table in document.tables:
        yield from (table.title, table.note, *table.labels.values())


@pytest.mark.real
@few
@given(ORGANIZATIONS)
def test_changed_settings_are_said(facts_with, drawn):
    """What an organization sets is nowhere said as the default: odd numbers take the place of all of them."""
    changed = {"due_soon_days": 11, "nudge_ahead_days": 23, "forecast_weeks": 17, "nudge_pause_days": 5}
    answers = Answers(facts_with, drawn, changed)
    default = re.compile(r"\b(?:within (?:the next )?7 days|(?:next |horizon of )13 (?:ISO )?weeks)\b", re.IGNORECASE)
    wrong = [
        (name, text) for name, report in ALL.items() for text in texts(answers.document(report)) if default.search(text)
    ]
    assert wrong == []


@pytest.mark.real
@few
@given(ORGANIZATIONS)
def test_later_days_never_move_a_detection_date(facts_with, drawn):
    dated = {**drawn, "attestations": [], "evidence_requests": [], "remediations": [], "exceptions": []}
    now, later = (Answers(facts_with, dated, as_of=on).facts["gaps"] for on in (DAY, DAY + timedelta(days=60)))
    both = now.join(later, on=["framework", "control_id"], suffix="_later")
    moved = both.filter(~pl.col("detected_on").eq_missing(pl.col("detected_on_later")))
    assert moved.select("control_id", "detected_on", "detected_on_later").rows() == []


@pytest.mark.parametrize("name", list(ALL))
def test_the_summary_is_of_figures(facts_with, name):
    answers = Answers(facts_with, {"events": []})
    document = answers.document(ALL[name])
    loose = set(document.summary) - {figure.id for figure in ALL[name].figures}
    counted = {
        key
        for key in loose
        if isinstance(document.summary[key], int | float) and not isinstance(document.summary[key], bool)
    }
    assert counted <= ECHOES, counted
