"""Models of cohort-retention."""

from .skill import CohortTable as CohortTable
from .skill import Cohorts as Cohorts
from .skill import Comparison as Comparison
from .skill import Curve as Curve
from .skill import EventLog as EventLog
from .skill import Firmness as Firmness
from .skill import Readout as Readout
from .skill import Retention as Retention
from .skill import Shape as Shape

__all__ = [
    "CohortTable",
    "Cohorts",
    "Comparison",
    "Curve",
    "EventLog",
    "Firmness",
    "Readout",
    "Retention",
    "Shape",
]
