"""Colours mean something: to all eyes, on light and dark paper, and in grey."""

import re
from itertools import combinations, pairwise

import pytest

from engine.model import vocabulary
from engine.model.documents.tones import JUDGEMENTS, MEASURES, STEPS, TONES
from engine.render import TEMPLATES, words
from engine.render.html.charts import palette
from engine.render.html.html import ENVIRONMENT
from tests.render.blindness import SIGHTS, distance, hue, lightness

SCHEMES = {"light": palette.LIGHT, "dark": palette.DARK}
AMOUNTS = ("paper", "amount-1", "amount-2", "amount-3", "amount-4")
# what stands side by side in charts and rows
TOGETHER = {
    "judgements": JUDGEMENTS,
    "steps": STEPS,
    "measures": MEASURES,
    "measures with judgements": (*MEASURES, "good", "watch", "bad"),
}
LEAST = 17  # ten is what two neighbouring fields need to be told apart at a glance
COLOUR = re.compile(r"(?<!&)#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|lab|lch|oklch)a?\(")
NAMED = re.compile(r"(?:fill|stroke|color|background)[=:]\s*[\"']?(?:white|black|red|green|blue|grey|gray|orange)\b")
# mails are read by programs that know no variables: their colours stand at each element


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("group", TOGETHER)
def test_tones_that_stand_together_are_told_apart_by_all_eyes(scheme, sight, group):
    colours = SCHEMES[scheme]
    found = {
        (one, other): round(distance(colours[one], colours[other], sight), 1)
        for one, other in combinations(TOGETHER[group], 2)
    }
    assert {pair: far for pair, far in found.items() if far < LEAST} == {}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("scale", [("paper", *STEPS), AMOUNTS])
def test_the_steps_of_a_scale_go_one_way_in_lightness(scheme, scale):
    steps = [lightness(SCHEMES[scheme][name]) for name in scale]
    away = [abs(step - steps[0]) for step in steps]
    assert away == sorted(away)
    assert min(abs(after - before) for before, after in pairwise(steps[1:])) > 10


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_worst_is_red_and_the_best_is_not(scheme):
    colours = SCHEMES[scheme]
    assert all(hue(colours[name]) < 60 for name in ("bad", "grave", "alarm"))
    assert all(60 < hue(colours[name]) < 200 for name in ("good", "calm"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_have_the_contrast_of_wcag(scheme):
    colours = palette.variables(scheme)
    grounds = ["paper", "pale", *(f"pale-{tone}" for tone in TONES)]
    pairs = [(text, ground) for text in ("ink", "soft", "brand") for ground in grounds[:2]]
    pairs += [("ink", ground) for ground in grounds]
    pairs += [(f"on-{name}", name) for name in (*TONES, *AMOUNTS[1:])]
    found = {pair: round(palette.contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_edges_of_badges_stand_out(scheme):
    colours = SCHEMES[scheme]
    assert palette.contrast(colours["edge"], colours["paper"]) >= 3


@pytest.mark.parametrize("group", [JUDGEMENTS, STEPS, MEASURES])
def test_no_two_tones_of_a_group_have_the_same_hatching(group):
    assert len({palette.HATCH[tone] for tone in group}) == len(group)


def test_no_template_and_no_picture_has_a_colour_of_its_own():
    places = [*TEMPLATES.iterdir(), *(TEMPLATES.parent / "engine" / "render").rglob("*.py")]
    places += (TEMPLATES.parent / "engine" / "reporting").rglob("*.py")
    others = [path for path in places if path.is_file() and path.name != "palette.py"]
    found = {path.name: COLOUR.findall(path.read_text()) + NAMED.findall(path.read_text()) for path in others}
    assert {name: colours for name, colours in found.items() if colours} == {}


def test_pages_are_dark_on_screens_alone():
    sheet = ENVIRONMENT.get_template("palette.css").render()
    light, dark = sheet.split("@media screen and (prefers-color-scheme: dark)")
    assert f"--paper: {palette.LIGHT['paper']};" in light
    assert f"--paper: {palette.DARK['paper']};" in dark
    assert f"--paper: {palette.LIGHT['paper']};" not in dark


def test_every_variable_that_a_template_uses_is_one_of_the_palette():
    known = {f"--{name}" for name in palette.variables("light")}
    own = {"--mark", "--full"}
    text = "".join(path.read_text() for path in sorted(TEMPLATES.rglob("*.*")))
    used = {name for name in re.findall(r"var\((--[a-z0-9-]+)\)", text) if not name.endswith("-")}
    assert used - known - own == set()


def test_a_word_has_one_tone():
    every = [word for spelled in words.STATES.values() for word in spelled.split()]
    assert len(every) == len(set(every)) == len(words.TONES)


@pytest.mark.parametrize(
    ("word", "column", "tone"),
    [
        ("critical", "", "alarm"),
        ("low", "severity", "calm"),
        ("missed", "", "bad"),
        ("missed", "standing", "watch"),
        ("C", "posture_grade", "watch"),
        ("In Place", "", "good"),
        ("not assessed", "", "unknown"),
        ("never assured", "assurance", "unknown"),
        ("low", "confidence", "bad"),
        ("none", "gap", "good"),
        ("none", "", "unknown"),
        ("Ann", "", None),
        (7, "", None),
    ],
)
def test_a_word_has_its_tone_in_either_spelling_and_in_the_sense_of_its_column(word, column, tone):
    assert words.tone(word, column) == tone


def test_every_severity_and_state_of_the_vocabulary_has_a_tone():
    every = (
        *vocabulary.SEVERITIES[:4],
        *vocabulary.CONTROL_STATES,
        *vocabulary.VENDOR_TIERS,
        *vocabulary.INCIDENT_STATUSES,
        *vocabulary.FINDING_STATUSES,
        *vocabulary.BUDGET_STATES,
        *vocabulary.DELIVERY_STATUSES,
        *vocabulary.POLICY_STATES,
        *vocabulary.APPROVAL_STATUSES,
        *vocabulary.STAFFING_STATUSES,
        *vocabulary.DEPLOY_STATUSES,
        *vocabulary.OUTCOMES,
    )
    assert [word for word in every if not words.tone(word)] == []
