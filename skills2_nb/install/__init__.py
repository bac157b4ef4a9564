"""Other programs' settings, changed and put back."""
