"""Numbers in graph files: arrays to nested lists and back, literals, exact floats as strings."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from .dtypes import dtype_name, is_float, is_integer, numpy_dtype
from .errors import GraphError
from .types import Type

Scalar = bool | int | float


def encode_float(value: float) -> float | str:
    """A float as JSON takes it: the number itself, or `"nan"`, `"inf"`, `"-inf"`."""
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def encode_array(array: np.ndarray) -> Any:
    """Nested lists of the array's elements; a scalar for rank 0, or where all elements are equal bits."""
    if array.size > 1 and _is_uniform(array):
        return encode_array(array.reshape(-1)[0])
    if is_float(array.dtype):
        values = array.astype(np.float64).tolist()
        return _map_nested(encode_float, values)
    return array.tolist()


def _is_uniform(array: np.ndarray) -> bool:
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return bool((raw == raw[0]).all())


def _map_nested(function, values):
    if isinstance(values, list):
        return [_map_nested(function, value) for value in values]
    return function(values)


def decode_float(text: str) -> float:
    """The float a string stands for: `nan`, `inf`, `-inf` or hexadecimal."""
    if text in ("nan", "inf", "-inf"):
        return float(text)
    try:
        if "0x" in text.lower():
            return float.fromhex(text)
    except (ValueError, OverflowError):
        pass
    raise GraphError(f"`{text}` is no number")


def decode_array(data: Any, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """The array that JSON `data` describes; a scalar fills the whole shape."""
    values = _map_nested(lambda value: _decode_scalar(value, dtype), data)
    try:
        if is_float(dtype):
            array = np.array(values, dtype=np.float64).astype(dtype)
        else:
            array = np.array(values, dtype=dtype)
    except (ValueError, OverflowError) as error:
        raise GraphError(f"data does not fit: {error}") from None
    if not isinstance(data, list):
        return np.full(shape, array, dtype=dtype)
    if array.shape != shape:
        if array.size == 0 and math.prod(shape) == 0:
            return array.reshape(shape)
        raise GraphError(f"data has shape {list(array.shape)}, expected {list(shape)}")
    return array


def _decode_scalar(value: Any, dtype: np.dtype) -> Scalar:
    if isinstance(value, str):
        value = decode_float(value)
    if is_integer(dtype):
        if isinstance(value, bool) or value != int(value):
            raise GraphError(f"`{value}` is no integer")
        return int(value)
    if dtype.kind == "b":
        if not isinstance(value, bool):
            raise GraphError(f"`{value}` is no boolean")
        return value
    if isinstance(value, bool):
        raise GraphError("a boolean is no float")
    return float(value)


def exact(value: Any, wanted: np.dtype) -> np.ndarray:
    """Numbers in lists or arrays as an array of the dtype. What would lose anything but a float's last digits
    is refused with a ValueError that tells the first such element."""
    given = np.asarray(value)
    if given.dtype == wanted:
        return given
    is_array = isinstance(value, (np.ndarray, np.generic))
    # Of a list, floats may be integers that NumPy has rounded.
    is_unsure = given.dtype.kind == "f" and is_integer(wanted) and not is_array
    if is_unsure or not (given.dtype.kind in "biuf" or np.can_cast(given.dtype, np.float64)):
        given = np.asarray(value, dtype=object)
        kept = np.array([_is_exact(element, wanted) for element in given.flat], bool).reshape(given.shape)
        if kept.all():
            return (given.astype(np.float64) if is_float(wanted) else given).astype(wanted)
    else:
        with np.errstate(all="ignore"):
            array = given.astype(wanted)
            kept = _kept(given, array)
    if not kept.all():
        place = tuple(int(index) for index in np.argwhere(~kept)[0])
        element = given[place].item() if isinstance(given[place], np.generic) else given[place]
        raise ValueError(f"`{element!r}`{f' at {list(place)}' if place else ''} is no {dtype_name(wanted)}")
    return array


def _kept(given: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Where an array that was converted to another dtype still says the same."""
    from_float, to_float = (part.dtype.kind == "f" or is_float(part.dtype) for part in (given, array))
    if from_float and to_float:
        return np.isfinite(array) == np.isfinite(given)
    kept = (array.astype(given.dtype) == given) & ((array < 0) == (given < 0))
    for real, whole in ((given, array), (array, given)):
        if is_integer(whole.dtype) and not is_integer(real.dtype) and real.dtype.kind != "b":
            kept &= (
                real < float(np.iinfo(whole.dtype).max) + 1
            )  # beyond, machines disagree on what a cast gives
    return kept


def _is_exact(element: Any, wanted: np.dtype) -> bool:
    """Whether a Python object is a number that the dtype has, or a float that it rounds."""
    if isinstance(element, np.generic):
        element = element.item()
    if not isinstance(element, numbers.Real):
        return False
    if is_integer(wanted):
        bounds = np.iinfo(wanted)
        return bool(bounds.min <= element <= bounds.max and element == int(element))
    try:
        with np.errstate(all="ignore"):
            there = np.array(float(element)).astype(wanted).item()
    except OverflowError:
        return False
    if isinstance(element, numbers.Integral) or wanted.kind == "b":
        return bool(there == element)
    return math.isfinite(there) == math.isfinite(element)


def converted(value: Any, type_: Type | str) -> np.ndarray:
    """A number or array as one of the type's dtype (see `exact`), and of its shape where that is constant and
    a scalar is given."""
    try:
        array = exact(value, numpy_dtype(type_ if isinstance(type_, str) else type_.dtype))
    except ValueError as error:
        raise GraphError(f"no value of type `{type_}`: {error}") from None
    if isinstance(type_, str) or not type_.is_constant or array.ndim > 0:
        return array
    return np.broadcast_to(array, type_.extents())


def encode_literal(value: Scalar) -> Any:
    """A literal operand as JSON."""
    if isinstance(value, float):
        encoded = encode_float(value)
        return {"lit": encoded} if isinstance(encoded, str) else encoded
    return value


def decode_literal(operand: Any) -> Scalar:
    """The Python scalar a literal operand stands for."""
    if isinstance(operand, dict):
        if set(operand) != {"lit"} or not isinstance(operand["lit"], str):
            raise GraphError(f"`{operand}` is no operand")
        return decode_float(operand["lit"])
    if isinstance(operand, (bool, int, float)):
        return operand
    raise GraphError(f"`{operand}` is no operand")


def as_literal(value: Any) -> Scalar | None:
    """`value` as a weak Python scalar, or None where it is something else."""
    if isinstance(value, (bool, int, float)):
        return float(value) if isinstance(value, np.floating) else value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    return None
