"""Who wants a step taken about an incident gets the command that takes it."""

import pytest

from engine.copilot.answers.offline import answer

DINA = "dina.abrams@cobalt.example"
ONE, OTHER = "INC-2026-0071", "INC-2026-0068"
END = f"--org cobalt --actor {DINA} {ONE}"


@pytest.mark.parametrize(
    ("question", "command"),
    [
        (f"acknowledge {ONE}", f"hq incident acknowledge {END}"),
        (f"please close incident {ONE}", f"hq incident close {END}"),
        (f"how do I reopen {ONE}?", f"hq incident reopen {END}"),
        (f"assign {ONE} to {DINA}", f"hq incident assign --to {DINA} {END}"),
        (f"assign {ONE}", f"hq incident assign --to MEMBER {END}"),
        (f"relate {ONE} to {OTHER}", f"hq incident relate --to {OTHER} {END}"),
        (f"unrelate {ONE}", f"hq incident unrelate {END}"),
        (f"assess {ONE} under GDPR", f"hq incident assess --under gdpr {END}"),
        (f"can you assess {ONE} under dora", f"hq incident assess --under dora {END}"),
        (f"annotate {ONE}", f"hq incident note --why TEXT {END}"),
    ],
)
def test_a_step_that_is_wanted_is_a_command_and_nothing_is_done(question, command, cobalt):
    found = answer(question, cobalt, asker=DINA)
    assert found.text.splitlines()[1].strip() == command


@pytest.mark.parametrize(
    "question",
    [f"who acknowledged {ONE}", f"when was {ONE} closed", "close incidents", f"relate {ONE}", "closed incidents"],
)
def test_what_asks_for_no_step_of_one_incident_prints_no_command(question, cobalt):
    assert "hq incident" not in answer(question, cobalt, asker=DINA).text
