"""serve: what it refuses before it serves."""

import socket

import pytest


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("--http", "nowhere"), 2, "HOST:PORT"),
        (("--http", "127.0.0.1:99999"), 2, "HOST:PORT"),
        (("--http", "0.0.0.0:0"), 2, "--public"),
        (("--http", "192.0.2.1:0"), 2, "--public"),
        (("--http", "[::]:0"), 2, "--public"),
        (("--http", "0.0.0.0:0", "--public", "--no-token"), 2, "--no-token"),
        (("--http", "192.0.2.1:0", "--public"), 4, "cannot be listened at"),
    ],
)
def test_an_address_that_is_none_or_too_open(words, code, part, bare, skills2):
    done = skills2("serve", *words)
    assert done.code == code and part in done.err


def test_a_port_that_is_taken(bare, skills2):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = skills2("serve", "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.code == 4 and "another port" in done.err
