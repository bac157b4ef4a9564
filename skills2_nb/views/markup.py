"""HTML as values that cannot be broken out of."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from skills2_nb.views.values import clean


class Html(str):
    """Text that is HTML already; every other text is escaped where it is put in."""

    __slots__ = ()


_VOID = frozenset({"br", "hr", "meta", "circle", "path", "rect"})


def esc(value: object) -> Html:
    """``value`` as text of a page; what is HTML already stays."""
    if isinstance(value, Html):
        return value
    return Html(html.escape(clean(str(value)), quote=True))


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """One element. Children are escaped, lists of them are joined, None is left out.

    Args:
        attributes: ``cls`` is ``class``, ``_`` is ``-``; None and False are left out, True is
            the bare name.
    """
    told = "".join(_attribute(key, item) for key, item in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{join(children)}</{name}>")


def join(children: Iterable[Any], between: str = "") -> Html:
    """Children one after the other, escaped; lists within are joined too."""
    told = []
    for child in children:
        if child is None:
            continue
        told.append(join(child) if isinstance(child, (list, tuple)) else esc(child))
    return Html(between.join(told))


def table(
    caption: Any,
    heads: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    hide_caption: bool = False,
    numeric: Sequence[int] = (),
    ids: Sequence[str | None] = (),
    cls: str | None = None,
) -> Html:
    """A table with a caption; the first cell of each row is its head.

    Args:
        hide_caption: keep the caption for screen readers alone.
        numeric: columns set to the right.
        ids: the rows' ids, in order.
    """
    classes = ["n" if at in numeric else None for at in range(len(heads))]
    head = [tag("th", text, scope="col", cls=classes[at]) for at, text in enumerate(heads)]
    body = []
    for number, row in enumerate(rows):
        cells = [
            tag("td", cell, cls=classes[at]) if at else tag("th", cell, scope="row", cls=classes[0])
            for at, cell in enumerate(row)
        ]
        body.append(tag("tr", cells, id=ids[number] if number < len(ids) else None))
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption, cls="unseen" if hide_caption else None),
            tag("thead", tag("tr", head)),
            tag("tbody", body),
            cls=cls,
        ),
        cls="wide",
    )


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = "class" if key == "cls" else key.strip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{esc(value)}"'
