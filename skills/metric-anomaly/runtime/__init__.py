"""The steps of metric-anomaly."""
