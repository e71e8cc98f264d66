"""What identifies a sealed bundle, and the files that its manifest lists."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

COLUMNS = (
    ("first_seq", sa.BigInteger(), "first audit position in it"),
    ("sealed_hash", sa.Text(), "hash of the chain at sealed_seq"),
    ("archive_sha256", sa.Text(), "hash of the archive"),
    ("key_id", sa.Text(), "fingerprint of the key that signed it"),
)


def upgrade() -> None:
    for name, kind, comment in COLUMNS:
        op.add_column("bundles", sa.Column(name, kind, nullable=True, comment=comment))
    op.create_table(
        "bundle_files",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("bundle_id", sa.String(length=200), nullable=False, comment="bundle"),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="place in the manifest, from 0"),
        sa.Column("name", sa.Text(), nullable=False, comment="file"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False, comment="size"),
        sa.Column("sha256", sa.Text(), nullable=False, comment="hash of the content"),
        sa.Column("rows", sa.BigInteger(), nullable=True, comment="records in it"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_bundle_files_org_id")),
        sa.PrimaryKeyConstraint("org_id", "bundle_id", "position", name=op.f("pk_bundle_files")),
        comment="The files of a bundle as its manifest lists them: the leaves of its Merkle tree.",
        info={
            "primary": ("bundle_id", "position"),
            "natural": (),
            "importable": False,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_bundle_files_org_id_revision"), "bundle_files", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("bundle_files")
    for name, _, _ in reversed(COLUMNS):
        op.drop_column("bundles", name)
