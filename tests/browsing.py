"""A real browser, a page served for it, and windows in which nothing may go wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage"),
    *(f"--disable-{what}" for what in ("quic", "background-networking", "sync", "component-update")),
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
]
PATIENCE = 60_000


@contextmanager
def launched() -> "Iterator[Browser]":
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        made.close()


def watch(page: "Page", address: str = "file:") -> list[str]:
    """What goes wrong from now on: errors, warnings, and requests that go elsewhere."""
    wrong: list[str] = []
    page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = (address, "data:", "blob:")
    page.on("request", lambda one: None if one.url.startswith(own) else wrong.append(f"asked for {one.url}"))
    return wrong


@contextmanager
def served(*options: str, **environment: str) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    """The address of a page of ``lense app``, and its process, which is interrupted at the end."""
    interrupts = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # off in the background
    program = f"{interrupts}; from lense.cli import main; main()"
    command = [sys.executable, "-c", program, "app", "--no-browser", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            yield found[0], server
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 130
