"""PyMC models with made-up data, for the tests and `tools/bench/pymc_models.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

MODELS: dict[str, Callable[[], pm.Model]] = {}


def model(build: Callable[[], pm.Model]) -> Callable[[], pm.Model]:
    MODELS[build.__name__] = build
    return build


@model
def eight_schools() -> pm.Model:
    """Rubin's eight schools, not centred."""
    effects = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    errors = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    with pm.Model(coords={"school": list("ABCDEFGH")}) as built:
        mu = pm.Normal("mu", 0.0, 5.0)
        tau = pm.HalfCauchy("tau", 5.0)
        raw = pm.Normal("raw", 0.0, 1.0, dims="school")
        theta = pm.Deterministic("theta", mu + tau * raw, dims="school")
        pm.Normal("effect", theta, errors, observed=effects, dims="school")
    return built


@model
def logistic() -> pm.Model:
    """Logistic regression, 1000 rows of 10 columns."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(1000, 10))
    answers = (rng.uniform(size=1000) < 1.0 / (1.0 + np.exp(-rows @ rng.normal(size=10)))).astype(np.int64)
    with pm.Model() as built:
        x = pm.Data("x", rows)
        alpha = pm.Normal("alpha", 0.0, 2.0)
        beta = pm.Normal("beta", 0.0, 1.0, shape=10)
        pm.Bernoulli("y", logit_p=alpha + x @ beta, observed=answers)
    return built


@model
def radon() -> pm.Model:
    """Varying intercepts and slopes: 919 observations in 85 counties, 175 parameters."""
    rng = np.random.default_rng(2)
    county = rng.integers(0, 85, size=919)
    floor = rng.integers(0, 2, size=919).astype(np.float64)
    level = (
        rng.normal(1.4, 0.3, 85)[county] - rng.normal(0.7, 0.3, 85)[county] * floor + rng.normal(0, 0.7, 919)
    )
    with pm.Model() as built:
        mu_a, sigma_a = pm.Normal("mu_a", 0.0, 10.0), pm.HalfCauchy("sigma_a", 5.0)
        mu_b, sigma_b = pm.Normal("mu_b", 0.0, 10.0), pm.HalfCauchy("sigma_b", 5.0)
        a_raw, b_raw = pm.Normal("a_raw", 0.0, 1.0, shape=85), pm.Normal("b_raw", 0.0, 1.0, shape=85)
        eps = pm.HalfCauchy("eps", 5.0)
        a, b = mu_a + sigma_a * a_raw, mu_b + sigma_b * b_raw
        pm.Normal("level", a[county] + b[county] * floor, eps, observed=level)
    return built


@model
def mixture() -> pm.Model:
    """A mixture of three normals, 500 observations."""
    rng = np.random.default_rng(3)
    values = rng.normal([-2.0, 0.5, 3.0], [0.5, 1.0, 0.7], size=(500, 3))[
        np.arange(500), rng.integers(0, 3, 500)
    ]
    with pm.Model() as built:
        weights = pm.Dirichlet("weights", np.ones(3))
        means = pm.Normal("means", np.array([-1.0, 0.0, 1.0]), 5.0, shape=3)
        sigmas = pm.HalfNormal("sigmas", 2.0, shape=3)
        pm.NormalMixture("value", weights, means, sigma=sigmas, observed=values)
    return built


@model
def poisson_counts() -> pm.Model:
    """Overdispersed counts with a bounded, a simplex and an ordered parameter; many distributions in one."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(4.0, size=60)
    group = rng.integers(0, 3, size=60)
    with pm.Model() as built:
        rate = pm.Gamma("rate", 2.0, 0.5, shape=3)
        spread = pm.Exponential("spread", 1.0)
        share = pm.Beta("share", 2.0, 3.0)
        shift = pm.Uniform("shift", -1.0, 1.0)
        cut = pm.StudentT("cut", nu=3.0, mu=0.0, sigma=1.0)
        mean = rate[group] * pt.exp(0.1 * shift) + share
        pm.NegativeBinomial("count", mu=mean, alpha=spread, observed=counts)
        pm.Poisson("other", pt.exp(cut), observed=counts[:10])
    return built


@model
def garch() -> pm.Model:
    """GARCH(1, 1) of 200 steps."""
    returns = np.random.default_rng(5).normal(size=200)
    with pm.Model() as built:
        omega = pm.HalfNormal("omega", 1.0)
        alpha, beta = pm.Uniform("alpha", 0.0, 1.0), pm.Uniform("beta", 0.0, 1.0)
        later = pytensor.scan(
            lambda value, variance, omega, alpha, beta: omega + alpha * value**2 + beta * variance,
            sequences=pt.as_tensor(returns[:-1]),
            outputs_info=pt.as_tensor(np.float64(1.0)),
            non_sequences=[omega, alpha, beta],
            return_updates=False,
        )
        variance = pt.concatenate([[1.0], later])
        pm.Normal("return", 0.0, pt.sqrt(variance), observed=returns)
    return built


@model
def gaussian_process() -> pm.Model:
    """A Gaussian process at 50 points, marginal likelihood."""
    rng = np.random.default_rng(6)
    points = np.sort(rng.uniform(0.0, 5.0, size=50))
    values = np.sin(points) + rng.normal(0.0, 0.1, size=50)
    with pm.Model() as built:
        scale, length = pm.HalfNormal("scale", 2.0), pm.HalfNormal("length", 2.0)
        noise = pm.HalfNormal("noise", 1.0)
        process = pm.gp.Marginal(cov_func=scale**2 * pm.gp.cov.ExpQuad(1, length))
        process.marginal_likelihood("value", points[:, None], values, sigma=noise)
    return built
