"""CSV and spreadsheets."""
