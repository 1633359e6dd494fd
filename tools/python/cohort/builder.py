"""Building graphs in Python and writing them as graph files.

    m = Module("toy")
    x = m.state("x", np.array([1.0, 2.0]))
    y = m.state("y", np.array([3.0, 4.0]))
    with m.function("f") as f:
        f.update(x, x * 2.0)
        f.update(y, x + y)
    m.save("toy.json")

Operators live in `cohort.ops` and are methods of `Value` too. Nodes go into the function their operands
belong to; where all operands are states, constants or literals they go into the function that is open
(`with`, or the newest).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from . import safetensors
from .data import Scalar, as_literal, converted, encode_array, encode_literal
from .dtypes import dtype_name
from .errors import GraphError
from .types import Dim, Type, make_type, parse_dim, parse_type
from .user_functions import placed
from .values import Value

FORMAT = "cohort-ir"
VERSION = "1.0"
_PACKAGE = os.path.dirname(os.path.abspath(__file__))

Operand = Value | Scalar


class Function:
    """One function of a module: inputs, nodes in order, outputs, updates. Made by `Module.function`."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.inputs: dict[str, Type] = {}
        self.nodes: list[dict[str, Any]] = []
        self.outputs: dict[str, Any] = {}
        self.updates: dict[str, Any] = {}
        self._names: set[str] = set()
        self._outer: Function | None = None

    def __enter__(self) -> Function:
        self._outer, self.module._open = self.module._open, self
        return self

    def __exit__(self, *exception: object) -> None:
        self.module._open = self._outer

    def input(self, name: str, dtype: str | Type, shape: Sequence[int | str | Dim] | None = None) -> Value:
        """A new input; its type is either one text (`"f64[batch,3]"`) or a dtype and a shape."""
        if self._is_taken(name):
            raise GraphError(f"function `{self.name}`: the name `{name}` is taken")
        type_ = (
            make_type(dtype, shape)
            if shape is not None and not isinstance(dtype, Type)
            else parse_type(dtype)
        )
        self.module._check_dims(type_)
        self._names.add(name)
        self.inputs[name] = type_
        return Value(self.module, name, self, type_)

    def output(self, name: str, value: Operand) -> None:
        """Adds the result `name`."""
        if name in self.outputs:
            raise GraphError(f"function `{self.name}`: two outputs are called `{name}`")
        self.outputs[name] = self._operand(value)

    def update(self, state: Value, value: Operand) -> None:
        """The state variable's value after the call; all updates of a call commit together."""
        if state.module is not self.module or state.name not in self.module.states:
            raise GraphError(f"`{state.name}` is no state variable of module `{self.module.name}`")
        if state.name in self.updates:
            raise GraphError(f"function `{self.name}`: state `{state.name}` is updated twice")
        self.updates[state.name] = self._operand(value)

    def node(
        self,
        op: str,
        inputs: Sequence[Operand],
        attrs: Mapping[str, Any] | None = None,
        results: int = 1,
        name: str | None = None,
        loc: str | None = None,
        regions: Mapping[str, Function | str] | None = None,
        types: Sequence[Type | str | None] = (),
    ) -> tuple[Value, ...]:
        """Appends a node and returns its results; attributes whose value is None are left out.
        `regions` are the functions it takes: names of the module's, or what `Module.body` made.
        Numbers and arrays among the inputs are converted to `types`, where one is given (of a `str` the
        dtype only)."""
        names = [self._unique(name or op) for _ in range(results)]
        node: dict[str, Any] = {"name": names[0]} if results == 1 else {"names": names}
        node["op"] = op
        if inputs:
            wanted = [*types, *[None] * (len(inputs) - len(types))]
            node["inputs"] = [self._operand(*pair) for pair in zip(inputs, wanted)]
        given = {key: _attribute(value) for key, value in (attrs or {}).items() if value is not None}
        if given:
            node["attrs"] = dict(sorted(given.items()))
        for key, region in (regions or {}).items():
            node[key] = self.module._region(region)
        loc = loc or (_caller() if self.module.locations else None)
        if loc:
            node["loc"] = loc
        if self.module.wanted_device:
            node["device"] = self.module.wanted_device
        self.nodes.append(node)
        return tuple(Value(self.module, result, self) for result in names)

    def to_json(self) -> dict[str, Any]:
        """The function as the graph file's `function` object."""
        parts = {
            "inputs": {name: str(type_) for name, type_ in self.inputs.items()},
            "nodes": self.nodes,
            "outputs": self.outputs,
            "updates": self.updates,
        }
        return {key: value for key, value in parts.items() if value}

    def _operand(self, value: Operand, type_: Type | str | None = None) -> Any:
        if isinstance(value, Value):
            if value.module is not self.module or value.function not in (None, self):
                raise GraphError(f"`{value.name}` does not belong to function `{self.name}`")
            return value.name
        if type_ is not None:
            return self.module.constant(None, converted(value, type_)).name
        literal = as_literal(value)
        if literal is None:
            constant = self.module.constant(None, np.asarray(value))
            return constant.name
        return encode_literal(literal)

    def _is_taken(self, name: str) -> bool:
        return name in self._names or name in self.module._names

    def _unique(self, name: str) -> str:
        found = _first_free(name, self._is_taken, self.module._counters)
        self._names.add(found)
        return found


class Module:
    """A graph under construction: dims, constants, state variables and functions."""

    def __init__(self, name: str, locations: bool = False) -> None:
        """With `locations`, nodes record the Python source line that made them."""
        self.name = name
        self.locations = locations
        self.dims: dict[str, tuple[int, int]] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.states: dict[str, np.ndarray] = {}
        self.unsettable: set[str] = set()  # names of states that `set` refuses
        self.wanted_device: str | None = None  # see `device`
        self.state_devices: dict[str, str] = {}
        self.functions: dict[str, Function] = {}
        self.extras: dict[str, Any] = {}
        self.has_files = False  # whether nodes name headers or libraries (`user_functions.py`)
        self._names: set[str] = set()
        self._counters: dict[str, int] = {}
        self._open: Function | None = None
        self._bodies: list[Function] = []

    def dim(self, name: str, low: int, high: int) -> Dim:
        """A named dimension with its bounds, both included."""
        if name in self.dims:
            raise GraphError(f"dim `{name}` is declared twice")
        if not 0 <= low <= high:
            raise GraphError(f"dim `{name}`: bounds {low}..{high} are no range")
        self.dims[name] = (int(low), int(high))
        return parse_dim(name)

    @contextlib.contextmanager
    def device(self, name: str) -> Iterator[None]:
        """Nodes and state made inside of `with module.device("gpu"):` are wanted there ("cpu", "gpu") in a
        module for a GPU."""
        if name not in ("cpu", "gpu"):
            raise GraphError(f"`{name}` is no device: `cpu`, `gpu`")
        outer, self.wanted_device = self.wanted_device, name
        try:
            yield
        finally:
            self.wanted_device = outer

    def constant(self, name: str | None, value: Any, dtype: str | None = None) -> Value:
        """A constant; its name gets a suffix where it is taken."""
        array = _frozen(value, dtype)
        name = self._unique("constant" if name is None else name)
        self.constants[name] = array
        return Value(self, name, None, Type.of(array))

    def state(self, name: str, init: Any, dtype: str | None = None, settable: bool = True) -> Value:
        """A state variable with its initial value; its name gets a suffix where it is taken. One that is not
        settable changes only by calls, `reset` and `load`: those that always hold the same value are
        computed once."""
        array = _frozen(init, dtype)
        name = self._unique(name)
        self.states[name] = array
        if not settable:
            self.unsettable.add(name)
        if self.wanted_device:
            self.state_devices[name] = self.wanted_device
        return Value(self, name, None, Type.of(array))

    def function(self, name: str) -> Function:
        """A new function, which becomes the open one."""
        if name in self.functions:
            raise GraphError(f"two functions are called `{name}`")
        self.functions[name] = self._open = Function(self, name)
        return self._open

    def body(self, name: str) -> Function:
        """A function for a node to take (`regions`): no entry point; it reads its inputs and constants."""
        body = Function(self, name)
        self._bodies.append(body)
        return body

    def _region(self, function: Function | str) -> Any:
        """How a node names a function: entry points by name, bodies as they are."""
        if isinstance(function, str):
            return function
        if function.module is not self:
            raise GraphError(
                f"function `{function.name}` belongs to module `{function.module.name}`, not to `{self.name}`"
            )
        return function.name if function in self.functions.values() else function.to_json()

    def annotate(self, key: str, value: Any) -> None:
        """Adds a top-level `x-` entry of the user's own."""
        if not key.startswith("x-"):
            raise GraphError(f"annotation `{key}` must begin with `x-`")
        self.extras[key] = value

    def to_json(self) -> dict[str, Any]:
        """The module as one JSON object with all data inline."""
        return self._document({})

    def save(self, path: str | os.PathLike[str], inline_limit: int = 64) -> Path:
        """Writes the graph; arrays of more than `inline_limit` elements go to a `.safetensors` file beside
        it."""
        path = Path(path)
        arrays = {**self.constants, **self.states}
        large = {name: array for name, array in arrays.items() if array.size > inline_limit}
        external: dict[str, dict[str, str]] = {}
        if large:
            weights = path.with_suffix(".safetensors")
            keys = {name: safetensors.key_of(name) for name in large}
            content = safetensors.write(weights, {keys[name]: array for name, array in large.items()})
            digest = hashlib.sha256(content).hexdigest()
            external = {name: {"file": weights.name, "key": keys[name], "sha256": digest} for name in large}
        document = self._document(external)
        if self.has_files:
            folder = os.path.realpath(path.parent)
            document["functions"] = {
                name: placed(function, folder) for name, function in document["functions"].items()
            }
        path.write_text(_dump(document), encoding="utf-8")
        return path

    def _document(self, external: Mapping[str, dict[str, str]]) -> dict[str, Any]:
        constants, states = {}, {}
        for name, array in self.constants.items():
            where = external.get(name) or {"data": encode_array(array)}
            constants[name] = {"type": str(Type.of(array)), **where}
        for name, array in self.states.items():
            where = external.get(name, encode_array(array))
            states[name] = {"type": str(Type.of(array)), "init": where}
            if name in self.unsettable:
                states[name]["settable"] = False
            if name in self.state_devices:
                states[name]["device"] = self.state_devices[name]
        dims = {name: {"min": low, "max": high} for name, (low, high) in self.dims.items()}
        document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": self.name, **self.extras}
        for key, part in (("dims", dims), ("constants", constants), ("state", states)):
            if part:
                document[key] = part
        document["functions"] = {name: function.to_json() for name, function in self.functions.items()}
        return document

    def _unique(self, name: str) -> str:
        found = _first_free(name, self._is_taken, self._counters)
        self._names.add(found)
        return found

    def _is_taken(self, name: str) -> bool:
        if name in self._names or any(name in function._names for function in self.functions.values()):
            return True
        return any(name in body._names for body in self._bodies)

    def _check_dims(self, type_: Type) -> None:
        for dim in type_.shape:
            if dim.name is not None and dim.name not in self.dims:
                raise GraphError(f"unknown dim `{dim.name}`")


def _first_free(name: str, is_taken, counters: dict[str, int]) -> str:
    """`name`, or `name_2`, `name_3`, ...: the first that is free; `counters` keeps the search short."""
    if not is_taken(name):
        return name
    number = counters.get(name, 1)
    while True:
        number += 1
        candidate = f"{name}_{number}"
        if not is_taken(candidate):
            counters[name] = number
            return candidate


def _frozen(value: Any, dtype: str | None) -> np.ndarray:
    given = np.asarray(value)
    array = np.array(
        converted(given if dtype is None else value, dtype_name(given.dtype if dtype is None else dtype))
    )
    array.setflags(write=False)
    return array


def _attribute(value: Any) -> Any:
    """An attribute as JSON: NumPy scalars become Python's, tuples become lists, dims become text."""
    if isinstance(value, (list, tuple, range)):
        return [_attribute(entry) for entry in value]
    if isinstance(value, Dim):
        return value.offset if value.name is None else str(value)
    if isinstance(value, str) or value is None:
        return value
    literal = as_literal(value)
    if literal is None:
        raise GraphError(f"`{value!r}` is no attribute")
    encoded = encode_literal(literal)
    return encoded["lit"] if isinstance(encoded, dict) else encoded


def _caller() -> str | None:
    """`file:line:1` of the innermost frame outside this package; the file without its folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)).startswith(
        _PACKAGE
    ):
        frame = frame.f_back
    return None if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}:1"


_encode = json.JSONEncoder(ensure_ascii=False).encode
_EXPANDED = {"dims": 1, "constants": 1, "state": 1, "functions": 3}


def _dump(document: dict[str, Any]) -> str:
    """JSON with one line for each dim, constant, state variable, input, node, output and update."""
    lines = ["{"]
    for key, value in document.items():
        _dump_into(lines, value, _EXPANDED.get(key, 0), 1, _encode(key) + ": ")
    lines[-1] = lines[-1][:-1]
    return "\n".join(lines) + "\n}\n"


def _dump_into(lines: list[str], value: Any, expand: int, depth: int, prefix: str) -> None:
    """Appends `prefix` and `value`, spread over lines to `expand` levels, and a comma."""
    indent = "  " * depth
    if expand == 0 or not value:
        lines.append(f"{indent}{prefix}{_encode(value)},")
        return
    is_object = isinstance(value, dict)
    lines.append(indent + prefix + ("{" if is_object else "["))
    for key, entry in value.items() if is_object else ((None, entry) for entry in value):
        name = "" if key is None else _encode(key) + ": "
        _dump_into(lines, entry, expand - 1, depth + 1, name)
    lines[-1] = lines[-1][:-1]
    lines.append(indent + ("}," if is_object else "],"))
