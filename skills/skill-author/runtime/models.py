"""Models of skill-author."""

from .skill import Axes as Axes
from .skill import Contract as Contract
from .skill import Exported as Exported
from .skill import Found as Found
from .skill import Lint as Lint
from .skill import Mend as Mend
from .skill import NotebookRead as NotebookRead
from .skill import Package as Package
from .skill import PlannedFile as PlannedFile
from .skill import Readout as Readout
from .skill import Score as Score
from .skill import ScoreFinding as ScoreFinding
from .skill import StepContract as StepContract

__all__ = [
    "Axes",
    "Contract",
    "Exported",
    "Found",
    "Lint",
    "Mend",
    "NotebookRead",
    "Package",
    "PlannedFile",
    "Readout",
    "Score",
    "ScoreFinding",
    "StepContract",
]
