"""Reading and writing `.safetensors` files with NumPy alone.

The format (https://github.com/huggingface/safetensors#format): eight bytes with the header's length, a JSON
header that maps names to dtype, shape and byte range, then the raw little-endian data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .dtypes import dtype_name, numpy_dtype
from .errors import GraphError

_TAGS = {
    "bool": "BOOL",
    "i8": "I8",
    "i16": "I16",
    "i32": "I32",
    "i64": "I64",
    "u8": "U8",
    "u16": "U16",
    "u32": "U32",
    "u64": "U64",
    "f16": "F16",
    "bf16": "BF16",
    "f32": "F32",
    "f64": "F64",
}
_DTYPES = {tag: name for name, tag in _TAGS.items()}


def key_of(name: str) -> str:
    """The key a variable is stored under: its name, but `__metadata__` is the format's own and gets one `_`
    more."""
    return name + "_" if name.rstrip("_") == "__metadata" and len(name) >= len("__metadata__") else name


def to_bytes(tensors: Mapping[str, np.ndarray]) -> bytes:
    """The file's content; wide dtypes come first so that every tensor is aligned to its element size."""
    header: dict[str, object] = {}
    chunks: list[bytes] = []
    offset = 0
    for name, array in sorted(tensors.items(), key=lambda item: -item[1].dtype.itemsize):
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": _TAGS[dtype_name(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(chunks)


def write(path: str | os.PathLike[str], tensors: Mapping[str, np.ndarray]) -> bytes:
    """Writes the tensors and returns the bytes written."""
    content = to_bytes(tensors)
    Path(path).write_bytes(content)
    return content


def from_bytes(content: bytes, source: str = "safetensors data") -> dict[str, np.ndarray]:
    """The tensors in a file's content; `source` names it in errors."""
    if len(content) < 8:
        raise GraphError(f"`{source}` is truncated")
    size = int.from_bytes(content[:8], "little")
    if size > len(content) - 8:
        raise GraphError(f"`{source}` is truncated")
    try:
        header = json.loads(content[8 : 8 + size])
    except ValueError as error:
        raise GraphError(f"`{source}` has a broken header: {error}") from None
    body = memoryview(content)[8 + size :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        dtype = numpy_dtype(_DTYPES.get(entry["dtype"], entry["dtype"]))
        if not 0 <= begin <= end <= len(body):
            raise GraphError(f"`{source}`: tensor `{name}` lies outside the file")
        tensors[name] = np.frombuffer(body[begin:end], dtype=dtype).reshape(entry["shape"]).copy()
    return tensors


def read(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The tensors of a file."""
    return from_bytes(Path(path).read_bytes(), str(path))
