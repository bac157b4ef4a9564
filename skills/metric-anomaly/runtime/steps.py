"""Steps of metric-anomaly."""

from .skill import count_earlier_anomalies as count_earlier_anomalies
from .skill import find_comparable_days as find_comparable_days
from .skill import judge_shape as judge_shape
from .skill import read_series as read_series
from .skill import score_day as score_day
from .skill import set_baseline as set_baseline
from .skill import split_by_segment as split_by_segment
from .skill import write_readout as write_readout

__all__ = [
    "count_earlier_anomalies",
    "find_comparable_days",
    "judge_shape",
    "read_series",
    "score_day",
    "set_baseline",
    "split_by_segment",
    "write_readout",
]
