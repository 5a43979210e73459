"""A BERT encoder with random weights: a Hugging Face folder, and ONNX files of the same weights.

    python3 random_bert.py FOLDER [--layers 12 --hidden 768 --heads 12 --intermediate 3072]

FOLDER gets config.json, modules.json, 1_Pooling/config.json, model.safetensors, onnx/model.onnx (fp32)
and onnx/model_quantized.onnx, which ONNX Runtime's quantize_dynamic makes of it with the settings that
the quantized models for transformers.js are made with: int8 weights, uint8 activations, quantized at run
time. The graph has the operators that PyTorch's exporter writes for such a model (opset 11), so that
ONNX Runtime finds the patterns that it fuses; only the arithmetic on shapes is shorter.
"""

import argparse
import json
import pathlib
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

VOCABULARY = 30522
POSITIONS = 512
EPS = 1e-12


def random_weights(shape):
    """Tensors by their Hugging Face names, at the scale of BERT's own initialization."""
    rng = np.random.default_rng(1)
    normal = lambda *size: rng.normal(0, 0.02, size).astype(np.float32)
    width, inner = shape.hidden, shape.intermediate
    weights = {}

    def norm(name):
        weights[f"{name}.weight"] = (1 + normal(width)).astype(np.float32)
        weights[f"{name}.bias"] = normal(width)

    def linear(name, rows, columns):
        weights[f"{name}.weight"] = normal(rows, columns)
        weights[f"{name}.bias"] = normal(rows)

    weights["embeddings.word_embeddings.weight"] = normal(VOCABULARY, width)
    weights["embeddings.position_embeddings.weight"] = normal(POSITIONS, width)
    weights["embeddings.token_type_embeddings.weight"] = normal(2, width)
    norm("embeddings.LayerNorm")
    for layer in range(shape.layers):
        at = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            linear(f"{at}.attention.self.{part}", width, width)
        linear(f"{at}.attention.output.dense", width, width)
        norm(f"{at}.attention.output.LayerNorm")
        linear(f"{at}.intermediate.dense", inner, width)
        linear(f"{at}.output.dense", width, inner)
        norm(f"{at}.output.LayerNorm")
    return weights


def write_safetensors(path, weights):
    header, offset = {}, 0
    for name, value in weights.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [offset, offset + value.nbytes],
        }
        offset += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for value in weights.values():
            file.write(value.tobytes())


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))


def write_settings(folder, shape):
    write_json(folder / "config.json", {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "layer_norm_eps": EPS,
        "max_position_embeddings": POSITIONS,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "type_vocab_size": 2,
        "vocab_size": VOCABULARY,
    })
    modules = [("0", "", "Transformer"), ("1", "1_Pooling", "Pooling"), ("2", "2_Normalize", "Normalize")]
    write_json(folder / "modules.json", [
        {"idx": int(name), "name": name, "path": path, "type": f"sentence_transformers.models.{kind}"}
        for name, path, kind in modules
    ])
    write_json(folder / "1_Pooling" / "config.json", {
        "word_embedding_dimension": shape.hidden,
        "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True,
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    })


class Graph:
    """Nodes and initializers of an ONNX graph; `call` adds a node and gives its output's name."""

    def __init__(self, weights):
        self.nodes, self.initializers, self.weights, self.count = [], [], weights, 0

    def call(self, op, *inputs, **attributes):
        self.count += 1
        output = f"{op}_{self.count}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], name=output, **attributes))
        return output

    def tensor(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def constant(self, value, dtype=np.float32):
        self.count += 1
        return self.tensor(f"constant_{self.count}", np.asarray(value, dtype))

    def weight(self, name):
        return self.tensor(name, self.weights[name])

    def linear(self, x, name):
        matrix = self.tensor(f"{name}.matrix", self.weights[f"{name}.weight"].T)
        return self.call("Add", self.weight(f"{name}.bias"), self.call("MatMul", x, matrix))

    def layer_norm(self, x, name):
        centred = self.call("Sub", x, self.call("ReduceMean", x, axes=[-1]))
        square = self.call("Pow", centred, self.constant(2))
        variance = self.call("Add", self.call("ReduceMean", square, axes=[-1]), self.constant(EPS))
        unit = self.call("Div", centred, self.call("Sqrt", variance))
        return self.call("Add", self.call("Mul", unit, self.weight(f"{name}.weight")), self.weight(f"{name}.bias"))

    def gelu(self, x):
        erf = self.call("Erf", self.call("Div", x, self.constant(np.sqrt(2))))
        product = self.call("Mul", x, self.call("Add", erf, self.constant(1)))
        return self.call("Mul", product, self.constant(0.5))

    def heads(self, x, heads, head_size, perm):
        split = self.call("Reshape", x, self.constant([0, 0, heads, head_size], np.int64))
        return self.call("Transpose", split, perm=perm)


def add_layer(graph, x, mask, at, shape):
    size = shape.hidden // shape.heads
    own = f"{at}.attention.self"
    query = graph.heads(graph.linear(x, f"{own}.query"), shape.heads, size, [0, 2, 1, 3])
    key = graph.heads(graph.linear(x, f"{own}.key"), shape.heads, size, [0, 2, 3, 1])
    value = graph.heads(graph.linear(x, f"{own}.value"), shape.heads, size, [0, 2, 1, 3])
    scores = graph.call("Div", graph.call("MatMul", query, key), graph.constant(np.sqrt(size)))
    shares = graph.call("Softmax", graph.call("Add", scores, mask), axis=3)
    context = graph.call("Transpose", graph.call("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = graph.call("Reshape", context, graph.constant([0, 0, shape.hidden], np.int64))
    attended = graph.call("Add", graph.linear(joined, f"{at}.attention.output.dense"), x)
    x = graph.layer_norm(attended, f"{at}.attention.output.LayerNorm")
    inner = graph.gelu(graph.linear(x, f"{at}.intermediate.dense"))
    return graph.layer_norm(graph.call("Add", graph.linear(inner, f"{at}.output.dense"), x), f"{at}.output.LayerNorm")


def make_onnx(weights, shape):
    graph = Graph(weights)
    wide = graph.call("Unsqueeze", graph.call("Unsqueeze", "attention_mask", axes=[1]), axes=[2])
    open_places = graph.call("Cast", wide, to=TensorProto.FLOAT)
    closed = graph.call("Sub", graph.constant(1), open_places)
    mask = graph.call("Mul", closed, graph.constant(np.finfo(np.float32).min))
    sizes = graph.call("Shape", "input_ids")
    length = graph.call("Gather", sizes, graph.constant([1], np.int64), axis=0)
    places = graph.tensor("embeddings.position_ids", np.arange(POSITIONS, dtype=np.int64)[None])
    ends = [graph.constant([0], np.int64), length, graph.constant([1], np.int64), graph.constant([1], np.int64)]
    tables = {
        name: graph.weight(f"embeddings.{name}_embeddings.weight")
        for name in ("word", "token_type", "position")
    }
    words = graph.call("Gather", tables["word"], "input_ids")
    types = graph.call("Gather", tables["token_type"], "token_type_ids")
    positions = graph.call("Gather", tables["position"], graph.call("Slice", places, *ends))
    x = graph.call("Add", graph.call("Add", words, types), positions)
    x = graph.layer_norm(x, "embeddings.LayerNorm")
    for layer in range(shape.layers):
        x = add_layer(graph, x, mask, f"encoder.layer.{layer}", shape)
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    ids = ("input_ids", "attention_mask", "token_type_ids")
    free = ["batch_size", "sequence_length"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, free) for name in ids]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*free, shape.hidden])
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], graph.initializers)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--intermediate", type=int, default=3072)
    shape = parser.parse_args()
    weights = random_weights(shape)
    write_settings(shape.folder, shape)
    write_safetensors(shape.folder / "model.safetensors", weights)
    model = make_onnx(weights, shape)
    onnx.checker.check_model(model)
    (shape.folder / "onnx").mkdir(exist_ok=True)
    full = shape.folder / "onnx" / "model.onnx"
    onnx.save(model, full)
    quantize_dynamic(full, shape.folder / "onnx" / "model_quantized.onnx", weight_type=QuantType.QInt8)


if __name__ == "__main__":
    main()
