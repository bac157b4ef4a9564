"""Steps of experiment-readout."""

from .skill import check_power as check_power
from .skill import check_sample_ratio as check_sample_ratio
from .skill import compare_with_threshold as compare_with_threshold
from .skill import count_arms as count_arms
from .skill import estimate_effect as estimate_effect
from .skill import measure_rates as measure_rates
from .skill import read_assignments as read_assignments
from .skill import size_mismatch as size_mismatch
from .skill import state_plan as state_plan
from .skill import write_readout as write_readout

__all__ = [
    "check_power",
    "check_sample_ratio",
    "compare_with_threshold",
    "count_arms",
    "estimate_effect",
    "measure_rates",
    "read_assignments",
    "size_mismatch",
    "state_plan",
    "write_readout",
]
