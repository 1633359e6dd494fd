"""`Value`: what builder calls take and give, with Python's operators.

`cohort.ops` adds every graph operator as a method (`x.tanh()`, `x.reduce_sum(axes=[0])`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import GraphError

if TYPE_CHECKING:
    from .builder import Function, Module
    from .types import Type


class Value:
    """An input, state variable, constant or node result. `type` is known for all but node results."""

    __array_ufunc__ = None  # NumPy arrays leave `array + value` to this class

    def __init__(
        self, module: Module, name: str, function: Function | None, type: Type | None = None
    ) -> None:
        self.module = module
        self.name = name
        self.function = function
        self.type = type

    if TYPE_CHECKING:  # the operators that `cohort.ops` installs

        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self) -> str:
        return f"<Value {self.name!r}{f' : {self.type}' if self.type else ''}>"

    @property
    def shape(self) -> tuple[int | str, ...]:
        """The shape of an input, state variable or constant; that of a node is known to the compiler only."""
        if self.type is None:
            raise GraphError(f"the shape of `{self.name}` is known to the compiler only")
        return tuple(dim.offset if dim.name is None else str(dim) for dim in self.type.shape)

    def __bool__(self) -> bool:
        raise GraphError(f"`{self.name}` has no value while the graph is built; use `where`")

    def __iter__(self) -> Any:
        raise GraphError(f"`{self.name}` cannot be iterated while the graph is built; use `split`")

    def __getitem__(self, key: Any) -> Value:
        """Static indexing with integers and slices on the leading axes."""
        key = key if isinstance(key, tuple) else (key,)
        starts, stops, steps, dropped = [], [], [], []
        for axis, entry in enumerate(key):
            if isinstance(entry, slice):
                bounds = (entry.start, entry.stop, entry.step)
            elif isinstance(entry, int):
                bounds = (entry, entry + 1 if entry != -1 else None, None)
                dropped.append(axis)
            else:
                raise GraphError(
                    f"index `{entry!r}` is neither an integer nor a slice; use `take` or `gather`"
                )
            starts.append(bounds[0])
            stops.append(bounds[1])
            steps.append(1 if bounds[2] is None else bounds[2])
        from . import ops

        part = ops.slice(self, axes=list(range(len(key))), starts=starts, stops=stops, steps=steps)
        return ops.squeeze(part, axes=dropped) if dropped else part


def _binary(name: str):
    def forward(self: Value, other: Any) -> Value:
        from . import ops

        return getattr(ops, name)(self, other)

    def backward(self: Value, other: Any) -> Value:
        from . import ops

        return getattr(ops, name)(other, self)

    return forward, backward


_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "true_div",
    "floordiv": "floor_div",
    "mod": "mod",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bit_and",
    "or": "bit_or",
    "xor": "bit_xor",
    "lshift": "shift_left",
    "rshift": "shift_right",
}
for _python, _graph in _OPERATORS.items():
    _forward, _backward = _binary(_graph)
    setattr(Value, f"__{_python}__", _forward)
    setattr(Value, f"__r{_python}__", _backward)
for _python in ("lt", "le", "gt", "ge"):
    setattr(Value, f"__{_python}__", _binary(_python)[0])


def _unary(name: str):
    def apply(self: Value) -> Value:
        from . import ops

        return getattr(ops, name)(self)

    return apply


for _python, _graph in {"neg": "neg", "abs": "abs", "invert": "bit_not"}.items():
    setattr(Value, f"__{_python}__", _unary(_graph))


def function_of(operands: Sequence[Any], function: Function | None) -> Function:
    """The function a node goes into: the one asked for, the operands', or the open one of their module."""
    values = [operand for operand in operands if isinstance(operand, Value)]
    owners = [value.function for value in values if value.function is not None]
    if function is not None or owners:
        return function or owners[0]
    if not values:
        raise GraphError("no operand belongs to a module; say `function=`")
    if values[0].module._open is None:
        raise GraphError(f"module `{values[0].module.name}` has no open function")
    return values[0].module._open
