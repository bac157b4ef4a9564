"""Steps of skill-author."""

from .skill import check_contract as check_contract
from .skill import export_package as export_package
from .skill import find_next_mend as find_next_mend
from .skill import lint_notebook as lint_notebook
from .skill import plan_package as plan_package
from .skill import read_notebook as read_notebook
from .skill import score_case as score_case
from .skill import write_readout as write_readout

__all__ = [
    "check_contract",
    "export_package",
    "find_next_mend",
    "lint_notebook",
    "plan_package",
    "read_notebook",
    "score_case",
    "write_readout",
]
