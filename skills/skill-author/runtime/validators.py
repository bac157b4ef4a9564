"""Invariants and guards of skill-author."""

from .skill import can_be_scored as can_be_scored
from .skill import case_is_in_the_notebook as case_is_in_the_notebook
from .skill import cases_recounted as cases_recounted
from .skill import cells_recounted as cells_recounted
from .skill import checks_recounted as checks_recounted
from .skill import codes_and_places_are_real as codes_and_places_are_real
from .skill import digest_covers_listing as digest_covers_listing
from .skill import exported_is_planned_and_the_lock as exported_is_planned_and_the_lock
from .skill import findings_bear_the_verdict as findings_bear_the_verdict
from .skill import is_the_file_that_was_read as is_the_file_that_was_read
from .skill import levels_add_up as levels_add_up
from .skill import lies_where_it_was_asked as lies_where_it_was_asked
from .skill import lint_books_agree as lint_books_agree
from .skill import listing_adds_up as listing_adds_up
from .skill import mend_is_the_first_due as mend_is_the_first_due
from .skill import name_is_the_files as name_is_the_files
from .skill import nothing_blocks as nothing_blocks
from .skill import readout_adds_no_figure as readout_adds_no_figure
from .skill import readout_carries_contract as readout_carries_contract
from .skill import readout_carries_counts as readout_carries_counts
from .skill import readout_carries_score as readout_carries_score
from .skill import readout_ends_with_mend as readout_ends_with_mend
from .skill import scores_are_weighted_axes as scores_are_weighted_axes
from .skill import skill_is_named_in_the_notebook as skill_is_named_in_the_notebook
from .skill import steps_recounted as steps_recounted
from .skill import text_comes_from_its_source as text_comes_from_its_source
from .skill import verdicts_follow as verdicts_follow

__all__ = [
    "can_be_scored",
    "case_is_in_the_notebook",
    "cases_recounted",
    "cells_recounted",
    "checks_recounted",
    "codes_and_places_are_real",
    "digest_covers_listing",
    "exported_is_planned_and_the_lock",
    "findings_bear_the_verdict",
    "is_the_file_that_was_read",
    "levels_add_up",
    "lies_where_it_was_asked",
    "lint_books_agree",
    "listing_adds_up",
    "mend_is_the_first_due",
    "name_is_the_files",
    "nothing_blocks",
    "readout_adds_no_figure",
    "readout_carries_contract",
    "readout_carries_counts",
    "readout_carries_score",
    "readout_ends_with_mend",
    "scores_are_weighted_axes",
    "skill_is_named_in_the_notebook",
    "steps_recounted",
    "text_comes_from_its_source",
    "verdicts_follow",
]
