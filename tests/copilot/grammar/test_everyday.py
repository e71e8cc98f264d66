"""Ways of speech are read in the words of the records; what is said around a question is left out."""

import pytest

from engine.copilot.grammar.everyday import plain_speech


@pytest.mark.parametrize(
    ("spoken", "read"),
    [
        ("the board will ask: why did posture fall since june", "why did posture fall since june"),
        ("is anything still assigned to greg although he left?", "is anything still assigned to greg?"),
        ("deploys that failed or had to be rolled back", "deploys that failed or were rolled back"),
        ("will soc 2 be ready by our target day?", "will soc 2 be ready in time?"),
        ("posture at the end of september", "posture on 30 september"),
        ("incidents since the end of september", "incidents since the end of september"),
        ("requests that are past their due date", "requests that are overdue"),
        ("exceptions past it is expiry that we still lean on", "exceptions expired still in use"),
        ("how long to resolve criticals", "how long to resolve critical incidents"),
        ("open criticals?", "open criticals?"),
        ("who okayed the last run", "who approved the last run"),
        ("if dns dies tonight what goes with it", "if dns goes down what goes with it"),
        ("accepted risks nobody accepted", "accepted risks nobody approved"),
        (
            "how many attestations did hannah sign off in october",
            "how many attestations were signed by hannah in october",
        ),
        ("where does a.8.15 stand and since when?", "state of control a.8.15"),
        ("where does hipaa stand?", "where does hipaa stand?"),
        ("where does cc6.1 stand?", "state of control cc6.1?"),
        ("what state is pr.aa-01 in", "state of control pr.aa-01"),
        ("posture at the end of february", "posture at the end of february"),
        ("who gets the pager on monday", "who is on call on next monday"),
        ("between 2 and 5 in the morning", "between 2 and 5 am"),
        ("asian suppliers with privileged access to our stuff", "suppliers in asia with privileged access"),
        ("poam items due between now and the end of january", "poam items due between now and 31 january"),
        ("which framework has more gaps than any other", "which framework has the most gaps"),
        ("who is further behind with their duties, amara or priya", "who has more overdue duties, amara or priya"),
        ("how long have the findings been lying around on average?", "average age of findings?"),
        ("how often does the audit committee meet", "cadence of the audit committee"),
        ("does any service still depend on dns", "which service depend on dns"),
        ("why does not p6.7 apply to us?", "justification of excluded control p6.7?"),
        ("why is not p6.7 applicable", "justification of excluded control p6.7"),
        ("excluded controls all approved?", "which excluded controls are not approved?"),
        ("which meetings did not take place", "which cancelled meetings"),
        ("did any control go from effective straight to stale", "did any control changes from effective to stale"),
        ("who owns controls that stopped being effective", "who owns control changes from effective"),
        ("how long has dina been a member", "since when is dina a member"),
        ("items did we close after their due date", "items were closed after their due date"),
        ("wade hours next week", "available hours of wade next week"),
        ("has jorge any free time next week", "available hours of jorge next week"),
        ("is claims-api within it is error budget?", "error budget left of claims-api?"),
        ("are we within budget on dns", "error budget left of dns"),
        ("what is amara working on", "pending duties of amara"),
        ("suppliers that have not sent us their soc 2 report", "suppliers that without soc 2"),
        ("controls at risk of going stale", "controls becoming stale in the next 30 days"),
        ("who logged in last", "who made the latest successful login"),
        ("flows left to encrypt", "flows not encrypted"),
        ("open incidents", "open incidents"),
        ("", ""),
    ],
)
def test_a_way_of_speech_is_read_in_plain_words(spoken, read):
    assert plain_speech(spoken) == read
