"""What every room speaks: documents, reports, digests, thresholds, formulas, errors."""
