"""What docs/serving.md says is so."""

import re
from pathlib import Path

import pytest

from skills2_nb.contract import errors
from skills2_nb.library import resources
from skills2_nb.sandbox import executor
from skills2_nb.serve import kernel, kernels, link, pool, streams, tools

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())


def first_cells(heading: str) -> list[str]:
    """The code spans in the first cells of the table below a heading's words."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [word for line in lines for word in re.findall(r"`([^`]+)`", line.split(" | ")[0])]


def test_the_fixed_tools_are_those_of_the_code() -> None:
    assert first_cells("Many skills") == [*tools.FIXED, tools.SCRIPT]


def test_every_kind_of_a_broken_contract_is_told() -> None:
    told = set(first_cells("When a call is wrong"))
    ours = {
        "unreachable",
        "unknown_outcome",
        "busy",
        "broken",
        "crashed",
        "memory",
        "run_required",
        "package_changed",
        "exception",
    }
    kinds = {
        getattr(errors, name).kind
        for name in dir(errors)
        if isinstance(getattr(errors, name), type)
        and issubclass(getattr(errors, name), errors.ContractError)
        and name != "ContractError"
    }
    assert ours | kinds <= told


@pytest.mark.parametrize(
    "sentence",
    [
        f"Up to {tools.MOST_TOOLS} tools are listed",
        f"at most {pool.MOST_WAITING} wait",
        f"cut after {streams.MOST_PRINTED:,} characters",
        f"up to {resources.MOST_BYTES // 1024} KiB",
        f"after {executor.SECONDS:g} seconds or {executor.OUTPUT_BYTES // 1024} KiB of output",
    ],
)
def test_the_bounds_are_those_of_the_code(sentence: str) -> None:
    assert sentence in WORDS


def test_the_waits_for_a_kernel_are_those_of_the_code() -> None:
    waits = (link.CONNECT_SECONDS, kernel.LIST_SECONDS, kernel.SPARE_SECONDS)
    assert waits == (1, 2, 5) and kernels.LOOK_SECONDS == 1
    assert "Connecting takes one second at most, listing two, a call five more" in WORDS
    assert "looks every second" in WORDS


def test_idle_processes_are_let_go_when_the_page_says() -> None:
    assert pool.IDLE_SECONDS == 5 * 60 and "for five minutes is let go" in WORDS
