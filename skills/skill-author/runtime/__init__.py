"""The steps of skill-author."""
