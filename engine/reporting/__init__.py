"""From records to bytes: replica, catalogue, facts, documents, formats, artifacts."""
