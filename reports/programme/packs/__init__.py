"""The framework packs side by side and beside reference cohorts."""
