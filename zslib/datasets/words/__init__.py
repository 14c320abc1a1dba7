"""Words: vectors and their formats, tokens, definitions."""
