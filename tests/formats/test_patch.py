import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.formats.patch import merged, patch
from skills2_nb.formats.problem import Edit

cells = st.lists(
    st.fixed_dictionaries(
        {
            "cell_type": st.just("code"),
            "metadata": st.dictionaries(st.text(max_size=3), st.integers() | st.text(), max_size=3),
            "source": st.text() | st.lists(st.text(), max_size=3),
            "outputs": st.lists(st.floats(allow_nan=False) | st.text(), max_size=2),
        }
    ),
    min_size=1,
    max_size=4,
)
styles = st.sampled_from(
    [{"indent": 1}, {"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}]
)


@given(cells, styles, st.booleans(), st.data())
def test_the_cell_changes_and_nothing_else(made, style, ascii_only, data):
    raw = {"nbformat": 4, "cells": made, "metadata": {}}
    text = json.dumps(raw, ensure_ascii=ascii_only, **style) + "\n"
    number = data.draw(st.integers(1, len(made)))
    source = data.draw(st.text())
    after = patch(text, [Edit(number, source, ("step",))])
    value = json.loads(after)
    cell = value["cells"][number - 1]
    assert "".join(cell["source"]) == source
    assert isinstance(cell["source"], type(made[number - 1]["source"]))
    assert cell["metadata"] == made[number - 1]["metadata"] | {"tags": ["step"]}
    assert cell["outputs"] == made[number - 1]["outputs"]
    assert [c for i, c in enumerate(value["cells"], 1) if i != number] == [
        c for i, c in enumerate(made, 1) if i != number
    ]
    assert patch(after, [Edit(number, source, ("step",))]) == after


def test_jupyters_layout_is_kept_to_the_byte():
    raw = {
        "cells": [
            {
                "cell_type": "code",
                "id": "a",
                "metadata": {},
                "outputs": [1.50],
                "source": ["x\n", "y"],
            }
        ]
    }
    text = json.dumps(raw, indent=1).replace("1.5", "1.50") + "\n"
    after = patch(text, [Edit(1, "x\nz", ("step",))])
    assert after == text.replace('"y"', '"z"').replace(
        '"metadata": {}', '"metadata": {\n    "tags": [\n     "step"\n    ]\n   }'
    )


def test_a_file_with_crlf_keeps_it():
    text = json.dumps({"cells": [{"metadata": {}, "source": "a"}]}, indent=1).replace("\n", "\r\n")
    after = patch(text, [Edit(1, tags=("step",))])
    assert "\n" not in after.replace("\r\n", "")


def test_a_cell_without_metadata_gets_it():
    after = patch('{"cells": [{"source": "a"}]}', [Edit(1, tags=("step",))])
    assert json.loads(after)["cells"] == [{"metadata": {"tags": ["step"]}, "source": "a"}]


@pytest.mark.parametrize("edits", [[], [Edit(1)]])
def test_no_change_is_no_change(edits):
    text = '{ "cells" : [ {"source":"a"} ] }'
    assert patch(text, edits) == text


def test_edits_of_one_cell_are_one():
    edits = [Edit(1, source="a"), Edit(2, tags=("x",)), Edit(1, source="b", tags=("y",))]
    assert merged(edits) == (Edit(1, "a", ("y",)), Edit(2, None, ("x",)))
