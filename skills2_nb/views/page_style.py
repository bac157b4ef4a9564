"""How the page of a run looks."""

from __future__ import annotations

from skills2_nb.views.theme import style

SCOPE = "s2p"
_LAYOUT = """
html{scroll-padding-top:12px}
body.s2p{margin:0 auto;padding:24px 20px 80px;max-width:1040px;container-type:inline-size}
html{background:var(--s2-page,#fff)}
@media (prefers-color-scheme:dark){html{background:#15181c}}
§ h1{font-size:26px;line-height:1.3;overflow-wrap:anywhere}
§ h1 .badge{font-size:16px;vertical-align:middle;margin-right:4px}
§ h2{font-size:19px;margin:0 0 10px}
§ h3{font-size:15px;margin:0 0 4px}
§ h3 code{font-size:1em}
§ main>section{margin-top:32px;padding-top:20px;border-top:1px solid var(--s2-line)}
§ main>section>*+*,§ .step>*+*{margin-top:12px}
§ nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:14px}
§ .skip{position:absolute;left:-999px;top:0;padding:6px 10px;background:var(--s2-soft)}
§ .skip:focus{left:8px}
§ .step{margin-top:18px;padding:14px 16px;border:1px solid var(--s2-line);border-radius:6px}
§ .step h3+p{margin-top:0}
§ .step:is(:target,:has(:target)){border-color:var(--s2-link);box-shadow:0 0 0 2px var(--s2-link)}
§ tbody tr:target:nth-child(n),§ #prompt:target{background:var(--s2-soft)}
§ tbody tr:target>*{font-weight:700;border-bottom-color:var(--s2-link);\
box-shadow:inset 0 -1px 0 var(--s2-link)}
§ tbody tr:target>th::before{content:"▸ "}
§ .quote,§ .answer{padding:10px 14px;background:var(--s2-soft);border-left:4px solid \
var(--s2-line);max-width:76ch}
§ .answer{font-size:16px;line-height:1.75}
§ .answer a.fig{color:var(--s2-fg)}
§ .answer a.fig.unsupported{color:var(--s2-warn)}
§ .answer a.fig.contradicted{color:var(--s2-bad)}
§ .has-tip{position:relative}
§ .tip{display:none;position:absolute;z-index:2;left:0;top:1.9em;padding:3px 9px;\
white-space:nowrap;font-size:13px;line-height:1.5;font-weight:400;color:var(--s2-bg);\
background:var(--s2-fg);border-radius:4px}
§ .has-tip:is(:hover,:focus-within)>.tip{display:block}
§ .legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 22px;font-size:13px;\
color:var(--s2-mute)}
§ main .sources{margin-top:22px}
§ .checks{list-style:none}
§ .attempts{padding-left:20px}
§ .inner{font-size:12px}
§ .pair{display:inline-block}
§ .label{font-weight:600;font-size:13px}
§ dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px}
§ dt{color:var(--s2-mute)}
§ dd{margin:0;font-variant-numeric:tabular-nums}
§ .flow{display:block;width:100%;max-width:640px;min-width:450px;height:auto}
§ .flow .arc{stroke:var(--s2-mute);stroke-width:1.4;opacity:.75}
§ .flow .arc.old{stroke:var(--s2-warn);stroke-dasharray:4 3;opacity:1}
§ .flow .arc.wrong{stroke:var(--s2-bad);stroke-width:1.8;opacity:1}
§ .flow .arc.missed{stroke:var(--s2-bad);stroke-dasharray:1.5 3.5;stroke-linecap:round;\
stroke-width:2;opacity:1}
§ .flow circle{fill:var(--s2-mute);stroke:var(--s2-mute);stroke-width:2}
§ .flow .open circle{fill:var(--s2-bg)}
§ .flow text{fill:var(--s2-fg);font-size:13px}
§ .flow .name{font-weight:600}
§ .flow a{text-decoration:none}
§ .flow a .name{fill:var(--s2-link)}
§ .flow a:is(:hover,:focus) .name{text-decoration:underline}
§ .flow .name .bad{fill:var(--s2-bad)}
§ .flow .name .warn{fill:var(--s2-warn)}
§ .flow .name .mute{fill:var(--s2-mute)}
§ .flow .took{fill:var(--s2-mute);font-size:11.5px}
§ .flow .note rect{fill:var(--s2-mute)}
§ .flow .note.warn :is(text,rect){fill:var(--s2-warn)}
§ .flow .note.bad :is(text,rect){fill:var(--s2-bad)}
§ .flow .note.bad text{font-weight:600}
§ .flow .bad circle{stroke:var(--s2-bad)}
@media (max-width:860px){§ .tip{position:fixed;left:8px;right:8px;top:auto;bottom:8px;\
white-space:normal}}
@media (max-width:560px){body.s2p{padding:16px 12px 64px}§ .step{padding:10px}\
§ dl{grid-template-columns:1fr;gap:0}§ dd{margin-bottom:6px}}
@media print{html{background:none}§ nav,§ .skip,§ .tip{display:none!important}\
body.s2p{max-width:none;padding:0;font-size:11pt}\
§ .step,§ tr,§ li{break-inside:avoid}§ h2,§ h3{break-after:avoid}}
"""


def sheet() -> str:
    """The style sheet of the whole page."""
    return style(SCOPE) + _LAYOUT.replace("§", ".s2p.s2p")
