"""Error budgets of services and what an incident took of them."""
