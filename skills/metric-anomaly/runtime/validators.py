"""Invariants and guards of metric-anomaly."""

from .skill import actual_stands_in_series as actual_stands_in_series
from .skill import baseline_found_by_hand as baseline_found_by_hand
from .skill import contributions_by_hand as contributions_by_hand
from .skill import contributions_close as contributions_close
from .skill import days_in_order as days_in_order
from .skill import deviation_leads_to_actual as deviation_leads_to_actual
from .skill import earlier_days_counted_by_hand as earlier_days_counted_by_hand
from .skill import every_day_has_all_segments as every_day_has_all_segments
from .skill import expected_splits_days as expected_splits_days
from .skill import following_counted_by_hand as following_counted_by_hand
from .skill import gaps_fill_the_span as gaps_fill_the_span
from .skill import is_anomaly as is_anomaly
from .skill import is_anomaly_in_segments as is_anomaly_in_segments
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_score as readout_carries_score
from .skill import readout_carries_shape_and_segments as readout_carries_shape_and_segments
from .skill import settings_as_asked as settings_as_asked
from .skill import shape_follows_counts as shape_follows_counts
from .skill import share_leads_to_spread as share_leads_to_spread
from .skill import top_moves_with_deviation as top_moves_with_deviation
from .skill import totals_close as totals_close
from .skill import verdict_follows_z as verdict_follows_z
from .skill import weekday_of_day as weekday_of_day
from .skill import whole_weeks_before as whole_weeks_before
from .skill import z_leads_to_deviation as z_leads_to_deviation

__all__ = [
    "actual_stands_in_series",
    "baseline_found_by_hand",
    "contributions_by_hand",
    "contributions_close",
    "days_in_order",
    "deviation_leads_to_actual",
    "earlier_days_counted_by_hand",
    "every_day_has_all_segments",
    "expected_splits_days",
    "following_counted_by_hand",
    "gaps_fill_the_span",
    "is_anomaly",
    "is_anomaly_in_segments",
    "readout_adds_no_figure",
    "readout_carries_score",
    "readout_carries_shape_and_segments",
    "settings_as_asked",
    "shape_follows_counts",
    "share_leads_to_spread",
    "top_moves_with_deviation",
    "totals_close",
    "verdict_follows_z",
    "weekday_of_day",
    "whole_weeks_before",
    "z_leads_to_deviation",
]
