"""The steps of funnel-diagnosis."""
