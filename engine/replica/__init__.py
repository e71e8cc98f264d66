"""The analytics store: a copy of the operational store in the shape in which reports scan it."""
