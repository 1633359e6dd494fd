"""Types as graph files write them: `f32[4,8]`, `f64[batch,3]`, `bool[]`, `f32[2*batch+1]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .dtypes import dtype_name, numpy_dtype
from .errors import EvaluationError, GraphError


@dataclass(frozen=True)
class Dim:
    """An extent `scale * name + offset`; a constant extent has no name."""

    name: str | None
    scale: int
    offset: int

    def __str__(self) -> str:
        if self.name is None:
            return str(self.offset)
        scale = f"{self.scale}*" if self.scale != 1 else ""
        offset = f"{self.offset:+d}" if self.offset else ""
        return f"{scale}{self.name}{offset}"

    def value(self, dims: Mapping[str, int]) -> int:
        """The extent where the named dims have the values `dims`."""
        if self.name is None:
            return self.offset
        if self.name not in dims:
            raise GraphError(f"unknown dim `{self.name}`")
        return self.scale * dims[self.name] + self.offset

    def solve(self, extent: int) -> int | None:
        """The value of the named dim that makes this dimension `extent`, if there is one."""
        count, rest = divmod(extent - self.offset, self.scale)
        return count if rest == 0 else None


@dataclass(frozen=True)
class Type:
    """A dtype and a shape."""

    dtype: str
    shape: tuple[Dim, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def numpy_dtype(self) -> np.dtype:
        return numpy_dtype(self.dtype)

    @property
    def is_constant(self) -> bool:
        """Whether no named dim occurs in the shape."""
        return all(dim.name is None for dim in self.shape)

    def extents(self, dims: Mapping[str, int] | None = None) -> tuple[int, ...]:
        """The shape where the named dims have the values `dims`."""
        return tuple(dim.value(dims or {}) for dim in self.shape)

    @staticmethod
    def of(array: np.ndarray) -> Type:
        """The type of a NumPy array."""
        return Type(dtype_name(array.dtype), tuple(Dim(None, 0, n) for n in array.shape))


_TYPE = re.compile(r"\s*(\w+)\s*\[(.*)\]\s*", re.DOTALL)
_SCALED = re.compile(r"(?:(\d+)\s*\*\s*)?([^\s*+\-\[\],\d][^\s*+\-\[\],]*)(?:\s*([+-])\s*(\d+))?")


def parse_dim(dim: int | str | Dim) -> Dim:
    """A dimension from an integer or from its text form."""
    if isinstance(dim, Dim):
        return dim
    if isinstance(dim, (int, np.integer)) and not isinstance(dim, bool):
        return Dim(None, 0, int(dim))
    text = str(dim).strip()
    if re.fullmatch(r"-?\d+", text):
        return Dim(None, 0, int(text))
    match = _SCALED.fullmatch(text)
    if match is None:
        raise GraphError(f"`{dim}` is no dimension")
    scale, name, sign, offset = match.groups()
    return Dim(name, int(scale or 1), int((sign or "+") + (offset or "0")))


def parse_type(text: str | Type) -> Type:
    """A type from its text form."""
    if isinstance(text, Type):
        return text
    match = _TYPE.fullmatch(text)
    if match is None:
        raise GraphError(f"`{text}` is no type")
    dtype, shape = match.groups()
    numpy_dtype(dtype)
    parts = shape.split(",") if shape.strip() else []
    return Type(dtype, tuple(parse_dim(part) for part in parts))


def make_type(dtype: str | np.typing.DTypeLike, shape: Sequence[int | str | Dim] = ()) -> Type:
    """A type from a dtype and a shape whose entries are integers or dims."""
    return Type(dtype_name(dtype), tuple(parse_dim(dim) for dim in shape))


def bind_dims(
    known: dict[str, int],
    declared: Mapping[str, tuple[int, int]],
    name: str,
    type_: Type,
    shape: tuple[int, ...],
) -> None:
    """Checks the shape of argument `name` against its type and adds the dims it determines to `known`."""
    if len(shape) != len(type_.shape):
        raise EvaluationError(f"argument `{name}`: expected {type_}, got rank {len(shape)}")
    for axis, (dim, extent) in enumerate(zip(type_.shape, shape)):
        if dim.name is not None and dim.name not in known:
            count = dim.solve(extent)
            low, high = declared.get(dim.name, (0, -1))
            if count is None or not low <= count <= high:
                raise EvaluationError(
                    f"argument `{name}`, axis {axis}: extent {extent} does not fit `{dim}`"
                    f" with `{dim.name}` in {low}..{high}"
                )
            known[dim.name] = count
        elif dim.value(known) != extent:
            raise EvaluationError(
                f"argument `{name}`, axis {axis}: expected {dim} = {dim.value(known)}, got {extent}"
            )
