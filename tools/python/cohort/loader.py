"""Calls compiled modules through their C interface (`codegen/README.md`), with `ctypes` and the module's
manifest."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .dtypes import NUMPY
from .errors import CohortError, EvaluationError
from .program import Program
from .types import Type, parse_type

PrintHook = Callable[[str, np.ndarray], None]

# `enum cohort_status` and `enum cohort_dtype` of `cohort/abi.h`.
_STATUS = (
    "ok",
    "null argument",
    "wrong struct size",
    "workspace too small",
    "misaligned",
    "workspace not initialised",
    "buffer too short",
    "dim out of range",
    "arrays overlap",
    "index out of range",
    "assertion failed",
    "unknown name",
    "input/output error",
    "file does not match",
    "no GPU",
    "the GPU failed",
    "not settable",
)
_DTYPES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()


class _PrintedValue(ctypes.Structure):
    """`cohort_value`."""

    _fields_ = [
        ("message", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


_PRINT_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_PrintedValue))


class CompiledModule(Program):
    """A compiled module with a workspace of its own. Not for use from two threads at once; `copy` makes
    another."""

    def __init__(
        self, library: Path, manifest: Mapping[str, Any], print_hook: PrintHook | None = None
    ) -> None:
        self._path, self._manifest = library, manifest
        self.keep_alive: Any = None  # what must live as long as the module, such as a temporary folder
        self._library = open_library(library.resolve())
        self._functions = {entry["name"]: _Function(self._library, entry) for entry in manifest["functions"]}
        self._states = {entry["name"]: parse_type(entry["type"]) for entry in manifest["state"]}
        self._declared = {entry["name"]: (entry["min"], entry["max"]) for entry in manifest["dims"]}
        self._size = manifest["workspace"]["bytes"]
        self._block, self._workspace = _aligned(self._size, manifest["workspace"]["alignment"])
        super().__init__(manifest["module"]["name"], tuple(self._functions))
        self._run("init", self._workspace, ctypes.c_size_t(self._size))
        if "attach" in manifest["symbols"]:  # kernels on a GPU, in memory and on a stream of the module's own
            self._run("attach", self._workspace, None, ctypes.c_size_t(0), None)
            detach = getattr(self._library, manifest["symbols"]["detach"])
            weakref.finalize(self, lambda block, workspace: detach(workspace), self._block, self._workspace)
        self._hook = print_hook or (lambda message, value: print(message, value))
        self._c_hook = _PRINT_FUNCTION(self._print)
        self._run("set_print", self._workspace, self._c_hook, None)

    @property
    def path(self) -> Path:
        """The shared library."""
        return self._path

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest as read."""
        return self._manifest

    @property
    def workspace(self) -> ctypes.c_void_p:
        """The workspace, for C functions of the module; it lives as long as this object."""
        return self._workspace

    def state_names(self) -> tuple[str, ...]:
        return tuple(self._states)

    def input_types(self, function: str) -> dict[str, Type]:
        return {name: type_ for name, type_, _ in self._function(function).inputs}

    def output_types(self, function: str) -> dict[str, Type]:
        """The outputs of a function in order."""
        return {name: type_ for name, type_, _ in self._function(function).outputs}

    def state(self, name: str) -> np.ndarray:
        self._check_state(name)
        array = np.empty(self._states[name].extents(), dtype=self._states[name].numpy_dtype)
        self._run("get", self._workspace, name.encode(), _address(array), ctypes.c_size_t(array.nbytes))
        return array

    def set_state(self, name: str, value: Any) -> None:
        self._check_state(name)
        array = self.converted(name, self._states[name], value)
        self._run("set", self._workspace, name.encode(), _address(array), ctypes.c_size_t(array.nbytes))

    def reset(self) -> None:
        self._run("reset", self._workspace)

    def save(self, path: str | os.PathLike[str]) -> None:
        self._run("save", self._workspace, os.fsencode(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        self._run("load", self._workspace, os.fsencode(path))

    def profile(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """What the calls on this workspace were like: how many, with which values of named dims, and the
        time in each kernel; saved to `path`, for `cohort compile --profile`. Only of modules compiled with
        `--instrument`."""
        if "profile" not in self._manifest["symbols"]:
            raise CohortError(f"module `{self.name}` counts nothing: compile it with --instrument")
        function = getattr(self._library, self._manifest["symbols"]["profile"])
        function.restype = ctypes.c_size_t
        text = ctypes.create_string_buffer(function(self._workspace, None, ctypes.c_size_t(0)) + 1)
        function(self._workspace, text, ctypes.c_size_t(len(text)))
        if path is not None:
            Path(path).write_bytes(text.value)
        return json.loads(text.value)

    def copy(self) -> CompiledModule:
        """The same module with a workspace of its own that holds the same state."""
        other = CompiledModule(self._path, self._manifest, self._hook)
        for name in self._states:
            other.set_state(name, self.state(name))
        return other

    def call(
        self, function: str, inputs: Mapping[str, Any] | None = None, dims: Mapping[str, int] | None = None
    ) -> dict[str, np.ndarray]:
        entry, given = self._function(function), inputs or {}
        for name in given:
            if all(name != known for known, _, _ in entry.inputs):
                raise EvaluationError(f"function `{function}` has no input `{name}`")
        sizes = dict(dims or {})
        arrays: list[tuple[int, np.ndarray]] = []
        for name, type_, offset in entry.inputs:
            if name not in given:
                raise EvaluationError(f"function `{function}`: input `{name}` is missing")
            arrays.append((offset, self.converted(name, type_, given[name], sizes, self._declared)))
        entry.check_dims(sizes)
        outputs: dict[str, np.ndarray] = {}
        for name, type_, offset in entry.outputs:
            outputs[name] = np.empty(type_.extents(sizes), dtype=type_.numpy_dtype)
            arrays.append((offset, outputs[name]))
        self._check(entry.symbol(self._workspace, entry.pack(arrays, sizes)))
        return outputs

    def bind(
        self, function: str, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]
    ) -> BoundCall:
        """A call that reads and writes the given arrays, of the declared types and contiguous, each time
        anew."""
        entry = self._function(function)
        arrays = []
        for known, given in ((entry.inputs, inputs), (entry.outputs, outputs)):
            for name, type_, offset in known:
                array = given[name]
                is_fit = array.dtype == type_.numpy_dtype and array.shape == type_.extents()
                if not (is_fit and array.flags.c_contiguous):
                    raise EvaluationError(f"argument `{name}`: expected a contiguous {type_}")
                arrays.append((offset, array))
        return BoundCall(self, entry, arrays)

    def _function(self, name: str) -> _Function:
        if name not in self._functions:
            raise EvaluationError(f"module `{self.name}` has no function `{name}`")
        return self._functions[name]

    def _run(self, symbol: str, *arguments: Any) -> None:
        function = getattr(self._library, self._manifest["symbols"][symbol])
        function.restype = ctypes.c_int32
        self._check(function(*arguments))

    def _check(self, status: int) -> None:
        """Turns a status other than 0 into an exception with the text of the error record."""
        if status == 0:
            return
        text = ctypes.create_string_buffer(1024)
        function = getattr(self._library, self._manifest["symbols"]["error_text"])
        function.restype = ctypes.c_size_t
        length = function(self._workspace, text, ctypes.c_size_t(len(text)))
        named = _STATUS[status] if 0 <= status < len(_STATUS) else f"status {status}"
        raise EvaluationError(text.value.decode("utf-8", "replace") if length else named)

    def _print(self, _: Any, pointer: Any) -> None:
        value = pointer.contents
        shape = tuple(value.extents[axis] for axis in range(value.rank))
        dtype = NUMPY[_DTYPES[value.dtype]]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        data = ctypes.string_at(value.data, size) if size else b""
        self._hook(
            (value.message or b"").decode("utf-8"), np.frombuffer(data, dtype=dtype).reshape(shape).copy()
        )


class BoundCall:
    """A function of a module with its arguments: call it, or give its three pointers to C code."""

    def __init__(
        self, module: CompiledModule, entry: _Function, arrays: list[tuple[int, np.ndarray]]
    ) -> None:
        self._module, self._arrays = module, arrays  # both must live as long as the pointers
        self.symbol = entry.symbol
        self.workspace = module._workspace
        self.arguments = entry.pack(arrays, {})

    def __call__(self) -> None:
        status = self.symbol(self.workspace, self.arguments)
        if status:
            self._module._check(status)


_opened: dict[Path, dict[tuple[int, int], ctypes.CDLL]] = {}  # by path: what has lain there


def _identity(library: Path) -> tuple[int, int]:
    now = library.stat()
    return now.st_ino, now.st_mtime_ns


def open_library(library: Path) -> ctypes.CDLL:
    """The library that lies there now. The system's loader gives what it has opened under that path before,
    so a library that has been built anew is opened as a copy."""
    identity = _identity(library)
    opened = _opened.setdefault(library, {})
    if not opened:
        opened[identity] = ctypes.CDLL(os.fspath(library))
    elif identity not in opened:
        with tempfile.NamedTemporaryFile(dir=library.parent, suffix=library.suffix) as copy:
            shutil.copyfile(library, copy.name)
            opened[identity] = ctypes.CDLL(copy.name)
    return opened[identity]


def was_opened_before(library: Path) -> bool:
    """Whether this process has opened what lay there before and is another library now: the system's loader
    would give that one to what is linked with this one."""
    return next(iter(_opened[library])) != _identity(library)


class _Function:
    """An entry point and where its arguments stand in the argument struct."""

    def __init__(self, library: ctypes.CDLL, entry: Mapping[str, Any]) -> None:
        self.symbol = getattr(library, entry["symbol"])
        self.symbol.restype = ctypes.c_int32
        self.symbol.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.inputs = [(item["name"], parse_type(item["type"]), item["offset"]) for item in entry["inputs"]]
        self.outputs = [(item["name"], parse_type(item["type"]), item["offset"]) for item in entry["outputs"]]
        self._dims = [(item["name"], item["offset"]) for item in entry["dims"]]
        self._bytes = entry["args_bytes"]

    def check_dims(self, dims: Mapping[str, int]) -> None:
        """Every dim the function uses must have a value."""
        for name, _ in self._dims:
            if name not in dims:
                raise EvaluationError(f"no input determines the dim `{name}`; pass it in `dims`")

    def pack(self, arrays: list[tuple[int, np.ndarray]], dims: Mapping[str, int]) -> Any:
        """The argument struct; all members are eight bytes wide."""
        words = (ctypes.c_uint64 * (self._bytes // 8))()
        words[0] = self._bytes
        for name, offset in self._dims:
            words[offset // 8] = dims[name]
        for offset, array in arrays:
            words[offset // 8] = _address(array).value or 0
            words[offset // 8 + 1] = array.nbytes
        return words


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data if array.size else None)


def _aligned(size: int, alignment: int) -> tuple[np.ndarray, ctypes.c_void_p]:
    """A block of memory and the first aligned address in it."""
    block = np.empty(size + alignment, dtype=np.uint8)
    return block, ctypes.c_void_p(-(-block.ctypes.data // alignment) * alignment)


def load(path: str | os.PathLike[str], print_hook: PrintHook | None = None) -> CompiledModule:
    """The module at `path`: a shared library, its manifest, or the folder that holds both.

    `print_hook(message, value)` receives what `print` nodes write; by default they print.
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    manifests = [path] if path.name.endswith(".manifest.json") else sorted(folder.glob("*.manifest.json"))
    stem = path.name.split(".")[0].removeprefix("lib")
    if len(manifests) != 1 and not path.is_dir():
        manifests = [entry for entry in manifests if entry.name == f"{stem}.manifest.json"]
    if len(manifests) != 1:
        raise CohortError(f"`{path}`: expected one manifest beside the module, found {len(manifests)}")
    manifest = json.loads(manifests[0].read_text(encoding="utf-8"))
    prefix = manifest["module"]["prefix"]
    if path.is_file() and path != manifests[0]:
        return CompiledModule(path, manifest, print_hook)
    for name in (f"lib{prefix}.so", f"{prefix}.so", f"lib{prefix}.dylib", f"{prefix}.dylib"):
        if (folder / name).is_file():
            return CompiledModule(folder / name, manifest, print_hook)
    raise CohortError(f"`{folder}` holds no shared library of module `{manifest['module']['name']}`")
