"""From files to a sealed archive: manifest, signature, ZIP."""
