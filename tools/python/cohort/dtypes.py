"""The thirteen dtypes, their NumPy counterparts, and NumPy's promotion table.

`bf16` exists only where the package `ml_dtypes` is installed; without it every use is refused.
"""

from __future__ import annotations

import numpy as np

from .errors import GraphError

try:
    from ml_dtypes import bfloat16 as _bfloat16
except ImportError:  # bf16 is refused by `numpy_dtype`
    _bfloat16 = None

NUMPY = {
    "bool": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
if _bfloat16 is not None:
    NUMPY["bf16"] = np.dtype(_bfloat16)

NAMES = {dtype: name for name, dtype in NUMPY.items()}

FLOATS = ("f16", "bf16", "f32", "f64")
_FLOAT_TYPES = frozenset(NUMPY[name] for name in FLOATS if name in NUMPY)
NARROW_FLOATS = frozenset(NUMPY[name] for name in ("f16", "bf16") if name in NUMPY)
BFLOAT16 = NUMPY.get("bf16")

BOOL, I64, U64, F32, F64 = (NUMPY[name] for name in ("bool", "i64", "u64", "f32", "f64"))


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy dtype called `name` in graph files."""
    if name == "bf16" and _bfloat16 is None:
        raise GraphError("dtype `bf16` needs the package `ml_dtypes`")
    try:
        return NUMPY[name]
    except KeyError:
        raise GraphError(f"unknown dtype `{name}`") from None


def dtype_name(dtype: np.typing.DTypeLike | str) -> str:
    """The name graph files use for a NumPy dtype (or for a name of ours, which is checked)."""
    if isinstance(dtype, str) and (dtype in NUMPY or dtype == "bf16"):
        return NAMES[numpy_dtype(dtype)]
    try:
        found = np.dtype(dtype).newbyteorder("=")
        return NAMES[found]
    except (KeyError, TypeError):
        raise GraphError(f"dtype `{dtype}` has no counterpart in a graph") from None


def is_float(dtype: np.dtype) -> bool:
    """Whether `dtype` is one of the four floating-point types."""
    return dtype in _FLOAT_TYPES


def is_integer(dtype: np.dtype) -> bool:
    """Whether `dtype` is one of the eight integer types (bool is none of them)."""
    return dtype.kind in "iu"


def promote(*dtypes: np.dtype) -> np.dtype:
    """NumPy's promotion; `f16` with `bf16` is `f32`, and `bf16` with integers follows `f16`'s row."""
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = _promote_pair(result, dtype)
    return result


def _promote_pair(a: np.dtype, b: np.dtype) -> np.dtype:
    if a == b:
        return a
    if BFLOAT16 is None or BFLOAT16 not in (a, b):  # `dtype == None` would ask whether it is float64
        return np.promote_types(a, b)
    other = b if a == BFLOAT16 else a
    if other == NUMPY["f16"]:
        return F32
    if is_float(other):
        return other
    mixed = np.promote_types(NUMPY["f16"], other)
    return BFLOAT16 if mixed == NUMPY["f16"] else mixed
