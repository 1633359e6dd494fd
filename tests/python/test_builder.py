"""The builder: names, literals, files, hostile input; what is written reads back to the same values."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from backends import QUICK_BUILD, needs

import cohort
from cohort import ops, safetensors
from cohort.data import decode_array, encode_array
from cohort.dtypes import NUMPY, dtype_name, promote


def toy() -> cohort.Module:
    module = cohort.Module("toy")
    x = module.state("x", np.array([1.0, 2.0]))
    y = module.state("y", np.array([3.0, 4.0]))
    with module.function("f") as f:
        f.update(x, x * 2.0)
        f.update(y, x + y)
    return module


def test_updates_commit_together() -> None:
    graph = cohort.Evaluator(toy())
    graph.f()
    assert [graph.state("x").tolist(), graph.state("y").tolist()] == [[2, 4], [4, 6]]
    graph.f()
    assert [graph.state("x").tolist(), graph.state("y").tolist()] == [[4, 8], [6, 10]]
    graph.reset()
    assert graph.state("x").tolist() == [1, 2]


@needs("explain")
def test_devices(tmp_path) -> None:
    module = cohort.Module("devices")
    with module.device("gpu"):
        s = module.state("s", np.zeros(8))
    with module.function("f") as f:
        x = f.input("x", "f64", [8])
        with module.device("gpu"):
            y = ops.exp(x)
            with module.device("cpu"):
                z = ops.tanh(y)
        f.update(s, y + z)
        f.output("z", z)
    graph = module.save(tmp_path / "devices.json")
    nodes = json.loads(graph.read_text())["functions"]["f"]["nodes"]
    assert [node.get("device") for node in nodes] == ["gpu", "cpu", None]
    told = json.loads(cohort.tool.run_tool("explain", str(graph), "--placement", "--json"))["placement"]
    assert told["state"] == [{"names": ["s"], "on": "gpu"}]
    assert [kernel["on"] for kernel in told["kernels"]][:2] == ["gpu", "cpu"]
    with pytest.raises(cohort.GraphError, match="`tpu` is no device"), module.device("tpu"):
        pass


def test_swap() -> None:
    module = cohort.Module("swap")
    x, y = module.state("x", 1.0), module.state("y", 2.0)
    f = module.function("f")
    f.update(x, y)
    f.update(y, x)
    graph = cohort.Evaluator(module)
    graph.f()
    assert (graph.state("x"), graph.state("y")) == (2.0, 1.0)


def test_file_is_the_documented_json(tmp_path) -> None:
    path = toy().save(tmp_path / "toy.json")
    assert json.loads(path.read_text()) == {
        "format": "cohort-ir",
        "version": "1.0",
        "name": "toy",
        "state": {"x": {"type": "f64[2]", "init": [1, 2]}, "y": {"type": "f64[2]", "init": [3, 4]}},
        "functions": {
            "f": {
                "nodes": [
                    {"name": "mul", "op": "mul", "inputs": ["x", 2.0]},
                    {"name": "add", "op": "add", "inputs": ["x", "y"]},
                ],
                "updates": {"x": "mul", "y": "add"},
            }
        },
    }
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("limit", [0, 3, 1000])
def test_saved_graph_evaluates_like_the_module(tmp_path, limit) -> None:
    rng = np.random.RandomState(1)
    module = cohort.Module("m")
    w = module.constant("w", rng.normal(size=(4, 3)).astype(np.float32))
    special = module.constant(
        "special", np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4028235e38], np.float32)
    )
    s = module.state("s", np.zeros(4, np.float32))
    f = module.function("f")
    u = f.input("u", "f32[3]")
    f.update(s, s * 0.9 + w @ u)
    f.output("y", ops.tanh(s))
    f.output("special", special)
    path = module.save(tmp_path / "m.json", inline_limit=limit)
    direct, read = cohort.Evaluator(module), cohort.Evaluator(path)
    for _ in range(3):
        value = rng.normal(size=3).astype(np.float32)
        a, b = direct.f(value), read.f(value)
        assert a["y"].tobytes() == b["y"].tobytes()
        assert a["special"].tobytes() == b["special"].tobytes()


def test_saving_twice_gives_the_same_bytes(tmp_path) -> None:
    def build(folder):
        module = cohort.Module("m")
        module.constant("w", np.arange(100.0))
        module.function("f").output("y", 1.0)
        folder.mkdir()
        module.save(folder / "m.json")
        return [(entry.name, entry.read_bytes()) for entry in sorted(folder.iterdir())]

    assert build(tmp_path / "a") == build(tmp_path / "b")


@pytest.mark.parametrize("dtype", sorted(NUMPY))
def test_every_dtype_goes_through_a_file(tmp_path, dtype) -> None:
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(NUMPY[dtype])
    for limit in (0, 100):
        module = cohort.Module("m")
        constant = module.constant("c", array)
        module.function("f").output("y", constant)
        result = cohort.evaluate(module.save(tmp_path / "m.json", inline_limit=limit), "f")["y"]
        assert result.dtype == NUMPY[dtype]
        np.testing.assert_array_equal(result, array)


def test_bf16_needs_ml_dtypes() -> None:
    if "bf16" in NUMPY:
        assert promote(NUMPY["bf16"], NUMPY["f16"]) == np.float32
        return
    with pytest.raises(cohort.GraphError, match="ml_dtypes"):
        cohort.Module("m").function("f").input("x", "bf16[2]")


HOSTILE = [
    "layer1.weight",
    "1234",
    "gpu_0/data:0",
    "class",
    "NULL",
    "a-b",
    "a_b",
    "é",
    "",
    "A",
    "a",
    "nan",
    'quo"te\n',
    "__metadata__",
]


def test_hostile_names(tmp_path) -> None:
    module = cohort.Module("class")
    f = module.function("")
    for index, name in enumerate(HOSTILE):
        state = module.state(name, np.full(100, float(index)))
        f.output(name, ops.add(state, 1.0, name=name))
    path = module.save(tmp_path / "hostile.json")
    results = cohort.evaluate(path, "")
    assert {name: value[0] for name, value in results.items()} == {
        name: i + 1.0 for i, name in enumerate(HOSTILE)
    }


def test_names_are_made_unique() -> None:
    module = cohort.Module("m")
    assert [module.constant("w", 1.0).name, module.constant("w", 2.0).name] == ["w", "w_2"]
    f = module.function("f")
    x = f.input("x", "f64[]")
    assert [ops.add(x, 1.0).name, ops.add(x, 1.0).name, ops.add(x, 1.0, name="w").name] == [
        "add",
        "add_2",
        "w_3",
    ]
    assert module.state("add", 0.0).name == "add_3"
    with pytest.raises(cohort.GraphError, match="`w` is taken"):
        f.input("w", "f64[]")


def test_indexing_and_python_operators() -> None:
    module = cohort.Module("m")
    f = module.function("f")
    x = f.input("x", "f64[3,4]")
    i = f.input("i", "i32[4]")
    wanted = {
        "row": (x[1], lambda x, i: x[1]),
        "last": (x[-1, ::2], lambda x, i: x[-1, ::2]),
        "reverse": (x[:, ::-1], lambda x, i: x[:, ::-1]),
        "expression": (1.0 - x / 2.0 + x**2.0, lambda x, i: 1 - x / 2 + x**2),
        "integer": ((7 // i) % 3 & 5 | ~i, lambda x, i: (7 // i) % 3 & 5 | ~i),
        "array": (np.arange(4.0) * x, lambda x, i: np.arange(4.0) * x),
        "product": (x @ np.ones((4, 2)), lambda x, i: x @ np.ones((4, 2))),
        "comparison": (x > 0.5, lambda x, i: x > 0.5),
        "negative": (abs(-x), lambda x, i: abs(-x)),
    }
    for name, (value, _) in wanted.items():
        f.output(name, value)
    a, b = np.random.RandomState(0).normal(size=(3, 4)), np.array([1, -2, 3, 4], np.int32)
    results = cohort.Evaluator(module).f(a, b)
    for name, (_, reference) in wanted.items():
        np.testing.assert_allclose(results[name], reference(a, b), rtol=1e-15)


def test_named_dims() -> None:
    module = cohort.Module("m")
    batch = module.dim("batch", 1, 4)
    f = module.function("f")
    x = f.input("x", "f64", [batch, 3])
    y = f.input("y", "f64[2*batch+1]")
    f.output("z", ops.broadcast(ops.reduce_sum(x) + ops.reduce_sum(y), shape=["batch", 2]))
    graph = cohort.Evaluator(module)
    assert graph.f(np.ones((2, 3)), np.ones(5))["z"].tolist() == [[11.0, 11.0]] * 2
    with pytest.raises(
        cohort.EvaluationError, match="argument `y`, axis 0: expected 2[*]batch[+]1 = 5, got 4"
    ):
        graph.f(np.ones((2, 3)), np.ones(4))
    with pytest.raises(cohort.EvaluationError, match="`batch` in 1..4"):
        graph.f(np.ones((5, 3)), np.ones(11))


def test_errors_name_the_node() -> None:
    module = cohort.Module("m", locations=True)
    f = module.function("f")
    x, i = f.input("x", "f64[10]"), f.input("i", "i64[1]")
    f.output("y", ops.take(x, i))
    with pytest.raises(
        cohort.EvaluationError, match=r"test_builder.py:\d+:1: `take`: index 13 is out of range for size 10"
    ):
        cohort.Evaluator(module).f(np.zeros(10), [13])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra": 1}, "unknown key `extra`"),
        ({"version": "2.0"}, "version 1.0"),
        ({"functions": {"f": {"outputs": {"y": "missing"}}}}, "`missing` is not defined"),
        ({"functions": {"f": {"nodes": [{"name": "a", "op": "nope"}]}}}, "unknown operator `nope`"),
        ({"functions": {"f": {"nodes": [{"name": "a", "op": "neg", "inputs": ["a"]}]}}}, "cycle"),
        ({"state": {"x": {"type": "i8[1]", "init": [1.5]}}}, "`1.5` is no integer"),
        ({"state": {"x": {"type": "i8[1]", "init": [300]}}}, "does not fit"),
        ({"state": {"x": {"type": "i8[2]", "init": [1]}}}, r"shape \[1\], expected \[2\]"),
    ],
)
def test_wrong_graphs_are_refused(change, message) -> None:
    graph = {"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {"f": {}}, **change}
    with pytest.raises(cohort.GraphError, match=message):
        cohort.Evaluator(graph)


def test_nodes_in_any_order() -> None:
    nodes = [
        {"name": "c", "op": "add", "inputs": ["b", 1]},
        {"name": "b", "op": "mul", "inputs": ["a", {"lit": "0x1p+1"}]},
        {"name": "a", "op": "add", "inputs": [2.0, 0.5]},
    ]
    function = {"nodes": nodes, "outputs": {"y": "c"}}
    graph = {"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {"f": function}}
    assert cohort.evaluate(graph, "f")["y"] == 6.0


def test_declared_types_are_checked() -> None:
    function = {
        "nodes": [{"name": "a", "op": "add", "inputs": [2.0, 0.5], "type": "f64[]"}],
        "outputs": {"y": "a"},
    }
    graph = {"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {"f": function}}
    assert cohort.evaluate(graph, "f")["y"] == 2.5
    function["nodes"][0]["type"] = "f32[]"
    with pytest.raises(cohort.EvaluationError, match=r"has type f64\[\], declared is f32\[\]"):
        cohort.evaluate(graph, "f")


def test_changed_weights_are_noticed(tmp_path) -> None:
    module = cohort.Module("m")
    module.function("f").output("y", module.constant("w", np.arange(100.0)))
    path = module.save(tmp_path / "m.json")
    weights = tmp_path / "m.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    with pytest.raises(cohort.GraphError, match="SHA-256"):
        cohort.Evaluator(path)


def test_state_goes_through_a_checkpoint(tmp_path) -> None:
    graph = cohort.Evaluator(toy())
    graph.f()
    graph.save(tmp_path / "state.safetensors")
    graph.reset()
    graph.load(tmp_path / "state.safetensors")
    assert graph.state("y").tolist() == [4, 6]


def test_safetensors_round_trip() -> None:
    tensors = {"a": np.arange(3, dtype=np.int8), "b": np.ones((2, 0)), "c": np.array(2.5, np.float16)}
    back = safetensors.from_bytes(safetensors.to_bytes(tensors))
    assert {name: (x.dtype, x.shape, x.tobytes()) for name, x in back.items()} == {
        name: (x.dtype, x.shape, x.tobytes()) for name, x in tensors.items()
    }
    with pytest.raises(cohort.GraphError, match="truncated"):
        safetensors.from_bytes(b"\xff" * 12)


def test_data_round_trip() -> None:
    array = np.array([[0.1, np.nan], [np.inf, -0.0]])
    text = json.dumps(encode_array(array))
    assert decode_array(json.loads(text), array.dtype, array.shape).tobytes() == array.tobytes()
    assert encode_array(np.full((3, 3), 2.5)) == 2.5
    assert encode_array(np.array([0.0, -0.0])) == [0.0, -0.0]


def test_promotion_is_numpys() -> None:
    for a in set(NUMPY) - {"bf16"}:
        for b in set(NUMPY) - {"bf16"}:
            assert promote(NUMPY[a], NUMPY[b]) == np.promote_types(NUMPY[a], NUMPY[b])
    with pytest.raises(cohort.GraphError, match="no counterpart"):
        dtype_name(np.complex128)


def test_loops_and_branches() -> None:
    """case 14, its values: a loop that stops; then the branch that is taken."""
    module = cohort.Module("loops")
    body = module.body("body")
    y, x = body.input("element", "f64[]"), body.input("carried", "f64[]")
    after = 1.3 * x + y
    body.output("x", after)
    body.output("row", after)
    body.output("stop", after > 5.0)
    branches = [module.body("twice"), module.body("negated")]
    for branch, apply in zip(branches, (lambda v: v + v, ops.neg)):
        branch.output("z", apply(branch.input("value", "f64[]")))
    with module.function("f") as f:
        ys, x0 = f.input("y", "f64[12]"), f.input("x0", "f64[]")
        last, rows, steps = ops.scan(body, [ys], [x0], until=True)
        (chosen,) = ops.cond(last > 7.0, *branches, [last])
        for name, value in {"last": last, "rows": rows, "steps": steps, "chosen": chosen}.items():
            f.output(name, value)
    results = cohort.evaluate(module, "f", {"y": np.linspace(0.4, 0.9, 12), "x0": 0.2})
    expected = [0.66, 1.30345455, 2.1854, 3.37738364, 4.97241691, 7.09141471]
    np.testing.assert_allclose(results["rows"], expected + [0.0] * 6, rtol=1e-8)
    assert results["steps"] == 6 and np.isclose(results["chosen"], 2 * expected[-1])
    with pytest.raises(cohort.GraphError, match="no function `nothing`"):
        g = module.function("g")
        g.node("call", [g.input("x", "f64[]")], regions={"function": "nothing"})
        cohort.Evaluator(module)


def _cubic(module: cohort.Module) -> cohort.Function:
    """x^3 y, and a function of the module."""
    function = module.function("cubic")
    x, y = function.input("x", "f64[]"), function.input("y", "f64[]")
    function.output("z", x * x * x * y)
    return function


@needs("compile")
def test_derivatives() -> None:
    """At x = 2, y = 3: z = 24, dz/dx = 36, dz/dy = 8, and the Hessian is [[36, 12], [12, 0]]."""
    module = cohort.Module("derivatives")
    cubic = _cubic(module)
    with module.function("f") as f:
        at = [f.input("x", "f64[]"), f.input("y", "f64[]")]
        one, two = f.input("one", "f64[]"), f.input("two", "f64[]")
        both = ["x", "y"]
        found = [
            *ops.call(cubic, *at),
            *ops.grad(cubic, at, both),
            *ops.value_and_grad(cubic, at, ["y"]),
            *ops.vjp(cubic, at, [two], ["x"]),
            *ops.jvp(cubic, at, [one, two], both),
            *ops.hvp(cubic, at, [one, two], both),
        ]
        for number, value in enumerate(found):
            f.output(f"y{number}", value)
    results = cohort.compile(module, options=QUICK_BUILD).f(x=2.0, y=3.0, one=1.0, two=2.0)
    expected = [24, 36, 8, 24, 8, 24, 72, 24, 36 + 16, 36 + 24, 12]
    assert [float(value) for value in results.values()] == expected


@needs("compile")
def test_batches_and_while() -> None:
    """Halving until below one, for each element of a batch: 5 -> 0.625, 0.5 -> 0.5."""
    module = cohort.Module("batches")
    condition, body = module.body("condition"), module.body("body")
    condition.output("c", condition.input("x", "f64[]") >= 1.0)
    body.output("y", body.input("x", "f64[]") * 0.5)
    halved = module.function("halved")
    halved.output("y", ops.while_(condition, body, [halved.input("x", "f64[]")])[0])
    with module.function("f") as f:
        f.output("y", ops.vmap(halved, [f.input("x", "f64[3]")], ["x"])[0])
    results = cohort.compile(module, options=QUICK_BUILD).f(x=[5.0, 0.5, 64.0])
    assert results["y"].tolist() == [0.625, 0.5, 0.5]


def _square(module: cohort.Module) -> cohort.builder.Function:
    square = module.function("square")
    x, k = square.input("x", "f32[2]"), square.input("k", "f32[]")
    square.output("y", ops.reduce_sum(x * x * k))
    return square


def test_numbers_take_the_types_of_what_they_are_given_to() -> None:
    module = cohort.Module("m")
    square = _square(module)
    body = module.body("body")
    t, c = body.input("t", "f32[]"), body.input("c", "f32[2]")
    body.output("c", c * t)
    f = module.function("f")
    x = f.input("x", "f32[2]")
    f.output("called", ops.call(square, x, 3)[0])
    f.output("all", ops.call(square, [1.0, 2.0], np.float64(0.5), into=f)[0])
    f.output("last", ops.scan(body, [np.array([2, 3])], [1], function=f)[0])
    f.output("slope", ops.jvp(square, [x, 1], [2], wrt=["k"])[1])
    f.output("branch", ops.cond(True, square, square, [x, 2])[0])
    result = cohort.evaluate(module, "f", {"x": [1, 2]})
    assert all(value.dtype == np.float32 for value in result.values())
    assert {name: value.tolist() for name, value in result.items()} == {
        "called": 15,
        "all": 2.5,
        "last": [6, 6],
        "slope": 10,
        "branch": 10,
    }
    integers = module.body("integers")
    integers.output("n", integers.input("n", "i32[]"))
    for wrong in (0.5, 2**40, float("nan")):
        with pytest.raises(cohort.GraphError, match="no value of type `i32"):
            ops.call(integers, wrong, into=f)
    with pytest.raises(cohort.GraphError, match="no value of type `f32"):
        ops.call(square, x, 1e300)


def test_functions_of_other_modules_are_refused() -> None:
    module, other = cohort.Module("m"), cohort.Module("other")
    x = module.function("f").input("x", "f32[2]")
    with pytest.raises(cohort.GraphError, match="belongs to module `other`"):
        ops.call(_square(other), x, 1.0)
    with pytest.raises(cohort.GraphError, match="belongs to module `other`"):
        ops.scan(other.body("body"), [], [x], steps=2)


def test_derivatives_of_state_and_of_what_depends_on_nothing() -> None:
    module = cohort.Module("m")
    w, b = module.state("w", np.float64(3.0)), module.state("b", np.float64(1.0))
    with module.function("loss") as loss:
        loss.output("l", w * w + ops.floor(b))
    with module.function("pair") as pair:
        x = pair.input("x", "f64[]")
        pair.output("a", x * w + ops.floor(b))
    step = module.function("step")
    value, slope, none = ops.value_and_grad(loss, [], ["w", "b"], "zero", into=step)
    step.output("value", value)
    step.update(w, w - slope * 0.25)
    step.update(b, b - none)
    step.output("open", ops.grad(loss, [], ["w"])[0])
    step.output("vjp", ops.vjp(pair, [2.0], [1.0], ["b"], disconnected="zero")[1])
    step.output("jvp", ops.jvp(pair, [2.0], [1.0], ["w"], disconnected="zero")[1])
    step.output("hvp", ops.hvp(loss, [], [1.0], ["w"], disconnected="zero")[0])
    graph = cohort.Evaluator(module)
    result = {name: float(array) for name, array in graph.step().items()}
    assert result == {"value": 10, "open": 6, "vjp": 0, "jvp": 2, "hvp": 2}
    assert (graph.state("w"), graph.state("b")) == (1.5, 1.0)
    empty = cohort.Module("m")
    only = empty.function("only")
    only.output("l", empty.state("w", 1.0) * 1.0)
    with pytest.raises(cohort.GraphError, match="say `into=`"):
        ops.grad(only, [], ["w"])


def test_evaluated_loops_of_functions() -> None:
    module = cohort.Module("m")
    k = module.state("k", 3.0)
    with module.function("scaled") as scaled:
        x, y = scaled.input("x", "f64[]"), scaled.input("y", "f64[2]")
        scaled.output("q", x * y * k)
    condition, body = module.body("condition"), module.body("body")
    condition.output("c", condition.input("x", "f64[]") < condition.input("top", "f64[]"))
    body.output("x", body.input("x", "f64[]") * 2.0)
    body.input("top", "f64[]")
    f = module.function("f")
    xs, ys = f.input("xs", "f64[2]"), f.input("ys", "f64[2]")
    f.output("batch", ops.vmap(scaled, [xs, ys], ["x"])[0])
    f.output("last", ops.while_(condition, body, [1], [100], max_steps=20, into=f)[0])
    f.output("bounded", ops.while_(condition, body, [1], [100], max_steps=3, into=f)[0])
    result = cohort.evaluate(module, "f", {"xs": [2, -1], "ys": [1, 2]})
    assert result["batch"].tolist() == [[6, 12], [-3, -6]]
    assert (result["last"], result["bounded"]) == (128, 8)


@needs("compile")
def test_functions_of_the_users(tmp_path, monkeypatch) -> None:
    """A header and a library in other folders than the graph: values, gradients, Hessian times vector."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bend.h").write_text(
        "double bend(double x, double k) { return k * x * x * x; }\n"
        "namespace d { double x(double x, double k) { return 3 * k * x * x; }\n"
        "double xx(double x, double k) { return 6 * k * x; } }\n"
    )
    (tmp_path / "own.c").write_text(
        "#include <stdint.h>\nint32_t own_extremes(double* low, int32_t* at, const double* x, int64_t n) {\n"
        "  *at = 0;\n  for (int64_t i = 1; i < n; ++i) if (x[i] < x[*at]) *at = i;\n"
        "  *low = x[*at];\n  return n == 0; }\n"
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "libown.so", "own.c"], check=True)
    module = cohort.Module("own")
    with module.function("loss") as loss:
        x = loss.input("x", "f64[3]")
        second = {"d::x": ["d::xx", None]}
        y = ops.custom("bend.h", "bend", x, 2.0, derivative=[second, None])
        y += ops.custom("bend.h", "bend", x, 2.0, derivative=[0, None])
        loss.output("loss", ops.reduce_sum(y))
    with module.function("f") as f:
        x = f.input("x", "f64[3]")
        body = module.body("body")
        body.output("z", ops.custom("bend.h", "bend", body.input("x", "f64[3]"), 1))
        low, at = ops.extern("own_extremes", x, types=["f64[]", ("i32", [])], library="libown.so")
        slope, curved = *ops.grad(loss, [x], ["x"]), *ops.hvp(loss, [x], [np.ones(3)], ["x"])
        for key, value in {"low": low, "at": at, "slope": slope, "curved": curved}.items():
            f.output(key, value)
        f.output("z", ops.cond(low < 0.0, body, body, [x])[0])
    given = np.array([1.5, -2.0, 0.25])
    try:
        built = cohort.compile(module, options=QUICK_BUILD).f(given)
    except cohort.ToolError as error:
        if "custom_unread" not in str(error):
            raise
        pytest.skip("`cohort` is built without LLVM")
    expected = {"low": -2, "at": 1, "slope": 6 * given**2, "curved": 12 * given, "z": given**3}
    for key, value in expected.items():
        np.testing.assert_array_equal(built[key], value)
    saved = module.save(tmp_path / "graph.json").read_text()
    assert '"source": "bend.h"' in saved and '"library": "libown.so"' in saved
    (tmp_path / "a" / "b").mkdir(parents=True)
    optimised = tmp_path / "a" / "b" / "optimised.json"
    cohort.tool.run_tool("opt", "graph.json", "-o", str(optimised))
    moved = optimised.read_text()
    assert '"source": "../../bend.h"' in moved and '"library": "../../libown.so"' in moved
    cohort.tool.run_tool("compile", str(optimised), "--allow-path", "-o", str(tmp_path / "a"))
    with pytest.raises(cohort.GraphError, match="`custom` calls compiled code"):
        cohort.evaluate(module, "loss", {"x": given})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: ops.custom("none.h", "f", x), "there is no header `/.*none.h`"),
        (lambda x: ops.custom(__file__, "f(x)", x), r"`f\(x\)` is no name of a C\+\+ function"),
        (lambda x: ops.custom(__file__, "f"), "`f` needs an operand"),
        (lambda x: ops.custom(__file__, "f", 1.0), "say `into=`"),
        (lambda x: ops.custom(__file__, "f", x, 1.0, derivative="g"), "2 operands and 1 derivatives"),
        (lambda x: ops.custom(__file__, "f", x, derivative=[3]), "`3` is no derivative"),
        (lambda x: ops.extern("n::f", x, types=["f32[]"]), "`n::f` is no name of a C function"),
        (lambda x: ops.extern("f", x, types="f32[]"), "is a list with the type of each result"),
        (lambda x: ops.extern("f", x, types=[]), "is a list with the type of each result"),
        (lambda x: ops.extern("f", x, types=["f32[m]"]), "unknown dim `m`"),
        (lambda x: ops.extern("f", x, types=["f32"]), "f32"),
        (lambda x: ops.extern("f", x, types=["f32[]"], library="none.so"), "there is no library"),
    ],
)
def test_functions_of_the_users_that_are_none(wrong, message) -> None:
    x = cohort.Module("m").function("f").input("x", "f32[2]")
    with pytest.raises(cohort.GraphError, match=message):
        wrong(x)
