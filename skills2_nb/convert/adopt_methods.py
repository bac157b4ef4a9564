"""What methods and functions of others give, by their names."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from skills2_nb.convert.adopt_kinds import (
    BOOL,
    DICT,
    FLOAT,
    FRAME,
    INDEXED,
    INT,
    LIST,
    NAMELESS,
    NUMBER,
    PLAIN,
    ROWS,
    SERIES,
    STR,
    UNKNOWN,
    WIDE,
    Kind,
    bag,
)

#: The arguments of a call that have a name.
Words = Mapping[str | None, ast.expr]

#: Built-in functions whose result hangs on nothing.
CALLS = {
    "len": INT,
    "int": INT,
    "float": FLOAT,
    "str": STR,
    "bool": BOOL,
    "repr": STR,
    "ord": INT,
    "any": BOOL,
    "all": BOOL,
    "isinstance": BOOL,
    "dict": DICT,
    **dict.fromkeys(("reversed", "map", "filter"), ROWS),
    "range": Kind("rows", (("*", INT),)),
}
_SAME_FRAME = bag(
    "copy assign query dropna fillna rename drop sort_values sort_index head tail merge round "
    "drop_duplicates astype sample explode nlargest nsmallest replace where clip filter shift "
    "isin isna notna add_suffix add_prefix interpolate ffill bfill convert_dtypes"
)
_TO_SERIES = bag("sum mean max min median std var count nunique idxmax apply")
_TO_NUMBER = bag(
    "sum mean max min median std var count nunique quantile idxmax idxmin corr prod item skew "
    "sem any all"
)
_TO_INDEXED = frozenset(["set_index", "describe", "resample", "corr"])
_TO_WIDE = frozenset(["pivot", "pivot_table", "unstack", "stack", "transpose", "agg", "aggregate"])
_SAME_ROWS = ("transform", "cumsum", "cumcount", "rank", "shift", "diff", "ngroup")
_READERS = ("read_csv", "read_excel", "read_table", "read_fwf", "read_sql", "read_sql_query")
#: Words by which a reader gives something else than a table with an index of numbers.
_UNSURE = {None, "index_col", "sheet_name", "chunksize", "iterator", "header"}
_TEXTS = bag(
    "upper lower strip lstrip rstrip replace join format title capitalize casefold zfill "
    "center ljust rjust removeprefix removesuffix expandtabs swapcase"
)
_OF_TEXT = {
    **dict.fromkeys(("split", "splitlines", "rsplit"), LIST),
    **dict.fromkeys(("count", "find", "index", "rfind"), INT),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isupper"), BOOL),
}
_OF_LINES = {"read": STR, "readline": STR, "readlines": Kind("list", (("*", STR),))}


def of_module(module: str, name: str, given: Sequence[Kind], words: Words) -> Kind:
    """What a function of a module gives.

    Args:
        given: the kinds of the arguments without a name.
    """
    if module == "pandas":
        return _of_pandas(name, given, words)
    if module == "math":
        return INT if name in ("floor", "ceil", "comb", "gcd", "factorial") else FLOAT
    if module == "numpy":
        is_sum = name in _TO_NUMBER or name in ("percentile", "dot", "average")
        return NUMBER if is_sum and "axis" not in words else UNKNOWN
    known = {
        ("re", "findall"): LIST,
        ("re", "split"): LIST,
        ("re", "sub"): STR,
        ("csv", "DictReader"): ROWS,
        ("csv", "reader"): ROWS,
        ("json", "load"): PLAIN,
        ("json", "loads"): PLAIN,
        ("json", "dumps"): STR,
    }
    return NUMBER if module == "statistics" else known.get((module, name), UNKNOWN)


def of_method(kind: Kind, name: str, args: Sequence[ast.expr], words: Words) -> Kind:
    """What a method of a value of this kind gives."""
    if kind.name in ("frame", "indexed", "wide"):
        return _of_frame(kind, name, words)
    if kind.name in ("grouped", "flat", "column"):
        return _of_groups(kind, name, args)
    if kind.name == "series":
        return _of_series(kind, name, words)
    if kind == STR:
        return STR if name in _TEXTS else _OF_TEXT.get(name, UNKNOWN)
    if kind == NUMBER:
        return {"item": PLAIN, "round": NUMBER}.get(name, UNKNOWN)
    if kind.name == "lines":
        return _OF_LINES.get(name, UNKNOWN)
    return _of_plain(kind, name)


def _of_plain(kind: Kind, name: str) -> Kind:
    from_all = {"items": ROWS, "keys": ROWS, "get": PLAIN, "values": ROWS}
    if kind.name == "dict" and name in ("values", "get") and kind.parts:
        inner = {part for _, part in kind.parts}
        one = inner.pop() if len(inner) == 1 else NUMBER
        return Kind("rows", (("*", one),)) if name == "values" else UNKNOWN
    if kind.name == "list":
        return {"index": INT, "count": INT, "copy": kind}.get(name, UNKNOWN)
    return from_all.get(name, UNKNOWN) if kind.name in ("dict", "plain") else UNKNOWN


def _of_pandas(name: str, given: Sequence[Kind], words: Words) -> Kind:
    first = given[0] if given else UNKNOWN
    if name in _READERS:
        return INDEXED if _UNSURE & set(words) else FRAME
    if name == "DataFrame":
        return _of_constructor(first, words)
    if name == "merge":
        by_index = {None, "left_index", "right_index"} & set(words)
        return FRAME if not by_index and {kind.name for kind in given[:2]} == {"frame"} else INDEXED
    if name in ("to_datetime", "to_numeric", "cut", "qcut", "Series"):
        return NAMELESS
    known = {"read_json", "read_parquet", "read_feather", "concat", "json_normalize"}
    return INDEXED if name in known else WIDE if name in ("crosstab", "pivot_table") else UNKNOWN


def _of_constructor(first: Kind, words: Words) -> Kind:
    """A table made of a mapping of lists, or of rows with the columns told."""
    if {None, "index"} & set(words):
        return INDEXED
    lists = ("list", "plain", "rows", "int", "float", "str")
    if first.name == "dict" and first.parts:
        return FRAME if all(kind.name in lists for _, kind in first.parts) else UNKNOWN
    of_mappings = first.name == "list" and first.parts and first.parts[0][1].name == "dict"
    is_told = "columns" in words and first.name in ("list", "plain", "rows")
    return FRAME if of_mappings or is_told else UNKNOWN


def _of_frame(kind: Kind, name: str, words: Words) -> Kind:
    if name == "groupby":
        flat = words.get("as_index")
        return Kind("flat" if isinstance(flat, ast.Constant) and not flat.value else "grouped")
    if name in ("reset_index", "melt"):
        return WIDE if kind == WIDE else FRAME
    if name in _SAME_FRAME:
        moved = {None, "left_index", "right_index", "index"} & set(words)
        return INDEXED if name in ("merge", "rename") and moved and kind == FRAME else kind
    if name in _TO_INDEXED or name in _TO_WIDE:
        return INDEXED if name in _TO_INDEXED and kind != WIDE else WIDE
    if name in ("to_dict", "value_counts"):
        return PLAIN if name == "to_dict" else SERIES
    return NAMELESS if name in _TO_SERIES else UNKNOWN


def _of_groups(kind: Kind, name: str, args: Sequence[ast.expr]) -> Kind:
    if name == "size":
        return NAMELESS if kind.name != "flat" else FRAME
    if kind.name == "column" or name in _SAME_ROWS:
        many = name in ("agg", "aggregate", "describe", "apply", "unstack")
        return WIDE if many else SERIES
    several = any(isinstance(part, ast.List | ast.Dict | ast.Name) for part in args)
    if name == "apply" or (name in ("agg", "aggregate") and several and not _is_flat(args)):
        return WIDE
    return FRAME if kind.name == "flat" else INDEXED


def _is_flat(args: Sequence[ast.expr]) -> bool:
    """Whether columns are added up one way each: ``{"units": "sum"}``."""
    return all(
        isinstance(part, ast.Dict) and all(isinstance(v, ast.Constant) for v in part.values)
        for part in args
    )


def _of_series(kind: Kind, name: str, words: Words) -> Kind:
    if name == "reset_index":
        if "drop" in words:
            return kind
        return FRAME if kind != NAMELESS or "name" in words else WIDE
    known = {
        **dict.fromkeys(("tolist", "to_list"), LIST),
        **dict.fromkeys(("groupby", "rolling", "expanding", "resample"), Kind("column")),
        **dict.fromkeys(("to_numpy", "items", "unique", "plot", "apply"), UNKNOWN),
        "to_dict": PLAIN,
        "to_frame": INDEXED,
        "unstack": WIDE,
    }
    return known.get(name, NUMBER if name in _TO_NUMBER else kind)
