"""Frames into a store, as files are imported."""

from engine.intake.imports.imports import frame_sheets, import_sheets, silent


def import_frames(store, frames, *, org_id, actor, now):
    return import_sheets(store, frame_sheets(frames), org_id, actor, now, silent)
