"""Every operator of `ir/README.md` against plain NumPy."""

from __future__ import annotations

import functools
import keyword
import re

import numpy as np
import pytest
import structured_cases
from backends import EVERY_BACKEND, program
from conftest import ROOT
from op_cases import Case

import cohort
from cohort import ops
from cohort.program import Program

CASES = structured_cases.CASES


# Operators whose cases are one module. A build's fixed costs are paid once for them; the interpreter reads the graph
# for each call.
GROUP = {"numpy": 1, "interpreter": 1, "compiled": 16}


def add_cases(module: cohort.Module, op: str) -> None:
    """One function `op.case_N` for each case; arrays are inputs, Python scalars literals."""
    for number, case in enumerate(CASES[op]):
        with module.function(f"{op}.case_{number}") as function:
            operands = []
            for index, operand in enumerate(case.operands):
                if isinstance(operand, (bool, int, float)) and not isinstance(operand, np.generic):
                    operands.append(operand)
                else:
                    array = np.asarray(operand)
                    operands.append(function.input(f"x{index}", array.dtype, array.shape))
            results = function.node(op, operands, case.attrs, max(len(case.expected), 1))
            for index, result in enumerate(results):
                function.output(f"y{index}", result)


@functools.cache
def programs(backend: str, group: int) -> Program:
    """The cases of one group of operators."""
    module = cohort.Module(f"ops_{group}")
    size = GROUP[backend]
    for op in sorted(CASES)[group * size : (group + 1) * size]:
        add_cases(module, op)
    return program(backend, module)


def arguments(case: Case) -> dict[str, np.ndarray]:
    """The arrays among a case's operands by input name."""
    named = {f"x{index}": operand for index, operand in enumerate(case.operands)}
    return {k: np.asarray(v) for k, v in named.items() if isinstance(v, (np.ndarray, np.generic))}


def check(case: Case, results: list[np.ndarray]) -> None:
    """Compares dtype, shape and values; NaN equals NaN, infinities and zeros keep their sign."""
    for result, expected in zip(results, case.expected, strict=True):
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        if case.rtol == 0:
            np.testing.assert_array_equal(result, expected)
        else:
            np.testing.assert_allclose(result, expected, rtol=case.rtol, atol=case.rtol * 1e-3)
        if expected.dtype.kind == "f" and case.rtol == 0:
            finite = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(result)[finite], np.signbit(expected)[finite])


@pytest.mark.parametrize("backend", EVERY_BACKEND)
@pytest.mark.parametrize("op", sorted(CASES))
def test_operator(op: str, backend: str) -> None:
    graph = programs(backend, sorted(CASES).index(op) // GROUP[backend])
    for number, case in enumerate(CASES[op]):
        if case.error:
            with pytest.raises(cohort.EvaluationError, match=re.escape(case.error)):
                graph.call(f"{op}.case_{number}", arguments(case))
            continue
        check(case, list(graph.call(f"{op}.case_{number}", arguments(case)).values()))


def test_every_operator_of_the_readme_has_cases() -> None:
    text = (ROOT / "ir" / "README.md").read_text(encoding="utf-8")
    begin, middle = (text.index(f"## {title}") for title in ("Scalar operators", "Structured operators"))
    scalar = re.search(r"`(add .*?)`", text[begin:middle], re.DOTALL).group(1)
    names = set(re.sub(r"\{.*?\}", "", scalar).split())
    functions = text.index("### Operators that take functions")
    for row in re.findall(r"^\| (`.*?) \|", text[middle:functions], re.MULTILINE):
        for part in re.findall(r"`([a-z_ ]+)\(?", re.sub(r"\([^)]*\)|\{[^}]*\}", "(", row)):
            names.update(part.split())
    assert len(names) > 120
    tested = set(CASES) | {"print"}
    assert names - tested == set()
    assert {name.rstrip("_") for name in names} <= {name.rstrip("_") for name in dir(ops)}


def test_every_operator_of_the_readme_that_takes_functions_can_be_built() -> None:
    """What they give is tested in test_builder.py, by the compiler's own tests and by test_pytensor.py."""
    text = (ROOT / "ir" / "README.md").read_text(encoding="utf-8")
    section = text[text.index("### Operators that take functions") :]
    rows = re.findall(r"^\| (`.*?) \|", section[: section.index("\n\n`scan`")], re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([a-z_]+)(?=\(|`, `[a-z_]+ \()", row)}
    names |= {name for row in rows for name in re.findall(r"`([a-z_]+) \(", row)}
    assert {"scan", "cond", "call", "grad", "value_and_grad", "vjp", "jvp", "hvp"} <= names
    assert {name + "_" if keyword.iskeyword(name) else name for name in names} <= set(dir(ops))


def test_print_hands_its_operand_to_the_hook_and_returns_it() -> None:
    module = cohort.Module("m")
    f = module.function("f")
    x = f.input("x", "f64[2]")
    f.output("y", ops.print_(x, message="x is"))
    seen = []
    evaluator = cohort.Evaluator(
        module, print_hook=lambda message, value: seen.append((message, value.tolist()))
    )
    assert evaluator.f([1, 2])["y"].tolist() == [1, 2]
    assert seen == [("x is", [1.0, 2.0])]
