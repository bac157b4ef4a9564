"""Steps of cohort-retention."""

from .skill import compare_cohorts as compare_cohorts
from .skill import describe_shape as describe_shape
from .skill import form_cohorts as form_cohorts
from .skill import measure_retention as measure_retention
from .skill import read_event_log as read_event_log
from .skill import tabulate_cohorts as tabulate_cohorts
from .skill import trace_curve as trace_curve
from .skill import weigh_base as weigh_base
from .skill import write_readout as write_readout

__all__ = [
    "compare_cohorts",
    "describe_shape",
    "form_cohorts",
    "measure_retention",
    "read_event_log",
    "tabulate_cohorts",
    "trace_curve",
    "weigh_base",
    "write_readout",
]
