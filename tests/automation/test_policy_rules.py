"""The rule language: what is refused on writing, what holds on evaluation, and that the page tells the truth."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.automation.playbooks import playbook
from engine.automation.policy_fields import FIELDS, fields_of
from engine.automation.policy_rules import OPERATORS, RuleProblem, evaluate, problems

PAGE = (Path(__file__).parents[2] / "docs/reference/policy-rules.md").read_text()
EXAMPLES = [msgspec.json.decode(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
ALL = fields_of(playbook("rotate-key"))
CONTEXT = {
    "playbook": "rotate-key", "playbook.risk": "medium", "stage": "execute", "environment": "production",
    "severity": "none", "actor.email": "ann@acme.example", "actor.role": "operator", "actor.rehearsed": True,
    "time.clock": "10:00", "time.date": "2026-11-20", "time.weekday": "fri", "targets": 3, "blast_radius.services": 3,
    "blast_radius.dependents": 2, "blast_radius.vital": 0, "service.criticality": 3, "service.internet_facing": False,
    "service.holds_customer_data": False, "incidents.open": 0, "incidents.worst": "none", "approval.status": "none",
    "dry_run.age_minutes": 5, "inputs.reason": "scheduled",
}  # fmt: skip


def rule(when, effect="deny", name="r"):
    return {"id": name, "when": when, "effect": effect, "message": "No."}


def is_true(field, op, value, **context):
    written = [rule({"field": field, "op": op, "value": value})]
    assert problems(written, ALL) == []
    return evaluate(written, ALL, {**CONTEXT, **{k.replace("__", "."): v for k, v in context.items()}})[0].holds


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("playbook", "eq", "rotate-key", True),
        ("playbook", "starts_with", "rotate", True),
        ("playbook", "in", ["a", "b"], False),
        ("playbook", "not_in", ["a", "b"], True),
        ("actor.role", "ne", "operator", False),
        ("playbook.risk", "ge", "medium", True),
        ("playbook.risk", "lt", "high", True),
        ("playbook.risk", "between", ["high", "critical"], False),
        ("severity", "ge", "info", False),
        ("targets", "gt", 3, False),
        ("targets", "between", [3, 3], True),
        ("targets", "in", [1, 2.5], False),
        ("actor.rehearsed", "eq", True, True),
        ("time.clock", "between", ["22:00", "06:00"], False),
        ("time.clock", "between", ["09:00", "10:00"], True),
        ("time.clock", "lt", "10:00", False),
        ("time.date", "between", ["2026-11-20", "2026-11-21"], True),
        ("inputs.reason", "eq", "exposed", False),
        ("inputs.key", "eq", "k", False),
        ("inputs.key", "ne", "k", True),
        ("inputs.key", "not_in", ["k"], True),
        ("inputs.key", "present", False, True),
        ("inputs.reason", "present", True, True),
    ],
)
def test_comparisons(field, op, value, expected):
    assert is_true(field, op, value) is expected


@pytest.mark.parametrize(("clock", "inside"), [("21:59", False), ("22:00", True), ("03:00", True), ("06:01", False)])
def test_a_span_of_hours_may_run_over_midnight(clock, inside):
    assert is_true("time.clock", "between", ["22:00", "06:00"], time__clock=clock) is inside


def test_deny_refuses_when_it_holds_and_require_when_it_does_not():
    yes, no = ({"field": "targets", "op": "eq", "value": number} for number in (3, 4))
    written = [rule(yes, "deny", "a"), rule(no, "deny", "b"), rule(yes, "require", "c"), rule(no, "require", "d")]
    assert [one.refuses for one in evaluate(written, ALL, CONTEXT)] == [True, False, False, True]


def test_conditions_nest():
    yes, no = ({"field": "targets", "op": "eq", "value": number} for number in (3, 4))
    for when, expected in [
        ({"all": [yes, no]}, False),
        ({"any": [yes, no]}, True),
        ({"not": no}, True),
        ({"not": {"any": [no, {"all": [yes, no]}]}}, True),
    ]:
        assert evaluate([rule(when)], ALL, CONTEXT)[0].holds is expected


def test_no_rules_refuse_nothing():
    assert problems([], ALL) == []
    assert evaluate([], ALL, CONTEXT) == []


GOOD = {"field": "targets", "op": "eq", "value": 3}


def nest(levels):
    return GOOD if levels == 1 else {"not": nest(levels - 1)}


@pytest.mark.parametrize(
    ("rules", "field", "expected", "got"),
    [
        ({}, "rules", "a list of at most 50 rules", "an object of 0"),
        ([rule(GOOD, name=f"r{n}") for n in range(51)], "rules", "a list of at most 50 rules", "a list of 51"),
        (["x"], "rules[0]", "an object with id, when, effect and message", "'x'"),
        ([{**rule(GOOD), "then": 1}], "rules[0].then", "one of id, when, effect, message", "an unknown member"),
        (
            [rule(GOOD), rule(GOOD)],
            "rules[1].id",
            "1 to 64 of a-z, 0-9, - and _, each once, the first a letter or digit",
            "'r'",
        ),
        ([rule(GOOD, effect="allow")], "rules[0].effect", "deny or require", "'allow'"),
        ([rule(GOOD, effect=[])], "rules[0].effect", "deny or require", "a list of 0"),
        ([{**rule(GOOD), "message": ""}], "rules[0].message", "a printable text of 1 to 200 characters", "''"),
        (
            [rule(None)],
            "rules[0].when",
            "an object with field, op and value, or with one of all, any and not",
            "nothing",
        ),
        ([rule({"all": []})], "rules[0].when.all", "a list of at least one condition", "a list of 0"),
        (
            [rule({"all": [GOOD, {"any": [{**GOOD, "op": "like"}]}]})],
            "rules[0].when.all[1].any[0].op",
            "one of eq, ne, in, not_in, present, lt, le, gt, ge, between for targets",
            "'like'",
        ),
        (
            [rule({**GOOD, "op": []})],
            "rules[0].when.op",
            "one of eq, ne, in, not_in, present, lt, le, gt, ge, between for targets",
            "a list of 0",
        ),
        ([rule({**GOOD, "value": "3"})], "rules[0].when.value", "a number", "'3'"),
        ([rule({**GOOD, "value": True})], "rules[0].when.value", "a number", "True"),
        (
            [rule({**GOOD, "op": "between", "value": [4, 3]})],
            "rules[0].when.value",
            "the lower value first",
            "a list of 2",
        ),
        ([rule({**GOOD, "op": "in", "value": [1, "2"]})], "rules[0].when.value[1]", "a number", "'2'"),
        ([rule({**GOOD, "op": "present"})], "rules[0].when.value", "true or false", "3"),
        (
            [rule({"field": "time.clock", "op": "lt", "value": "24:00"})],
            "rules[0].when.value",
            "a time HH:MM",
            "'24:00'",
        ),
        (
            [rule({"field": "time.date", "op": "lt", "value": "20261120"})],
            "rules[0].when.value",
            "a date YYYY-MM-DD",
            "'20261120'",
        ),
        (
            [rule({"field": "stage", "op": "eq", "value": "run"})],
            "rules[0].when.value",
            "one of dry_run, execute, remediate",
            "'run'",
        ),
        ([rule(nest(7))], "rules[0].when" + ".not" * 6, "at most 6 levels of conditions", "more"),
        ([rule({"any": [GOOD] * 300})], "rules[0].when.any[299]", "at most 300 conditions in a policy", "more"),
    ],
)
def test_what_is_no_policy_is_told_by_place(rules, field, expected, got):
    assert problems(rules, ALL) == [RuleProblem(field, expected, got)]


def test_a_field_of_another_playbook_is_unknown():
    (rule_problem,) = problems([rule({"field": "inputs.severity", "op": "eq", "value": "high"})], ALL)
    assert (rule_problem.field, rule_problem.got) == ("rules[0].when.field", "'inputs.severity'")
    assert "inputs.reason" in rule_problem.expected


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(sorted(FIELDS)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["field", "op", "value", "all", "any", "not", "id", "when", "effect"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@pytest.mark.real
@given(json)
def test_whatever_comes_is_checked_without_an_exception(value):
    problems(value, ALL)
    problems([rule(value)], ALL)


comparisons = st.one_of(
    st.builds(
        lambda n, op, v: {"field": n, "op": op, "value": v},
        st.sampled_from(sorted(ALL)),
        st.sampled_from(OPERATORS["ordered"]),
        st.integers(0, 5)
        | st.sampled_from(["high", "production", "10:00", "2026-11-20", "execute", "x"])
        | st.booleans()
        | st.lists(st.integers(0, 5), min_size=2, max_size=2).map(sorted),
    )
)
conditions = st.recursive(
    comparisons,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts})
        | st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts})
        | inner.map(lambda part: {"not": part})
    ),
    max_leaves=6,
)


@given(conditions, st.sets(st.sampled_from(sorted(CONTEXT))))
def test_what_checks_out_can_be_evaluated_whatever_is_absent(when, absent):
    written = [rule(when)]
    if problems(written, ALL) == []:
        context = {name: value for name, value in CONTEXT.items() if name not in absent}
        assert evaluate(written, ALL, context)[0].holds in (True, False)


# the page


def test_the_examples_of_the_page_are_policies():
    assert len(EXAMPLES) == 4
    assert [problems(example, FIELDS) for example in EXAMPLES] == [[], [], [], []]


@pytest.mark.parametrize(
    ("number", "changed", "refusing"),
    [
        (0, {}, []),
        (0, {"time.weekday": "sat"}, ["office-hours"]),
        (0, {"time.clock": "18:01"}, ["office-hours"]),
        (0, {"time.weekday": "sun", "severity": "critical"}, []),
        (1, {}, []),
        (1, {"time.date": "2026-12-31"}, ["year-end-freeze"]),
        (1, {"time.date": "2026-12-31", "environment": "staging"}, []),
        (2, {}, []),
        (2, {"service.criticality": 4}, ["approval-for-vital"]),
        (2, {"service.criticality": 5, "approval.status": "approved"}, ["second-person"]),
        (2, {"service.criticality": 5, "approval.status": "approved", "actor.rehearsed": False}, []),
        (3, {"targets": 21}, ["max-targets"]),
        (3, {"targets": 21, "actor.role": "admin"}, []),
        (3, {"targets": 21, "blast_radius.dependents": 11}, ["max-targets", "dependents"]),
    ],
)
def test_the_examples_do_what_the_page_says(number, changed, refusing):
    rule_verdicts = evaluate(EXAMPLES[number], FIELDS, {**CONTEXT, **changed})
    assert [one.rule for one in rule_verdicts if one.refuses] == refusing


def test_the_page_lists_every_field_with_its_type_and_meaning():
    section = PAGE.split("## Fields")[1].split("## Examples")[0]
    rows = re.findall(r"^\| `([a-z_.]+)` \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    expected = [
        (name, f"{field.type}: {', '.join(field.words)}" if field.words else field.type, field.help)
        for name, field in FIELDS.items()
    ]
    assert rows == expected
