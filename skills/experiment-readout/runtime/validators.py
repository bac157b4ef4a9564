"""Invariants and guards of experiment-readout."""

from .skill import arms_recounted as arms_recounted
from .skill import chi_square_is_squared_distance as chi_square_is_squared_distance
from .skill import conversions_recounted as conversions_recounted
from .skill import decision_follows_gain as decision_follows_gain
from .skill import detectable_is_seen_four_in_five as detectable_is_seen_four_in_five
from .skill import difference_of_shares as difference_of_shares
from .skill import ends_found_by_halving as ends_found_by_halving
from .skill import every_row_has_one_place as every_row_has_one_place
from .skill import expected_split_adds_up as expected_split_adds_up
from .skill import finding_follows_zones as finding_follows_zones
from .skill import hypothesis_names_threshold as hypothesis_names_threshold
from .skill import lift_leads_to_treatment as lift_leads_to_treatment
from .skill import missing_users_restore_plan as missing_users_restore_plan
from .skill import one_row_per_user as one_row_per_user
from .skill import only_arms_and_outcomes as only_arms_and_outcomes
from .skill import p_value_is_normal_tail as p_value_is_normal_tail
from .skill import plan_as_asked as plan_as_asked
from .skill import power_check_follows_threshold as power_check_follows_threshold
from .skill import rates_are_means as rates_are_means
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_effect as readout_carries_effect
from .skill import readout_carries_plan_and_split as readout_carries_plan_and_split
from .skill import split_check_follows_p_value as split_check_follows_p_value
from .skill import split_is_broken as split_is_broken
from .skill import split_is_whole as split_is_whole
from .skill import users_needed_are_just_enough as users_needed_are_just_enough

__all__ = [
    "arms_recounted",
    "chi_square_is_squared_distance",
    "conversions_recounted",
    "decision_follows_gain",
    "detectable_is_seen_four_in_five",
    "difference_of_shares",
    "ends_found_by_halving",
    "every_row_has_one_place",
    "expected_split_adds_up",
    "finding_follows_zones",
    "hypothesis_names_threshold",
    "lift_leads_to_treatment",
    "missing_users_restore_plan",
    "one_row_per_user",
    "only_arms_and_outcomes",
    "p_value_is_normal_tail",
    "plan_as_asked",
    "power_check_follows_threshold",
    "rates_are_means",
    "readout_adds_no_figure",
    "readout_carries_effect",
    "readout_carries_plan_and_split",
    "split_check_follows_p_value",
    "split_is_broken",
    "split_is_whole",
    "users_needed_are_just_enough",
]
