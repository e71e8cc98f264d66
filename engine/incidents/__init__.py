"""From alert and finding to incident: error budgets, root cause, review, exports."""
