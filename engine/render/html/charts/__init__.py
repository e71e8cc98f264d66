"""Charts and pictures as inline SVG."""
