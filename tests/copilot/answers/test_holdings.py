"""What is in somebody's name, of every kind that has owners."""

import polars as pl
import pytest

from engine.copilot.answers.library import Library
from engine.copilot.answers.offline import answer
from tests.copilot.conftest import NOW

DINA = "dina.abrams@cobalt.example"


@pytest.fixture(scope="module")
def cobalt(snapshots):
    return Library(snapshots, "cobalt", now=NOW)


@pytest.mark.parametrize(
    "said", ["what is in Marcus's name?", "what does marcus still own", "everything owned by marcus"]
)
def test_what_somebody_owns_is_listed_of_every_kind(said, cobalt):
    marcus = "marcus.bell@cobalt.example"
    found = answer(said, cobalt, asker=DINA)
    lines = found.text.splitlines()
    risks = cobalt.fact("risks").filter(pl.col("owner") == marcus, pl.col("status") == "open").height
    vendors = cobalt.fact("vendors").filter(pl.col("owner") == marcus).height
    assert (lines[0], found.confidence) == (f"In the name of {marcus}, as owner:", "medium")
    for number, one, several in ((risks, "risk", "risks"), (vendors, "vendor", "vendors")):
        assert (f"{number} {one if number == 1 else several}:" in lines) == (number > 0)


def test_of_a_kind_of_thing_that_is_named_those_alone_are_listed(cobalt):
    found = answer("which risks does marcus own", cobalt, asker=DINA)
    assert "In the name of" not in found.text
