"""How the page's drawing of a core moves: frames, and what its own code takes of each, in a real browser.

    python -m benchmarks.frames [--vertices N] [--picture FILE.png]

serves ``lense app``, solves a generated graph whose core has more vertices than are drawn, opens the answer in
chromium, and zooms, drags, hovers and searches as a user does. For each it prints frames a second, the time between two
frames at the median and at its longest, the main thread's processor time for a frame, and the tasks of over 50 ms,
which are what a user feels as stutter. The frames depend on the machine: where it has no GPU, the processor draws. The
main thread's time is what the page's own code costs.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from playwright.sync_api import CDPSession, Page, expect, sync_playwright

from tests.browsing import ARGUMENTS, CHROMIUM, served

PATIENCE = 300_000
WATCH = """
window.watched = { frames: [], long: [] };
new PerformanceObserver((list) => watched.long.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: "longtask" });
const tick = (time) => (watched.frames.push(time), requestAnimationFrame(tick));
requestAnimationFrame(tick);
"""
TAKE = "() => { const seen = structuredClone(watched); watched.frames = []; watched.long = []; return seen; }"


@dataclass(frozen=True)
class Motion:
    """What one way to move the drawing gave: times between frames and long tasks, in milliseconds."""

    name: str
    gaps: list[float]
    main_thread: float
    """Seconds of the main thread, in all."""
    long_tasks: list[float]

    def line(self) -> str:
        ordered = sorted(self.gaps)
        if not ordered:
            return f"{self.name:<10}  no two frames"
        rate = 1000 * len(ordered) / sum(ordered)
        longest = f", {max(self.long_tasks):.0f} ms the longest" if self.long_tasks else ""
        return (
            f"{self.name:<10}{rate:6.1f} frames a second; between frames {ordered[len(ordered) // 2]:.0f} ms at the "
            f"median, {ordered[-1]:.0f} at most; main thread {1000 * self.main_thread / len(ordered):.1f} ms a frame; "
            f"{len(self.long_tasks)} tasks over 50 ms{longest}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frames", description=__doc__)
    parser.add_argument("--vertices", type=int, default=60_000, help="of the generated graph")
    parser.add_argument("--picture", help="where to keep a screenshot, as PNG")
    options = parser.parse_args()
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page.add_init_script(WATCH)
        for motion in motions(page, address, options.vertices):
            print(motion.line(), flush=True)
        if options.picture:
            page.locator(".drawing").screenshot(path=options.picture)
        browser.close()
    return 0


def motions(page: Page, address: str, vertices: int) -> Iterator[Motion]:
    """The drawing is made, then moved in every way there is."""
    solve(page, address, vertices)
    print(page.locator(".drawing figcaption").inner_text())
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def load() -> None:
        page.reload()
        drawn(page)

    yield taken("loading", page, devtools, load)
    canvas, search = page.locator(".graph"), page.locator(".finder input")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    ids = [page.locator(f".chosen-table tbody tr:nth-child({i + 1}) td:nth-child(2)").inner_text() for i in range(5)]

    def still() -> None:
        page.wait_for_timeout(1500)

    def zoom() -> None:
        for turn in (-120, 120):
            for _ in range(12):
                page.mouse.wheel(0, turn)
                page.wait_for_timeout(80)

    def drag() -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        for i in range(40):
            page.mouse.move(x + 4 * i, y + 2 * i)
            page.wait_for_timeout(16)
        page.mouse.up()

    def hover() -> None:
        for i in range(60):
            page.mouse.move(x - 150 + 5 * i, y - 60 + 2 * i)
            page.wait_for_timeout(16)

    def find() -> None:
        for one in ids:
            search.fill(one)
            search.press("Enter")
            page.wait_for_timeout(600)

    def end_search() -> None:
        search.press("Escape")
        page.wait_for_timeout(300)

    page.mouse.move(x, y)
    for action in (still, zoom, drag, hover, find, zoom, drag, end_search):
        yield taken(action.__name__, page, devtools, action)


def solve(page: Page, address: str, vertices: int) -> None:
    """Ask for a part of the graph so large that all that can be drawn is drawn."""
    page.goto(address)
    page.get_by_text("Generate", exact=True).click()
    page.get_by_role("spinbutton", name="vertices", exact=True).fill(str(vertices))
    page.get_by_label("Budget, in vertices").fill("2000")
    page.get_by_role("button", name="Solve", exact=True).click()
    drawn(page)


def drawn(page: Page) -> None:
    expect(page.locator(".drawing")).to_have_attribute("data-state", "drawn")


def taken(name: str, page: Page, devtools: CDPSession, action: Callable[[], Any]) -> Motion:
    """What happens in the browser while ``action`` runs."""
    page.evaluate(TAKE)
    begin = _main_thread(devtools)
    action()
    seen, end = page.evaluate(TAKE), _main_thread(devtools)
    times = seen["frames"]
    gaps = [after - before for before, after in pairwise(times)]
    return Motion(name, gaps, max(end - begin, 0.0), seen["long"])


def _main_thread(devtools: CDPSession) -> float:
    metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


if __name__ == "__main__":
    sys.exit(main())
