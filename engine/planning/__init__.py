"""Ready by a date: what will be if nothing is done, the cheapest work that changes it, and how a plan goes on."""
