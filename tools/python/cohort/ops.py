"""Every graph operator as a function on `Value`s, and as a method of `Value` under the same name.

Keyword arguments common to all: `name` (the node's name) and `function` (where it goes, needed if no operand
is a value).

Names that are Python keywords end in `_` (`and_`, `or_`, `not_`, `assert_`, `print_`). Operands may be
values, Python scalars (weak literals) or NumPy arrays (which become constants). `ir/README.md` states what
each operator means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .data import Scalar
from .errors import GraphError
from .types import Type
from .user_functions import custom, extern
from .values import Value
from .values import function_of as _function_of

Operand = Value | Scalar

if TYPE_CHECKING:
    from .builder import Function

    def __getattr__(name: str) -> Any: ...  # the operators of the tables


SCALAR = {
    1: "neg reciprocal square sqrt cbrt abs sign not bit_not isnan isinf isfinite floor ceil trunc round rint"
    " exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid"
    " softplus relu log1mexp erf erfc gammaln digamma trigamma erfcx erfinv erfcinv"
    " ndtr log_ndtr ndtri i0 i1 i0e i1e",
    2: "add sub mul true_div floor_div mod pow min max eq ne lt le gt ge and or xor bit_and bit_or bit_xor"
    " shift_left shift_right atan2 logaddexp xlogy copysign nextafter hypot polygamma gammainc"
    " gammaincc gammainc_grad gammaincinv poisson_quantile ive kve",
    3: "clip where fma betainc betainc_grad_a betainc_grad_b betaincinv binomial_quantile philox_bits",
}

# Operators with attributes: number of operands (None: any), attribute names in positional order; `!` marks
# required ones.
STRUCTURED: dict[str, tuple[int | None, str]] = {
    "cast": (1, "dtype!"),
    "broadcast": (1, "shape!"),
    "reshape": (1, "shape!"),
    "transpose": (1, "axes"),
    "squeeze": (1, "axes"),
    "expand": (1, "axes!"),
    "slice": (None, "axes starts stops steps sizes"),
    "set_slice": (None, "axes starts stops steps sizes"),
    "inc_slice": (None, "axes starts stops steps sizes"),
    "take": (2, "axis"),
    "take_along_axis": (2, "axis!"),
    "gather": (None, ""),
    "scatter_set": (None, ""),
    "scatter_add": (None, ""),
    "concat": (None, "axis"),
    "stack": (None, "axis"),
    "pad": (1, "low! high! mode value"),
    "tile": (1, "reps!"),
    "repeat": (1, "repeats! axis"),
    "roll": (1, "shifts! axes"),
    "flip": (1, "axes"),
    "iota": (0, "shape! axis dtype"),
    "full": (1, "shape!"),
    "size": (0, "shape!"),
    "eye": (0, "n! m k dtype"),
    "tri": (0, "n! m k dtype"),
    "diag": (1, "k"),
    "one_hot": (1, "depth! dtype"),
    "reduce_sum": (1, "axes keepdims dtype"),
    "reduce_prod": (1, "axes keepdims dtype"),
    "reduce_mean": (1, "axes keepdims dtype"),
    "reduce_max": (1, "axes keepdims"),
    "reduce_min": (1, "axes keepdims"),
    "reduce_all": (1, "axes keepdims"),
    "reduce_any": (1, "axes keepdims"),
    "logsumexp": (1, "axes keepdims"),
    "argmax": (1, "axis keepdims"),
    "argmin": (1, "axis keepdims"),
    "cumsum": (1, "axis dtype"),
    "cumprod": (1, "axis dtype"),
    "sort": (1, "axis"),
    "argsort": (1, "axis"),
    "searchsorted": (2, "side"),
    "matmul": (2, "transpose_a transpose_b"),
    "dot": (2, ""),
    "outer": (2, ""),
    "einsum": (None, "equation!"),
    "cholesky": (1, "lower"),
    "solve_triangular": (2, "lower transpose unit_diagonal"),
    "solve": (2, "assume"),
    "inv": (1, ""),
    "det": (1, ""),
    "softmax": (1, "axis"),
    "log_softmax": (1, "axis"),
    "assert": (2, "message"),
    "print": (1, "message"),
    "copy": (1, ""),
    "stop_gradient": (1, ""),
    "random_bits": (2, "shape"),
    "random_uniform": (2, "shape dtype"),
    "random_normal": (2, "shape dtype"),
    "random_exponential": (2, "shape dtype"),
    "random_permutation": (2, "n!"),
    "random_bernoulli": (3, "shape"),
    "random_categorical": (3, "shape logits"),
    "random_gamma": (3, "shape"),
    "random_beta": (4, "shape"),
    "random_poisson": (3, "shape"),
    "random_binomial": (4, "shape"),
    "random_multinomial": (4, "shape"),
}

_KEYWORDS = ("and", "or", "not", "assert", "print")


def _make(op: str, arity: int | None, spec: str):
    keys = [key.rstrip("!") for key in spec.split()]
    required = [key.rstrip("!") for key in spec.split() if key.endswith("!")]

    def call(*operands, name: str | None = None, function: Function | None = None, **attrs) -> Value:
        given = len(operands) if arity is None else arity
        operands, positional = operands[:given], operands[given:]
        if len(operands) < given or len(positional) > len(keys):
            raise GraphError(f"`{op}` takes {given} operands and the attributes {keys}")
        attrs = {**dict(zip(keys, positional)), **attrs}
        for key in attrs:
            if key not in keys:
                raise GraphError(f"`{op}` has no attribute `{key}`")
        for key in required:
            if attrs.get(key) is None:
                raise GraphError(f"`{op}` needs the attribute `{key}`")
        return _function_of(operands, function).node(op, operands, attrs, 1, name)[0]

    call.__doc__ = (
        f"`{op}`: {arity if arity is not None else 'any number of'} operands; attributes: {spec or 'none'}."
    )
    return call


def topk(x: Value, k: int, axis: int | None = None, name: str | None = None) -> tuple[Value, Value]:
    """The `k` largest elements along `axis` and their indices."""
    largest, indices = _function_of((x,), None).node("topk", (x,), {"k": k, "axis": axis}, 2, name)
    return largest, indices


def lu(x: Value, name: str | None = None) -> tuple[Value, Value]:
    """Both factors of LU in one matrix, and the order of rows."""
    packed, order = _function_of((x,), None).node("lu", (x,), None, 2, name)
    return packed, order


def slogdet(x: Value, name: str | None = None) -> tuple[Value, Value]:
    """The sign of the determinant and the logarithm of its size."""
    sign, logarithm = _function_of((x,), None).node("slogdet", (x,), None, 2, name)
    return sign, logarithm


def qr(x: Value, name: str | None = None) -> tuple[Value, Value]:
    """Orthonormal columns and an upper triangular matrix whose product is `x`."""
    q, r = _function_of((x,), None).node("qr", (x,), None, 2, name)
    return q, r


def eigh(x: Value, name: str | None = None) -> tuple[Value, Value]:
    """Eigenvalues, ascending, and eigenvectors as columns of a symmetric matrix."""
    values, vectors = _function_of((x,), None).node("eigh", (x,), None, 2, name)
    return values, vectors


def svd(x: Value, name: str | None = None) -> tuple[Value, Value, Value]:
    """Left vectors as columns, singular values, descending, and right vectors as rows."""
    u, s, vt = _function_of((x,), None).node("svd", (x,), None, 3, name)
    return u, s, vt


def split(x: Value, sizes: list[int], axis: int | None = None, name: str | None = None) -> tuple[Value, ...]:
    """Pieces of the given sizes along `axis` (default 0)."""
    return _function_of((x,), None).node("split", (x,), {"sizes": sizes, "axis": axis}, len(sizes), name)


def scan(
    body: Function,
    sequences: Sequence[Operand] = (),
    carries: Sequence[Operand] = (),
    others: Sequence[Operand] = (),
    steps: int | str | None = None,
    reverse: bool | None = None,
    until: bool | None = None,
    name: str | None = None,
    function: Function | None = None,
    checkpoint: str | None = None,
    truncate_gradient: int | None = None,
) -> tuple[Value, ...]:
    """A loop: last carries, outputs of all steps, and the number of steps taken with `until`. `checkpoint` is
    `none`, `sqrt` or `step`; with `truncate_gradient` only so many of the last steps are differentiated."""
    attrs = {"steps": None if steps is None else [steps], "reverse": reverse, "until": until}
    attrs |= {"checkpoint": checkpoint, "truncate_gradient": truncate_gradient}
    attrs |= {"sequences": len(sequences) or None, "carries": len(carries) or None}
    operands = (*sequences, *carries, *others)
    types: list[Type | str] = [*body.inputs.values()]
    types[: len(sequences)] = [type_.dtype for type_ in body.inputs.values()][: len(sequences)]
    owner = _owner(operands, function, body)
    return owner.node("scan", operands, attrs, len(body.outputs), name, None, {"body": body}, types)


def cond(
    condition: Operand,
    then: Function,
    otherwise: Function,
    operands: Sequence[Operand],
    name: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """The outputs of one of two functions of the operands."""
    regions = {"then": then, "else": otherwise}
    owner = _owner((condition, *operands), into, then)
    types = ["bool", *then.inputs.values()]
    return owner.node("cond", (condition, *operands), None, len(then.outputs), name, None, regions, types)


def while_(
    condition: Function,
    body: Function,
    carries: Sequence[Operand],
    others: Sequence[Operand] = (),
    max_steps: int = 1000,
    name: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """The last carries of a body that runs as long as a condition of the same inputs holds."""
    operands = (*carries, *others)
    attrs = {"carries": len(carries), "max_steps": max_steps}
    owner = _owner(operands, into, body)
    regions = {"condition": condition, "body": body}
    types = [*body.inputs.values()]
    return owner.node("while", operands, attrs, len(carries), name, None, regions, types)


def vmap(
    function: Function,
    operands: Sequence[Operand],
    batched: Sequence[str],
    name: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """A function over the elements along axis 0 of the inputs that `batched` names; outputs are stacked."""
    types = [type_.dtype if key in batched else type_ for key, type_ in function.inputs.items()]
    attrs = {"batched": batched}
    return _applied("vmap", function, operands, len(function.outputs), attrs, into, name, types)


def call(
    function: Function, *operands: Operand, name: str | None = None, into: Function | None = None
) -> tuple[Value, ...]:
    """The outputs of a function of the module, which updates no state."""
    return _applied("call", function, operands, len(function.outputs), {}, into, name)


def grad(
    function: Function,
    operands: Sequence[Operand],
    wrt: Sequence[str],
    disconnected: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """The gradients of a function's only output, a float scalar, by the inputs and states in `wrt`."""
    attrs = {"wrt": wrt, "disconnected": disconnected}
    return _applied("grad", function, operands, len(wrt), attrs, into)


def value_and_grad(
    function: Function,
    operands: Sequence[Operand],
    wrt: Sequence[str],
    disconnected: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """A function's only output, a float scalar, then its gradients."""
    attrs = {"wrt": wrt, "disconnected": disconnected}
    return _applied("value_and_grad", function, operands, 1 + len(wrt), attrs, into)


def vjp(
    function: Function,
    operands: Sequence[Operand],
    cotangents: Sequence[Operand],
    wrt: Sequence[str],
    disconnected: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """A function's outputs, then for each of `wrt` what one cotangent for each output pulls back to it."""
    attrs = {"wrt": wrt, "disconnected": disconnected}
    results = len(function.outputs) + len(wrt)
    return _applied("vjp", function, (*operands, *cotangents), results, attrs, into)


def jvp(
    function: Function,
    operands: Sequence[Operand],
    tangents: Sequence[Operand],
    wrt: Sequence[str],
    disconnected: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """A function's outputs, then the tangent of each for one tangent for each of `wrt`."""
    attrs = {"wrt": wrt, "disconnected": disconnected}
    types = [*function.inputs.values(), *_types_of(function, wrt)]
    results = 2 * len(function.outputs)
    return _applied("jvp", function, (*operands, *tangents), results, attrs, into, None, types)


def hvp(
    function: Function,
    operands: Sequence[Operand],
    tangents: Sequence[Operand],
    wrt: Sequence[str],
    disconnected: str | None = None,
    into: Function | None = None,
) -> tuple[Value, ...]:
    """The Hessian of a function's only output times the tangents, for each of `wrt`."""
    attrs = {"wrt": wrt, "disconnected": disconnected}
    types = [*function.inputs.values(), *_types_of(function, wrt)]
    return _applied("hvp", function, (*operands, *tangents), len(wrt), attrs, into, None, types)


def _types_of(function: Function, names: Sequence[str]) -> list[Type | None]:
    """The types of inputs and states."""
    states = function.module.states
    known = {name: Type.of(states[name]) for name in names if name in states}
    return [function.inputs.get(name, known.get(name)) for name in names]


def _owner(operands: Sequence[Operand], into: Function | None, applied: Function) -> Function:
    """Where a node that takes `applied` goes: what is asked for, the operands' function, or the open one."""
    if into is not None or any(isinstance(operand, Value) for operand in operands):
        return _function_of(tuple(operands), into)
    owner = applied.module._open
    if owner is None or owner is applied:
        raise GraphError(f"no operand says where `{applied.name}` is applied; say `into=`")
    return owner


def _applied(
    op: str,
    function: Function,
    operands: Sequence[Operand],
    results: int,
    attrs: Mapping[str, Any],
    into: Function | None,
    name: str | None = None,
    types: Sequence[Type | str | None] | None = None,
) -> tuple[Value, ...]:
    """A node that applies a function; its operands' types are those of the function's inputs."""
    wanted = [*function.inputs.values()] if types is None else types
    owner = _owner(operands, into, function)
    return owner.node(op, operands, attrs, results, name, None, {"function": function}, wanted)


def astype(x: Value, dtype: str) -> Value:
    """`cast` under NumPy's name."""
    return globals()["cast"](x, dtype)


def _install() -> None:
    table = {op: (arity, "") for arity, names in SCALAR.items() for op in names.split()}
    for op, (arity, spec) in {**table, **STRUCTURED}.items():
        python = op + "_" if op in _KEYWORDS else op
        globals()[python] = call = _make(op, arity, spec)
        call.__name__ = call.__qualname__ = python
        setattr(Value, python, call)
    for method in (topk, lu, slogdet, qr, eigh, svd, split, astype):
        setattr(Value, method.__name__, method)


_install()
