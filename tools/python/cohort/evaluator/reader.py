"""Reads graph files: checks the document's form and loads all constants and initial values."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import safetensors
from ..builder import FORMAT, VERSION, Module
from ..data import decode_array
from ..errors import GraphError
from ..types import Type, parse_type

REGIONS = ("body", "then", "else", "function", "condition")
_KEYS = {
    "module": {"format", "version", "name", "dims", "constants", "state", "functions"},
    "function": {"inputs", "nodes", "outputs", "updates"},
    "node": {"name", "names", "op", "inputs", "attrs", "type", "loc", *REGIONS},
}

GraphSource = Module | Mapping[str, Any] | str | os.PathLike[str]


class Document:
    """A graph with its arrays loaded."""

    def __init__(self, graph: Mapping[str, Any], folder: Path) -> None:
        check_keys("module", graph)
        if graph.get("format") != FORMAT or graph.get("version") != VERSION:
            raise GraphError(f"expected format `{FORMAT}` version {VERSION}")
        self.name: str = graph["name"]
        self.dims = {name: (entry["min"], entry["max"]) for name, entry in graph.get("dims", {}).items()}
        self._folder = folder
        self._files: dict[str, dict[str, np.ndarray] | np.ndarray] = {}
        self.types: dict[str, Type] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.states: dict[str, np.ndarray] = {}
        for name, entry in graph.get("constants", {}).items():
            is_external = "file" in entry
            where = (
                {key: value for key, value in entry.items() if key != "type"}
                if is_external
                else entry["data"]
            )
            self.constants[name] = self._load(name, entry["type"], where)
        for name, entry in graph.get("state", {}).items():
            self.states[name] = self._load(name, entry["type"], entry["init"])
        self.unsettable = {
            name for name, entry in graph.get("state", {}).items() if not entry.get("settable", True)
        }
        self.functions: Mapping[str, Any] = graph["functions"]
        for function in self.functions.values():
            check_keys("function", function)

    def _load(self, name: str, type_text: str, where: Any) -> np.ndarray:
        type_ = self.types[name] = parse_type(type_text)
        if not type_.is_constant:
            raise GraphError(f"`{name}`: {type_} is no constant type")
        if isinstance(where, Mapping):
            array = self._external(name, where)
            if str(Type.of(array)) != str(type_):
                raise GraphError(f"`{name}`: the file holds {Type.of(array)}, expected {type_}")
        else:
            try:
                array = decode_array(where, type_.numpy_dtype, type_.extents())
            except GraphError as error:
                raise GraphError(f"`{name}`: {error}") from None
        array.setflags(write=False)
        return array

    def _external(self, name: str, where: Mapping[str, str]) -> np.ndarray:
        file = where["file"]
        if file not in self._files:
            content = (self._folder / file).read_bytes()
            if "sha256" in where and hashlib.sha256(content).hexdigest() != where["sha256"]:
                raise GraphError(f"`{name}`: `{file}` does not have the expected SHA-256")
            is_npy = file.endswith(".npy")
            self._files[file] = (
                np.load(self._folder / file) if is_npy else safetensors.from_bytes(content, file)
            )
        found = self._files[file]
        if isinstance(found, np.ndarray):
            return found
        try:
            return found[where.get("key", name)]
        except KeyError:
            raise GraphError(f"`{name}`: `{file}` has no tensor `{where.get('key', name)}`") from None


def check_keys(kind: str, entry: Mapping[str, Any]) -> None:
    """Refuses keys a graph file does not have, but those that begin with `x-`."""
    for key in entry:
        if key not in _KEYS[kind] and not key.startswith("x-"):
            raise GraphError(f"unknown key `{key}` in a {kind}")


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise GraphError("duplicate keys in an object")
    return found


def read(source: GraphSource) -> Document:
    """The document of a builder module, a parsed graph or a graph file."""
    if isinstance(source, Module):
        return _from_module(source)
    if isinstance(source, Mapping):
        return Document(source, Path("."))
    path = Path(source)
    try:
        graph = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique_pairs)
    except ValueError as error:
        raise GraphError(f"{path}: {error}") from None
    return Document(graph, path.parent)


def _from_module(module: Module) -> Document:
    """Like writing and reading the module, but the arrays are taken as they are."""
    functions = {name: function.to_json() for name, function in module.functions.items()}
    dims = {name: {"min": low, "max": high} for name, (low, high) in module.dims.items()}
    head = {"format": FORMAT, "version": VERSION, "name": module.name, "dims": dims, "functions": functions}
    document = Document(head, Path("."))
    document.constants, document.states = dict(module.constants), dict(module.states)
    document.unsettable = set(module.unsettable)
    for name, array in {**module.constants, **module.states}.items():
        document.types[name] = Type.of(array)
    return document
