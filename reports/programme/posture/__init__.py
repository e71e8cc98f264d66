"""The posture score, its parts and what raises it."""
