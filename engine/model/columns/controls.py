"""Columns about controls, requirements and the crosswalk between them."""

from collections.abc import Mapping

from engine.model.columns.column import Column

CONTROLS: Mapping[str, Column] = {
    "added": Column("Added", "count", "Requirements that were added to the catalogue."),
    "applicable": Column(
        "Applicable", "", "Whether the control applies to the organization; in totals, how many do.", cells="flag"
    ),
    "assessable": Column("Assessable", "flag", "Whether the entry is assessed itself, rather than being a heading."),
    "assessable_entries": Column("Assessable", "count", "Entries that are assessed themselves, headings left out."),
    "best_relation": Column("Best relation", "word", "Relation of the strongest pair that leads to the requirement."),
    "best_strength": Column(
        "Strength", "number", "Strength of the strongest pair that leads to the requirement, 0 to 1."
    ),
    "control_id": Column("Control", "text", "Identifier of the control in its framework."),
    "control_state": Column("State of the control", "word", "State of the control by our own evidence."),
    "control_title": Column("Control title", "text", "What the control asks for."),
    "controls": Column("Controls", "", "Controls that the row names or counts.", cells="texts"),
    "covered_by": Column("Was covered by", "texts", "Controls that covered the requirement fully before."),
    "criteria": Column("Criteria", "texts", "SOC 2 criteria that are concerned."),
    "criteria_effective": Column("Criteria effective", "texts", "Mapped SOC 2 criteria that are effective."),
    "criteria_events": Column(
        "Evidence of the criteria", "count", "Supporting events of the mapped criteria in the period."
    ),
    "edge": Column("Mapping changed", "count", "Controls with a mapping that changed."),
    "flags": Column("Flags", "texts", "Marks of the row, the framework's own or the report's."),
    "framework": Column("Framework", "text", "Framework, by its short name."),
    "framework_name": Column("Framework", "text", "Framework, by its full name."),
    "frameworks": Column("Frameworks", "texts", "Frameworks that are concerned."),
    "full": Column("Full", "flag", "Whether the pair covers the target: equal or superset, strength at least 0.8."),
    "full_pairs": Column("Full pairs", "count", "Full pairs that lead to the requirement."),
    "group_id": Column("Group ID", "text", "Identifier of the group of controls in its framework."),
    "group_title": Column("Family", "text", "Group of controls in its framework."),
    "leverage": Column(
        "Requirements", "count", "Requirements of all frameworks in scope that closing the gap answers."
    ),
    "lost_full": Column("Full mapping lost", "count", "Requirements that lost their last full mapping."),
    "mapping": Column("Mapping", "word", "Whether the requirement is covered by full pairs, in part or not at all."),
    "node": Column("Node", "text", "Identifier of the node in the graph of controls."),
    "overlay": Column("Overlay", "word", "Whether there is evidence on both sides of the pair, on one or on none."),
    "pairs": Column("Pairs", "count", "Crosswalk pairs that lead to the requirement."),
    "parent_id": Column("Parent ID", "text", "Identifier of the entry above in the framework."),
    "policies": Column("Policies", "count", "Accepted policies that stand behind the control."),
    "position": Column("Position", "number", "Place in the framework's own order.", cells="whole"),
    "previous_relation": Column("Relation before", "word", "Relation of the pair before."),
    "previous_strength": Column("Strength before", "number", "Strength of the pair before."),
    "previous_title": Column("Title before", "text", "Title of the requirement before."),
    "relation": Column("Relation", "word", "How source and target relate."),
    "removed": Column("Removed", "count", "Requirements that were removed from the catalogue."),
    "renamed": Column("Renamed", "count", "Requirements that have another title than before."),
    "requirement": Column("Requirement", "text", "Requirement of the framework."),
    "requirements": Column("Requirements", "", "Requirements that the row names or counts.", cells="texts"),
    "reuse": Column("Reuse", "word", "Which side of the pair could use the other's evidence."),
    "reviewer": Column("Reviewer", "text", "Who judged the pair."),
    "source_events": Column("Source evidence", "count", "Supporting events of the source in the period."),
    "nist_control": Column("NIST SP 800-53", "text", "Control of NIST SP 800-53 that the control is paired with."),
    "nist_position": Column("NIST position", "number", "Place of that control in NIST SP 800-53.", cells="whole"),
    "source_framework": Column("From", "text", "Framework of the source of the pair."),
    "source_id": Column("Source", "text", "Identifier of the source of the pair."),
    "source_newest_at": Column("Source newest", "instant", "Moment of the newest supporting event of the source."),
    "source_state": Column("Source state", "word", "State of the source of the pair."),
    "source_title": Column("Source title", "text", "What the source of the pair asks for."),
    "sources": Column("Evidence sources", "count", "Sources of evidence of the control."),
    "strength": Column("Strength", "number", "How much of the target is met when the source is met, 0 to 1."),
    "target_events": Column("Target evidence", "count", "Supporting events of the target in the period."),
    "target_framework": Column("To", "text", "Framework of the target of the pair."),
    "target_id": Column("Target", "text", "Identifier of the target of the pair."),
    "target_newest_at": Column("Target newest", "instant", "Moment of the newest supporting event of the target."),
    "target_state": Column("Target state", "word", "State of the target of the pair."),
    "target_title": Column("Target title", "text", "What the target of the pair asks for."),
    "type": Column("Type", "word", "How the edge of the graph relates its nodes."),
    "worst": Column("Worst", "word", "Highest severity among the gaps."),
    "worst_control": Column("Weakest control", "text", "Control of the family with the lowest health."),
}
