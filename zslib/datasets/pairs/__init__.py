"""Images with texts of their own: the data of the pairs setting."""
