"""Steps of growth-accounting."""

from .skill import classify_growth as classify_growth
from .skill import compare_with_trend as compare_with_trend
from .skill import compute_quick_ratio as compute_quick_ratio
from .skill import compute_rates as compute_rates
from .skill import compute_single_period_identity as compute_single_period_identity
from .skill import count_flows as count_flows
from .skill import define_active_user as define_active_user
from .skill import find_dominant_flow as find_dominant_flow
from .skill import pick_decomposition_form as pick_decomposition_form
from .skill import write_readout as write_readout

__all__ = [
    "classify_growth",
    "compare_with_trend",
    "compute_quick_ratio",
    "compute_rates",
    "compute_single_period_identity",
    "count_flows",
    "define_active_user",
    "find_dominant_flow",
    "pick_decomposition_form",
    "write_readout",
]
