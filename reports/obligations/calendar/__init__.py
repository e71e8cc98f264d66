"""The compliance calendar and its feed."""
