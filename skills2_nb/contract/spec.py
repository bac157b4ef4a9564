"""A step as its author declared it, with its types."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, PydanticUserError, TypeAdapter, ValidationError, create_model

from skills2_nb.contract import invariants as inv
from skills2_nb.contract.canonical import decode, plain
from skills2_nb.contract.errors import (
    DefinitionError,
    InputError,
    JournalError,
    OutputError,
    told,
)
from skills2_nb.contract.flat import ATOMS, flat, flat_reader, is_scalar
from skills2_nb.contract.table import Table, is_reference, kept


@dataclass(frozen=True)
class Parameter:
    """One parameter of a step: its name, type and default."""

    name: str
    annotation: Any
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is inspect.Parameter.empty

    @functools.cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Pydantic's reading of the annotation, made once."""
        return _adapter(self.annotation, f"parameter {self.name!r}")

    @functools.cached_property
    def bare(self) -> Any:
        """The annotation without ``Annotated`` and ``Optional``."""
        kind = self.annotation
        while True:
            inner = [item for item in get_args(kind) if item is not type(None)]
            if get_origin(kind) is Annotated or (
                get_origin(kind) in (Union, UnionType) and len(inner) == 1
            ):
                kind = inner[0]
            else:
                return kind

    @property
    def is_model(self) -> bool:
        """Whether a whole result can be this parameter: a model, a dataclass or a table."""
        kind = self.bare
        return isinstance(kind, type) and (
            issubclass(kind, (BaseModel, Table)) or hasattr(kind, "__dataclass_fields__")
        )

    def fits(self, value: Any) -> bool:
        """Whether a decoded plain value passes strict validation."""
        if is_reference(value):
            return isinstance(self.bare, type) and issubclass(self.bare, Table)
        try:
            self.adapter.validate_python(value, strict=True)
        except ValidationError:
            return value is not None and self._fits_as_json(value)
        except Exception:  # of the author's own validator
            return False
        return True

    def _fits_as_json(self, value: Any) -> bool:
        """Dates, sets and enums are text and lists in a record."""
        try:
            self.adapter.validate_json(json.dumps(value), strict=True)
        except Exception:
            return False
        return True


@dataclass(frozen=True, eq=False)
class StepSpec:
    """A step as its author declared it.

    Attributes:
        order: the number given, else None (its place among the steps holds).
        position: the place of its definition, kept when a cell is run again.
        requires: ids it stands on; None where the author gave none (then: all of lower order).
        report: output fields that the final answer must carry.
        stub: whether the body is generated and still to be written.
    """

    id: str
    fn: Callable[..., Any]
    order: float | None = None
    position: int = 0
    requires: tuple[str, ...] | None = None
    invariant_refs: tuple[Any, ...] = ()
    input_ref: Any = None
    output_ref: Any = None
    required: bool = True
    when: Any = None
    effects: tuple[str, ...] = ()
    bind: Mapping[str, str] = field(default_factory=dict)
    report: tuple[str, ...] = ()
    summary: str = ""
    stub: bool = False

    @property
    def is_async(self) -> bool:
        """Whether the step is a coroutine function."""
        return inspect.iscoroutinefunction(self.fn)

    @functools.cached_property
    def invariants(self) -> tuple[inv.Invariant, ...]:
        """The invariants, names resolved in the step's module."""
        return tuple(inv.invariant(self.named(item)) for item in self.invariant_refs)

    @functools.cached_property
    def reads_run(self) -> bool:
        """Whether an invariant looks at the run."""
        return any("run" in item.parameters for item in self.invariants)

    @functools.cached_property
    def guard(self) -> inv.Invariant | None:
        """The guard of ``when``, looked at like an invariant."""
        return inv.invariant(self.named(self.when)) if self.when is not None else None

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order, with their types."""
        hints = self._hints
        schema = self.named(self.input_ref)
        fields = getattr(schema, "model_fields", {})
        return tuple(
            Parameter(p.name, _annotation(p.name, hints, fields), p.default)
            for p in inspect.signature(self.fn).parameters.values()
        )

    @functools.cached_property
    def parameter_names(self) -> frozenset[str]:
        """The parameters' names."""
        return frozenset(p.name for p in self.parameters)

    @functools.cached_property
    def output_type(self) -> Any:
        """``output_schema``, else the return annotation, else Any."""
        if self.output_ref is not None:
            return self.named(self.output_ref)
        return self._hints.get("return", Any)

    @property
    def output_name(self) -> str | None:
        """The output model's name, else None."""
        return self.output_type.__name__ if isinstance(self.output_type, type) else None

    @functools.cached_property
    def output_adapter(self) -> TypeAdapter[Any]:
        """Pydantic's reading of the output type, made once."""
        return _adapter(self.output_type, f"the result of {self.id!r}")

    @functools.cached_property
    def _output_reader(self) -> Callable[..., Any]:
        return self.output_adapter.validator.validate_python

    @property
    def substantive(self) -> bool:
        """Whether the output schema requires something and the body is no stub."""
        if self.stub or self.output_type in (Any, None, type(None), object):
            return False
        schema = self.output_json_schema()
        return schema.get("type") != "object" or bool(schema.get("required"))

    def named(self, item: Any) -> Any:
        """A function or model given by itself or by name (``"runtime.models:Flows"`` too).

        Raises:
            DefinitionError: the step's module has no such name.
        """
        if not isinstance(item, str):
            return item
        name = item.rpartition(":")[2].rpartition(".")[2]
        found = self.fn.__globals__.get(name)
        if found is None:
            raise DefinitionError(
                f"step {self.id!r} names {item!r}, and there is no {name!r} beside it"
            )
        return found

    def input_json_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments as one object, definitions inlined where they can be."""
        fields: dict[str, Any] = {
            f"p{at}": (p.annotation, Field(... if p.required else p.default, alias=p.name))
            for at, p in enumerate(self.parameters)  # a model refuses some names, a function none
        }
        model = create_model(f"{self.id}_input", **fields)
        return inlined(model.model_json_schema())

    def output_json_schema(self) -> dict[str, Any]:
        """JSON Schema of the result, definitions inlined where they can be; one for all askers."""
        return self._output_schema

    def validate(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the parameters' types.

        Raises:
            InputError: ``invalid``, with the first fault of each argument.
        """
        made: dict[str, Any] = {}
        faults: dict[str, str] = {}
        for parameter in self.parameters:
            if parameter.name in given:
                try:
                    made[parameter.name] = _read(parameter.adapter, given[parameter.name])
                except Exception as error:
                    faults[parameter.name] = _fault(error)
            elif not parameter.required:
                made[parameter.name] = parameter.default
        if faults:
            raise InputError(
                f"{self.id}: " + "; ".join(f"{name}: {fault}" for name, fault in faults.items()),
                step=self.id,
                values={name: recordable(given[name]) for name in faults},
            )
        return self._whole(made)

    def validate_output(self, result: Any) -> Any:
        """The result as the output type; a model instance is looked at again, field by field.

        Raises:
            OutputError: the schema refuses it.
        """
        try:
            if isinstance(result, BaseModel) and type(result) is self.output_type:
                again = {**result.__dict__, **(result.__pydantic_extra__ or {})}
                return self._output_reader(again, by_alias=False, by_name=True)
            return self._output_reader(result)
        except Exception as error:
            raise OutputError(
                f"{self.id} returned what its schema refuses: {_fault(error)}",
                step=self.id,
                values={"output": recordable(result)},
            ) from None

    def restore(self, args: Mapping[str, Any], output: Any) -> tuple[dict[str, Any], Any]:
        """Recorded plain arguments and result as the typed values they were."""
        return self.validate({name: decode(item) for name, item in args.items()}), (
            self.restored_output(output)
        )

    def restored_output(self, output: Any) -> Any:
        """A recorded plain result as the typed value it was."""
        return _read(self.output_adapter, decode(output))

    def plain_args(
        self, args: Mapping[str, Any], lost: list[JournalError] | None = None
    ) -> dict[str, Any]:
        """Validated arguments as plain values; tables are stored.

        Args:
            lost: takes in why a table could not be stored; left out, that is raised.
        """
        made = flat(args) if self._flat_args and args.keys() == self.parameter_names else None
        if made is not None:
            return made
        with kept(lost):
            return {
                p.name: _dumped(p.adapter, args[p.name]) for p in self.parameters if p.name in args
            }

    def plain_output(self, output: Any, lost: list[JournalError] | None = None) -> Any:
        """A validated result as a plain value; tables are stored, as in :meth:`plain_args`."""
        made = self._flat_output(output)
        if made is not None:
            return made
        with kept(lost):
            return _dumped(self.output_adapter, output)

    @functools.cached_property
    def _output_schema(self) -> dict[str, Any]:
        return inlined(self.output_adapter.json_schema(mode="serialization"))

    @functools.cached_property
    def _flat_args(self) -> bool:
        return all(is_scalar(p.adapter.core_schema) for p in self.parameters)

    @functools.cached_property
    def _flat_output(self) -> Callable[[Any], dict[str, Any] | None]:
        return flat_reader(self.output_type, self.output_adapter.core_schema)

    @functools.cached_property
    def _hints(self) -> dict[str, Any]:
        try:
            return get_type_hints(self.fn, include_extras=True)
        except NameError as error:
            raise DefinitionError(
                f"step {self.id!r} has an annotation that nothing defines: {error}"
            ) from None

    def _whole(self, made: dict[str, Any]) -> dict[str, Any]:
        """Ask the input schema's own validators, which may look at several arguments."""
        schema = self.named(self.input_ref)
        if schema is None:
            return made
        try:
            schema.model_validate(made)
        except Exception as error:
            raise InputError(f"{self.id}: {_fault(error)}", step=self.id) from None
        return made


def _dumped(adapter: TypeAdapter[Any], value: Any) -> Any:
    if type(value) in ATOMS:
        return plain(value)
    return plain(adapter.serializer.to_python(value, warnings=False))


def _read(adapter: TypeAdapter[Any], value: Any) -> Any:
    """A value as the adapter's type; for a strict type it may be as JSON has it.

    Raises:
        ValidationError: it is neither.
    """
    try:
        return adapter.validator.validate_python(value)
    except ValidationError as error:
        try:
            return adapter.validate_json(json.dumps(value))
        except (ValueError, TypeError, RecursionError):
            raise error from None


def _fault(error: Exception) -> str:
    """Why a value was refused, be it by the type or by an author's validator that broke."""
    if isinstance(error, ValidationError):
        return first_fault(error)
    return f"its own check raised {told(error)}"


def first_fault(error: ValidationError) -> str:
    """The first fault of a validation in one line, and how many more there are."""
    faults = error.errors(include_url=False, include_context=False)
    place = ".".join(str(part) for part in faults[0]["loc"])
    text = faults[0]["msg"].removeprefix("Value error, ")
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {text}{more}" if place else f"{text}{more}"


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema without ``$defs``; a recursive one keeps them."""
    definitions = schema.get("$defs", {})

    def walk(node: Any, within: frozenset[str]) -> Any:
        if isinstance(node, list):
            return [walk(item, within) for item in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions:
            if name in within:
                raise RecursionError(name)
            rest = {key: item for key, item in node.items() if key != "$ref"}
            return walk({**definitions[name], **rest}, within | {name})
        return {key: walk(item, within) for key, item in node.items() if key != "$defs"}

    try:
        return cast("dict[str, Any]", walk(schema, frozenset()))
    except RecursionError:
        return schema


def _annotation(name: str, hints: Mapping[str, Any], fields: Mapping[str, Any]) -> Any:
    if name in hints:
        return hints[name]
    return fields[name].annotation if name in fields else Any


def _adapter(annotation: Any, what: str) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(annotation)
    except PydanticUserError as error:
        fault = str(error).split("\n", 1)[0]
        raise DefinitionError(f"{what} has a type that cannot be checked: {fault}") from None


def recordable(value: Any) -> Any:
    """A value for an error's facts: plain where it can be, else its bounded text."""
    try:
        made = plain(value)
        return made if len(json.dumps(made)) <= 2_000 else inv.shown.repr(value)
    except (TypeError, ValueError):
        return inv.shown.repr(value)
