"""Invariants and guards of cohort-retention."""

from .skill import base_recounted as base_recounted
from .skill import bounds_solve_the_score_test as bounds_solve_the_score_test
from .skill import cells_recounted as cells_recounted
from .skill import class_follows_base as class_follows_base
from .skill import cohorts_recounted as cohorts_recounted
from .skill import columns_as_asked as columns_as_asked
from .skill import counts_match_log as counts_match_log
from .skill import curve_has_every_age as curve_has_every_age
from .skill import curve_recounted as curve_recounted
from .skill import dates_span_log as dates_span_log
from .skill import definition_names_grain as definition_names_grain
from .skill import end_is_given_or_last_event as end_is_given_or_last_event
from .skill import every_user_has_one_cohort as every_user_has_one_cohort
from .skill import every_user_is_placed as every_user_is_placed
from .skill import first_rate_is_age_one as first_rate_is_age_one
from .skill import flat_age_is_the_first as flat_age_is_the_first
from .skill import gap_reaches_its_level as gap_reaches_its_level
from .skill import half_age_is_the_first as half_age_is_the_first
from .skill import last_period_is_over as last_period_is_over
from .skill import members_came_then as members_came_then
from .skill import old_enough_are_in as old_enough_are_in
from .skill import only_full_cells as only_full_cells
from .skill import ranked_again as ranked_again
from .skill import rate_leads_back as rate_leads_back
from .skill import rates_are_theirs as rates_are_theirs
from .skill import rates_follow_counts as rates_follow_counts
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_comparison as readout_carries_comparison
from .skill import readout_carries_retention as readout_carries_retention
from .skill import readout_carries_shape as readout_carries_shape
from .skill import shape_follows_curve as shape_follows_curve
from .skill import table_is_measured as table_is_measured
from .skill import two_can_be_compared as two_can_be_compared
from .skill import users_are_the_files as users_are_the_files
from .skill import verdict_follows_gap as verdict_follows_gap

__all__ = [
    "base_recounted",
    "bounds_solve_the_score_test",
    "cells_recounted",
    "class_follows_base",
    "cohorts_recounted",
    "columns_as_asked",
    "counts_match_log",
    "curve_has_every_age",
    "curve_recounted",
    "dates_span_log",
    "definition_names_grain",
    "end_is_given_or_last_event",
    "every_user_has_one_cohort",
    "every_user_is_placed",
    "first_rate_is_age_one",
    "flat_age_is_the_first",
    "gap_reaches_its_level",
    "half_age_is_the_first",
    "last_period_is_over",
    "members_came_then",
    "old_enough_are_in",
    "only_full_cells",
    "ranked_again",
    "rate_leads_back",
    "rates_are_theirs",
    "rates_follow_counts",
    "readout_adds_no_figure",
    "readout_carries_comparison",
    "readout_carries_retention",
    "readout_carries_shape",
    "shape_follows_curve",
    "table_is_measured",
    "two_can_be_compared",
    "users_are_the_files",
    "verdict_follows_gap",
]
