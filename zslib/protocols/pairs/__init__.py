"""Images with texts of their own: evaluate, run, retrieve."""
