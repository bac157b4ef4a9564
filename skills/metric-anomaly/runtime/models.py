"""Models of metric-anomaly."""

from .skill import Baseline as Baseline
from .skill import ComparableDays as ComparableDays
from .skill import Contributions as Contributions
from .skill import DailySeries as DailySeries
from .skill import EarlierAnomalies as EarlierAnomalies
from .skill import Readout as Readout
from .skill import Score as Score
from .skill import Shape as Shape

__all__ = [
    "Baseline",
    "ComparableDays",
    "Contributions",
    "DailySeries",
    "EarlierAnomalies",
    "Readout",
    "Score",
    "Shape",
]
