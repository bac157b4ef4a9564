"""A notebook made of drafts is one that nbformat and the kit read back."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.formats.draft import Draft, as_notebook
from skills2_nb.formats.notebook import parse_notebook

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
DRAFTS = st.lists(
    st.builds(
        Draft,
        st.sampled_from(["markdown", "code", "raw"]),
        TEXT,
        st.lists(st.sampled_from(["step", "setup", "mine"]), unique=True).map(tuple),
    ),
    max_size=6,
)


def read(cells: list[Draft]):
    data = json.dumps(as_notebook(cells), ensure_ascii=False).encode()
    return parse_notebook(data, Path("made.ipynb"))


@given(DRAFTS)
def test_what_goes_in_comes_out(drafts):
    made = read(drafts)
    assert [(c.kind, c.source, c.tags) for c in made.cells] == [
        (d.kind, d.source, d.tags) for d in drafts
    ]
    assert made.problems == ()  # every cell has an id, and no two the same


def test_an_id_stays_when_cells_come_before_it():
    last = Draft("code", "x = 1", ("setup",))
    alone = read([last]).cells[-1].id
    assert read([Draft("markdown", "# New"), last]).cells[-1].id == alone
    assert len({cell.id for cell in read([last, last]).cells}) == 2


def test_nbformat_accepts_it():
    nbformat = __import__("pytest").importorskip("nbformat")
    raw = as_notebook([Draft("raw", "---\nname: a\n---"), Draft("code", "", ("step",), {"gap": 1})])
    nbformat.validate(raw)
    assert raw["cells"][1]["metadata"] == {"tags": ["step"], "skills2": {"gap": 1}}
