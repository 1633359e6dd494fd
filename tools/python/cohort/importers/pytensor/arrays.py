"""Arrays of known dtype and shape while a graph is written down.

An `Array` is a graph value, or elements that are known already: constants, shapes and what is computed from
them.
Known elements become literals or constants only where something else reads them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...builder import Function, Module
from ...dtypes import dtype_name
from ...values import Value

Shape = tuple[int, ...]


class Array:
    """A value with its shape and dtype; `known` holds the elements of what needs no node, `last` is its last
    row where that is a value of its own, `rows` says how many rows there are where a loop decides it: `shape`
    has the most there can be."""

    def __init__(
        self, shape: Sequence[int], dtype: Any, value: Value | None = None, known: np.ndarray | None = None
    ) -> None:
        self.shape: Shape = tuple(int(extent) for extent in shape)
        self.dtype = np.dtype(dtype)
        self.value = value
        self.known = known
        self.last: Array | None = None
        self.rows: Rows | None = None
        self._filled: bool | None = None

    @staticmethod
    def of(elements: Any, dtype: Any = None) -> Array:
        """Known elements."""
        known = np.asarray(elements, dtype=dtype)
        return Array(known.shape, known.dtype, known=known)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def filler(self) -> Any | None:
        """The element that fills a known array (equal bits everywhere), else None."""
        if self.known is None or self.size == 0:
            return None
        if self._filled is None:
            self._filled = self.size == 1 or all(stride == 0 for stride in self.known.strides)
            if not self._filled:
                raw = np.ascontiguousarray(self.known).reshape(-1).view(np.uint8).reshape(self.size, -1)
                self._filled = bool((raw == raw[0]).all())
        return self.known[(0,) * self.rank].item() if self._filled else None


@dataclass(frozen=True)
class Rows:
    """As many rows as a loop has taken steps, and `offset` more; none where that is less than none. A loop
    takes no step only where it may take none."""

    taken: Array
    offset: int

    def array(self, emit: Emitter) -> Array:
        if self.offset == 0:
            return self.taken
        count = emit.elementwise("add", [self.taken, Array.of(np.int64(self.offset))], np.int64)
        return count if self.offset > 0 else emit.elementwise("max", [count, Array.of(np.int64(0))], np.int64)

    def sure(self, most: int) -> int:
        """How many rows there are at least, of `most`."""
        return max(self.offset + (most > self.offset), 0)


class Emitter:
    """Writes nodes into one function. `label` names the nodes that are written."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.label: str | None = None
        self._constants: dict[tuple[Any, ...], Value] = {}
        self._filled: dict[tuple[Any, ...], Value] = {}

    def node(
        self, op: str, operands: Sequence[Any], shape: Sequence[int], dtype: Any, /, **attrs: Any
    ) -> Array:
        """A node with one result of the given shape and dtype; operands that are no arrays are literals."""
        return self.nodes(op, operands, [(shape, dtype)], **attrs)[0]

    def nodes(
        self,
        op: str,
        operands: Sequence[Any],
        types: Sequence[tuple[Sequence[int], Any]],
        /,
        regions: Any = None,
        **attrs: Any,
    ) -> list[Array]:
        """A node with one result for each shape and dtype."""
        values = [self.solid(item) if isinstance(item, Array) else item for item in operands]
        results = self.function.node(
            op, values, attrs, results=len(types), name=self.label or op, regions=regions
        )
        return [Array(shape, dtype, value) for (shape, dtype), value in zip(types, results)]

    def solid(self, array: Array) -> Value:
        """The array as a graph value of exactly its dtype and shape."""
        if array.value is not None:
            return array.value
        assert array.known is not None
        filler = array.filler if array.size > 1 else None
        if filler is None:
            return self._constant(array.known)
        key = (dtype_name(array.dtype), self._bits(array.known), array.shape)
        if key not in self._filled:
            scalar = self._constant(array.known[(0,) * array.rank])
            (value,) = self.function.node("full", [scalar], {"shape": array.shape}, name="filled")
            self._filled[key] = value
        return self._filled[key]

    @staticmethod
    def _bits(known: np.ndarray) -> bytes:
        return known[(0,) * known.ndim].tobytes()

    def _constant(self, known: Any) -> Value:
        known = np.asarray(known)
        key = (dtype_name(known.dtype), known.tobytes(), known.shape)
        if key not in self._constants:
            self._constants[key] = self.module.constant("constant", known)
        return self._constants[key]

    def elementwise(self, op: str, arrays: Sequence[Array], dtype: Any, result: Any = None) -> Array:
        """A scalar operator on operands converted to `dtype`, with NumPy's broadcasting; `result` is what the
        operator gives (default: the same)."""
        arrays = [self.cast(array, dtype) for array in arrays]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        whole = [array.shape for array in arrays if array.filler is None]
        operands: list[Any] = list(arrays)
        if whole and np.broadcast_shapes(*whole) == shape:
            operands = [array if array.filler is None else array.filler for array in arrays]
        return self.node(op, operands, shape, dtype if result is None else result)

    def where(self, condition: Array, a: Array, b: Array, dtype: Any) -> Array:
        """`where` with a condition of any dtype."""
        a, b = self.cast(a, dtype), self.cast(b, dtype)
        condition = self.truth(condition)
        shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
        operands: list[Any] = [condition, a, b]
        for index, other in ((1, b), (2, a)):
            filler = operands[index].filler
            if filler is not None and isinstance(operands[3 - index], Array):
                if np.broadcast_shapes(condition.shape, other.shape) == shape:
                    operands[index] = filler
        return self.node("where", operands, shape, dtype)

    def cast(self, array: Array, dtype: Any) -> Array:
        """The elements converted; to bool by asking whether they are unequal to 0."""
        dtype = np.dtype(dtype)
        if array.dtype == dtype:
            return array
        if array.known is not None:
            with np.errstate(all="ignore"):
                return self._known_cast(array, dtype)
        if dtype == np.bool_:
            return self.node("ne", [array, 0], array.shape, dtype)
        return self.node("cast", [array], array.shape, dtype, dtype=dtype_name(dtype))

    @staticmethod
    def _known_cast(array: Array, dtype: np.dtype) -> Array:
        assert array.known is not None
        if array.filler is not None:
            scalar = array.known[(0,) * array.rank].astype(dtype)
            return Array(array.shape, dtype, known=np.broadcast_to(scalar, array.shape))
        return Array(array.shape, dtype, known=array.known.astype(dtype))

    def truth(self, array: Array) -> Array:
        return self.cast(array, np.bool_)

    def broadcast(self, array: Array, shape: Sequence[int]) -> Array:
        shape = tuple(shape)
        if array.shape == shape:
            return array
        if array.known is not None:
            return Array(shape, array.dtype, known=np.broadcast_to(array.known, shape))
        return self.node("broadcast", [array], shape, array.dtype, shape=shape)

    def reshape(self, array: Array, shape: Sequence[int]) -> Array:
        shape = tuple(int(extent) for extent in shape)
        if array.shape == shape:
            return array
        if array.known is not None:
            if array.filler is not None:
                scalar = array.known[(0,) * array.rank]
                return Array(shape, array.dtype, known=np.broadcast_to(scalar, shape))
            return Array(shape, array.dtype, known=array.known.reshape(shape))
        return self.node("reshape", [array], shape, array.dtype, shape=shape)

    def transpose(self, array: Array, axes: Sequence[int]) -> Array:
        axes = [int(axis) for axis in axes]
        if axes == list(range(array.rank)):
            return array
        shape = tuple(array.shape[axis] for axis in axes)
        if array.known is not None:
            return Array(shape, array.dtype, known=array.known.transpose(axes))
        return self.node("transpose", [array], shape, array.dtype, axes=axes)

    def squeeze(self, array: Array, axes: Sequence[int]) -> Array:
        """Without the given axes, of extent 1."""
        if not axes:
            return array
        shape = tuple(extent for axis, extent in enumerate(array.shape) if axis not in axes)
        if array.known is not None:
            return self.reshape(array, shape)
        return self.node("squeeze", [array], shape, array.dtype, axes=list(axes))

    def expand(self, array: Array, axes: Sequence[int]) -> Array:
        """With axes of extent 1 at the given positions of the result."""
        if not axes:
            return array
        extents = iter(array.shape)
        rank = array.rank + len(axes)
        shape = tuple(1 if axis in axes else next(extents) for axis in range(rank))
        if array.known is not None:
            return self.reshape(array, shape)
        return self.node("expand", [array], shape, array.dtype, axes=list(axes))

    def concat(self, arrays: Sequence[Array], axis: int = 0) -> Array:
        if len(arrays) == 1:
            return arrays[0]
        shape = list(arrays[0].shape)
        shape[axis] = sum(array.shape[axis] for array in arrays)
        return self.node("concat", list(arrays), shape, arrays[0].dtype, axis=axis)

    def reduce(self, op: str, array: Array, axes: Sequence[int], dtype: Any = None) -> Array:
        """A reduction over the given axes, which vanish."""
        shape = tuple(extent for axis, extent in enumerate(array.shape) if axis not in axes)
        return self.node(op, [array], shape, array.dtype if dtype is None else dtype, axes=list(axes))

    def matmul(self, a: Array, b: Array, **flags: bool) -> Array:
        """NumPy's `matmul` of operands of one dtype."""
        rows = a.shape[:-2] + a.shape[-2:][::-1] if flags.get("transpose_a") else a.shape
        columns = b.shape[:-2] + b.shape[-2:][::-1] if flags.get("transpose_b") else b.shape
        batch = np.broadcast_shapes(rows[:-2], columns[:-2])
        shape = (*batch, *rows[-2:-1], *(columns[-1:] if b.rank > 1 else ()))
        return self.node("matmul", [a, b], shape, a.dtype, **{key: True for key, on in flags.items() if on})


def fresh_input(function: Function, base: str, dtype: Any, shape: Sequence[int]) -> Array:
    """A new input of a function, called `base` or, where that is taken, `base_2` and so on."""
    name, number = base, 1
    while function._is_taken(name):
        number += 1
        name = f"{base}_{number}"
    return Array(shape, dtype, function.input(name, dtype, shape))
