"""One simulator step while it is written down: what the operators' functions work on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from nengo.builder import Model, Signal

from ...builder import Function
from ...errors import GraphError
from ...values import Value
from .arrays import Array, Emitter
from .memory import Memory


class Step:
    """The step's function, memory, tables and options."""

    def __init__(
        self,
        model: Model,
        emit: Emitter,
        names: dict[Signal, str],
        objects: dict[Any, str],
        n_steps: int | None,
        functions: Mapping[Any, Callable[..., Any]],
    ) -> None:
        self.model = model
        self.emit = emit
        self.memory = Memory(emit)
        self.names = names
        self.objects = objects
        self.dt = float(model.dt)
        self.inputs_of: dict[Signal, Array] = {}
        self.rngs: dict[Any, Callable[[], np.random.RandomState]] = {}
        self.extra: list[tuple[Value, Array]] = []
        self._n_steps = n_steps
        self._functions = functions
        self._number: Array | None = None
        self._row: Array | None = None
        self._state_spaces: dict[int, Any] = {}
        self._users: dict[Signal, list[Any]] | None = None

    def enter(self, function: Function, values: Mapping[Signal, Array | None], number: Array | None) -> None:
        """Begins another function, in which bases hold `values` and this step's number is `number`."""
        self.emit.enter(function)
        self.memory = Memory(self.emit)
        for base, value in values.items():
            self.memory.define(base, value)
        self.extra = []
        self._number, self._row = number, None

    def warn(self, message: str) -> None:
        warnings.warn(message, stacklevel=2)

    def number(self) -> Array:
        """The number of this step, counted from 1, before or after `TimeUpdate` ran."""
        if self._number is None:
            before = Value(self.emit.module, self.names[self.model.step], None)
            self._number = Array(self.emit, before, ()) + 1
        return self._number

    def time(self, op: Any) -> Array:
        return self.memory.read(op.t)

    def table_steps(self, what: str) -> int:
        """How many rows a table needs; `what` asks for it."""
        if self._n_steps is None:
            raise GraphError(f"{what} must be tabulated; say for how many steps with `n_steps`")
        return self._n_steps

    def table_row(self, rows: np.ndarray, name: str) -> Array:
        """This step's row of a table with `n_steps` rows; a step beyond it is an error of the call."""
        if self._row is None:
            message = f"the model's noise and functions of time are tabulated for {self._n_steps} steps"
            number = self.number()
            self._row = self.asserted(number, number <= int(self._n_steps or 0), message) - 1
        emit = self.emit
        rows = rows.astype({"f32": np.float32, "f64": np.float64}[emit.dtype])
        table = Array(emit, emit.module.constant(f"{emit.scope}.{name}", rows), rows.shape)
        return emit.take(table, self._row)

    def asserted(self, array: Array, condition: Array, message: str) -> Array:
        """`array`, where `condition` holds everywhere."""
        return self.emit.node("assert", [array, condition], array.shape, message=message)

    def process_rng(self, op: Any) -> np.random.RandomState:
        """The random numbers Nengo's simulator gives this process."""
        return self.rngs[op]()

    def state_space(self, process: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The matrices of a linear filter; connections mostly share one filter."""
        if id(process) not in self._state_spaces:
            self._state_spaces[id(process)] = process._get_ss(self.dt)
        return self._state_spaces[id(process)]

    def extra_state(self, name: str, init: Any) -> tuple[Value, Array]:
        """A state variable that no signal holds; `extra` is to say what it holds after the step."""
        value = self.emit.module.state(f"{self.emit.scope}.{name}", init)
        return value, Array(self.emit, value, np.shape(init))

    def describe(self, op: Any) -> str:
        """The node or connection an operator belongs to, for messages."""
        return f"`{self.names[op.output.base]}`" if op.output is not None else "a node"

    def replacement(self, op: Any) -> Callable[..., Any] | None:
        """The user's function for a `SimPyFunc`: by function, by node or connection, or by its name."""
        if op.fn in self._functions:
            return self._functions[op.fn]
        for item in self._items_of(op.output):
            for key in (item, self.objects[item]):
                if key in self._functions:
                    return self._functions[key]
        return None

    def _items_of(self, signal: Signal) -> list[Any]:
        """The nodes and connections whose input or output is this signal."""
        if self._users is None:
            self._users = {}
            for item, signals in self.model.sig.items():
                if item in self.objects:
                    for end in (signals.get("out"), signals.get("in")):
                        if end is not None:
                            self._users.setdefault(end, []).append(item)
        return self._users.get(signal, [])

    def called(self, function: Callable[..., Any], operands: Sequence[Array], output: Signal) -> Array:
        """A replacement's result; it gets and gives builder values."""
        result = function(*(self.emit.solid(operand).value for operand in operands))
        if not isinstance(result, Value):
            raise GraphError(f"the replacement for `{self.names[output.base]}` gives no builder value")
        (value,) = self.emit.function.node(
            "reshape", [result], {"shape": output.shape}, name=f"{self.emit.scope}.f"
        )
        return Array(self.emit, value, output.shape)
