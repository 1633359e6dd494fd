"""`Simulator`: Nengo's simulator interface over compiled steps.

    with cohort.nengo_simulator.Simulator(network) as sim:
        sim.run(1.0)
        sim.data[probe]

The network is imported, compiled with the host compiler and stepped through the module's C interface. The
user's Python functions, and processes that are Python code, are called between compiled parts
(`importers/nengo/parts.py`); nothing else runs in Python, and what the importer does not know is an error.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import nengo
import numpy as np
from nengo.builder import Operator, Signal
from nengo.builder.processes import SimProcess
from nengo.exceptions import SimulatorClosed
from nengo.rc import rc

from . import tool
from .builder import Module
from .dtypes import dtype_name
from .errors import GraphError
from .importers.nengo.parts import Part, Parts, host_input, is_host, to_parts
from .loader import BoundCall, CompiledModule, load
from .types import Type

FLAGS = ("--flag=-O1",)
TABLE_STEPS = 2000  # random spikes are tabulated for so many steps
_BUILDS: dict[str, Path] = {}  # folders of modules by the hash of their graph, for this process


def compiled(module: Module) -> CompiledModule:
    """The module, built once for each graph in the life of this process, with a workspace of its own."""
    folder = Path(tempfile.mkdtemp(dir=_root()))
    graph = module.save(folder / "graph.json")
    content = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    key = hashlib.sha256(content).hexdigest()
    if key in _BUILDS:
        shutil.rmtree(folder)
    else:
        tool.run_tool("compile", graph, "--build", "shared", "-o", folder, *FLAGS)
        _BUILDS[key] = folder
    return load(_BUILDS[key])


_ROOT: list[tempfile.TemporaryDirectory[str]] = []


def _root() -> str:
    """The folder of this process's builds, removed at exit."""
    if not _ROOT:
        _ROOT.append(tempfile.TemporaryDirectory(prefix="cohort-nengo-"))
    return _ROOT[0].name


class Signals(Mapping):
    """What signals hold between steps: state, constants, the clock and what Python functions wrote.

    Signals that live within a step have no memory once it is compiled; reading one is a `KeyError`.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def _clock(self, base: Signal) -> np.ndarray | None:
        simulator = self._simulator
        if base is simulator.model.step:
            return np.array(simulator.n_steps)
        return np.array(simulator.time) if base is simulator.model.time else None

    def __getitem__(self, signal: Signal) -> np.ndarray:
        simulator, base = self._simulator, signal.base
        whole = self._clock(base)
        if base in simulator._parts.states:
            whole = simulator._module.state(simulator._parts.states[base])
        elif base in simulator._parts.constants:
            whole = simulator._parts.constants[base]
        elif signal in simulator._host:
            return simulator._host[signal].copy()
        elif whole is None:
            raise KeyError(f"{signal} lives within the compiled step")
        strides = tuple(step * whole.itemsize for step in signal.elemstrides)
        flat = np.ascontiguousarray(whole).reshape(-1)[signal.elemoffset :]
        view = np.lib.stride_tricks.as_strided(flat, signal.shape, strides).copy()
        view.setflags(write=False)
        return view

    def __setitem__(self, signal: Signal, value: Any) -> None:
        """Sets a state variable, or what a Python function keeps."""
        simulator = self._simulator
        if signal in simulator._parts.states:
            array = np.broadcast_to(np.asarray(value, dtype=signal.dtype), signal.shape)
            simulator._module.set_state(simulator._parts.states[signal], array)
        elif signal in simulator._host:
            simulator._host[signal][...] = value
        else:
            raise KeyError(f"{signal} is no state of the compiled step")

    def __contains__(self, signal: object) -> bool:
        return signal in set(self)

    def __iter__(self) -> Iterator[Signal]:
        yield from {**self._simulator._parts.states, **self._simulator._host}

    def __len__(self) -> int:
        return len(list(iter(self)))


class Simulator(nengo.Simulator):
    """As `nengo.Simulator`; `optimize` is accepted and means nothing, since the compiler optimises."""

    _parts: Parts
    _module: CompiledModule
    _host: dict[Signal, np.ndarray]

    def __init__(
        self,
        network: nengo.Network | None,
        dt: float = 0.001,
        seed: int | None = None,
        model: nengo.builder.Model | None = None,
        progress_bar: Any = True,
        optimize: bool = True,
    ) -> None:
        self._is_built = False
        super().__init__(network, dt, seed, model, progress_bar, optimize=False)
        self.optimize = optimize

    def reset(self, seed: int | None = None) -> None:
        """Gives all state its initial value; processes and Python functions begin anew."""
        if self.closed:
            raise SimulatorClosed("Cannot reset closed Simulator.")
        if seed is not None:
            self.seed = seed
        if self._is_built:
            self._module.reset()
        else:
            try:
                self._build()
            except BaseException:
                self.closed = True
                raise
        self._clear_host()
        self._n_steps = int(self._initial(self.model.step))
        self._time = float(self._initial(self.model.time))
        self.clear_probes()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not self.closed:
            self._n_steps = int(self._module.state(self._parts.states[self.model.step]))
            self._time = self._n_steps * self.dt

    def _initial(self, signal: Signal) -> Any:
        return signal.initial_value.item()

    def _build(self) -> None:
        dtype = dtype_name(rc.float_dtype)
        if dtype not in ("f32", "f64"):
            raise GraphError(f"Nengo's precision {dtype} is not supported: f32 and f64 are")
        self._parts = to_parts(self.model, self.dg, dtype, TABLE_STEPS)
        self._module = compiled(self._parts.module)
        self._is_built = True
        self.signals = Signals(self)

        self._host = {}
        self._operands: dict[Operator, np.ndarray] = {}
        self._results: dict[Operator, np.ndarray] = {}
        self._clock = np.zeros(())
        self._calls: list[tuple[Part, BoundCall]] = []
        for part in self._parts.parts:
            given = _arrays(self._module.input_types(part.function))
            wanted = _arrays(self._module.output_types(part.function))
            self._results.update((op, given[name]) for name, op in part.inputs.items())
            held = {signal: wanted[name] for name, signal in part.outputs.items()}
            self._operands.update((op, held[x]) for op in part.after if (x := host_input(op)) is not None)
            self._calls.append((part, self._module.bind(part.function, given, wanted)))
        self._probed = [(probe, held[self.model.sig[probe]["in"]]) for probe in self.model.probes]

    def _clear_host(self) -> None:
        """Gives host operators their initial state; Nengo's random numbers are drawn in Nengo's order."""
        self.rng = np.random.RandomState(self.seed)
        self._functions: dict[Operator, Callable[[], None]] = {}
        for op in self._step_order:
            if not is_host(op):
                if isinstance(op, SimProcess):
                    op.process.get_rng(self.rng)
                continue
            signals: dict[Signal, np.ndarray] = {}
            if op.t is not None:
                signals[op.t] = self._clock
            if (x := host_input(op)) is not None:
                signals[x] = self._operands[op]
            if isinstance(op, SimProcess):
                for signal in op.state.values():
                    self._host[signal] = signals[signal] = np.array(signal.initial_value)
            if op.output is not None:
                signals[op.output] = self._results[op]
                self._results[op][...] = 0 if op.incs else op.output.initial_value
            self._functions[op] = op.make_step(signals, self.dt, self.rng)

    def _call(self, op: Operator) -> None:
        if op.incs:
            self._results[op][...] = 0
        self._functions[op]()

    def step(self) -> None:
        """Advances the simulator by one step (`dt` seconds)."""
        if self.closed:
            raise SimulatorClosed("Simulator cannot run because it is closed.")
        number = self._n_steps + 1
        self._clock[...] = number * self.dt
        old = np.seterr(invalid="raise", divide="ignore")
        try:
            for part, call in self._calls:
                for op in part.before:
                    self._call(op)
                call()
                for op in part.after:
                    self._call(op)
        finally:
            np.seterr(**old)
        self._n_steps, self._time = number, number * self.dt
        self._probe()

    def _probe(self) -> None:
        for probe, array in self._probed:
            period = 1 if probe.sample_every is None else probe.sample_every / self.dt
            if self._n_steps % period < 1:
                self._sim_data[probe].append(array.copy())


def _arrays(types: Mapping[str, Type]) -> dict[str, np.ndarray]:
    return {name: np.zeros(type_.extents(), type_.numpy_dtype) for name, type_ in types.items()}
