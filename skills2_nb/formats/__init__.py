"""Files as values: read, check, write."""
