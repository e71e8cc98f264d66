"""A whole store copied into an empty one."""
