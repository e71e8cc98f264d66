"""Alembic's entry: runs the numbered migrations on the connection that it is handed."""

from alembic import context

from engine.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
