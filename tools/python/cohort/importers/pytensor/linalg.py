"""Products and linear algebra, with batch axes in front where Blockwise adds them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from pytensor.tensor import blas
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.math import Dot

from . import decompositions
from .arrays import Array

if TYPE_CHECKING:
    from .convert import Conversion

# An operator without batch axes of its own is written once for each member of a batch up to this size.
_LARGEST_UNROLLED = 64


def product(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """Dot, Dot22, BatchedDot and Blockwise products: NumPy's `matmul`."""
    dtype = node.outputs[0].type.dtype
    a, b = (to.emit.cast(array, dtype) for array in arrays)
    if 0 in (a.rank, b.rank):
        return [to.emit.elementwise("mul", [a, b], dtype)]
    return [to.emit.matmul(a, b)]


def scaled_product(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    a, b, factor = arrays
    return [_scaled(to, to.emit.matmul(a, b), factor)]


def gemm(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """`beta * z + alpha * (x @ y)`; the operands of Gemm and of Gemv."""
    z, alpha, x, y, beta = arrays
    scaled = _scaled(to, to.emit.matmul(x, y), alpha)
    if beta.filler == 0:
        return [scaled]
    return [to.emit.elementwise("add", [_scaled(to, z, beta), scaled], z.dtype)]


def _scaled(to: Conversion, value: Array, factor: Array) -> Array:
    return value if factor.filler == 1 else to.emit.elementwise("mul", [value, factor], value.dtype)


def ger(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """`a + alpha * outer(x, y)`."""
    a, alpha, x, y = arrays
    outer = to.emit.node("outer", [x, y], a.shape, a.dtype)
    return [to.emit.elementwise("add", [a, _scaled(to, outer, alpha)], a.dtype)]


def blockwise(to: Conversion, node: Any, arrays: list[Array]) -> list[Array]:
    """The core operator on whole batches if it knows batches, else on each member."""
    core, convert = node.op.core_op, to.conversion_of(node.op.core_op)
    if convert in BATCHED:
        return convert(to, node, arrays)
    ranks = [len(signature) for signature in node.op.inputs_sig]
    batches = [array.shape[: array.rank - rank] for array, rank in zip(arrays, ranks)]
    batch = np.broadcast_shapes(*batches)
    members = math.prod(batch)
    if members > _LARGEST_UNROLLED:
        to.refuse(f"Blockwise {type(core).__name__} over a batch of {members}")
    inner_node = node.op._create_dummy_core_node(node.inputs)
    results = []
    for member in np.ndindex(*batch):
        operands = [_member(to, array, rank, member) for array, rank in zip(arrays, ranks)]
        results.append(to.apply(inner_node, operands))
    return [_stacked(to, batch, list(members)) for members in zip(*results)]


def _member(to: Conversion, array: Array, rank: int, member: tuple[int, ...]) -> Array:
    """One member of a batch, which may have fewer axes than `member` or extents of 1."""
    lead = array.rank - rank
    for position, extent in zip(member[len(member) - lead :], array.shape[:lead]):
        position = position if extent > 1 else 0
        shape = (1, *array.shape[1:])
        part = array
        if array.known is not None:
            part = Array.of(array.known[position : position + 1])
        elif extent > 1:
            bounds = {"axes": [0], "starts": [position], "stops": [position + 1]}
            part = to.emit.node("slice", [array], shape, array.dtype, **bounds)
        array = to.emit.squeeze(part, [0])
    return array


def _stacked(to: Conversion, batch: tuple[int, ...], members: list[Any]) -> Any:
    if any(not isinstance(member, Array) for member in members):
        return members[0]
    parts = [to.emit.expand(member, [0]) for member in members]
    return to.emit.reshape(to.emit.concat(parts), (*batch, *members[0].shape))


BATCHED = {product, *decompositions.BATCHED}

OPERATORS = {
    Dot: product,
    blas.Dot22: product,
    blas.BatchedDot: product,
    blas.Dot22Scalar: scaled_product,
    blas.Gemm: gemm,
    blas.Gemv: gemm,
    blas.Ger: ger,
    Blockwise: blockwise,
}
