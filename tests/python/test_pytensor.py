"""PyTensor graphs and PyMC models, imported: values and gradients equal PyTensor's, and a sampler runs on
them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from backends import needs

pytest.importorskip("pymc", reason="PyMC is not installed")

import pymc as pm  # noqa: E402
import pytensor  # noqa: E402
import pytensor.tensor as pt  # noqa: E402
from bayesian_models import MODELS  # noqa: E402
from pytensor_cases import CASES  # noqa: E402

from pytensor.ifelse import ifelse  # noqa: E402
from pytensor.scan.utils import until as stop_if  # noqa: E402
from pytensor.tensor.elemwise import Elemwise  # noqa: E402

import cohort  # noqa: E402
from cohort import ops  # noqa: E402
from cohort.importers.pytensor.graph import add_functions, as_graph  # noqa: E402
from cohort.importers.pytensor.sampler import SAMPLER  # noqa: E402

# PyTensor computes with NumPy here: its C and Numba modes take longer to compile than all of these tests.
PYTHON_MODE = pytensor.compile.mode.Mode("py", None)
STABLE_MODE = pytensor.compile.mode.Mode(
    "py", pytensor.compile.mode.OPT_FAST_RUN.excluding("fusion", "inplace", "BlasOpt")
)
QUICK = ["--flag=-O0"]


@pytest.fixture(autouse=True, scope="module")
def _no_compiler():
    with pytensor.config.change_flags(cxx="", mode="FAST_COMPILE"):
        yield


@pytest.fixture(scope="module")
def references() -> dict:
    """Inputs' values and PyTensor's results for each case."""
    found = {}
    for name, build in CASES.items():
        inputs, outputs, values = build()
        function = pytensor.function(inputs, outputs, mode=PYTHON_MODE, on_unused_input="ignore")
        found[name] = (inputs, outputs, values, function(*values))
    return found


@pytest.fixture(scope="module")
def cases(references) -> cohort.Module:
    """All cases as functions of one module."""
    module = cohort.Module("cases")
    add_functions(
        module, {name: _graph(inputs, outputs) for name, (inputs, outputs, _, _) in references.items()}
    )
    return module


def _graph(inputs, outputs):
    return as_graph({f"output_{number}": output for number, output in enumerate(outputs)}, inputs)


def _check(program, name, values, expected) -> None:
    results = program.call(name, dict(zip(program.input_types(name), values)))
    for number, wanted in enumerate(expected):
        got, wanted = results[f"output_{number}"], np.asarray(wanted)
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), number
        tolerance = 2e-6 if wanted.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(
            got, wanted, rtol=tolerance, atol=1e-14, err_msg=f"{name}, output {number}"
        )


@pytest.fixture(scope="module")
def evaluated(cases) -> cohort.Evaluator:
    return cohort.Evaluator(cases)


@pytest.fixture(scope="module")
def compiled(cases) -> cohort.CompiledModule:
    return cohort.compile(cases, options=QUICK)


@pytest.mark.parametrize("name", list(CASES))
def test_operators(name, references, evaluated) -> None:
    _check(evaluated, name, *references[name][2:])


@needs("compile")
@pytest.mark.parametrize("name", list(CASES))
def test_compiled_operators(name, references, compiled) -> None:
    _check(compiled, name, *references[name][2:])


def test_names_states_and_updates() -> None:
    x = pt.vector("x", shape=(3,))
    weights = pytensor.shared(np.arange(3.0), name="weights")
    count = pytensor.shared(np.int64(0), name="count")
    loss = pt.sum((x * weights) ** 2)
    loss.name = "loss"
    updates = {weights: weights - 0.1 * pytensor.grad(loss, weights), count: count + 1}
    module = cohort.from_pytensor(loss, [x], updates=updates, name="training", function="step")
    assert (module.name, list(module.functions)) == ("training", ["step"])
    assert set(module.states) == {"weights", "count"}
    graph = cohort.Evaluator(module)
    assert list(graph.input_types("step")) == ["x"]
    reference = pytensor.function([x], loss, updates=updates, mode=PYTHON_MODE)
    for value in ([1.0, 2.0, 3.0], [0.5, 0.0, -1.0]):
        assert np.isclose(graph.step(value)["loss"], reference(value), rtol=1e-14)
    np.testing.assert_allclose(graph.state("weights"), weights.get_value(), rtol=1e-14)
    assert graph.state("count") == 2


def test_a_compiled_function_with_fused_and_inplace_operators() -> None:
    x, a = pt.vector("x", shape=(4,)), pt.matrix("a", shape=(3, 4))
    total = pytensor.shared(np.zeros(3), name="total")
    inner = pytensor.scalar.float64("inner")
    fused = pytensor.scalar.Composite([inner], [pytensor.scalar.exp(pytensor.scalar.tanh(inner) * 2.0 + 1.0)])
    y = Elemwise(fused)(a @ x)
    z = pt.set_subtensor(y[1], 0.0) + pt.inc_subtensor(y[[0, 0]], 1.0)
    updates = {total: total + z}
    mode = pytensor.compile.mode.Mode("cvm", pytensor.compile.mode.OPT_FAST_RUN)
    function = pytensor.function([x, a], [z, a.T @ z], updates=updates, mode=mode)
    kinds = " ".join(str(node.op) for node in function.maker.fgraph.apply_nodes)
    assert all(kind in kinds for kind in ("Composite", "inplace", "Gemv")), kinds
    graph = cohort.Evaluator(cohort.from_pytensor(function))
    rng = np.random.default_rng(0)
    for _ in range(2):
        values = [rng.normal(size=4), rng.normal(size=(3, 4))]
        got, expected = graph.f(*values), function(*values)
        for result, wanted in zip(got.values(), expected):
            np.testing.assert_allclose(result, wanted, rtol=1e-13)
    np.testing.assert_allclose(graph.state("total"), total.get_value(), rtol=1e-13)


def test_a_function_graph_and_rewrites() -> None:
    x = pt.vector("x", shape=(2,))
    y = pt.log(pt.sum(pt.exp(x)))
    graph = pytensor.graph.FunctionGraph([x], [y], clone=True)
    plain = cohort.Evaluator(cohort.from_pytensor(graph))
    stable = cohort.Evaluator(cohort.from_pytensor(y, rewrite=("canonicalize", "stabilize")))
    with np.errstate(over="ignore"):
        assert np.isinf(plain.f([1000.0, 1000.0])["output"])
    assert np.isclose(stable.f([1000.0, 1000.0])["output"], 1000.0 + np.log(2.0))


def test_shapes_come_from_types_values_and_arguments() -> None:
    x, n = pt.vector("x"), pytensor.shared(np.int64(3), name="n")
    y = x.reshape((n, -1)).sum(axis=0) + pt.zeros(x.shape[0] // n)
    with pytest.raises(cohort.GraphError, match="shape of input `x`.*give it in `shapes`"):
        cohort.from_pytensor(y)
    module = cohort.from_pytensor(y, shapes={"x": (6,)})
    assert module.states == {}, "what decides a shape is a constant"
    assert cohort.Evaluator(module).f(np.arange(6.0))["output"].tolist() == [6.0, 9.0]
    assert str(cohort.from_pytensor(y, shapes={x: (12,)}).functions["f"].inputs["x"]) == "f64[12]"
    with pytest.raises(cohort.GraphError, match=r"shape \(2, 3\) does not fit"):
        cohort.from_pytensor(y, shapes={x: (2, 3)})
    with pytest.raises(cohort.GraphError, match="a shape depends on `n`, which changes"):
        cohort.from_pytensor(y, shapes={x: (6,)}, updates={n: n + 1})
    size = pt.scalar("size", dtype="int64")
    with pytest.raises(cohort.GraphError, match="depends on the value of `size`"):
        cohort.from_pytensor(pt.zeros(size) + 1.0)


def test_everything_unsupported_is_told_at_once() -> None:
    x = pt.vector("x", shape=(3,))
    first, second = pt.owens_t(x, x), pt.jv(1.0, x)
    first.name = "first"
    outputs = [first + second, pt.owens_t(2 * x, x), x[x > 0].sum(), pt.exp(second)]
    with pytest.raises(cohort.GraphError) as caught:
        cohort.from_pytensor(outputs)
    text = str(caught.value)
    assert "owens_t: 2 times, as for `first`" in text.lower()
    assert "jv: 1 time" in text.lower() and "a mask that is not constant: 1 time" in text
    assert len(text.splitlines()) == 4


def _random_variables(stream, size: int) -> dict:
    draw = {"size": size}
    floats = {
        "uniform": (-1, 2), "normal": (1.0, 2.0), "exponential": (2.0,), "gamma": (2.0, 3.0), "beta": (2.0, 3.0),
        "laplace": (1.0, 2.0), "logistic": (1.0, 2.0), "gumbel": (1.0, 2.0), "t": (8.0, 1.0, 2.0),
        "weibull": (2.0,), "lognormal": (0.0, 0.5), "halfnormal": (0.0, 2.0), "invgamma": (6.0, 2.0),
        "chisquare": (5.0,), "bernoulli": (0.3,), "poisson": (4.0,), "binomial": (10, 0.3),
        "negative_binomial": (5, 0.4), "geometric": (0.3,), "integers": (2, 9),
    }  # fmt: skip
    found = {name: getattr(stream, name)(*parameters, **draw) for name, parameters in floats.items()}
    found["categorical"] = stream.categorical(np.array([0.2, 0.5, 0.3]), **draw)
    return found | {"rows": stream.normal(pt.arange(3.0), 1.0, size=(size, 3))}


def test_branches_compute_what_they_need() -> None:
    x, c = pt.vector("x", shape=(3,)), pt.scalar("c", dtype="float64")
    both = pt.exp(x)
    result = ifelse(c > 0, pt.sin(both), pt.cos(both) + pt.log(x))
    (function,) = cohort.from_pytensor(result, [x, c]).to_json()["functions"].values()
    (cond,) = [node for node in function["nodes"] if node["op"] == "cond"]
    operators = {key: sorted(node["op"] for node in cond[key]["nodes"]) for key in ("then", "else")}
    assert operators == {"then": ["sin"], "else": ["add", "cos", "log"]}
    assert "exp" in [node["op"] for node in function["nodes"]]
    # What is not taken need not be known.
    known = ifelse(pt.as_tensor(np.int8(1)), x, pt.jv(1.0, x))
    assert "nodes" not in cohort.from_pytensor(known, [x]).to_json()["functions"]["f"]


def test_what_a_loop_with_a_condition_cannot_give() -> None:
    y = pt.vector("y", shape=(5,))
    rows = pytensor.scan(lambda y: (y, stop_if(y > 2)), y, return_updates=False)
    with pytest.raises(cohort.GraphError, match="as many rows as a Scan with a condition takes steps"):
        cohort.from_pytensor(rows, [y])
    for use in (pt.sort(rows)[0], (rows * y)[-1], rows.reshape((5,)).sum(), pt.dot(rows, y)):
        with pytest.raises(cohort.GraphError, match="Scan with a condition"):
            cohort.from_pytensor(use, [y])


def test_case_14_the_gradient_of_a_loop_that_stops() -> None:
    y, x0 = pt.vector("y", shape=(12,)), pt.scalar("x0", dtype="float64")
    xs = pytensor.scan(lambda y, x: (1.3 * x + y, stop_if(1.3 * x + y > 5)), y, x0, return_updates=False)
    module = cohort.from_pytensor({"total": xs.sum()}, [y, x0], function="total")
    with module.function("slopes") as slopes:
        values = [slopes.input("y", "f64[12]"), slopes.input("x0", "f64[]")]
        dy, dx0 = ops.grad(module.functions["total"], values, ["y", "x0"])
        slopes.output("dy", dy)
        slopes.output("dx0", dx0)
    given = {"y": np.linspace(0.4, 0.9, 12), "x0": 0.2}
    result = cohort.Evaluator(module).call("slopes", given)
    wanted = [12.75603, 9.0431, 6.187, 3.99, 2.3, 1, 0, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(result["dy"], wanted, rtol=1e-12)
    np.testing.assert_allclose(result["dx0"], 16.582839, rtol=1e-12)


@pytest.mark.skipif(not hasattr(cohort.ops, "random_normal"), reason="there are no random operators")
def test_random_variables_have_pytensors_distributions() -> None:
    """Means within five standard errors, spreads within a tenth; each call draws other numbers."""
    size, stream = 3000, pt.random.RandomStream(7)
    outputs = _random_variables(stream, size)
    module = cohort.from_pytensor(outputs, [], updates=dict(stream.updates()))
    assert len(module.states) == len(outputs) and all(
        state.dtype == np.uint64 for state in module.states.values()
    )
    graph = cohort.Evaluator(module)
    expected = pytensor.function([], list(outputs.values()), mode=PYTHON_MODE)()
    first, second = graph.f(), graph.f()
    for (name, got), wanted in zip(first.items(), expected):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
        assert (got != second[name]).mean() > 0.3, name
        got, wanted = got.astype(np.float64), wanted.astype(np.float64)
        error = np.sqrt((got.var() + wanted.var()) / size)
        assert abs(got.mean() - wanted.mean()) < 5 * error, name
        assert abs(got.std() / wanted.std() - 1.0) < 0.1, name


@pytest.fixture(scope="module")
def posteriors() -> dict:
    return {}


def _posterior(posteriors, name):
    if name not in posteriors:
        posteriors[name] = cohort.from_pymc(MODELS[name](), name=name, gradient="pytensor")
    return posteriors[name]


def _densities(model):
    """PyTensor's log density and gradients."""
    values = [model.rvs_to_values[variable] for variable in model.free_RVs]
    logp = model.logp()
    return pm.pytensorf.compile(values, [logp, *pytensor.grad(logp, values)], mode=STABLE_MODE)


@pytest.mark.parametrize("name", list(MODELS))
def test_models(name, posteriors) -> None:
    posterior = _posterior(posteriors, name)
    function, graph = _densities(posterior.model), cohort.Evaluator(posterior.module)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=posterior.size) / 2
        point = posterior.unflatten(x)
        logp, *parts = function(*(point[part.name] for part in posterior.parameters))
        results = graph.logp(x)
        np.testing.assert_allclose(results["logp"], logp, rtol=1e-10)
        gradient = np.concatenate([np.ravel(part) for part in parts])
        np.testing.assert_allclose(results["gradient"], gradient, rtol=1e-10, atol=1e-10)


def test_points_and_data() -> None:
    posterior = cohort.from_pymc(MODELS["logistic"](), gradient="pytensor", expand=False)  # its data change
    assert [(part.name, part.slice) for part in posterior.parameters] == [
        ("alpha", slice(0, 1)),
        ("beta", slice(1, 11)),
    ]
    assert set(posterior.module.states) == {"x", "y"}
    flat = posterior.flatten({"alpha": 0.5, "beta": np.arange(10.0)})
    assert posterior.unflatten(flat)["beta"].tolist() == list(range(10))
    graph = cohort.Evaluator(posterior.module)
    before = graph.logp(flat)["logp"]
    rows = np.random.default_rng(7).normal(size=(1000, 10))
    graph.set_state("x", rows)
    with posterior.model:
        pm.set_data({"x": rows})
    expected = _densities(posterior.model)(0.5, np.arange(10.0))[0]
    assert np.isclose(graph.logp(flat)["logp"], expected, rtol=1e-12) and not np.isclose(before, expected)


def test_data_of_other_lengths() -> None:
    with pm.Model() as model:
        x, observed = pm.Data("x", np.ones((3, 10))), pm.Data("y", np.array([0, 1, 1]))
        alpha, beta = pm.Normal("alpha", 0.0, 2.0), pm.Normal("beta", 0.0, 1.0, shape=10)
        pm.Bernoulli("answers", logit_p=alpha + x @ beta, observed=observed)
    posterior = cohort.from_pymc(model, expand=False)
    rng = np.random.default_rng(8)
    rows, answers = rng.normal(size=(7, 10)), rng.integers(0, 2, size=7)
    other = posterior.with_data(x=rows, y=answers)
    assert {name: state.shape for name, state in other.module.states.items()} == {"x": (7, 10), "y": (7,)}
    flat = np.linspace(-1.0, 1.0, 11)
    result = cohort.Evaluator(other.module).logp(flat)
    with model:
        pm.set_data({"x": rows, "y": answers})
    logp, *parts = _densities(model)(flat[0], flat[1:])
    np.testing.assert_allclose(result["logp"], logp, rtol=1e-12)
    np.testing.assert_allclose(result["gradient"], np.hstack(parts), rtol=1e-10)
    with pytest.raises(cohort.GraphError, match="has rank 2, not 1"):
        posterior.with_data(x=answers)
    with pytest.raises(cohort.GraphError, match="`z` is no data"):
        posterior.with_data(z=answers)
    with pytest.raises(cohort.GraphError, match="`y` is observed as a constant"):
        cohort.from_pymc(MODELS["logistic"](), expand=False).with_data(y=answers)


def test_constant_data_and_refusals() -> None:
    posterior = cohort.from_pymc(MODELS["eight_schools"](), observed="constant", expand=False)
    assert posterior.module.states == {} and set(posterior.module.functions) == {"density", "logp"}
    with pm.Model() as discrete:
        pm.Poisson("k", 3.0)
    with pytest.raises(cohort.GraphError, match="`k` is discrete"):
        cohort.from_pymc(discrete)
    with pytest.raises(cohort.GraphError, match="`gradient` is"):
        cohort.from_pymc(MODELS["eight_schools"](), gradient="other")


def test_altered_gradients() -> None:
    """Those of PyTensor are taken where the model alters them, by default too."""
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Potential("p", pytensor.gradient.grad_clip(x * 3.0, -0.5, 0.5))
    posterior = cohort.from_pymc(model, expand=False)
    assert "density" not in posterior.module.functions
    gradient = cohort.Evaluator(posterior.module).logp(np.array([0.5]))["gradient"]
    np.testing.assert_allclose(gradient, [3.0 * 0.5 - 0.5])


@needs("compile")
@pytest.mark.parametrize("name", ["radon", "mixture", "garch"])
def test_compiled_models(name, posteriors) -> None:
    posterior = _posterior(posteriors, name)
    compiled, graph = cohort.compile(posterior.module, options=QUICK), cohort.Evaluator(posterior.module)
    x = np.random.default_rng(1).normal(size=posterior.size) / 2
    results, expected = compiled.logp(x), graph.logp(x)
    for key in ("logp", "gradient"):
        np.testing.assert_allclose(results[key], expected[key], rtol=1e-11, atol=1e-11)


@needs("compile")
@pytest.mark.parametrize("name", ["logistic", "radon", "garch"])
def test_gradients_that_the_compiler_makes(name, posteriors) -> None:
    posterior = _posterior(posteriors, name)
    own = cohort.from_pymc(posterior.model, name=name, expand=False)
    compiled, graph = cohort.compile(own.module, options=QUICK), cohort.Evaluator(posterior.module)
    x = np.random.default_rng(1).normal(size=posterior.size) / 2
    results, expected = compiled.logp(x), graph.logp(x)
    assert np.isclose(compiled.density(x)["logp"], expected["logp"], rtol=1e-12)
    for key in ("logp", "gradient"):
        np.testing.assert_allclose(results[key], expected[key], rtol=1e-10, atol=1e-10)


@pytest.fixture(scope="module")
def schools():
    return cohort.from_pymc(MODELS["eight_schools"](), name="eight_schools").compile(options=["--flag=-O1"])


@needs("compile")
def test_sampler_functions(schools) -> None:
    """Status codes; the pooled functions take any free workspace."""
    size = schools.posterior.size
    x, gradient, logp = np.full(size, 0.1), np.zeros(size), np.zeros(1)
    x_p, gradient_p, logp_p = (a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (x, gradient, logp))
    pool = schools.pool(2)
    for name, user in (("sampler", schools.workspace), ("sampler_pooled", pool.pointer)):
        function = SAMPLER(schools.address(name))
        x[:] = 0.1
        assert function(size, x_p, gradient_p, logp_p, user) == 0
        expected = schools(x)
        assert logp[0] == expected[0] and gradient.tolist() == expected[1].tolist()
        assert function(size + 1, x_p, gradient_p, logp_p, user) == -1
        x[0] = np.nan
        assert function(size, x_p, gradient_p, logp_p, user) == 3
        x[0] = 1e200
        assert function(size, x_p, gradient_p, logp_p, user) == 4
        assert function(size, x_p, gradient_p, logp_p, None) == 1
    expanded = schools.expand(np.full(size, 0.1))
    assert expanded["theta"].shape == (8,) and np.isclose(expanded["tau"], np.exp(0.1))
    np.testing.assert_allclose(expanded["theta"], 0.1 + 0.1 * np.exp(0.1))


@needs("compile")
def test_nutpie_samples_eight_schools(schools) -> None:
    nutpie = pytest.importorskip("nutpie", reason="nutpie is not installed")
    from cohort.importers.pytensor.nutpie import nutpie_model

    trace = nutpie.sample(
        nutpie_model(schools), draws=2000, tune=500, chains=2, cores=2, seed=3, progress_bar=False
    )
    mean = trace.posterior.mean(("chain", "draw"))
    # Means of a run of 4 x 50,000 draws, and more than five standard errors of this one.
    assert abs(float(mean["mu"]) - 4.4) < 0.6 and abs(float(mean["tau"]) - 3.6) < 0.6
    assert trace.posterior["theta"].dims[-1] == "school"
    assert (
        4.0 < float(mean["theta"].sel(school="A")) < 8.0 and float(trace.sample_stats.diverging.mean()) < 0.05
    )
