"""Root-cause analysis: chains from what happened to the incident, scored and explained."""
