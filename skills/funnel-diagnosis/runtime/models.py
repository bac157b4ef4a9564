"""Models of funnel-diagnosis."""

from .skill import Conversion as Conversion
from .skill import Decomposition as Decomposition
from .skill import DropWeight as DropWeight
from .skill import Events as Events
from .skill import Followed as Followed
from .skill import Readout as Readout
from .skill import SegmentWeight as SegmentWeight
from .skill import StageCounts as StageCounts
from .skill import WorstSegment as WorstSegment
from .skill import WorstStage as WorstStage

__all__ = [
    "Conversion",
    "Decomposition",
    "DropWeight",
    "Events",
    "Followed",
    "Readout",
    "SegmentWeight",
    "StageCounts",
    "WorstSegment",
    "WorstStage",
]
