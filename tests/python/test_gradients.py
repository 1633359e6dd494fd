"""Gradients that Cohort takes equal PyTensor's, for every family of operators that the importer's tests have; second
derivatives forwards over backwards equal those backwards over forwards."""

from __future__ import annotations

import numpy as np
import pytest
from backends import needs

pytest.importorskip("pymc", reason="PyMC is not installed")

import pytensor  # noqa: E402
import pytensor.tensor as pt  # noqa: E402
from pytensor_cases import CASES  # noqa: E402

import cohort  # noqa: E402
from cohort import ops  # noqa: E402
from cohort.importers.pytensor.graph import add_functions, as_graph  # noqa: E402

# Cases that hold gradients already: PyTensor fails to differentiate some of its own a second time.
DIFFERENTIATED = {"gradients", "loops"}
PYTHON_MODE = pytensor.compile.mode.Mode("py", None)
QUICK = ["--flag=-O0"]


@pytest.fixture(autouse=True, scope="module")
def _no_compiler():
    with pytensor.config.change_flags(cxx="", mode="FAST_COMPILE"):
        yield


def _has_gradient(term, inputs) -> bool:
    try:
        pytensor.grad(term, inputs, disconnected_inputs="ignore")
    except (AttributeError, NotImplementedError, ValueError, pytensor.gradient.NullTypeGradError):
        return False
    return True


def _total(outputs, inputs):
    """A weighted sum of the outputs that PyTensor can differentiate, and how many those are."""
    rng, terms = np.random.default_rng(7), []
    for output in outputs:
        if str(output.dtype).startswith("float"):
            term = pt.sum(pt.cast(output, "float64") * rng.uniform(0.5, 1.5))
            if _has_gradient(term, inputs):
                terms.append(term)
    total = sum(terms[1:], terms[0]) if terms else None
    if terms and not _has_gradient(total, inputs):  # its IfElse can have one output that is read, not several
        terms, total = terms[:1], terms[0]
    return total, len(terms)


@pytest.fixture(scope="module")
def references() -> dict:
    """For each case its inputs, a loss, which inputs it is differentiated by, values and PyTensor's gradients."""
    found = {}
    for name, build in CASES.items():
        if name in DIFFERENTIATED or name == "until":  # PyTensor's is a step off there (pytensor#2217, case 14)
            continue
        inputs, outputs, values = build()
        if name == "indices":  # PyTensor gives gradients to writes that a repeated index overwrites (case 10)
            values[-1] = np.array([2, 0, 1])
        floats = [x for x in inputs if str(x.dtype).startswith("float")]
        loss, count = _total(outputs, floats) if floats else (None, 0)
        if loss is None:
            continue
        gradients = pytensor.grad(loss, floats, disconnected_inputs="ignore")
        function = pytensor.function(inputs, gradients, mode=PYTHON_MODE, on_unused_input="ignore")
        found[name] = (inputs, loss, floats, values, function(*values), count)
    return found


@pytest.fixture(scope="module")
def compiled(references) -> cohort.CompiledModule:
    module = cohort.Module("gradients")
    add_functions(module, {name: as_graph({"loss": case[1]}, case[0]) for name, case in references.items()})
    for name, (inputs, _, floats, *_rest) in references.items():
        loss = module.functions[name]
        names = list(loss.inputs)
        with module.function(f"{name}_gradient") as function:
            values = [function.input(each, type_) for each, type_ in loss.inputs.items()]
            wrt = [names[inputs.index(x)] for x in floats]
            for number, gradient in enumerate(ops.grad(loss, values, wrt, disconnected="zero")):
                function.output(f"d{number}", gradient)
    return cohort.compile(module, options=QUICK)


@needs("compile")
def test_gradients_equal_pytensors(references, compiled) -> None:
    assert len(references) > 8 and sum(case[-1] for case in references.values()) > 150
    for name, (_, _, floats, values, expected, _) in references.items():
        types = compiled.input_types(f"{name}_gradient")
        results = compiled.call(f"{name}_gradient", dict(zip(types, values)))
        for number, wanted in enumerate(expected):
            got = results[f"d{number}"]
            tolerance = 1e-10 if got.dtype == np.float64 else 1e-5
            np.testing.assert_allclose(
                got, wanted, rtol=tolerance, atol=1e-12, err_msg=f"{name}, by {floats[number]}"
            )


SMOOTH = "exp expm1 sin cos tanh sinh softplus sigmoid erf square log1p atan asinh reciprocal".split()


@needs("compile")
def test_second_derivatives_agree_both_ways() -> None:
    """Hessian times vector by hvp, and as the gradient of a jvp, of sum(f(x * k)^2) for smooth f."""
    module = cohort.Module("second")
    for op in SMOOTH:
        f = module.function(op)
        x = f.input("x", "f64[4]")
        f.output("y", ops.reduce_sum(ops.square(getattr(ops, op)(x * np.array([0.3, 0.7, 1.1, 0.2])) * x)))
        along = module.function(f"{op}_along")
        x, t = along.input("x", "f64[4]"), along.input("t", "f64[4]")
        along.output("t", ops.jvp(f, [x], [t], ["x"])[1])
        with module.function(f"{op}_second") as g:
            x, t = g.input("x", "f64[4]"), g.input("t", "f64[4]")
            g.output("forward_over_reverse", ops.hvp(f, [x], [t], ["x"])[0])
            g.output("reverse_over_forward", ops.grad(along, [x, t], ["x"])[0])
            g.output("gradient", ops.grad(f, [x], ["x"])[0])
    compiled = cohort.compile(module, options=QUICK)
    x, t, step = np.array([0.5, 1.2, 0.8, 1.9]), np.array([1.0, -0.5, 0.25, 2.0]), 2.0**-17
    for op in SMOOTH:

        def gradient(at, op=op):
            return compiled.call(f"{op}_second", {"x": at, "t": t})["gradient"]

        found = compiled.call(f"{op}_second", {"x": x, "t": t})
        np.testing.assert_allclose(
            found["forward_over_reverse"], found["reverse_over_forward"], rtol=1e-12, atol=1e-12, err_msg=op
        )
        differences = (gradient(x + step * t) - gradient(x - step * t)) / (2 * step)
        np.testing.assert_allclose(
            found["forward_over_reverse"], differences, rtol=1e-6, atol=1e-8, err_msg=op
        )
