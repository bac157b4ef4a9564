"""Invariants and guards of funnel-diagnosis."""

from .skill import a_rate_fell as a_rate_fell
from .skill import a_segment_fell as a_segment_fell
from .skill import books_close as books_close
from .skill import columns_as_asked as columns_as_asked
from .skill import conversion_is_the_product as conversion_is_the_product
from .skill import counts_match_log as counts_match_log
from .skill import drop_interval_reaches as drop_interval_reaches
from .skill import drop_verdict_follows as drop_verdict_follows
from .skill import effects_by_what_might_have_been as effects_by_what_might_have_been
from .skill import end_is_given_or_last_event as end_is_given_or_last_event
from .skill import entered_are_counted as entered_are_counted
from .skill import everybody_is_at_the_entry as everybody_is_at_the_entry
from .skill import everybody_walked_again as everybody_walked_again
from .skill import its_rates_lead_back as its_rates_lead_back
from .skill import kind_follows_effects as kind_follows_effects
from .skill import log_is_in_order as log_is_in_order
from .skill import no_segment_pulls_more as no_segment_pulls_more
from .skill import no_stage_is_worse as no_stage_is_worse
from .skill import nobody_joins_later as nobody_joins_later
from .skill import rates_are_of_that_stage as rates_are_of_that_stage
from .skill import rates_lead_back as rates_lead_back
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_drop as readout_carries_drop
from .skill import readout_carries_funnel as readout_carries_funnel
from .skill import readout_carries_split as readout_carries_split
from .skill import rows_are_the_files as rows_are_the_files
from .skill import segment_interval_reaches as segment_interval_reaches
from .skill import segment_verdict_follows as segment_verdict_follows
from .skill import segments_add_up as segments_add_up
from .skill import segments_recounted as segments_recounted
from .skill import stages_recounted as stages_recounted
from .skill import the_drop_is_clear as the_drop_is_clear

__all__ = [
    "a_rate_fell",
    "a_segment_fell",
    "books_close",
    "columns_as_asked",
    "conversion_is_the_product",
    "counts_match_log",
    "drop_interval_reaches",
    "drop_verdict_follows",
    "effects_by_what_might_have_been",
    "end_is_given_or_last_event",
    "entered_are_counted",
    "everybody_is_at_the_entry",
    "everybody_walked_again",
    "its_rates_lead_back",
    "kind_follows_effects",
    "log_is_in_order",
    "no_segment_pulls_more",
    "no_stage_is_worse",
    "nobody_joins_later",
    "rates_are_of_that_stage",
    "rates_lead_back",
    "readout_adds_no_figure",
    "readout_carries_drop",
    "readout_carries_funnel",
    "readout_carries_split",
    "rows_are_the_files",
    "segment_interval_reaches",
    "segment_verdict_follows",
    "segments_add_up",
    "segments_recounted",
    "stages_recounted",
    "the_drop_is_clear",
]
