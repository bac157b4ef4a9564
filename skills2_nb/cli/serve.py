"""``serve``: the steps of skills as MCP tools."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import say

if TYPE_CHECKING:
    from skills2_nb.serve.server import Options

TOKEN = "SKILLS2_TOKEN"
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
#: Seconds after which a client that has just started its server has its tools.
_SETTLED = 2.0
#: FastMCP reads these as it is imported: stderr is for sentences, a line each.
_LOGGING = {"FASTMCP_ENABLE_RICH_LOGGING": "false", "FASTMCP_LOG_LEVEL": "WARNING"}


@verb("serve")
@click.argument("roots", metavar="[ROOT]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--http", metavar="HOST:PORT", help="Listen there, at /mcp; left out: stdio.")
@click.option("--no-token", is_flag=True, help="Let every program of this machine in.")
@click.option("--public", is_flag=True, help="Allow an address that other machines reach.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A name it goes by.")
@click.option("--lazy", is_flag=True, help="List a few tools that reach every step.")
@click.option("--allow-scripts", is_flag=True, help="Let agents run files of scripts/.")
@click.option("--plugin", is_flag=True, help="Serve one skill, its tools named by their steps.")
def serve(
    roots: tuple[Path, ...],
    http: str | None,
    no_token: bool,
    public: bool,
    hosts: tuple[str, ...],
    lazy: bool,
    allow_scripts: bool,
    plugin: bool,
    as_json: bool,
) -> None:
    """Serve the steps of the skills below each ROOT as MCP tools.

    A ROOT is a package or a folder of packages; left out, ./skills,
    ./.claude/skills and ~/.claude/skills. On stdio it serves the client that
    started it. With --http it serves this machine and asks for the token of
    SKILLS2_TOKEN; where that is not set, one is made and printed on stderr.
    """
    from skills2_nb.errors import UsageError

    where = sought(roots)
    if plugin:
        _check_one(where, lazy=lazy)
    if http is None:
        if no_token or public or hosts:
            raise UsageError("--no-token, --public and --allow-host belong to --http HOST:PORT")
        over_pipes(where, lazy=lazy, scripts=allow_scripts, alone=plugin)
        return
    _http(
        where,
        http,
        token=None if no_token else os.environ.get(TOKEN) or "",
        public=public,
        hosts=hosts,
        lazy=lazy,
        scripts=allow_scripts,
        alone=plugin,
        as_json=as_json,
    )


def _http(
    roots: list[Path],
    http: str,
    *,
    token: str | None,
    public: bool,
    hosts: tuple[str, ...],
    lazy: bool,
    scripts: bool,
    alone: bool,
    as_json: bool,
) -> None:
    import asyncio
    import secrets
    import signal

    from skills2_nb.cli.screen import put_json
    from skills2_nb.errors import UsageError
    from skills2_nb.serve.transports import Address, url

    if token and not _TOKEN.fullmatch(token):
        raise UsageError(
            f"{TOKEN} is no token: a header has to carry it, so it takes letters, digits and "
            "signs of ASCII, without spaces or line ends, 4,096 at most"
        )
    address = Address.parse(http)
    if not address.is_loopback and not public:
        raise UsageError(
            f"{address.host} is reached by other machines; say --public if that is meant, or "
            "listen at 127.0.0.1"
        )
    if token is None and not address.is_loopback:
        raise UsageError("--no-token is for this machine alone; listen at 127.0.0.1")
    listening = address.bound()
    from skills2_nb.library.catalog import Catalog
    from skills2_nb.serve.server import Server
    from skills2_nb.serve.sessions import Transport

    made = secrets.token_urlsafe(32) if token == "" else None
    options = _options(Transport(), lazy=lazy, scripts=scripts, alone=alone)
    server = Server(Catalog(roots), options)
    if not alone:
        _index(roots)
    place = url(*listening.getsockname()[:2])
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn has ended by the time it is called
    number = len(server.catalog.cards)
    say(f"Serving {number} {'skill' if number == 1 else 'skills'} at {place}")
    if made is not None:
        say(f"Token, for this once: {made} (or set {TOKEN})")
    if token is None:
        say("Warning: without a token every program and user of this machine may call the steps.")
    if as_json:
        put_json({"url": place, "pid": os.getpid()})
    asyncio.run(server.over_http(listening, made or token, hosts))


def sought(roots: tuple[Path, ...]) -> list[Path]:
    """The folders to serve, and a word on those that are not there yet."""
    from skills2_nb.errors import UsageError
    from skills2_nb.library.discovery import places

    for name, value in _LOGGING.items():
        os.environ.setdefault(name, value)
    for root in roots:
        if root.is_file():
            raise UsageError(f"{root} is a file; a ROOT is a package or a folder of packages")
        if not root.is_dir():
            say(f"{root} is not there yet; what comes there will be served")
    return list(roots) or places()


def over_pipes(
    roots: list[Path], *, lazy: bool, scripts: bool, live: bool = False, alone: bool = False
) -> None:
    """Serve the client that started this process, until it has gone.

    Args:
        live: whether the kernels that run on this machine come before the packages.
        alone: whether the root is the one skill of a plugin.
    """
    import asyncio

    from skills2_nb.serve.transports import pipes, until_told

    with pipes() as (given, told):
        from skills2_nb.library.catalog import Catalog
        from skills2_nb.serve.server import Server
        from skills2_nb.serve.sessions import Transport

        made = Server
        if live:
            from skills2_nb.serve.bridge import Bridge as made  # type: ignore[assignment]  # one
        options = _options(Transport.stdio(), lazy=lazy, scripts=scripts, alone=alone)
        server = made(Catalog(roots), options)
        if not alone:  # a plugin brings its own
            _index(roots)
        asyncio.run(until_told(server.over_pipes(given, told), server.close))


def _index(roots: list[Path]) -> None:
    """Bring the index of triggers up to date, beside the serving, which waits for nothing."""
    import threading

    def work() -> None:
        from skills2_nb.library.discovery import is_package
        from skills2_nb.library.index import renew

        places = [root if is_package(root) else root / "any" for root in roots if root.is_dir()]
        renew(say, places, only_stale=True)

    later = threading.Timer(_SETTLED, work)  # the client's first questions come before it
    later.daemon = True
    later.start()


def _check_one(roots: list[Path], *, lazy: bool) -> None:
    """Refuse whatever is not the one package that a plugin's server is for."""
    from skills2_nb.errors import UsageError
    from skills2_nb.library.discovery import is_package

    if len(roots) != 1 or not is_package(roots[0]):
        raise UsageError("--plugin serves one package; name its folder as the one ROOT")
    if lazy:
        raise UsageError("--plugin lists the steps of its one skill; leave --lazy out")


def _options(transport: object, *, lazy: bool, scripts: bool, alone: bool) -> Options:
    from skills2_nb.cli.serve_parts import judge, run_script
    from skills2_nb.serve.server import Options

    return Options(
        judge=judge,
        transport=transport,  # type: ignore[arg-type]  # named where its library is loaded
        lazy=lazy,
        scripts=run_script if scripts else None,
        say=say,
        alone=alone,
    )
