"""Notebook to package."""
