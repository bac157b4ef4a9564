"""A Chromium without a window, driven over its debugging port."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Seconds that a busy machine may take.
LONG = 60


class Page:
    """One page: what it shows, and everything that it asked the network for."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol; events that come before its answer are kept."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv())
            if said.get("id") == number:
                assert "error" not in said, (method, said["error"])
                return said["result"]
            self.events.append(said)

    def look(self, *, dark: bool = False, width: int = 900, height: int = 1200) -> None:
        """The theme that the reader's system asks for, and the size of the window."""
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def open(self, url: str) -> None:
        """Go there and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """What an expression comes to in the page."""
        told = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str, seconds: float = LONG) -> None:
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, f"it never came true: {script}"
            time.sleep(0.1)

    def asked(self) -> list[str]:
        """Every address that the page asked for, its own aside."""
        sent = [e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        urls = [each["request"]["url"] for each in sent if each.get("type") != "Document"]
        return [url for url in urls if not url.startswith("data:")]

    def errors(self) -> list[str]:
        """What the page complained about."""
        thrown = [e["params"] for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        logged = [e["params"]["entry"] for e in self.events if e["method"] == "Log.entryAdded"]
        return [json.dumps(each) for each in thrown] + [
            entry["text"] for entry in logged if entry["level"] == "error"
        ]

    def picture(self, path: Path | None = None) -> bytes:
        """The whole page as PNG."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        image = base64.b64decode(told["data"])
        if path is not None:
            path.write_bytes(image)
        return image


@contextmanager
def browsing(folder: Path) -> Iterator[Page]:
    """A page of a Chromium that can reach no network but this machine."""
    websocket = pytest.importorskip("websocket", reason="websocket-client comes with Jupyter")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("there is no Chromium here")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    command += ["--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    command += ["--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            socket = websocket.create_connection(_address(folder, process), timeout=LONG)
            try:
                yield Page(socket)
            finally:
                socket.close()
        finally:
            process.terminate()


def _address(folder: Path, process: "subprocess.Popen[bytes]") -> str:
    """Where the first page listens."""
    from urllib.request import urlopen

    told = folder / "DevToolsActivePort"
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.skip("Chromium does not start here")
        if told.is_file() and (lines := told.read_text().split()):
            with urlopen(f"http://127.0.0.1:{lines[0]}/json") as reply:
                pages = [each for each in json.load(reply) if each["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise AssertionError("Chromium does not listen")
