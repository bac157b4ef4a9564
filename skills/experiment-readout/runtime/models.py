"""Models of experiment-readout."""

from .skill import ArmCounts as ArmCounts
from .skill import Assignments as Assignments
from .skill import Comparison as Comparison
from .skill import Effect as Effect
from .skill import Mismatch as Mismatch
from .skill import Plan as Plan
from .skill import Power as Power
from .skill import Rates as Rates
from .skill import Readout as Readout
from .skill import SampleRatio as SampleRatio

__all__ = [
    "ArmCounts",
    "Assignments",
    "Comparison",
    "Effect",
    "Mismatch",
    "Plan",
    "Power",
    "Rates",
    "Readout",
    "SampleRatio",
]
