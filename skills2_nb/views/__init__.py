"""Results made visible; they run nothing."""
