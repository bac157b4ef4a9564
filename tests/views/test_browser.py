"""What a real browser shows of an evaluation: no kernel, no network, both themes."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.views import eval_page
from tests.views.chromium import Page, browsing
from tests.views.suites import BAD, GOOD

THEMES = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
WIDGETS = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
#: Each text that is seen with too little between it and its ground, as WCAG 2 counts.
FAINT = """(() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const bright = color => parts(color).slice(0, 3).map(p => p / 255)
    .map(p => p <= 0.03928 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4)
    .reduce((sum, p, at) => sum + p * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if ((parts(color)[3] ?? 1) > 0) return color;
    }
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    return dark ? 'rgb(18,18,18)' : 'rgb(255,255,255)';
  };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !node.checkVisibility()) continue;
    if (['STYLE', 'SCRIPT', 'OPTION'].includes(node.tagName)) continue;
    const both = [getComputedStyle(node).color, ground(node)].map(bright);
    const [one, two] = both.sort((a, b) => b - a);
    if ((one + 0.05) / (two + 0.05) < 4.5) faint.push(walk.currentNode.data.trim());
  }
  return faint;
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browsing(tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture
def report(browser: Page, tmp_path: Path) -> Page:
    """The report of a suite that fails, opened from its file."""
    path = tmp_path / "report.html"
    path.write_text(eval_page.page(BAD, GOOD, "runs"), encoding="utf-8")
    browser.look()
    browser.open(path.as_uri())
    return browser


def test_the_report_asks_for_nothing(report):
    assert report.asked() == []
    assert report.errors() == []


@THEMES
def test_every_text_of_the_report_can_be_read(report, dark):
    report.look(dark=dark)
    grounds = report.run("getComputedStyle(document.body).backgroundColor")
    assert grounds == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")
    report.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert report.run(FAINT) == []
    report.run("document.querySelector('h2').style.color = '#777'")
    assert report.run(FAINT) == ["Verdict"]


@pytest.mark.parametrize("width", [480, 640, 800, 1200])
def test_the_report_fits_its_window(report, width):
    report.look(width=width)
    report.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert report.run("document.documentElement.scrollWidth") <= width
    cut = report.run(
        "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.querySelector('caption').textContent)"
    )
    assert cut == []


def test_a_link_to_a_case_unfolds_it(report):
    assert not report.run("document.querySelector('#skill-1-case-2').checkVisibility()")
    report.run("document.querySelector('a[href=\"#skill-1-case-2\"]').click()")
    report.wait("document.querySelector('#skill-1-case-2').checkVisibility()")


def test_bars_are_as_long_as_their_figures(report):
    drawn = report.run(
        "[...document.querySelectorAll('#skill-1 .two .beside')].map(e => [e.textContent,"
        " e.querySelector('.meter>span').offsetWidth / e.querySelector('.meter').clientWidth])"
    )
    assert len(drawn) == 4
    for told, share in drawn:
        assert share == pytest.approx(float(told), abs=0.02)


def test_on_paper_every_case_is_unfolded_and_light(report):
    report.look(dark=True)
    report.call("Emulation.setEmulatedMedia", media="print")
    assert report.run("document.querySelector('#skill-1-case-2').checkVisibility()")
    assert report.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    report.call("Emulation.setEmulatedMedia", media="")


def executed(suite: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A notebook that shows each widget, run in a kernel that is gone by now."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipywidgets")
    pytest.importorskip("ipykernel")
    (folder / "results.json").write_text(json.dumps(suite))
    first = (
        "import json\nfrom skills2_nb.views import widgets\n"
        f"told = json.load(open({str(folder / 'results.json')!r}))['skills'][0]"
    )
    of_skill = [f"widgets.{name}(told)" for name in ("gauge", "axes", "cases", "distribution")]
    sources = [first, *of_skill, "widgets.timeline(told['cases'][1])"]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    return json.loads(nbformat.writes(notebook))


def saved_page(notebook: dict[str, Any], script: Path) -> str:
    """What is saved of the widgets, and nothing else, as a page."""

    def put(kind: str, value: Any) -> str:
        told = json.dumps(value).replace("</", "<\\/")
        return f'<script type="{kind}">{told}</script>'

    outputs = [each["data"] for cell in notebook["cells"] for each in cell["outputs"]]
    views = "".join(f"<div>{put(VIEW, data[VIEW])}</div>" for data in outputs)
    head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    state = put(WIDGETS, notebook["metadata"]["widgets"][WIDGETS])
    return f'<!DOCTYPE html>{head}{state}{views}<script src="{script.as_uri()}"></script>'


@pytest.fixture(scope="module")
def saved(browser: Page, tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, str]:
    """The browser, and the address of the saved widgets."""
    place = os.environ.get("SKILLS2_HTML_MANAGER")
    script = Path(place or ".") / "dist" / "embed.js"
    if place is None or not script.is_file():
        pytest.skip("SKILLS2_HTML_MANAGER names no @jupyter-widgets/html-manager of npm")
    folder = tmp_path_factory.mktemp("saved")
    path = folder / "saved.html"
    path.write_text(saved_page(executed(BAD, folder), script.resolve()), encoding="utf-8")
    return browser, path.as_uri()


def shown(page: Page) -> str:
    return page.run("document.body.innerText")


@THEMES
def test_saved_widgets_are_drawn_without_kernel_and_network(saved, dark):
    page, url = saved
    page.look(dark=dark)
    page.open(url)
    page.wait("document.querySelectorAll('.s2w').length === 5")
    assert {re.sub(r".*/", "", each) for each in page.asked()} == {"embed.js"}
    assert page.errors() == []
    text = shown(page)
    for told in ("0.61 median score", "score, threshold 0.80", "0.9 to 1.0", "add gave 4, not 3"):
        assert told in text
    assert page.run(FAINT) == []


def test_filter_and_drill_down_need_no_kernel(saved):
    page, url = saved
    page.look()
    page.open(url)
    page.wait("document.querySelectorAll('.s2w').length === 5")
    assert "month (trial 1)" in page.run("document.querySelector('table.cases').innerText")
    page.run(
        "[...document.querySelectorAll('button')]"
        ".find(each => each.textContent.startsWith('do not hold')).click()"
    )
    page.wait("document.querySelectorAll('table.cases tbody tr').length === 2")
    assert "CONTRADICTED" not in shown(page)
    page.run(
        "(() => { const list = document.querySelector('select'); list.selectedIndex = 1;"
        " list.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    page.wait("document.body.innerText.includes('CONTRADICTED')")
    assert "Mend: Say 4." in shown(page)
