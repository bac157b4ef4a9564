"""The steps of cohort-retention."""
