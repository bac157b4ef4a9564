"""The code of a step to be: model, decorator, signature."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skills2_nb.convert.adopt_checks import Check
from skills2_nb.convert.adopt_kinds import Kind, bag
from skills2_nb.convert.adopt_units import called
from skills2_nb.convert.adopt_values import Found, Param
from skills2_nb.convert.names import annotation_names

_SAFE = bag(
    "int float str bool list dict tuple set None Any Optional Union Literal Path date "
    "datetime timedelta Decimal List Dict Tuple Sequence Mapping Iterable typing t"
)
#: Where a line of generated code is broken.
_WIDE = 92


@dataclass(frozen=True)
class Edit:
    """Text put in the place of other text: from and to are offsets."""

    begin: int
    end: int
    text: str


def step_code(
    step: Found, checks: Sequence[Check], models: Mapping[str, str], *, order: int | None, doc: str
) -> str:
    """The text of a step's cell.

    Args:
        models: the names of result models by step, that of ``step`` among them if it has one.
        order: the step's number, where numbers have to be written.
        doc: the docstring of a function that is made.
    """
    made = [check.code for check in checks]
    if step.id in models:
        made.insert(0, model_code(models[step.id], step.kind))
    mark = _decorator(step, checks, order)
    if step.function is None:
        made.append(f"{mark}\n{_made_function(step, models, doc)}")
    else:
        made.append(_marked(step, models, mark))
    return "\n\n\n".join(made)


def call_code(step: Found) -> str:
    """The call that stands where the statements of a made step stood."""
    passed = ", ".join(f"{p.name}={p.name}" for p in step.params if p.ref)
    call = f"{step.id}({passed})"
    names = [name for name, _ in step.outputs]
    if step.is_whole:
        return f"{names[0]} = {call}"
    if len(names) == 1:
        return f'{names[0]} = {call}["{names[0]}"]'
    return f"{', '.join(names)} = {call}.values()"


def model_code(name: str, kind: Kind) -> str:
    """A typed mapping of a result's fields."""
    lines = [f"    {field}: {part.annotation}" for field, part in kind.parts]
    return "\n".join([f"class {name}(TypedDict):", *lines])


def model_name(step: Found, taken: set[str]) -> str:
    """What the result's model of a step is called; empty where it has none."""
    if not step.fields or any(name.startswith("_") for name in step.fields):
        return ""
    base = "".join(word.capitalize() for word in step.id.split("_")) + "Result"
    made, count = base, 1
    while made in taken:
        count += 1
        made = f"{base}{count}"
    return made


def with_arguments(text: str, function: str, names: Sequence[str]) -> str:
    """A statement in which every call of a function passes these names as well."""
    edits = []
    for call in [c for node in ast.parse(text).body for c in called(node)]:
        if isinstance(call.func, ast.Name) and call.func.id == function:
            end = _offset(text, call.end_lineno or 1, call.end_col_offset or 0) - 1
            given = [*call.args, *(word.value for word in call.keywords)]
            ends = [_offset(text, g.end_lineno or 1, g.end_col_offset or 0) for g in given]
            tail = re.sub(r"#[^\n]*", "", text[max(ends, default=end) : end])
            comma = "" if not given else " " if "," in tail else ", "
            edits.append(Edit(end, end, comma + ", ".join(f"{name}={name}" for name in names)))
    return edited(text, edits)


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits made; those in one place follow each other as they were given."""
    in_order = sorted(edits, key=lambda edit: (edit.begin, edit.end))
    for edit in in_order[::-1]:
        text = text[: edit.begin] + edit.text + text[edit.end :]
    return text


def indented(text: str) -> str:
    """Code moved to the right; what lies within a text of several lines stays as it is."""
    kept: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            if isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes):
                continue
            kept |= set(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    lines = text.split("\n")
    return "\n".join(
        line if number in kept or not line.strip() else f"    {line}"
        for number, line in enumerate(lines, 1)
    )


def annotation(param: Param, models: Mapping[str, str]) -> str:
    """How a parameter is annotated, so that every call of the notebook is taken as it is."""
    whole, _, rest = param.ref.partition("#")
    if param.ref and not rest and whole in models and param.kind.name == "dict":
        return models[whole]
    kinds = dict.fromkeys((param.kind, *param.kinds))
    texts = list(dict.fromkeys(kind.annotation for kind in kinds))
    if len(texts) == 1:
        return texts[0]
    return "int | float" if set(texts) <= {"int", "float", "int | float"} else "Any"


def _made_function(step: Found, models: Mapping[str, str], doc: str) -> str:
    plain = [p for p in step.params if not p.constant]
    spare = [p for p in step.params if p.constant]
    given = [f"{p.name}: {annotation(p, models)}" for p in plain]
    given += [f"{p.name}: {annotation(p, models)} = {p.constant}" for p in spare]
    returns = models.get(step.id, step.kind.annotation)
    head = f"def {step.id}({', '.join(given)}) -> {returns}:"
    if len(head) > _WIDE:
        head = f"def {step.id}(\n" + "".join(f"    {g},\n" for g in given) + f") -> {returns}:"
    body = "\n".join(indented(unit.text.strip("\n")) for unit in step.units)
    names = [name for name, _ in step.outputs]
    pairs = ", ".join(f'"{name}": {name}' for name in names)
    result = names[0] if step.is_whole else f"{{{pairs}}}"
    if len(result) > _WIDE - 12:
        inner = "".join(f'        "{name}": {name},\n' for name in names)
        result = f"{{\n{inner}    }}"
    return f'{head}\n    """{doc}"""\n{body}\n    return {result}'


def _decorator(step: Found, checks: Sequence[Check], order: int | None) -> str:
    binds = {param.name: param.ref for param in step.params if param.ref}
    return marked(
        order, [check.name for check in checks], binds, [f'"{effect}"' for effect in step.effects]
    )


def marked(
    order: int | None,
    invariants: Sequence[str],
    bind: Mapping[str, str],
    effects: Sequence[str] = (),
    report: Sequence[str] = (),
) -> str:
    """``@step`` with its arguments, on as many lines as it takes."""
    words = [] if order is None else [f"order={order}"]
    lists = {
        "invariants=[]": list(invariants),
        "bind={}": [f'"{name}": "{ref}"' for name, ref in bind.items()],
        "effects=[]": list(effects),
        "report=[]": [f'"{name}"' for name in report],
    }
    words += [_enclosed(word[:-1], parts, word[-1]) for word, parts in lists.items() if parts]
    line = f"@step({', '.join(words)})" if words else "@step"
    if len(line) <= _WIDE and "\n" not in line:
        return line
    return "@step(\n" + "".join(f"    {word},\n" for word in words) + ")"


def _enclosed(opening: str, parts: Sequence[str], closing: str) -> str:
    """An argument of ``@step`` with its items, one a line where they are many."""
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) <= _WIDE - 6:
        return line
    return f"{opening}\n" + "".join(f"        {part},\n" for part in parts) + f"    {closing}"


def _marked(step: Found, models: Mapping[str, str], mark: str) -> str:
    """The function as it stands, with the decorator and what its signature lacks."""
    text = step.units[0].text.lstrip("\n")
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    known = {param.name: param for param in step.params}
    edits = []
    for part in (*node.args.args, *node.args.kwonlyargs):
        edits += _typed(part, known[part.arg], models, text)
    edits += _added(node, [p for p in step.params if p.added], models, text)
    edits += _returning(node, models.get(step.id, step.kind.annotation), step.kind, text)
    start = _offset(text, node.lineno, 0)
    return edited(text, [*edits, Edit(start, start, f"{mark}\n")])


def _typed(part: ast.arg, param: Param, models: Mapping[str, str], text: str) -> list[Edit]:
    wanted = annotation(param, models)
    if part.annotation is not None:
        if _stays(part.annotation, param, wanted):
            return []
        begin = _offset(text, part.annotation.lineno, part.annotation.col_offset)
        end = _offset(text, part.annotation.end_lineno or 1, part.annotation.end_col_offset or 0)
        return [Edit(begin, end, wanted)]
    at = _offset(text, part.end_lineno or 1, part.end_col_offset or 0)
    spare = re.match(r"[ \t]*=[ \t]*", text[at:])
    if spare:
        return [Edit(at, at + spare.end(), f": {wanted} = ")]
    return [Edit(at, at, f": {wanted}")]


def _stays(node: ast.expr, param: Param, wanted: str) -> bool:
    """Whether the author's own annotation takes every value as it is."""
    said = ast.unparse(node)
    if said == wanted:
        return True
    if not annotation_names(node) <= _SAFE:
        return False
    names = {kind.name for kind in (param.kind, *param.kinds)}
    if said in ("int", "float", "str", "bool"):
        return names <= {said} or (said == "str" and names <= {"str", "plain"})
    return wanted != "Table"


def _added(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    params: Sequence[Param],
    models: Mapping[str, str],
    text: str,
) -> list[Edit]:
    """New parameters, by name alone where they have no default."""
    if not params:
        return []
    given = [
        f"{p.name}: {annotation(p, models)}" + (f" = {p.constant}" if p.constant else "")
        for p in sorted(params, key=lambda p: bool(p.constant))
    ]
    bare = any(not p.constant for p in params)
    if bare and not node.args.kwonlyargs:
        given.insert(0, "*")
    end = _closing(text, node)
    before = re.sub(r"#[^\n]*$", "", text[:end]).rstrip()
    comma = "" if before.endswith("(") else " " if before.endswith(",") else ", "
    return [Edit(end, end, comma + ", ".join(given))]


def _returning(
    node: ast.FunctionDef | ast.AsyncFunctionDef, wanted: str, kind: Kind, text: str
) -> list[Edit]:
    if node.returns is None:
        at = _closing(text, node) + 1
        return [Edit(at, at, f" -> {wanted}")]
    said = ast.unparse(node.returns)
    is_same = said == wanted or (
        not wanted.endswith("Result")
        and kind.name in ("list", "dict", "tuple")
        and annotation_names(node.returns) <= _SAFE
    )
    if is_same:
        return []
    begin = _offset(text, node.returns.lineno, node.returns.col_offset)
    end = _offset(text, node.returns.end_lineno or 1, node.returns.end_col_offset or 0)
    return [Edit(begin, end, wanted)]


def _closing(text: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Where the bracket that closes a function's parameters stands."""
    depth = 0
    seen = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.start[0] < node.lineno or token.type != tokenize.OP:
            continue
        depth += (token.string in "([{") - (token.string in ")]}")
        seen = seen or token.string == "("
        if seen and depth == 0:
            return _place(text, token.start[0]) + token.start[1]
    raise ValueError("a function has a closing bracket")


def _place(text: str, line: int) -> int:
    """Where a line begins."""
    at = 0
    for _ in range(line - 1):
        at = text.index("\n", at) + 1
    return at


def _offset(text: str, line: int, column: int) -> int:
    """Where the compiler's line and column, which counts UTF-8 bytes, lie in the text."""
    start = _place(text, line)
    end = text.find("\n", start)
    whole = text[start : len(text) if end < 0 else end]
    return start + len(whole.encode("utf-8")[:column].decode("utf-8", "ignore"))
