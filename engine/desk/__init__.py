"""The desk: lists, forms and acts over the importable tables, as pages for a browser. An application of its own."""
