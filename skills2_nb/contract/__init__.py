"""What an exported skill imports."""
