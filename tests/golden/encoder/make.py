"""Makes the golden models of tests/nn/golden_test.cc: weights under canonical names, token ids, and
what PyTorch and transformers compute from them.

    python make.py TRAIN_CASES FAMILY_CASES HAND_CASES OUT

TRAIN_CASES: folder with grad/NAME/{config,case}.json and model.safetensors, whose outputs were made
with torch in float64. FAMILY_CASES, HAND_CASES: folders with embed.json, classify.json and fixtures/,
whose outputs were made with transformers in float32 (6 digits); their texts are tokenized here.
Needs numpy, safetensors, tokenizers.
"""
import json
import pathlib
import sys

import numpy
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

DISTIL = {
    "transformer.layer": "encoder.layer", "attention.q_lin": "attention.self.query",
    "attention.k_lin": "attention.self.key", "attention.v_lin": "attention.self.value",
    "attention.out_lin": "attention.output.dense", "sa_layer_norm": "attention.output.LayerNorm",
    "ffn.lin1": "intermediate.dense", "ffn.lin2": "output.dense",
    "output_layer_norm": "output.LayerNorm",
}


def canonical(name):
    for prefix in ("bert.", "electra.", "distilbert."):
        name = name.removeprefix(prefix)
    for old, new in DISTIL.items():
        name = name.replace(old, new)
    return name


def encoder_config(config):
    def get(*keys, default=None):
        return next((config[key] for key in keys if key in config), default)

    hidden = get("hidden_size", "dim")
    return {
        "vocab_size": config["vocab_size"], "hidden_size": hidden,
        "embedding_size": get("embedding_size", default=hidden),
        "layers": get("num_hidden_layers", "n_layers"), "heads": get("num_attention_heads", "n_heads"),
        "intermediate_size": get("intermediate_size", "hidden_dim"),
        "max_positions": config["max_position_embeddings"],
        "type_vocab_size": config.get("type_vocab_size", 0),
        "activation": get("hidden_act", "activation"),
    }


def write(out, name, folder, sequences, **case):
    weights = {canonical(key): value.astype(numpy.float32)
               for key, value in load_file(folder / "model.safetensors").items()
               if "position_ids" not in key}
    save_file(weights, out / f"{name}.safetensors")
    config = json.loads((folder / "config.json").read_text())
    case = {"config": encoder_config(config), "sequences": sequences, **case}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()]
    (out / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def unpadded(batch):
    keep = [numpy.array(mask, bool) for mask in batch["attention_mask"]]
    return [{"ids": numpy.array(ids)[mask].tolist(), "types": numpy.array(types)[mask].tolist()}
            for ids, types, mask in zip(batch["input_ids"], batch["token_type_ids"], keep)], keep


def train_case(out, folder, name, **case):
    values = json.loads((folder / "case.json").read_text())
    sequences, keep = unpadded(values["batch"])
    expected = values["expect"]["logits"]
    if case["input"] == "tokens":
        expected = [row for rows, mask in zip(expected, keep) for row, kept in zip(rows, mask) if kept]
    write(out, name, folder, sequences, expected=expected, **case)


def text_case(out, cases, kind, case_id, name, **case):
    entry = next(c for c in json.loads((cases / f"{kind}.json").read_text())["cases"]
                 if c["id"] == case_id)
    folder = cases / entry["model"]["dir"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    items = entry["input"].get("items") or [{"text": text} for text in entry["input"]["texts"]]
    encodings = [tokenizer.encode(*[item[key] for key in ("text", "pair") if key in item])
                 for item in items]
    sequences = [{"ids": e.ids, "types": e.type_ids} for e in encodings]
    expected = entry["expect"].get("vectors")
    if expected is None:
        labels = list(json.loads((folder / "config.json").read_text())["id2label"].values())
        expected = [[next(r["score"] for r in results if r["label"] == label) for label in labels]
                    for results in entry["expect"]["results"]]
    write(out, name, folder, sequences, expected=expected, **case)


def main():
    train, families, hand, out = map(pathlib.Path, sys.argv[1:])
    bert = {"dense_name": "pooler.dense", "output_name": "classifier", "activation": "tanh"}
    train_case(out, train / "grad/tokencls", "bert_tokens", input="tokens",
               head={"output_name": "classifier"})
    train_case(out, train / "grad/seqcls", "bert_pooler", input="cls", head=bert)
    train_case(out, train / "grad/enhanced", "bert_enhanced", input="cls",
               head={"dense_name": "classifier.0", "output_name": "classifier.3", "activation": "gelu"})
    text_case(out, families, "embed", "emb-electra-h", "electra_mean", input="mean", normalize=True)
    text_case(out, families, "classify", "cls-electra-cls-h", "electra_head", input="cls", softmax=True,
              head={"dense_name": "classifier.dense", "output_name": "classifier.out_proj",
                    "activation": "gelu"})
    text_case(out, hand, "classify", "cls-distil-h", "distilbert_head", input="cls", softmax=True,
              head={"dense_name": "pre_classifier", "output_name": "classifier", "activation": "relu"})


if __name__ == "__main__":
    main()
