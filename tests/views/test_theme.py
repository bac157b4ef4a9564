import re

import pytest

from skills2_nb.views.page_style import sheet
from skills2_nb.views.theme import DARK, GROUNDS, LIGHT, TEXTS, style


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read(theme, text, ground) -> None:
    assert contrast(theme[text], theme[ground]) >= 4.5


@pytest.mark.parametrize("css", [style("s2v"), sheet()], ids=["cell", "page"])
def test_style_is_whole_and_stays_at_home(css) -> None:
    assert css.count("{") == css.count("}")
    assert "§" not in css
    for fetched in ("url(", "@import", "http", "//"):
        assert fetched not in css


@pytest.mark.parametrize(
    "rule",
    [
        "prefers-color-scheme:dark",
        "[data-jp-theme-light=true]",
        "[data-jp-theme-light=false]",
        "--jp-layout-color0",
        ".vscode-dark",
    ],
)
def test_the_host_s_theme_is_honoured(rule) -> None:
    assert rule in style("s2v")


def test_every_rule_of_a_cell_is_scoped() -> None:
    without_host = re.sub(r"@(media|container)[^{]*\{", "", style("s2v"))
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", without_host)
    assert selectors
    for selector in selectors:
        assert all(".s2v" in part for part in selector.split(",") if "is(" not in part), selector
