"""How a skill is found, opened and read."""
