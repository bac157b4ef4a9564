"""Colours and spacing of everything shown as HTML."""

from __future__ import annotations

from collections.abc import Mapping

#: Colours by name. Each text colour stands on each ground at a contrast of 4.5 or more.
LIGHT: Mapping[str, str] = {
    "fg": "#1b1f24",
    "bg": "#ffffff",
    "soft": "#f4f6f8",
    "mute": "#545d68",
    "line": "#d3d9e0",
    "link": "#0b57b3",
    "good": "#11632c",
    "bad": "#b3261e",
    "warn": "#7a4a00",
}
DARK: Mapping[str, str] = {
    "fg": "#e6e9ed",
    "bg": "#15181c",
    "soft": "#1f242a",
    "mute": "#a3adb8",
    "line": "#3a424c",
    "link": "#8bb8ff",
    "good": "#79d18e",
    "bad": "#ff9a91",
    "warn": "#e8bb55",
}
TEXTS = ("fg", "mute", "link", "good", "bad", "warn")
GROUNDS = ("bg", "soft")
#: JupyterLab's own variables, so that a theme of the user's holds there too.
_JUPYTER = {
    "fg": "--jp-content-font-color1",
    "bg": "--jp-layout-color0",
    "soft": "--jp-layout-color1",
    "line": "--jp-border-color2",
}

_PARTS = """
§{font-family:var(--jp-ui-font-family,system-ui,-apple-system,"Segoe UI",sans-serif);\
font-size:14px;line-height:1.5;color:var(--s2-fg);background:var(--s2-bg)}
§ *{box-sizing:border-box}
§ p,§ h1,§ h2,§ h3,§ ul,§ ol,§ dl,§ pre{margin:0;padding:0;color:inherit}
§ a{color:var(--s2-link);text-decoration:underline;text-underline-offset:4px}
§ a:focus-visible,§ summary:focus-visible{outline:2px solid var(--s2-link);outline-offset:2px}
§ code:nth-child(n),§ .mono{font-family:var(--jp-code-font-family,ui-monospace,SFMono-Regular,\
Menlo,Consolas,monospace);font-size:.92em;background:none;color:inherit;padding:0;border:0}
§ .mute{color:var(--s2-mute)}
§ .good{color:var(--s2-good)}
§ .bad{color:var(--s2-bad)}
§ .warn{color:var(--s2-warn)}
§ .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);\
white-space:nowrap}
§ .wide{overflow-x:auto;max-width:100%}
§ table{border-collapse:collapse;border-spacing:0;margin:0;width:auto;max-width:100%;\
font-size:13px;table-layout:auto;border:0;color:inherit;background:none}
§ caption{caption-side:top;text-align:left;font-weight:600;font-size:13px;padding:0 0 4px;\
color:var(--s2-fg)}
§ table th,§ table td{text-align:left;vertical-align:top;padding:4px 16px 4px 0;\
border:0;border-bottom:1px solid var(--s2-line);font-weight:400;white-space:normal;\
background:none;max-width:none;overflow-wrap:anywhere}
§ thead tr th{font-weight:600;color:var(--s2-mute);white-space:nowrap;overflow-wrap:normal}
§ tbody tr:nth-child(n){background:none;color:inherit}
§ tbody tr:last-child>*{border-bottom:0}
§ table .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
§ .id,§ .nowrap{white-space:nowrap;overflow-wrap:normal}
§ .id wbr{display:none}
§ .word{white-space:nowrap;font-weight:600}
§ .badge{display:inline-block;font-weight:700;padding:1px 10px;border:2px solid currentColor;\
border-radius:4px;white-space:nowrap}
§ .bar{display:inline-block;vertical-align:middle;width:88px;height:8px;margin-right:8px;\
border:1px solid var(--s2-mute);border-radius:4px;overflow:hidden;background:var(--s2-bg)}
§ .bar>span{display:block;height:100%;background:var(--s2-mute)}
§ .scores tr>*{vertical-align:middle}
§ .text{white-space:pre-wrap;overflow-wrap:anywhere}
§ .fig{font-variant-numeric:tabular-nums;text-decoration-thickness:2px}
§ .fig.reported,§ .fig.traced{text-decoration:underline solid 2px;text-underline-offset:3px}
§ .fig.derived{text-decoration:underline dashed 2px;text-underline-offset:3px}
§ .fig.prompt,§ .fig.constant{text-decoration:underline solid 1px;text-underline-offset:3px}
§ .fig.unsupported{text-decoration:underline dotted 3px;text-underline-offset:3px;\
color:var(--s2-warn);font-weight:600}
§ .fig.contradicted{text-decoration:underline double 3px;text-underline-offset:3px;\
color:var(--s2-bad);font-weight:600}
@container (max-width:560px){§ table th,§ table td{padding-right:10px}§ .id{white-space:normal}\
§ .id wbr{display:inline}§ .bar{width:48px}§ .meaning{display:none}\
§ .steps,§ .steps thead,§ .steps tbody{display:block}\
§ .steps tr{display:grid;grid-template-columns:2em minmax(0,1fr) 6.4em 5.2em 5.6em;\
border-bottom:1px solid var(--s2-line)}\
§ .steps thead tr :last-child{display:none}\
§ .steps tr>*{border:0}§ .steps tbody td:last-child{grid-column:2/-1;padding-top:0}}
§ details>summary{cursor:pointer;color:var(--s2-link)}
"""


def style(scope: str) -> str:
    """The style sheet for everything inside ``scope``, a class without its dot.

    The class is said twice in each rule: a notebook's own rules for tables are stronger than one
    class. Light and dark follow the reader's system, and the notebook where it says which it is.
    """
    twice = f".{scope}.{scope}"
    themes = [
        f".{scope}{{{_tokens(LIGHT)}color-scheme:light}}",
        f"@media (prefers-color-scheme:dark){{.{scope}{{{_tokens(DARK)}color-scheme:dark}}}}",
        f"{_host('[data-jp-theme-light=true]', '.vscode-light', scope)}"
        f"{{{_tokens(LIGHT, jupyter=True)}color-scheme:light}}",
        f"{_host('[data-jp-theme-light=false]', '.vscode-dark', scope)}"
        f"{{{_tokens(DARK, jupyter=True)}color-scheme:dark}}",
        f"@media print{{.{scope}.{scope}{{{_tokens(LIGHT)}color-scheme:light}}}}",
    ]
    return "\n".join(themes) + _PARTS.replace("§", twice)


def _host(jupyter: str, code: str, scope: str) -> str:
    return f"{jupyter} .{scope},{code} .{scope}"


def _tokens(colors: Mapping[str, str], *, jupyter: bool = False) -> str:
    """The colours by name; JupyterLab's own only where the page says which theme it has.

    A page with saved widgets carries the light ones whatever the reader's system asks for.
    """
    theirs = _JUPYTER if jupyter else {}
    return "".join(
        f"--s2-{name}:{f'var({theirs[name]},{value})' if name in theirs else value};"
        for name, value in colors.items()
    )
