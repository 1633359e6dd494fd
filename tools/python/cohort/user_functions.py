"""Functions of the user's in graphs: `ops.custom` (C++, element by element), `ops.extern` (C, whole arrays).

Files are named as Python names them: absolute, or relative to the working folder of the call. A node holds
the absolute path, which `Module.save` writes relative to the graph's folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import GraphError
from .types import Type, make_type, parse_type
from .values import Value, function_of

if TYPE_CHECKING:
    from .builder import Function, Operand

# The name of a function, or of one with derivatives of its own, `{name: [entry, ...]}`; 0: it is zero
# everywhere; None: there is none.
Derivative = str | Mapping[str, Any] | Literal[0] | None

_C_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_CPP_NAME = re.compile(r"[^\W\d]\w*(::[^\W\d]\w*)*")


def custom(
    source: str | os.PathLike[str],
    function: str,
    *operands: Operand,
    derivative: Derivative | Sequence[Derivative] = None,
    name: str | None = None,
    into: Function | None = None,
) -> Value:
    """A scalar C++ function of the header `source`, element by element. Operands broadcast and must have the
    types of its parameters; numbers take them. `derivative` names for each operand the function that gives
    the slope in it, 0 where that is zero everywhere, or None: one entry for each operand, or the entry itself
    where there is one operand. An entry `{"f_x": ["f_xx", None]}` says the derivatives of `f_x`, too, for
    derivatives of derivatives."""
    _check_name(function, _CPP_NAME, "a C++ function")
    if not operands:
        raise GraphError(f"`{function}` needs an operand")
    entries = [derivative] if isinstance(derivative, (str, Mapping, int)) else derivative
    if entries is not None and len(entries) != len(operands):
        raise GraphError(
            f"`{function}` has {len(operands)} operands and {len(entries)} derivatives; write None for none"
        )
    owner = _owner(function, operands, into)
    attrs: dict[str, Any] = {"source": _file(owner, source, "header"), "function": function}
    if entries is not None:
        attrs["derivative"] = [_derivative_text(entry) for entry in entries]
    return owner.node("custom", operands, attrs, 1, name or function.split("::")[-1])[0]


def extern(
    function: str,
    *operands: Operand,
    types: Sequence[str | Type | tuple[Any, Sequence[Any]]],
    library: str | os.PathLike[str] | None = None,
    name: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """A C function on whole arrays: one result for each of `types` (`"f32[n]"`, or a dtype and a shape). What
    is built from the graph is linked with `library`, which `cohort run` needs, too."""
    _check_name(function, _C_NAME, "a C function")
    if isinstance(types, (str, Type)) or not types:
        raise GraphError(f"`{function}`: `types` is a list with the type of each result")
    owner = _owner(function, operands, into)
    results = [make_type(*each) if isinstance(each, tuple) else parse_type(each) for each in types]
    for each in results:
        owner.module._check_dims(each)
    attrs: dict[str, Any] = {"function": function, "types": [str(each) for each in results]}
    if library is not None:
        attrs["library"] = _file(owner, library, "library")
    return owner.node("extern", operands, attrs, len(results), name or function)


def placed(function: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """A function of a graph file in `folder`: files are named relative to it, in the bodies of nodes, too."""
    nodes = []
    for node in function.get("nodes", []):
        parts = {
            key: placed(part, folder) if isinstance(part, Mapping) and "nodes" in part else part
            for key, part in node.items()
        }
        key = {"custom": "source", "extern": "library"}.get(node["op"])
        if key in node.get("attrs", {}):
            parts["attrs"] = {
                **node["attrs"],
                key: Path(os.path.relpath(node["attrs"][key], folder)).as_posix(),
            }
        nodes.append(parts)
    return {**function, **({"nodes": nodes} if nodes else {})}


def _check_name(function: str, form: re.Pattern[str], what: str) -> None:
    if not isinstance(function, str) or not form.fullmatch(function):
        raise GraphError(f"`{function}` is no name of {what}")


def _owner(function: str, operands: Sequence[Operand], into: Function | None) -> Function:
    if into is None and not any(isinstance(operand, Value) for operand in operands):
        raise GraphError(f"no operand says where `{function}` is called; say `into=`")
    return function_of(operands, into)


def _file(owner: Function, path: str | os.PathLike[str], what: str) -> str:
    # Folders as they are behind links, for so is the graph's own when it is saved.
    absolute = os.path.join(
        os.path.realpath(os.path.dirname(os.fspath(path))), os.path.basename(os.fspath(path))
    )
    if not os.path.isfile(absolute):
        raise GraphError(f"there is no {what} `{absolute}`")
    owner.module.has_files = True
    return absolute


def _derivative_text(entry: Derivative) -> str:
    """An entry as graph files have it: `name`, `name(entry, ...)` with the derivatives of `name`, or `0`."""
    if entry == "0" or (entry == 0 and not isinstance(entry, bool)):
        return "0"
    if not entry:
        return ""
    if isinstance(entry, Mapping) and len(entry) == 1:
        ((name, own),) = entry.items()
        own = [own] if isinstance(own, (str, Mapping, int)) else own
        return f"{_derivative_text(name)}({', '.join(map(_derivative_text, own))})"
    if not isinstance(entry, str):
        raise GraphError(f"`{entry!r}` is no derivative: a name, 0, None, or {{name: [derivative, ...]}}")
    _check_name(entry, _CPP_NAME, "a C++ function")
    return entry
