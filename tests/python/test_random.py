"""The samples' distributions, at fixed keys: nothing here changes from run to run."""

from __future__ import annotations

import numpy as np
import pytest
from backends import STEPPING_BACKENDS, program
from scipy import stats

import cohort
from cohort import ops

N = 20000
KEY = np.uint64(0x9E3779B97F4A7C15)


def sampled(op: str, *parameters, **attrs) -> np.ndarray:
    module = cohort.Module("sampling")
    with module.function("f") as function:
        key, draw = function.input("key", "u64[]"), function.input("draw", "u64[]")
        shape = {} if op == "random_permutation" else {"shape": [N]}
        function.output("y", function.node(op, [key, draw, *parameters], {**shape, **attrs}, 1)[0])
    return cohort.Evaluator(module).call("f", {"key": KEY, "draw": np.uint64(3)})["y"]


CONTINUOUS = {
    "random_uniform": ((), stats.uniform()),
    "random_normal": ((), stats.norm()),
    "random_exponential": ((), stats.expon()),
    "random_gamma": ((0.3,), stats.gamma(0.3)),
    "random_beta": ((2.0, 0.5), stats.beta(2.0, 0.5)),
}
COUNTS = {
    "random_poisson": [((0.5,), stats.poisson(0.5)), ((40.0,), stats.poisson(40.0))],
    "random_binomial": [((7, 0.3), stats.binom(7, 0.3)), ((500, 0.98), stats.binom(500, 0.98))],
}


@pytest.mark.parametrize("op", CONTINUOUS)
def test_continuous_samples_pass_kolmogorov_and_smirnov(op: str) -> None:
    parameters, distribution = CONTINUOUS[op]
    x = sampled(op, *parameters)
    assert x.shape == (N,)
    assert len(np.unique(x)) > N - 3 or op == "random_beta"
    assert stats.kstest(x, distribution.cdf).pvalue > 0.01
    # Neighbours are independent: their ranks do not correlate.
    assert abs(stats.spearmanr(x[:-1], x[1:]).statistic) < 4 / np.sqrt(N)


@pytest.mark.parametrize("op", COUNTS)
def test_counts_pass_pearson(op: str) -> None:
    for parameters, distribution in COUNTS[op]:
        x = sampled(op, *parameters)
        assert x.dtype == np.int64
        low, high = int(distribution.ppf(0.001)), int(distribution.ppf(0.999))
        edges = np.arange(low, high + 1)
        seen = np.array([(x <= low).sum(), *((x == k).sum() for k in edges[1:-1]), (x >= high).sum()])
        chances = np.array(
            [distribution.cdf(low), *distribution.pmf(edges[1:-1]), distribution.sf(high - 1)]
        )
        assert stats.chisquare(seen, N * chances / chances.sum()).pvalue > 0.01


def test_bernoulli_and_categorical_frequencies() -> None:
    assert abs(sampled("random_bernoulli", 0.3).mean() - 0.3) < 3 * np.sqrt(0.21 / N)
    module = cohort.Module("sampling")
    weights = np.array([1.0, 0.0, 3.0, 6.0])
    with module.function("f") as function:
        p, logits = function.input("p", "f64[4]"), function.input("logits", "f64[4]")
        stream = [function.input("key", "u64[]"), function.input("draw", "u64[]")]
        function.output("x", ops.random_categorical(*stream, p, shape=[N]))
        function.output("y", ops.random_categorical(*stream, logits, shape=[N], logits=True))
    with np.errstate(divide="ignore"):
        inputs = {"p": weights, "logits": np.log(weights), "key": KEY, "draw": np.uint64(4)}
    results = cohort.Evaluator(module).call("f", inputs)
    seen = np.bincount(results["x"], minlength=4)
    assert seen[1] == 0
    assert stats.chisquare(seen[[0, 2, 3]], N * weights[[0, 2, 3]] / 10).pvalue > 0.01
    assert (results["x"] == results["y"]).mean() > 0.9999


def test_multinomial_counts_add_up_and_have_the_means() -> None:
    module = cohort.Module("sampling")
    with module.function("f") as function:
        p = function.input("p", "f64[3]")
        stream = [function.input("key", "u64[]"), function.input("draw", "u64[]")]
        function.output("x", ops.random_multinomial(*stream, 30, p, shape=[N]))
    x = cohort.Evaluator(module).call("f", {"p": np.array([0.2, 0.5, 0.3]), "key": KEY, "draw": np.uint64(5)})["x"]
    assert (x.sum(axis=1) == 30).all()
    np.testing.assert_allclose(x.mean(axis=0), [6, 15, 9], atol=4 * np.sqrt(7.5 / N))
    assert abs(np.corrcoef(x[:, 0], x[:, 1])[0, 1] + np.sqrt(0.2 * 0.5 / (0.8 * 0.5))) < 0.03


def test_permutations_are_permutations_and_differ() -> None:
    first = sampled("random_permutation", n=100)
    assert sorted(first) == list(range(100))
    assert (first == np.arange(100)).sum() < 10


@pytest.mark.parametrize("backend", STEPPING_BACKENDS)
def test_a_stream_advances_with_its_counter(backend: str) -> None:
    module = cohort.Module("stream")
    draw = module.state("draw", np.uint64(0))
    with module.function("step") as function:
        function.output("u", ops.random_uniform(np.uint64(42), draw, shape=[3]))
        function.update(draw, ops.add(draw, 1))
    with module.function("both") as function:
        keys = function.input("keys", "u64[2,1]")
        function.output("u", ops.random_uniform(keys, draw, shape=[2, 3]))
    graph = program(backend, module)
    steps = [graph.call("step", {})["u"] for _ in range(3)]
    assert len(np.unique(np.concatenate(steps))) == 9
    graph.reset()
    np.testing.assert_array_equal(graph.call("step", {})["u"], steps[0])
    # Element numbers are those of the whole result: the first row of a batch is the stream alone.
    batch = graph.call("both", {"keys": np.array([[42], [43]], np.uint64)})["u"]
    np.testing.assert_array_equal(batch[0], steps[1])
