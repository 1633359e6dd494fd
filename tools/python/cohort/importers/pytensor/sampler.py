"""A compiled posterior: calls from Python, and the C functions that samplers call.

Beside the module stand `NAME_sampler.cpp` and the library built from it. Its functions have the signature
that samplers such as nutpie expect; `user` points to a workspace of the module, or, for the `_pooled` ones,
to a `NAME_pool` of workspaces from which each call takes a free one, so that several chains may run at once.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ToolError
from ...loader import CompiledModule, load, open_library, was_opened_before
from ...tool import compile as compile_module
from ...tool import find_tool

if TYPE_CHECKING:
    from .pymc import Posterior

_DOUBLES = ctypes.POINTER(ctypes.c_double)
SAMPLER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, _DOUBLES, _DOUBLES, _DOUBLES, ctypes.c_void_p)

_SOURCE = """\
// The log density of module `{name}` as the function a sampler calls, and the values of its variables.
// Status: 0 fine, -1 wrong dimension, 1 the module reports an error, 3 gradient not finite,
// 4 log density not finite.
// The gradient is looked at in vectors, as it was written: single numbers that a processor has to cut out of
// vectors still on their way to memory made the whole call take twice as long.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>

#include "cohort/prelude.h"
#include "{prefix}.h"

namespace {{

constexpr uint64_t kSize = {size};
constexpr uint64_t kValues = {values};

}}  // namespace

extern "C" {{

// Workspaces of which each call takes a free one; `busy` has a flag for each, 0 at first.
struct {prefix}_pool {{
  uint64_t count;
  void* const* workspaces;
  std::atomic<uint32_t>* busy;
}};

// `user` is an initialised workspace.
int64_t {prefix}_sampler(uint64_t dim, const double* x, double* gradient, double* logp, void* user) {{
  if (dim != kSize) return -1;
  {logp_type} args = {{}};
  args.struct_size = sizeof(args);
  args.{x} = x;
  args.{x}_bytes = kSize * sizeof(double);
  args.{logp} = logp;
  args.{logp}_bytes = sizeof(double);
  args.{gradient} = gradient;
  args.{gradient}_bytes = kSize * sizeof(double);
  if ({logp_symbol}(user, &args) != COHORT_OK) return 1;
  const auto finite = [&](auto i) {{ return rt_isfinite(rt_load(gradient, i)); }};
  if (!rt_reduce_all<rt_width<double>>(kSize, finite)) return 3;
  return std::isfinite(*logp) ? 0 : 4;
}}
{expand}
// `user` is a pool.
int64_t {prefix}_sampler_pooled(uint64_t dim, const double* x, double* gradient, double* logp, void* user) {{
  if (user == nullptr) return 1;
  const auto& pool = *static_cast<const {prefix}_pool*>(user);
  for (uint64_t i = 0;; i = (i + 1) % pool.count) {{
    if (pool.busy[i].exchange(1, std::memory_order_acquire) == 0) {{
      const int64_t status = {prefix}_sampler(dim, x, gradient, logp, pool.workspaces[i]);
      pool.busy[i].store(0, std::memory_order_release);
      return status;
    }}
    if (i + 1 == pool.count) std::this_thread::yield();
  }}
}}

}}  // extern "C"
"""

_EXPAND = """
// `user` is an initialised workspace; `values` takes the parameters, then what the model computes from them.
int64_t {prefix}_expand_values(uint64_t dim, uint64_t count, const double* x, double* values, void* user) {{
  if (dim != kSize || count != kValues) return -1;
  {type} args = {{}};
  args.struct_size = sizeof(args);
  args.{x} = x;
  args.{x}_bytes = kSize * sizeof(double);
  args.{result} = values;
  args.{result}_bytes = kValues * sizeof(double);
  return {symbol}(user, &args) == COHORT_OK ? 0 : 1;
}}

// `user` is a pool.
int64_t {prefix}_expand_values_pooled(uint64_t dim, uint64_t count, const double* x, double* values,
                                      void* user) {{
  if (user == nullptr) return 1;
  const auto& pool = *static_cast<const {prefix}_pool*>(user);
  for (uint64_t i = 0;; i = (i + 1) % pool.count) {{
    if (pool.busy[i].exchange(1, std::memory_order_acquire) == 0) {{
      const int64_t status = {prefix}_expand_values(dim, count, x, values, pool.workspaces[i]);
      pool.busy[i].store(0, std::memory_order_release);
      return status;
    }}
    if (i + 1 == pool.count) std::this_thread::yield();
  }}
}}
"""


def sampler_source(posterior: Posterior, manifest: Mapping[str, Any]) -> str:
    """The C++ text for a compiled module."""
    prefix = manifest["module"]["prefix"]
    functions = {entry["name"]: entry for entry in manifest["functions"]}
    density = functions["logp"]
    named = {item["name"]: item["identifier"] for item in density["outputs"]}
    expand = ""
    if "expand" in functions:
        entry = functions["expand"]
        expand = _EXPAND.format(
            prefix=prefix,
            type=entry["args_type"],
            symbol=entry["symbol"],
            x=entry["inputs"][0]["identifier"],
            result=entry["outputs"][0]["identifier"],
        )
    return _SOURCE.format(
        name=manifest["module"]["name"],
        prefix=prefix,
        size=posterior.size,
        values=posterior.variables[-1].stop,
        logp_type=density["args_type"],
        logp_symbol=density["symbol"],
        expand=expand,
        x=density["inputs"][0]["identifier"],
        **named,
    )


def _architecture(options: Sequence[str]) -> str:
    """The instruction set that the module was built for."""
    return next((options[k + 1] for k in range(len(options) - 1) if options[k] == "--march"), "native")


def build(
    posterior: Posterior, output: str | os.PathLike[str] | None, options: Sequence[str]
) -> CompiledPosterior:
    """Compiles the module and the sampler's functions into one folder and loads both."""
    compiled = compile_module(posterior.module, output, options)
    folder = compiled.path.parent
    source = folder / f"{compiled.manifest['module']['prefix']}_sampler.cpp"
    source.write_text(sampler_source(posterior, compiled.manifest), encoding="utf-8")
    library = _link(source, compiled.path, options)
    if was_opened_before(compiled.path.resolve()):
        private = tempfile.TemporaryDirectory(prefix="cohort_")
        prefix = compiled.manifest["module"]["prefix"]
        for part in (compiled.path, source, folder / f"{prefix}.h", folder / f"{prefix}.manifest.json"):
            shutil.copy(part, private.name)
        compiled = load(Path(private.name) / compiled.path.name)
        compiled.keep_alive = private
        library = _link(Path(private.name) / source.name, compiled.path, options)
    return CompiledPosterior(posterior, compiled, library, options)


def _link(source: Path, module: Path, options: Sequence[str]) -> Path:
    """The library of the sampler's functions, beside the module's."""
    library = source.with_name(f"lib{source.stem}.so")
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O2", f"-march={_architecture(options)}"]
    command += ["-ffp-contract=off", "-fPIC", "-shared", f"-I{_runtime_headers()}", f"-I{source.parent}"]
    command += [str(source), str(module), "-Wl,-rpath,$ORIGIN", "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(f"`{command[0]}` ended with status {done.returncode}\n{done.stderr}")
    return library


def _runtime_headers() -> Path:
    """The folder of `cohort/abi.h`, which lies beside the tool."""
    tool = find_tool()
    found = Path(tool).resolve().parent.parent / "include" if tool else None
    if found is None or not (found / "cohort" / "abi.h").is_file():
        raise ToolError("the runtime's headers do not lie beside the `cohort` command")
    return found


class CompiledPosterior:
    """`logp, gradient = compiled(x)`; `module` holds the state, `address` the sampler's function."""

    def __init__(
        self, posterior: Posterior, module: CompiledModule, library: Path, options: Sequence[str]
    ) -> None:
        self.posterior, self.module, self._options = posterior, module, options
        self._library = open_library(library.resolve())
        self._prefix = module.manifest["module"]["prefix"]
        self._x = np.zeros(posterior.size)
        self._gradient, self._logp = np.zeros(posterior.size), np.zeros(())
        outputs = {"logp": self._logp, "gradient": self._gradient}
        (name,) = module.input_types("logp")
        self._call = module.bind("logp", {name: self._x}, outputs)

    def __call__(self, x: Any) -> tuple[float, np.ndarray]:
        """The log density and a new array with its gradient."""
        self._x[...] = x
        self._call()
        return float(self._logp), self._gradient.copy()

    def expand(self, x: Any) -> dict[str, np.ndarray]:
        """Parameters, constrained and deterministic variables by name."""
        return self.posterior.unflatten(self.module.expand(x)["values"])

    def set_data(self, **data: Any) -> None:
        """Replaces observed data or `pm.Data` at the same rank. Where a shape changes the model is compiled
        anew, in a temporary folder, and addresses are new; else nothing but the elements changes."""
        states = self.posterior.module.states
        if all(name not in states or np.shape(value) == states[name].shape for name, value in data.items()):
            for name, value in data.items():
                self.module.set_state(name, value)
            return
        kept = {name: self.module.state(name) for name in states}
        renewed = build(self.posterior.with_data(**{**kept, **data}), None, self._options)
        self.__dict__.update(renewed.__dict__)

    def address(self, function: str = "sampler") -> int:
        """The address of `NAME_sampler`, `NAME_expand_values` or their pooled forms."""
        found = getattr(self._library, f"{self._prefix}_{function}")
        address = ctypes.cast(found, ctypes.c_void_p).value
        assert address is not None
        return address

    @property
    def workspace(self) -> int:
        """The `user` pointer of the plain functions; valid as long as this object lives."""
        address = self._call.workspace.value
        assert address is not None
        return address

    def pool(self, count: int) -> Pool:
        """Workspaces for `count` chains that run at once, with the state this module has now."""
        return Pool([self.module.copy() for _ in range(count)])


class Pool:
    """The `user` pointer of the pooled functions: `pool.pointer`, valid as long as this object lives."""

    class _Layout(ctypes.Structure):
        _fields_ = [("count", ctypes.c_uint64), ("workspaces", ctypes.c_void_p), ("busy", ctypes.c_void_p)]

    def __init__(self, modules: Sequence[CompiledModule]) -> None:
        self._modules = list(modules)
        self._workspaces = (ctypes.c_void_p * len(modules))(*(module.workspace.value for module in modules))
        self._busy = (ctypes.c_uint32 * len(modules))()
        addresses = [ctypes.addressof(self._workspaces), ctypes.addressof(self._busy)]
        self._layout = self._Layout(len(modules), *addresses)

    @property
    def pointer(self) -> int:
        return ctypes.addressof(self._layout)
