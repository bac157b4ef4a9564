"""The steps of growth-accounting."""
