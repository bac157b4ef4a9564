"""Binding, against a model of its rules, and by names and values made to confuse it."""

import datetime as dt
import enum
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from skills2_nb.contract.errors import GuardError, InputError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Runtime, Skill
from skills2_nb.contract.state import resolve
from skills2_nb.contract.step import step

from .conftest import collected

NAMES = ("a", "b", "c")
#: What a field may hold, and which of the parameter types take it, strictly.
KINDS: dict[str, Any] = {
    "int": int,
    "text": str,
    "none or int": Optional[int],  # noqa: UP045 - both spellings
    "int or text": int | str,
    "one of two": Literal["x", "y"],
    "numbers": list[int],
    "anything": Any,
}
TAKES = {
    "int": lambda v: type(v) is int,
    "text": lambda v: type(v) is str,
    "none or int": lambda v: v is None or type(v) is int,
    "int or text": lambda v: type(v) in (int, str),
    "one of two": lambda v: v in ("x", "y") if isinstance(v, str) else False,
    "numbers": lambda v: isinstance(v, list) and all(type(i) is int for i in v),
    "anything": lambda v: True,
}
CELLS = st.sampled_from([None, 1, 2, "x", "y", "z", [1], [1, 2], []])
FIELDS = st.dictionaries(st.sampled_from(NAMES), CELLS, max_size=3)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    sources = draw(st.lists(FIELDS, max_size=4))
    parameters = draw(
        st.dictionaries(
            st.sampled_from(NAMES),
            st.tuples(st.sampled_from(list(KINDS)), st.booleans()),
            min_size=1,
        )
    )
    places = [f"s{at}#/{name}" for at, cells in enumerate(sources) for name in cells]
    some = st.dictionaries(st.sampled_from(list(parameters)), st.sampled_from(places), max_size=2)
    return {
        "sources": sources,
        "off": draw(st.sets(st.sampled_from(range(4)), max_size=1)),
        "parameters": parameters,
        "inputs": draw(FIELDS),
        "bind": draw(some) if places else {},
        "refs": draw(some) if places else {},
        "args": draw(st.dictionaries(st.sampled_from(list(parameters)), CELLS, max_size=1)),
    }


def told(world: dict[str, Any], name: str) -> tuple[str, Any]:
    """What the contract's words give a parameter: ``(origin or kind of refusal, value)``."""
    kind, has_default = world["parameters"][name]
    takes = TAKES[kind]
    if name in world["refs"]:
        return world["refs"][name], pointed(world, world["refs"][name])
    if name in world["args"] and (world["args"][name] is not None or takes(None)):
        return "literal", world["args"][name]
    if name in world["bind"]:
        return world["bind"][name], pointed(world, world["bind"][name])
    offers = [
        (f"s{at}#/{name}", cells[name])
        for at, cells in enumerate(world["sources"])
        if at not in world["off"] and name in cells and takes(cells[name])
    ]
    if offers:
        if any(offer[1] != offers[0][1] for offer in offers):
            return "ambiguous", None
        return offers[0]
    if name in world["inputs"]:
        return f"inputs#/{name}", world["inputs"][name]
    return ("default", "given") if has_default else ("missing", None)


def pointed(world: dict[str, Any], reference: str) -> Any:
    source, _, name = reference.partition("#/")
    return world["sources"][int(source[1:])][name]


def run_of(world: dict[str, Any]) -> Run:
    functions = {}
    for at, cells in enumerate(world["sources"]):

        def give(cells: Any = cells) -> dict[str, Any]:
            return dict(cells)

        give.__name__ = f"s{at}"
        functions[give.__name__] = step(1 + at, required=False)(give)

    def end(**_: Any) -> dict[str, Any]:
        return {}

    lines = ", ".join(
        f"{name}: KINDS[{kind!r}]" + (" = 'given'" if default else "")
        for name, (kind, default) in sorted(world["parameters"].items(), key=lambda i: i[1][1])
    )
    names = ", ".join(f"{name!r}: {name}" for name in world["parameters"])
    space: dict[str, Any] = {"KINDS": KINDS, "Any": Any}
    exec(f"def end({lines}) -> dict[str, Any]:\n    return {{{names}}}", space)
    functions["end"] = step(9, bind=world["bind"])(space["end"])
    return Run.start(Skill.collect(functions, "trial", sequence=functions), world["inputs"])


@given(worlds())
def test_binding_agrees_with_the_words_of_the_contract(world: dict[str, Any]) -> None:
    run = run_of(world)
    world["off"] = {at for at in world["off"] if at < len(world["sources"])}
    for at in range(len(world["sources"])):
        if at not in world["off"]:
            run.call(f"s{at}")
    wanted = {name: told(world, name) for name in world["parameters"]}
    referred = {**world["bind"], **world["refs"]}
    gone = {f"s{at}" for at in world["off"]}
    try:
        run.call("end", world["args"], world["refs"])
    except InputError as error:
        both = set(world["args"]) & set(world["refs"])
        kinds = {kind for kind, _ in wanted.values()}
        assert error.kind in ("ambiguous", "missing", "reference", "invalid")
        if error.kind in ("ambiguous", "missing"):
            assert error.kind in kinds
        elif error.kind == "reference":
            assert both or any(place.partition("#")[0] in gone for place in referred.values())
        else:
            assert any(
                not TAKES[world["parameters"][name][0]](value)
                for name, (_, value) in wanted.items()
            )
        return
    finally:
        run.close()
    call = run.state.last["end"]
    for name, (origin, value) in wanted.items():
        assert call.bound[name]["from"] == origin
        assert call.args[name] == value
        assert run.state.last["end"].output[name] == value


@given(st.lists(st.sampled_from(["again", "echo", "read"]), max_size=6))
def test_no_stale_value_is_ever_bound(moves: list[str]) -> None:
    @step
    def source(turn: int) -> dict[str, int]:
        return {"value": turn}

    @step
    def echo(value: int) -> dict[str, int]:
        return {"echoed": value}

    @step(requires=["echo"])
    def read(echoed: int = -1) -> dict[str, int]:
        return {"seen": echoed}

    run = Run.start(collected([source, echo, read]))
    turn, echoed = 0, None
    for move in ["again", "echo", *moves]:
        if move == "again":
            turn += 1
            run.call("source", {"turn": turn // 2})
        elif move == "echo":
            run.call("echo")
            echoed = turn // 2
        else:
            fresh = echoed == turn // 2
            assert run.call("read")["seen"] == (echoed if fresh else -1)
            assert run.state.is_stale("echo") is not fresh
    run.close()


# --- names that mean something elsewhere --------------------------------------------------

AWKWARD = (
    *("inputs", "output", "run", "self", "cls", "args", "kwargs", "spec", "schema", "json"),
    *("copy", "dict", "model_config", "model_fields", "validate", "_private", "__dunder", "p0"),
    *("id", "type", "property", "kind", "values", "items", "keys", "caf\xe9"),
)


@pytest.mark.parametrize("name", AWKWARD)
def test_a_parameter_may_have_any_name(name: str) -> None:
    space: dict[str, Any] = {"Any": Any}
    exec(f"def give(n: int) -> dict[str, Any]:\n    return {{{name!r}: n}}", space)
    exec(f"def take({name}: int) -> dict[str, Any]:\n    return {{{name!r}: {name}}}", space)
    exec(f"def holds({name}):\n    return True", space)
    if name in ("inputs", "output", "run"):
        exec(f"def holds({name}):\n    return {name} is not None", space)
    give = step(space["give"])
    take = step(invariants=[space["holds"]])(space["take"])
    skill = collected([give, take])
    schema = skill.step("take").input_json_schema()
    assert schema["required"] == [name]
    assert schema["properties"][name]["type"] == "integer"
    assert take(5) == {name: 5}
    run = Run.start(skill, {"n": 3})
    run.call("give")
    assert run.call("take") == {name: 3}
    assert run.state.last["take"].bound[name]["from"] == f"give#/{name}"
    with run:
        assert take(4) == {name: 4}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", "whole"),
        ("/a~1b", 1),
        ("/m~0n", 2),
        ("/~01", 3),
        ("/~10", 4),
        ("/", 5),
        ("/list/0", 6),
        ("/list/1/x", 7),
        ("/0", 8),
        ("/tagged/$float", "not this one"),
    ],
)
def test_every_part_of_a_result_can_be_pointed_at(pointer: str, value: Any) -> None:
    whole = {
        "a/b": 1,
        "m~n": 2,
        "~1": 3,
        "/0": 4,
        "": 5,
        "list": [6, {"x": 7}],
        "0": 8,
        "tagged": {"$float": "not this one"},
    }

    @step
    def give(n: int) -> dict[str, Any]:
        return whole

    @step
    def take(part: Any) -> dict[str, Any]:
        return {"part": part}

    run = Run.start(collected([give, take]), {"n": 1})
    run.call("give")
    wanted = whole if value == "whole" else value
    assert run.call("take", refs={"part": f"give#{pointer}"}) == {"part": wanted}


@pytest.mark.parametrize(
    "pointer",
    [
        *("/list/2", "/list/-1", "/list/01", "/list/\u0660", "/list/-", "/list/" + "9" * 5_000),
        *("/n/$float", "/gone", "list", "/list/0/x", "/list/0.0", "/a~2"),
    ],
)
def test_nothing_stands_beside_a_result(pointer: str) -> None:
    with pytest.raises(KeyError):
        resolve({"list": [1, 2], "n": {"$float": "nan"}}, pointer)


# --- values that look like others -----------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"


class Inner(BaseModel):
    when: dt.date
    colour: Colour
    ratio: float


class Outer(BaseModel):
    inner: Inner
    many: list[Inner]
    maybe: Inner | None = None


@step
def make(ratio: float) -> Outer:
    inner = Inner(when=dt.date(2026, 1, 2), colour=Colour.RED, ratio=ratio)
    return Outer(inner=inner, many=[inner, inner])


@step
def take_model(
    outer: Annotated[Outer, Field(description="all")],
    inner: Annotated[Inner, Field()] | None,
    many: list[Inner],
) -> dict[str, Any]:
    return {"same": outer.inner == inner == many[1], "day": inner.when if inner else None}


@pytest.mark.parametrize("ratio", [0.5, float("inf")])
def test_nested_models_bind_whole_and_by_field(ratio: float) -> None:
    run = Run.start(collected([make, take_model]), {"ratio": ratio})
    run.call("make")
    again = Run.resume(run.skill, run.id)
    assert again.call("take_model") == {"same": True, "day": dt.date(2026, 1, 2)}
    bound = again.state.last["take_model"].bound
    assert {name: origin["from"] for name, origin in bound.items()} == {
        "outer": "make#",
        "inner": "make#/inner",
        "many": "make#/many",
    }


@step
def secret(n: int) -> dict[str, Any]:
    return {"token": "hush", "rows": [{"token": "hush", "n": n}], "n": n}


@step
def wants(token: Any = "none", rows: list[Any] | None = None) -> dict[str, Any]:
    return {"token": token}


@pytest.mark.parametrize(
    ("args", "refs"),
    [
        ({}, {}),
        ({"token": "x"}, {}),
        ({"rows": None}, {"token": "secret#/rows/0/token"}),
        ({"rows": None}, {"token": "secret#/rows"}),
        ({"rows": None}, {"token": "secret#"}),
        ({"rows": None}, {"token": "inputs#/token"}),
    ],
)
def test_what_was_not_kept_is_never_taken_for_a_value(args: Any, refs: Any) -> None:
    skill = collected([secret, wants], runtime=Runtime(redact=("token",)))
    run = Run.start(skill, {"n": 1, "token": "hush too"})
    run.call("secret")
    again = Run.resume(skill, run.id)
    with pytest.raises(InputError, match="kept only as a digest") as caught:
        again.call("wants", args, refs)
    assert caught.value.kind == "missing"
    assert run.call("wants", {"rows": None}) == {"token": "hush"}
    assert b"hush" not in run.path.read_bytes()


def test_an_input_that_was_not_kept_is_never_taken_for_a_value() -> None:
    @step
    def only(token: Any) -> int:
        return len(token)

    skill = collected([only], runtime=Runtime(redact=("token",)))
    run = Run.start(skill, {"token": "hush"})
    with pytest.raises(InputError, match="kept only as a digest"):
        Run.resume(skill, run.id).call("only")
    assert run.call("only") == 4


def test_a_step_whose_guard_is_false_offers_nothing() -> None:
    @step
    def size(n: int) -> dict[str, int]:
        return {"size": n}

    @step(when=lambda run: run.outputs["size"]["size"] > 5)
    def big(size: int) -> dict[str, int]:
        return {"extra": size}

    @step
    def last(extra: int = 0) -> dict[str, int]:
        return {"extra": extra}

    run = Run.start(collected([size, big, last]), {"n": 9})
    run.call("size")
    run.call("big")
    run.call("size", {"n": 1})
    with pytest.raises(GuardError):
        run.call("big")
    assert run.call("last") == {"extra": 0}


@pytest.mark.parametrize("args", [{1: 2}, {None: 1, "x": 2}, {("a",): 1}])
def test_odd_argument_names_are_refused_in_words(args: Any) -> None:
    run = Run.start(collected([secret]))
    with pytest.raises(InputError, match="secret takes n, not"):
        run.call("secret", args)
    assert run.state.calls[-1].reason == "input"
