"""Steps of funnel-diagnosis."""

from .skill import compute_conversion as compute_conversion
from .skill import count_stages as count_stages
from .skill import decompose_drop as decompose_drop
from .skill import find_worst_stage as find_worst_stage
from .skill import follow_users as follow_users
from .skill import locate_segment as locate_segment
from .skill import read_events as read_events
from .skill import weigh_drop as weigh_drop
from .skill import weigh_segment as weigh_segment
from .skill import write_readout as write_readout

__all__ = [
    "compute_conversion",
    "count_stages",
    "decompose_drop",
    "find_worst_stage",
    "follow_users",
    "locate_segment",
    "read_events",
    "weigh_drop",
    "weigh_segment",
    "write_readout",
]
