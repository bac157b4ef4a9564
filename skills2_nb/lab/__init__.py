"""The Jupyter side."""
