"""The order that skill.toml gives is the order that the kernel and the package keep."""

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract.loader import load
from skills2_nb.contract.skill import Skill
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import plan_path

ORDERS = st.lists(st.none() | st.sampled_from([1, 2, 2.5, 10]), min_size=1, max_size=5)


def cells(orders: list[float | None]) -> list[tuple[str, str]]:
    steps = [
        ("step", f"@step(order={order})\ndef s{at}(a: int = 1) -> int:\n    return a + {at}")
        for at, order in enumerate(orders)
    ]
    return [("prose", "# Title"), ("setup", "from skills2_nb import step"), *steps]


def in_kernel(orders: list[float | None]) -> Skill:
    namespace: dict[str, object] = {"__name__": "kernel"}
    for role, source in cells(orders):
        if role != "prose":
            exec(source, namespace)
    return Skill.collect(namespace, "t", sequence=[f"s{at}" for at in range(len(orders))])


@given(ORDERS)
def test_the_plan_ranks_steps_as_the_contract_does(orders: list[float | None]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        path = written(Path(place), orders)
        plan = plan_path(path)
    live = in_kernel(orders)
    assert {s.id: s.rank for s in plan.steps} == {i: live.rank(i) for i in live.ids}
    assert tuple(entry.id for entry in plan.manifest.steps) == live.ids


def written(folder: Path, orders: list[float | None]) -> Path:
    import json

    notebook = {
        "cells": [
            {
                "cell_type": "markdown" if role == "prose" else "code",
                "id": f"c{at}",
                "metadata": {} if role == "prose" else {"tags": [role]},
                "source": source,
            }
            for at, (role, source) in enumerate(cells(orders))
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = folder / "ordered.ipynb"
    path.write_text(json.dumps(notebook))
    return path


def test_a_package_keeps_the_kernels_order(
    make_notebook: Callable[..., Path], tmp_path: Path
) -> None:
    for number, orders in enumerate([[10, None], [None, 3, None], [2, 1], [1, 1, None]]):
        notebook = make_notebook(cells(orders), f"notebooks/ordered-{number}.ipynb")
        package = load(export(notebook, tmp_path / "skills", verify=False).folder)
        live = in_kernel(orders)
        assert package.ids == live.ids, orders
        assert [package.rank(i) for i in package.ids] == [live.rank(i) for i in live.ids]
