"""Systems that generate images' features for classes never seen, one system per file."""
