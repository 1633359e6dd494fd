"""Imported Nengo models against `nengo.Simulator`, step by step."""

from __future__ import annotations

import functools
import json
import warnings

import nengo
import numpy as np
import pytest
from backends import STEPPING_BACKENDS, needs, program
from nengo_models import MODELS, SINE, stimulus

import cohort
from cohort import ops, safetensors
from cohort.importers.nengo import to_module
from cohort.importers.nengo.__main__ import main
from cohort.tool import run_tool

STEPS = 200
RTOL = 1e-9

warnings.filterwarnings("ignore", category=DeprecationWarning)
nengo.rc.set("progress", "progress_bar", "False")
nengo.rc.set("decoder_cache", "enabled", "False")


def simulate(network: nengo.Network, steps: int = STEPS, **options) -> list[np.ndarray]:
    """What every probe records, in Nengo."""
    with nengo.Simulator(network, progress_bar=False, optimize=False, **options) as sim:
        sim.run_steps(steps, progress_bar=False)
        return [np.array(sim.data[probe]) for probe in sim.model.probes]


@functools.cache
def expected_of(name: str) -> list[np.ndarray]:
    """What the probes of a model record in Nengo; models are seeded."""
    return simulate(MODELS[name]())


def record(
    module: cohort.Module, backend: str = "numpy", steps: int = STEPS, inputs=None
) -> list[np.ndarray]:
    """The same from a module."""
    graph = program(backend, module)
    rows = [
        graph.call("step", {name: value[k] for name, value in (inputs or {}).items()}) for k in range(steps)
    ]
    names = [name for name in rows[0] if not name.endswith(".sampled")]
    return [
        np.stack([row[name] for row in rows if row.get(f"{name}.sampled", np.True_)])
        if any(row.get(f"{name}.sampled", np.True_) for row in rows)
        else np.zeros((0,))
        for name in names
    ]


def compare(results: list[np.ndarray], expected: list[np.ndarray], rtol: float = RTOL) -> None:
    """Relative to each probe's largest value."""
    assert len(results) == len(expected)
    for result, reference in zip(results, expected):
        assert result.shape == reference.shape
        scale = np.abs(reference).max() if reference.size else 0.0
        np.testing.assert_allclose(result, reference, rtol=rtol, atol=rtol * scale)


@pytest.mark.parametrize("backend", STEPPING_BACKENDS)
@pytest.mark.parametrize("name", sorted(MODELS))
def test_model(name: str, backend: str) -> None:
    expected = expected_of(name)
    assert any(np.ptp(data) > 0 for data in expected), "the model does nothing"
    compare(record(to_module(MODELS[name](), n_steps=STEPS), backend), expected)


@needs("run")
@pytest.mark.parametrize("name", sorted(MODELS))
def test_model_in_the_interpreter(name: str, tmp_path) -> None:
    """After 50 steps all state and all outputs equal the evaluator's."""
    module = to_module(MODELS[name](), n_steps=50)
    graph = cohort.Evaluator(module)
    for _ in range(50):
        outputs = graph.step()
    path = module.save(tmp_path / "graph.json")
    (tmp_path / "outputs").mkdir()
    state, folder = tmp_path / "state.safetensors", tmp_path / "outputs"
    run_tool(
        "run", path, "--function", "step", "--steps", "50", "--save-state", state, "--output-dir", folder
    )
    saved = safetensors.read(state)
    names = graph.state_names()
    compare([saved[name] for name in names], [graph.state(name) for name in names])
    compare([np.load(folder / f"{name}.npy") for name in outputs], list(outputs.values()))


@pytest.mark.parametrize("name", ["communication_channel", "slicing", "learning_pes", "recurrent_oscillator"])
def test_optimized_model(name: str) -> None:
    """Nengo's optimizer merges signals into views of common bases and products into block-sparse ones."""
    network = MODELS[name]()
    expected = simulate(network)
    with nengo.Simulator(network, progress_bar=False, optimize=True) as sim:
        model = sim.model
    assert any(signal.is_view for op in model.operators for signal in op.all_signals)
    compare(record(to_module(model, n_steps=STEPS)), expected)


def test_block_sparse_products_occur() -> None:
    network = MODELS["ensemble_array_functions"]()
    expected = simulate(network)
    with nengo.Simulator(network, progress_bar=False, optimize=True) as sim:
        model = sim.model
    assert any(type(op).__name__ == "BsrDotInc" for op in model.operators)
    compare(record(to_module(model, n_steps=STEPS)), expected)


def raw_model(*steps) -> nengo.builder.Model:
    model = nengo.builder.Model(dt=0.001)
    for op in steps:
        model.add_op(op)
    return model


def final(model: nengo.builder.Model, signal: nengo.builder.Signal) -> np.ndarray:
    """What a signal holds after one step: in the module, checked against Nengo's own arrays."""
    copy = nengo.builder.Signal(np.zeros(signal.shape), name="seen")
    keep = nengo.builder.Signal(np.zeros(signal.shape), name="kept")
    model.add_op(nengo.builder.operator.Copy(signal, copy))
    model.add_op(nengo.builder.operator.ElementwiseInc(nengo.builder.Signal(np.array(1.0)), copy, keep))
    with nengo.Simulator(None, model=model, progress_bar=False, optimize=False, seed=0) as sim:
        sim.step()
        expected = np.array(sim.signals[keep])
    graph = cohort.Evaluator(to_module(model))
    graph.step()
    np.testing.assert_array_equal(graph.state("kept"), expected)
    return expected


def test_overlapping_views() -> None:
    """Writes to one view are seen through every view they overlap, and through no other."""
    from nengo.builder import Signal
    from nengo.builder.operator import Copy, DotInc, ElementwiseInc, Reset

    def base() -> Signal:
        return Signal(np.array([1.0, 2.0, 5.0, 6.0]), name="base")

    b, y = base(), Signal(np.zeros(2), name="y")
    three = Signal(3.0 * np.eye(2), name="three")
    assert final(raw_model(Reset(b[0:2]), Reset(y), DotInc(three, b[2:4], y)), y).tolist() == [15, 18]
    b, y = base(), Signal(np.zeros(2), name="y")
    assert final(raw_model(Reset(b[0:2], value=7), Copy(b[2:4], y)), y).tolist() == [5, 6]
    b, y = base(), Signal(np.zeros(2), name="y")
    factors = Signal(np.array([10.0, 20.0]), name="factors")
    ops_ = (Reset(b[0:2], value=1), Reset(y), ElementwiseInc(b[2:4], factors, y))
    assert final(raw_model(*ops_), y).tolist() == [50, 120]
    b, y = base(), Signal(np.zeros(3), name="y")
    assert final(raw_model(Reset(b[0:2], value=7), Copy(b[1:4], y)), y).tolist() == [7, 5, 6]
    b, y = base(), Signal(np.zeros(4), name="y")
    assert final(raw_model(Reset(b[::2], value=7), Copy(b[::-1], y)), y).tolist() == [6, 7, 2, 7]


def test_views_of_matrices() -> None:
    from nengo.builder import Signal
    from nengo.builder.operator import Copy, Reset

    def base() -> Signal:
        return Signal(np.arange(12.0).reshape(3, 4), name="base")

    b, y = base(), Signal(np.zeros((3, 2)), name="y")
    assert final(raw_model(Reset(b[:, 1:3], value=-1), Copy(b[:, 2:4], y)), y).tolist() == [
        [-1, 3],
        [-1, 7],
        [-1, 11],
    ]
    b, y = base(), Signal(np.zeros((2, 4)), name="y")
    final(raw_model(Reset(b[1:2, ::2], value=-1), Copy(b[1:], y)), y)
    b, y = base(), Signal(np.zeros((6, 2)), name="y")
    final(raw_model(Reset(b[2, 1:3], value=-1), Copy(b.reshape(6, 2), y)), y)
    b, y = base(), Signal(np.zeros(4), name="y")
    final(raw_model(Reset(b[1], value=-1), Copy(b[1], y)), y)


def test_state_is_what_lasts() -> None:
    network = MODELS["communication_channel"]()
    module = to_module(network)
    assert {"step", "a.neurons.voltage", "b.neurons.refractory_time", "a_to_b.weighted.X"} <= set(
        module.states
    )
    assert not any(name.endswith(".in") for name in module.states)
    assert {"a.encoders", "a.neurons.bias", "a_to_b.weights"} <= set(module.constants)


@pytest.mark.parametrize("backend", STEPPING_BACKENDS)
@pytest.mark.parametrize(
    "name", ["neurons_lif_rate", "learning_voja", "synapse_alpha", "process_piecewise", "sparse_transform"]
)
def test_single_precision(name: str, backend: str) -> None:
    network = MODELS[name]()
    results = record(to_module(network, n_steps=STEPS, dtype="f32"), backend)
    assert all(result.dtype == np.float32 for result in results)
    compare(results, simulate(network), rtol=2e-4)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_single_precision_holds_no_doubles(name: str) -> None:
    module = to_module(MODELS[name](), n_steps=10, dtype="f32")
    arrays = {**module.constants, **module.states}
    allowed = {name for name in arrays if name.endswith((".times", ".draws"))}
    assert {name for name, array in arrays.items() if array.dtype == np.float64} <= allowed
    graph = cohort.Evaluator(module)
    for _ in range(3):
        for name, value in graph.step().items():
            assert value.dtype == (np.bool_ if name.endswith(".sampled") else np.float32)


def test_inputs_replace_nodes() -> None:
    values = np.random.RandomState(3).normal(size=(STEPS, 2))
    with nengo.Network(seed=1) as network:
        nodes = {
            "process": nengo.Node(SINE, size_out=2, label="process"),
            "constant": nengo.Node([1.0, 2.0], label="constant"),
            "function": nengo.Node(lambda t: [t, t], label="function"),
            "passthrough": nengo.Node(size_in=2, label="passthrough"),
            "of_x": nengo.Node(lambda t, x: x, size_in=2, label="of_x"),
        }
        target = nengo.Node(size_in=2)
        for weight, node in enumerate(nodes.values(), start=1):
            nengo.Connection(node, target, synapse=None, transform=weight)
        nengo.Probe(target)
    module = to_module(network, inputs={label: f"in_{label}" for label in nodes})
    given = {f"in_{label}": values * (k + 1) for k, label in enumerate(nodes)}
    compare(record(module, inputs=given), [values * sum((k + 1) ** 2 for k in range(5))])
    with pytest.raises(cohort.GraphError, match="`nothing` is no node"):
        to_module(network, inputs={"nothing": "x"})


def test_functions_of_an_input_need_a_replacement() -> None:
    def squared(t, x):
        return x**2 + t

    def direct(x):
        return [x[0] + x[1]]

    with nengo.Network(seed=1) as network:
        node = nengo.Node(squared, size_in=2, label="squared")
        ens = nengo.Ensemble(1, 2, neuron_type=nengo.Direct(), label="direct")
        nengo.Connection(stimulus(2), node, synapse=None)
        nengo.Connection(node, ens, synapse=None)
        target = nengo.Node(size_in=1)
        nengo.Connection(ens, target, function=direct, synapse=None)
        nengo.Probe(node)
        nengo.Probe(target)
    with pytest.raises(cohort.GraphError, match="`squared.out`: the Python function `squared` of an input"):
        to_module(network)
    functions = {node: lambda t, x: x * x + t, direct: lambda x: ops.reduce_sum(x)}
    compare(record(to_module(network, functions=functions)), simulate(network))
    functions = {"squared": functions[node], direct: functions[direct]}
    compare(record(to_module(network, functions=functions)), simulate(network))


def test_sinks_are_left_out_with_a_warning() -> None:
    with nengo.Network(seed=1) as network:
        source = stimulus()
        nengo.Connection(source, nengo.Node(lambda t, x: None, size_in=1, label="sink"))
        nengo.Probe(source)
    with pytest.warns(UserWarning, match="has no output and is left out"):
        module = to_module(network)
    compare(record(module), simulate(network))


def test_tables_end_with_an_error() -> None:
    network = MODELS["process_white_noise"]()
    with pytest.raises(cohort.GraphError, match="`WhiteNoise` must be tabulated.*`n_steps`"):
        to_module(network)
    graph = cohort.Evaluator(to_module(network, n_steps=3))
    for _ in range(3):
        graph.step()
    with pytest.raises(cohort.EvaluationError, match="tabulated for 3 steps"):
        graph.step()
    assert graph.state("step") == 3


def test_seeds() -> None:
    network = MODELS["two_unseeded_processes"]()
    compare(record(to_module(network, n_steps=STEPS, seed=99)), simulate(network, seed=99))
    network.seed = None
    with pytest.raises(cohort.GraphError, match="no seed"):
        to_module(network, n_steps=STEPS)


def test_sampled_probes_say_when_nengo_records() -> None:
    with nengo.Network(seed=1) as network:
        node = stimulus()
        for every in (0.001, 0.005, 0.0033):
            nengo.Probe(node, sample_every=every)
    compare(record(to_module(network)), simulate(network))


def test_what_is_not_known_is_refused_by_name() -> None:
    class Odd(nengo.LIF):
        def step(self, dt, J, output, voltage, refractory_time):
            output[...] = 1.0

    class Named(nengo.LIF):
        pass

    class Echo(nengo.Process):
        def make_state(self, shape_in, shape_out, dt, dtype=None):
            return {}

        def make_step(self, shape_in, shape_out, dt, rng, state):
            return lambda t, x: x

    with nengo.Network(seed=1) as network:
        nengo.Ensemble(3, 1, neuron_type=Named(), label="named")
        nengo.Ensemble(3, 1, neuron_type=Odd(), label="odd")
    with pytest.raises(cohort.GraphError, match="neuron type `Odd` of `odd.neurons.out` is not known"):
        to_module(network)
    with nengo.Network(seed=1) as network:
        nengo.Node(Echo(), size_in=1, size_out=1, label="echo")
    with pytest.raises(cohort.GraphError, match="process `Echo` of `echo.out` takes an input"):
        to_module(network)


def test_names_follow_labels() -> None:
    with nengo.Network(seed=1, label="top") as network:
        with nengo.Network(label="inner"):
            a = nengo.Ensemble(5, 1, label="a")
            b = nengo.Ensemble(5, 1)
            nengo.Connection(a, b)
        twin = nengo.Ensemble(5, 1, label="a")
        nengo.Ensemble(5, 1, label="a")
        nengo.Probe(a, label="seen")
        nengo.Probe(twin)
    module = to_module(network)
    assert module.name == "top"
    assert {
        "inner.a.neurons.voltage",
        "inner.ensemble_1.neurons.voltage",
        "inner.a_to_ensemble_1.weighted.X",
    } <= set(module.states)
    assert {"a.neurons.voltage", "a.neurons.voltage_2"} <= set(module.states)
    assert list(module.functions["step"].outputs) == ["seen", "a.decoded_output"]


SCRIPT = """
import nengo
with nengo.Network(seed=1, label="scripted") as model:
    node = nengo.Node([0.5], label="drive")
    ens = nengo.Ensemble(100, 1, label="ens")
    nengo.Connection(node, ens)
    nengo.Probe(ens, synapse=0.01)
"""


def test_command_line(tmp_path, capsys) -> None:
    script = tmp_path / "my model.py"
    script.write_text(SCRIPT)
    contents = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        out = tmp_path / folder / "graph.json"
        assert main([f"{script}:model", "-o", str(out), "--input", "drive=u"]) == 0
        contents.append([path.read_bytes() for path in sorted(out.parent.iterdir())])
    assert len(contents[0]) == 2
    assert contents[0] == contents[1]
    graph = json.loads((tmp_path / "one" / "graph.json").read_text())
    assert graph["name"] == "scripted"
    assert graph["functions"]["step"]["inputs"] == {"u": "f64[1]"}
    assert cohort.Evaluator(tmp_path / "one" / "graph.json").step([0.5])["ens.decoded_output"].shape == (1,)
    assert main([str(script), "-o", str(tmp_path / "graph.json")]) == 0
    assert main([f"{script}:nothing", "-o", str(tmp_path / "graph.json")]) == 1
    assert "has no network `nothing`" in capsys.readouterr().err
