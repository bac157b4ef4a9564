"""Models of growth-accounting."""

from .skill import ActiveUsers as ActiveUsers
from .skill import Decomposition as Decomposition
from .skill import DominantFlow as DominantFlow
from .skill import Flows as Flows
from .skill import GrowthClass as GrowthClass
from .skill import IdentityCheck as IdentityCheck
from .skill import QuickRatio as QuickRatio
from .skill import Rates as Rates
from .skill import Readout as Readout
from .skill import Trend as Trend

__all__ = [
    "ActiveUsers",
    "Decomposition",
    "DominantFlow",
    "Flows",
    "GrowthClass",
    "IdentityCheck",
    "QuickRatio",
    "Rates",
    "Readout",
    "Trend",
]
