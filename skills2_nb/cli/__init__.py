"""One word per task; commands load late."""
