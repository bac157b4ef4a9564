"""Invariants and guards of growth-accounting."""

from .skill import actives_recounted as actives_recounted
from .skill import class_matches_cuts as class_matches_cuts
from .skill import columns_as_asked as columns_as_asked
from .skill import counts_match_log as counts_match_log
from .skill import cuts_hold_ratio as cuts_hold_ratio
from .skill import dates_span_log as dates_span_log
from .skill import definition_names_grain as definition_names_grain
from .skill import dominant_is_largest as dominant_is_largest
from .skill import dormant_who_returned as dormant_who_returned
from .skill import earlier_recounted as earlier_recounted
from .skill import everyone_has_one_place as everyone_has_one_place
from .skill import form_follows_data as form_follows_data
from .skill import gained_is_new_and_resurrected as gained_is_new_and_resurrected
from .skill import growth_leads_to_current as growth_leads_to_current
from .skill import identity_closes as identity_closes
from .skill import periods_as_asked as periods_as_asked
from .skill import position_follows_counts as position_follows_counts
from .skill import ratio_times_lost_is_gained as ratio_times_lost_is_gained
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_findings as readout_carries_findings
from .skill import readout_carries_flows as readout_carries_flows
from .skill import reason_gives_figures as reason_gives_figures
from .skill import residual_is_the_gap as residual_is_the_gap
from .skill import stay_or_leave as stay_or_leave
from .skill import total_is_all_moves as total_is_all_moves
from .skill import window_is_whole as window_is_whole

__all__ = [
    "actives_recounted",
    "class_matches_cuts",
    "columns_as_asked",
    "counts_match_log",
    "cuts_hold_ratio",
    "dates_span_log",
    "definition_names_grain",
    "dominant_is_largest",
    "dormant_who_returned",
    "earlier_recounted",
    "everyone_has_one_place",
    "form_follows_data",
    "gained_is_new_and_resurrected",
    "growth_leads_to_current",
    "identity_closes",
    "periods_as_asked",
    "position_follows_counts",
    "ratio_times_lost_is_gained",
    "readout_adds_no_figure",
    "readout_carries_findings",
    "readout_carries_flows",
    "reason_gives_figures",
    "residual_is_the_gap",
    "stay_or_leave",
    "total_is_all_moves",
    "window_is_whole",
]
