"""The card of a server."""

from dataclasses import replace

from skills2_nb.views.serving import Call, Serving, bundle

URL = "http://127.0.0.1:4321/mcp"
SERVING = Serving(
    "sums",
    "sums.ipynb",
    URL,
    True,
    clients=("one", "<two>"),
    calls=(Call("add", "ok", 3.4), Call("tell", "invariant", 1234.5)),
    total=7,
    run="20261130-094107-0b8c7c5e",
    remarks=("sums is served from two kernels",),
)


def test_it_says_where_who_and_what() -> None:
    data = bundle(SERVING).data
    html, text = data["text/html"], data["text/plain"]
    for word in (
        URL,
        "sums is served live from sums.ipynb",
        "skills2 connect",
        "two kernels",
        "20261130-094107-0b8c7c5e",
        "add",
        "invariant",
    ):
        assert word in html and word in text
    assert "The newest 2 of 7 calls" in html and "1,234" in html
    assert "&lt;two&gt;" in html and "<two>" not in html
    assert text.index("add") < text.index("tell ")


def test_a_server_that_has_ended_has_no_address() -> None:
    data = bundle(replace(SERVING, running=False)).data
    for shown in (data["text/html"], data["text/plain"]):
        assert "no longer served" in shown and URL not in shown and "connect" not in shown


def test_before_the_first_call_there_is_no_table_of_calls() -> None:
    data = bundle(Serving("sums", "sums.ipynb", URL, True)).data
    assert "none yet" in data["text/plain"] and "newest" not in data["text/html"]
