"""Jobs asked of a skill in another process."""

from pathlib import Path

import pytest

from skills2_nb.audit.jobs import Bounds, Source, ask, seeds

GROWTH = Path(__file__).resolve().parents[2] / "skills" / "growth-accounting"


@pytest.mark.parametrize("own", [None, "0", "random", "7919", "15485863"])
def test_no_seed_is_our_own_or_none(own: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if own is None:
        monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    else:
        monkeypatch.setenv("PYTHONHASHSEED", own)
    made = seeds()
    assert len(set(made)) == len(made) >= 7
    assert not {"0", own} & set(map(str, made))


def test_cells_are_asked_like_a_package() -> None:
    cells = ("from skills2_nb import step", "@step\ndef one(n: int) -> int:\n    return n + BASE")
    job = {"kind": "call", "step": "one", "args": {"n": 1}}
    lacking = ask(Source("trial", cells=cells), [job], 1, Bounds(60))
    assert lacking.told[0]["outcome"] == "raised" and "BASE" in lacking.told[0]["why"]
    whole = ask(Source("trial", cells=(*cells, "BASE = 2")), [job, job], 1, Bounds(60))
    assert [told["output"] for told in whole.told] == [3, 3] and whole.fault is None


def test_the_seed_is_that_of_the_process() -> None:
    cells = (
        "from skills2_nb import step",
        "@step\ndef order() -> str:\n    return ''.join(set('abcdefgh'))",
    )
    job = {"kind": "call", "step": "order", "args": {}}
    first, again, other = (
        ask(Source("trial", cells=cells), [job], seed, Bounds(60)).told[0]["output"]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ({"kind": "call", "step": "none", "args": {}}, "no step 'none'"),
        ({"kind": "unknown"}, "KeyError"),
    ],
)
def test_a_job_that_cannot_be_done_is_told(job: dict[str, object], says: str) -> None:
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    told = ask(Source("growth-accounting", package=GROWTH), [job], 1, Bounds(60)).told[0]
    assert told["outcome"] == "raised" and says in told["why"]
