"""Writes mlp.json, mlp.safetensors and expected.h: a perceptron with two hidden layers and random weights."""

import hashlib
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
SIZES = [20, 64, 48, 5]


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        end = offset + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in tensors.values():
            file.write(array.astype("<f4").tobytes())


def main():
    rng = np.random.default_rng(1)
    tensors = {}
    for i, (rows, columns) in enumerate(zip(SIZES, SIZES[1:]), 1):
        tensors[f"layer{i}.weight"] = (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(
            np.float32
        )
        tensors[f"layer{i}.bias"] = (0.1 * rng.standard_normal(columns)).astype(np.float32)
    write_safetensors(HERE / "mlp.safetensors", tensors)
    digest = hashlib.sha256((HERE / "mlp.safetensors").read_bytes()).hexdigest()

    constants = {
        name: {
            "type": f"f32{list(array.shape)}".replace(" ", ""),
            "file": "mlp.safetensors",
            "key": name,
            "sha256": digest,
        }
        for name, array in tensors.items()
    }
    nodes, value = [], "x"
    for i in range(1, len(SIZES)):
        nodes.append({"name": f"product{i}", "op": "matmul", "inputs": [value, f"layer{i}.weight"]})
        nodes.append({"name": f"sum{i}", "op": "add", "inputs": [f"product{i}", f"layer{i}.bias"]})
        value = f"sum{i}"
        if i < len(SIZES) - 1:
            nodes.append({"name": f"hidden{i}", "op": "relu", "inputs": [value]})
            value = f"hidden{i}"
    nodes.append({"name": "probabilities", "op": "softmax", "inputs": [value], "attrs": {"axis": -1}})
    graph = {
        "format": "cohort-ir",
        "version": "1.0",
        "name": "mlp",
        "dims": {"batch": {"min": 1, "max": 32}},
        "constants": constants,
        "functions": {
            "forward": {
                "inputs": {"x": f"f32[batch,{SIZES[0]}]"},
                "nodes": nodes,
                "outputs": {"y": "probabilities"},
            }
        },
    }
    (HERE / "mlp.json").write_text(json.dumps(graph, indent=1) + "\n")

    x = rng.standard_normal((3, SIZES[0])).astype(np.float32)
    y = x.astype(np.float64)
    for i in range(1, len(SIZES)):
        y = y @ tensors[f"layer{i}.weight"].astype(np.float64) + tensors[f"layer{i}.bias"]
        y = np.maximum(y, 0) if i < len(SIZES) - 1 else y
    y = np.exp(y - y.max(axis=1, keepdims=True))
    y /= y.sum(axis=1, keepdims=True)
    lines = {name: [round(float(v), 9) for v in array.ravel()] for name, array in (("x", x), ("y", y))}
    text = "// The inputs of three rows and what NumPy gives for them in f64; written by make.py.\n"
    for name, values in lines.items():
        body = ",\n".join(
            "    " + ", ".join(f"{v!r}f" for v in values[i : i + 6]) for i in range(0, len(values), 6)
        )
        text += f"inline constexpr float expected_{name}[{len(values)}] = {{\n{body}}};\n"
    (HERE / "expected.h").write_text(text)


if __name__ == "__main__":
    main()
