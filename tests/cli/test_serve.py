"""serve: what it refuses before it serves, and what it does beside it."""

import os
import socket
import subprocess
import sys
import time

import pytest

from tests.serve.packages import SUMS, write_package


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
        (("--http", "127.0.0.1:²"), 2, "HOST:PORT"),
        (("--http", "127.0.0.1:٣"), 2, "HOST:PORT"),
        (("--no-token",), 2, "belong to --http"),
        (("--public",), 2, "belong to --http"),
        (("--allow-host", "here"), 2, "belong to --http"),
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


@pytest.mark.parametrize("token", [" ", "a b", "a\nb", "tök", "x" * 4_097])
def test_a_token_that_no_header_carries(token, bare, skills2, monkeypatch):
    monkeypatch.setenv("SKILLS2_TOKEN", token)
    done = skills2("serve", "--http", "127.0.0.1:0")
    assert done.code == 2 and "SKILLS2_TOKEN" in done.err


def test_a_root_that_is_a_file(bare, skills2, tmp_path):
    (tmp_path / "SKILL.md").write_text("# A file")
    done = skills2("serve", tmp_path / "SKILL.md")
    assert done.code == 2 and "is a file" in done.err


def test_it_keeps_the_index_of_triggers(tmp_path, home):
    write_package(tmp_path / "skills", "sums", SUMS)
    index, end = home / "index" / "triggers.tsv", time.monotonic() + 100
    command = [sys.executable, "-m", "skills2_nb.cli.main", "serve", "skills"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        while not index.exists() and time.monotonic() < end:
            time.sleep(0.1)
        server.terminate()
    assert b"sums" in index.read_bytes()
