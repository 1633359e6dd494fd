"""Readable names for objects and signals: `a.neurons.voltage`, `filters.pre.input`, `a_to_b.weights`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nengo
from nengo.builder import Model, Signal
from nengo.builder.processes import SimProcess


def object_names(network: nengo.Network | None) -> dict[Any, str]:
    """The dotted label of every object; unlabelled ones are called after their type and position."""
    names: dict[Any, str] = {}
    if network is None:
        return names
    networks = list(_walk(network, ""))
    for net, prefix in networks:
        for kind, objects in (("ensemble", net.ensembles), ("node", net.nodes)):
            for position, item in enumerate(objects):
                names[item] = prefix + (item.label or f"{kind}_{position}")
                if kind == "ensemble":
                    names[item.neurons] = names[item] + ".neurons"
    for net, prefix in networks:
        for item in net.connections:
            ends = "_to_".join(
                _short(names.get(end, "unknown"), prefix) for end in (item.pre_obj, item.post_obj)
            )
            names[item] = prefix + (item.label or ends)
            for key, rule in _rules(item):
                names[rule] = f"{names[item]}.{key}"
    for net, prefix in networks:
        for item in net.probes:
            names[item] = (
                prefix + item.label if item.label else f"{names.get(item.obj, 'unknown')}.{item.attr}"
            )
    return names


def _walk(network: nengo.Network, prefix: str) -> Iterator[tuple[nengo.Network, str]]:
    yield network, prefix
    for position, subnet in enumerate(network.networks):
        yield from _walk(subnet, f"{prefix}{subnet.label or f'network_{position}'}.")


def _short(name: str, prefix: str) -> str:
    return name[len(prefix) :] if prefix and name.startswith(prefix) else name


def _rules(connection: nengo.Connection) -> Iterator[tuple[str, Any]]:
    rule = connection.learning_rule
    if rule is None:
        return
    if isinstance(rule, dict):
        yield from rule.items()
    elif isinstance(rule, (list, tuple)):
        yield from ((f"rule_{position}", entry) for position, entry in enumerate(rule))
    else:
        yield type(rule.learning_rule_type).__name__.lower(), rule


def signal_names(model: Model, objects: dict[Any, str]) -> dict[Signal, str]:
    """A name for every base signal of the model's operators."""
    names: dict[Signal, str] = {model.step: "step", model.time: "time"}
    items = sorted(model.sig.items(), key=lambda item: not isinstance(item[0], nengo.ensemble.Neurons))
    for item, signals in items:
        if isinstance(item, nengo.Connection) and item not in objects and item.post_obj in objects:
            objects[item] = objects[item.post_obj]  # what feeds a probe of decoded output
        for key, signal in signals.items():
            if item == "common":
                names.setdefault(signal.base, ("zero", "one")[key])
            elif item in objects and signal is not None:
                names.setdefault(signal.base, f"{objects[item]}.{key}")
    for op in model.operators:
        if isinstance(op, SimProcess):
            name = names.setdefault(op.output.base, _plain(op.output.base))
            for key, signal in op.state.items():
                names.setdefault(signal.base, f"{name}.{key}")
            if op.input is not None:
                names.setdefault(op.input.base, f"{name}.input")
    for op in model.operators:
        for signal in op.all_signals:
            names.setdefault(signal.base, _plain(signal.base))
    return names


def _plain(signal: Signal) -> str:
    """Nengo's own name without the decoration of `repr`."""
    name = signal._name or "signal"
    return name.replace("<", "").replace(">", "").replace('"', "").replace("'", "")
