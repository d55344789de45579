"""The page in a real browser: each thing that a user does with it, without an error on the way."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from lense.cli.page import open_browser
from tests.browsing import CHROMIUM, PATIENCE, launched, served, watch
from tests.skips import NO_BROWSER

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A page that is served, with no graph at hand."""
    with served() as (found, _):
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


class Watched:
    """A browser window in which nothing may go wrong."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        context.set_default_timeout(PATIENCE)
        self.page, self.address = context.new_page(), address.partition("?")[0]
        self.page.goto(address)  # with the token, which is a cookie from then on
        self.wrong = watch(self.page, self.address)

    def opened(self, path: str = "") -> Page:
        self.page.goto(self.address + path)
        expect(self.page.locator("html")).to_have_attribute("data-state", "ready")
        return self.page


@pytest.fixture
def window(browser: Browser, address: str) -> Iterator[Watched]:
    with browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True) as context:
        watched = Watched(context, address)
        yield watched
        assert watched.wrong == []


@pytest.fixture(scope="module")
def solved(browser: Browser, address: str) -> tuple[str, Any]:
    """The path of a job that is done, and the cookies of its owner."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        watched = Watched(context, address)
        page = watched.opened()
        choose_small(page)
        page.get_by_role("button", name="Solve", exact=True).click()
        expect(page.locator("#stages li").first).to_be_attached()
        expect(page.locator(".tile")).to_have_count(4)
        assert watched.wrong == []
        return page.url.removeprefix(watched.address), context.storage_state()


def choose_small(page: Page, vertices: int = 300) -> None:
    page.get_by_text("Generate", exact=True).click()
    page.get_by_role("spinbutton", name="vertices", exact=True).fill(str(vertices))
    page.get_by_label("Budget, in vertices").fill("8")


@pytest.fixture
def again(browser: Browser, address: str, solved: tuple[str, Any]) -> Iterator[Watched]:
    """The owner's window, reloaded."""
    with browser.new_context(viewport={"width": 1280, "height": 900}, storage_state=solved[1]) as context:
        watched = Watched(context, address)
        page = watched.opened(solved[0])
        expect(page.locator(".drawing")).to_have_attribute("data-state", "drawn")
        yield watched
        assert watched.wrong == []


def test_a_reload_shows_the_job_its_question_and_its_answer(again: Watched) -> None:
    page = again.page
    expect(page.locator("#job-state")).to_contain_text("Done in")
    expect(page.get_by_label("Budget, in vertices")).to_have_value("8")
    expect(page.get_by_role("spinbutton", name="vertices", exact=True)).to_have_value("300")
    expect(page.locator(".tile")).to_have_count(4)
    expect(page.locator(".inside")).to_contain_text("are in no optimum")
    page.reload()
    expect(page.locator(".tile")).to_have_count(4)


def test_a_vertex_is_found_by_its_id_and_by_keys(again: Watched) -> None:
    page = again.page
    found = page.locator(".drawing .note")
    vertex = page.locator(".chosen-table tbody td:nth-child(2)").first.inner_text()
    page.get_by_label("Find a vertex by its id").fill(vertex)
    page.get_by_label("Find a vertex by its id").press("Enter")
    expect(found).to_contain_text(f"{vertex}: solution")
    page.get_by_label("Find a vertex by its id").press("Escape")
    expect(found).to_have_text("")
    page.get_by_label("Find a vertex by its id").fill("<b>nobody</b>")
    page.get_by_role("button", name="Find").click()
    expect(found).to_have_text("<b>nobody</b> is not drawn here: it was pruned, or the graph has no such vertex.")
    page.locator(".graph").focus()
    for key in ("+", "ArrowLeft", "0", "-"):
        page.keyboard.press(key)
    page.locator(".chosen-table tbody tr").nth(1).click()
    expect(found).to_contain_text("solution")
    page.locator(".graph").click(position={"x": 4, "y": 4})
    expect(found).to_have_text("")


def test_everything_can_be_taken_away(again: Watched, tmp_path: Path) -> None:
    page = again.page
    for name in ("pruned.txt.gz", "answer.csv", "answer.json", "report.html"):
        with page.expect_download() as started:
            page.locator(f'a[download="{name}"]').click()
        started.value.save_as(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert len(json.loads((tmp_path / "answer.json").read_text())["vertices"]) == 8
    expect(page.locator("code.command")).to_contain_text("lense solve graph.npz --problem mvc --budget 8")
    expect(page.locator("code.python")).to_contain_text("answer = lense.solve(graph, 'mvc', 8, 'greedy'")


@pytest.mark.parametrize(("width", "scheme"), [(375, "light"), (375, "dark"), (1280, "dark")])
def test_it_fits_a_phone_and_the_dark(
    browser: Browser, address: str, solved: tuple[str, Any], width: int, scheme: Any
) -> None:
    size = {"width": width, "height": 800}
    with browser.new_context(viewport=size, color_scheme=scheme, storage_state=solved[1]) as context:  # type: ignore[arg-type]
        watched = Watched(context, address)
        page = watched.opened(solved[0])
        expect(page.locator(".drawing")).to_have_attribute("data-state", "drawn")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 27)"
        assert dark == (scheme == "dark")
        assert watched.wrong == []


def test_the_target_moves_the_curve_before_anything_is_solved(window: Watched) -> None:
    page = window.opened()
    choose_small(page)
    page.locator('[name="problem"]').select_option("im")
    page.get_by_label("Budget, in vertices").fill("50")
    slider = page.locator('[name="target"]')
    said: list[str] = []
    for key, target in (("Home", 0.9), ("End", 1)):
        with page.expect_response(lambda one, target=target: one.url.endswith(f"&target={target}")):  # type: ignore[misc]
            slider.press(key)
        expect(page.locator("#target-shown")).to_have_text(f"{target:.3f}")
        expect(page.locator("#expected")).not_to_have_text(said[-1] if said else "")
        said.append(page.locator("#expected").inner_text())
    assert "expected ratio" in said[1]
    assert page.locator("#curve .chosen").count() == 1


def test_a_good_file_is_read_and_solved_and_a_bad_one_is_explained(window: Watched, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.txt", tmp_path / "<i>good.csv"
    bad.write_text("1 2\n3 four\n")
    good.write_text("source,target\n" + "".join(f"<b>hub</b>,{i}\n" for i in range(30)))
    page = window.opened()
    page.get_by_text("Your file", exact=True).click()
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("#refused")).to_have_text("Drop a graph file first, or choose another graph.")
    page.locator('input[type="file"]').set_input_files(bad)
    expect(page.locator("#seen")).to_contain_text("bad.txt, line 2: 'four' is not a whole number")
    page.locator('input[type="file"]').set_input_files(good)
    expect(page.locator("#seen")).to_have_text("31 vertices, 30 edges, undirected.")
    page.get_by_label("Budget, in vertices").fill("1")
    page.get_by_label("Budget, in vertices").press("Enter")
    expect(page.locator(".chosen-table tbody td:nth-child(2)")).to_have_text("<b>hub</b>")
    expect(page.locator("#job-title")).to_contain_text("<i>good.csv")
    assert page.locator("b, i").count() == 0


def test_a_job_is_stopped(window: Watched) -> None:
    page = window.opened()
    choose_small(page, 200_000)
    page.locator('[name="problem"]').select_option("im")
    page.locator('[name="solver"]').select_option("celf")
    page.locator('[name="way"]').select_option("whole")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("#job-state")).to_contain_text("for")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#job-state")).to_have_text("Stopped.")
    expect(page.locator("#stop")).to_be_hidden()


def test_pruners_are_compared_in_a_plot(window: Watched) -> None:
    page = window.opened()
    choose_small(page)
    page.get_by_text("Which pruners").click()
    for box in page.locator("#rivals input").all():
        box.set_checked(box.get_attribute("value") in ("top-degree", "random"))
    page.get_by_role("button", name="Compare pruners").click()
    expect(page.locator("#job-state")).to_contain_text("Done in")
    expect(page.locator("#result .fronts svg.chart").first).to_be_visible()
    expect(page.locator("code.command")).to_contain_text("--pruners random,top-degree")
    expect(page.get_by_role("link", name="Table (CSV)")).to_be_visible()


def test_the_browser_is_opened_by_a_private_file_that_leads_to_the_page(
    browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    open_browser(address)
    (uri,) = opened
    assert "token" not in uri  # other accounts can read the arguments of a process
    assert Path(uri.removeprefix("file://")).stat().st_mode & 0o077 == 0
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(uri)
        expect(page.locator("html")).to_have_attribute("data-state", "ready")
