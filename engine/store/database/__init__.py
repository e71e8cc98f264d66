"""SQLite and PostgreSQL: opening them, column types, migrations, faults."""
