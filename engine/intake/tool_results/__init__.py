"""What tools found in order: the results of scanners by rule, what passed as much as what failed."""

from engine.intake.tool_results.results import RuleCount, ToolResults, read_tool_results

__all__ = ["RuleCount", "ToolResults", "read_tool_results"]
