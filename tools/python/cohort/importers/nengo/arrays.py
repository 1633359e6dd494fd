"""Arrays of known shape while a step is written down.

An `Array` is a graph value, or a literal that stands for an array filled with it. Arithmetic emits nodes;
shapes follow NumPy's broadcasting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...builder import Function, Module
from ...evaluator.scalar import prepare
from ...values import Value

Shape = tuple[int, ...]


class Array:
    """A value and its shape; `value` may be a Python scalar that fills the shape."""

    __array_ufunc__ = None

    def __init__(self, emit: Emitter, value: Value | float | int | bool, shape: Shape) -> None:
        self.emit = emit
        self.value = value
        self.shape = shape

    @property
    def is_literal(self) -> bool:
        return not isinstance(self.value, Value)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __add__(self, other: Operand) -> Array:
        return self.emit.elementwise("add", self, other)

    def __radd__(self, other: Operand) -> Array:
        return self.emit.elementwise("add", other, self)

    def __sub__(self, other: Operand) -> Array:
        return self.emit.elementwise("sub", self, other)

    def __rsub__(self, other: Operand) -> Array:
        return self.emit.elementwise("sub", other, self)

    def __mul__(self, other: Operand) -> Array:
        return self.emit.elementwise("mul", self, other)

    def __rmul__(self, other: Operand) -> Array:
        return self.emit.elementwise("mul", other, self)

    def __truediv__(self, other: Operand) -> Array:
        return self.emit.elementwise("true_div", self, other)

    def __rtruediv__(self, other: Operand) -> Array:
        return self.emit.elementwise("true_div", other, self)

    def __mod__(self, other: Operand) -> Array:
        return self.emit.elementwise("mod", self, other)

    def __neg__(self) -> Array:
        return self.emit.elementwise("neg", self)

    def __gt__(self, other: Operand) -> Array:
        return self.emit.elementwise("gt", self, other)

    def __ge__(self, other: Operand) -> Array:
        return self.emit.elementwise("ge", self, other)

    def __lt__(self, other: Operand) -> Array:
        return self.emit.elementwise("lt", self, other)

    def __le__(self, other: Operand) -> Array:
        return self.emit.elementwise("le", self, other)


Operand = Array | float | int


class Emitter:
    """Writes nodes into one function. `scope` is the prefix of node names."""

    def __init__(self, module: Module, function: Function, dtype: str) -> None:
        self.module = module
        self.function = function
        self.dtype = dtype
        self.scope = ""
        self._constants: dict[tuple[bytes, Shape, str], Array] = {}
        self._filled: dict[tuple[str, bytes, Shape], Array] = {}

    def enter(self, function: Function) -> None:
        """Writes into another function from here on."""
        self.function = function
        self._filled.clear()

    def node(self, op: str, operands: Sequence[Any], shape: Shape, /, **attrs: Any) -> Array:
        """A node with one result of the given shape."""
        values = [operand.value if isinstance(operand, Array) else operand for operand in operands]
        (value,) = self.function.node(op, values, attrs, name=f"{self.scope}.{op}" if self.scope else op)
        return Array(self, value, shape)

    def elementwise(self, op: str, *operands: Operand) -> Array:
        """A scalar operator with broadcasting."""
        arrays = [operand for operand in operands if isinstance(operand, Array)]
        if all(array.is_literal for array in arrays):
            return self._folded(op, operands)
        shape = common_shape([array.shape for array in arrays])
        actual = common_shape([() if array.is_literal else array.shape for array in arrays])
        result = self.node(op, operands, actual)
        return self.broadcast(result, shape)

    def _folded(self, op: str, operands: Sequence[Operand]) -> Array:
        """The value of an operator of literals, in f64 as literals have it."""
        values = [operand.value if isinstance(operand, Array) else operand for operand in operands]
        shapes = [operand.shape for operand in operands if isinstance(operand, Array)]
        with np.errstate(all="ignore"):
            value = np.asarray(prepare(op)(*values)).item()
        return Array(self, value, np.broadcast_shapes(*shapes))

    def where(self, condition: Operand, a: Operand, b: Operand) -> Array:
        """`where`; two float literals make the module's float type, not f64."""
        chosen = self.elementwise("where", condition, a, b)
        values = [x.value if isinstance(x, Array) else x for x in (a, b)]
        is_open = all(isinstance(value, (int, float)) for value in values) and float in map(type, values)
        return self.cast(chosen, self.dtype) if is_open and self.dtype != "f64" else chosen

    def constant(self, array: np.ndarray, name: str) -> Array:
        """A constant; one element becomes a literal, equal constants are stored once."""
        array = np.asarray(array)
        if array.dtype.kind == "f":
            array = array.astype({"f32": np.float32, "f64": np.float64}[self.dtype])
        if array.size == 1 and np.isfinite(array).all():
            return Array(self, array.reshape(()).item(), array.shape)
        key = (array.tobytes(), array.shape, array.dtype.str)
        if key not in self._constants:
            self._constants[key] = Array(self, self.module.constant(name, array), array.shape)
        return self._constants[key]

    def solid(self, array: Array) -> Array:
        """The array as a graph value of its whole shape."""
        if not array.is_literal:
            return array
        value = np.asarray(array.value)
        key = (value.dtype.str, value.tobytes(), array.shape)
        if key not in self._filled:
            scope, self.scope = self.scope, ""  # it belongs to whoever needs the same
            filled = self.node("full", [array], array.shape, shape=array.shape)
            # A float literal beside nothing is f64.
            is_open = isinstance(array.value, float) and self.dtype != "f64"
            self._filled[key] = self.cast(filled, self.dtype) if is_open else filled
            self.scope = scope
        return self._filled[key]

    def broadcast(self, array: Array, shape: Shape) -> Array:
        if array.shape == shape:
            return array
        if array.is_literal:
            return Array(self, array.value, shape)
        return self.node("broadcast", [array], shape, shape=shape)

    def fit(self, array: Array, shape: Shape) -> Array:
        """The array as NumPy's assignment to a target of `shape` takes it."""
        if array.shape == shape:
            return array
        if array.size == math.prod(shape):
            return self.reshape(array, shape)
        while len(array.shape) > len(shape) and array.shape[0] == 1:
            array = self.reshape(array, array.shape[1:])
        return self.broadcast(array, shape)

    def reshape(self, array: Array, shape: Shape) -> Array:
        if array.shape == shape:
            return array
        if array.is_literal:
            return Array(self, array.value, shape)
        return self.node("reshape", [array], shape, shape=shape)

    def slice(self, array: Array, keys: Sequence[slice]) -> Array:
        """`array[keys]` with one slice for each axis."""
        ranges = [range(*key.indices(extent)) for key, extent in zip(keys, array.shape)]
        shape = tuple(map(len, ranges))
        if shape == array.shape and all(entry.step == 1 for entry in ranges):
            return array
        if array.is_literal:
            return Array(self, array.value, shape)
        return self.node("slice", [array], shape, **slice_attributes(keys, array.shape))

    def concat(self, arrays: Sequence[Array]) -> Array:
        """Vectors end to end."""
        arrays = [self.solid(array) for array in arrays]
        return arrays[0] if len(arrays) == 1 else self.node("concat", arrays, (sum(a.size for a in arrays),))

    def take(self, array: Array, index: Array | np.ndarray) -> Array:
        """`array[index]` on the first axis; a NumPy index becomes a constant."""
        if isinstance(index, np.ndarray):
            index = self.index(index)
        return self.node("take", [self.solid(array), index], index.shape + array.shape[1:])

    def index(self, index: np.ndarray) -> Array:
        """A constant array of indices, never a literal."""
        index = np.asarray(index, dtype=np.int64)
        key = (index.tobytes(), index.shape, "index")
        if key not in self._constants:
            value = self.module.constant(self._name("index"), index)
            self._constants[key] = Array(self, value, index.shape)
        return self._constants[key]

    def scatter_add(self, array: Array, values: Array, index: np.ndarray) -> Array:
        """`array` with `np.add.at(array, index, values)`."""
        return self.node("scatter_add", [self.solid(array), values, self.index(index)], array.shape)

    def matmul(self, a: Array, b: Array) -> Array:
        shape = (*a.shape[:-1], *(b.shape[:-2] if len(b.shape) > 2 else ()), *b.shape[-1:])
        if len(b.shape) == 1:
            shape = a.shape[:-1]
        elif len(a.shape) > 2:
            shape = (*a.shape[:-1], b.shape[-1])
        return self.node("matmul", [self.solid(a), self.solid(b)], shape)

    def outer(self, a: Array, b: Array) -> Array:
        return self.node("outer", [self.solid(a), self.solid(b)], (a.size, b.size))

    def sum_rows(self, array: Array) -> Array:
        """The sum over the first axis."""
        return self.node("reduce_sum", [self.solid(array)], array.shape[1:], axes=[0])

    def call(self, op: str, array: Array) -> Array:
        """A scalar operator of one operand."""
        return self.elementwise(op, array)

    def cast(self, array: Array, dtype: str) -> Array:
        return self.node("cast", [array], array.shape, dtype=dtype)

    def _name(self, op: str) -> str:
        return f"{self.scope}.{op}" if self.scope else op


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """What the shapes broadcast to."""
    distinct = set(shapes)
    if len(distinct) > 1:
        distinct.discard(())
    return distinct.pop() if len(distinct) == 1 else np.broadcast_shapes(*distinct)


def slice_attributes(keys: Sequence[slice], shape: Shape) -> dict[str, Any]:
    """The attributes of `slice` and its kin for Python slices; axes taken whole are left out."""
    ranges = [range(*key.indices(extent)) for key, extent in zip(keys, shape)]
    chosen = [axis for axis, entry in enumerate(ranges) if entry != range(shape[axis])]
    attrs: dict[str, Any] = {
        "axes": chosen,
        "starts": [ranges[axis].start for axis in chosen],
        "stops": [None if ranges[axis].stop < 0 else ranges[axis].stop for axis in chosen],
    }
    if any(ranges[axis].step != 1 for axis in chosen):
        attrs["steps"] = [ranges[axis].step for axis in chosen]
    return attrs
