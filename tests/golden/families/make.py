"""Makes the cases of tests/quantize/families_test.cc: token ids of the texts of the case files, with
the values that transformers computed for them (which stand in the case files).

    python make.py CASES OUT

CASES: folder with embed.json, classify.json, ner.json, qa.json, fill-mask.json and fixtures/. The
tokenizers are run here, so that a test of the networks needs none. Needs tokenizers.
"""
import json
import pathlib
import sys

from tokenizers import Tokenizer


def encode(folder, text, pair=None):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer.encode(text, pair) if pair is not None else tokenizer.encode(text)


def mask_id(folder):
    config = json.loads((folder / "tokenizer_config.json").read_text())
    token = config["mask_token"]
    content = token if isinstance(token, str) else token["content"]
    return Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id(content)


def sequence(encoding):
    return {"ids": encoding.ids, "types": encoding.type_ids}


def cases(root, kind):
    """The cases of one file that come with safetensors weights and whole values."""
    for case in json.loads((root / f"{kind}.json").read_text())["cases"]:
        folder = root / case["model"]["dir"]
        files = case.get("files", {})
        if "weights" in case["options"] or set(files) - {"config.json"}:
            continue
        made = {"id": case["id"], "fixture": folder.name, "options": case["options"]}
        if files:
            made["config"] = json.dumps(files["config.json"]["json"])
        expect = case["expect"]
        made |= {key: expect[key] for key in ("abs", "min_cos", "or_error") if key in expect}
        yield case, folder, made


def embed(root):
    for case, folder, made in cases(root, "embed"):
        made["sequences"] = [sequence(encode(folder, text)) for text in case["input"]["texts"]]
        made["vectors"] = case["expect"]["vectors"]
        yield made


def classify(root):
    for case, folder, made in cases(root, "classify"):
        items = case["input"]["items"]
        made["sequences"] = [
            sequence(encode(folder, item["text"], item.get("pair"))) for item in items
        ]
        made["results"] = [
            {label["label"]: label["score"] for label in result}
            for result in case["expect"]["results"]
        ]
        yield made


def tag(root):
    """Only without aggregation: what each token is, except those without a label of interest."""
    for case, folder, made in cases(root, "ner"):
        if case["options"]["aggregation"] != "none":
            continue
        encoding = encode(folder, case["input"]["text"])
        made["sequences"] = [sequence(encoding)]
        made["tokens"] = [
            {key: entity[key] for key in ("index", "label", "score")}
            for entity in case["expect"]["entities"]
        ]
        yield made


def answer(root):
    """Only the best answer's score, where all fits into one window."""
    for case, folder, made in cases(root, "qa"):
        if "doc_stride" in case["options"]:
            continue
        encoding = encode(folder, case["input"]["question"], case["input"]["context"])
        made["sequences"] = [sequence(encoding)]
        made["context"] = [i for i, part in enumerate(encoding.sequence_ids) if part == 1]
        made["score"] = case["expect"]["answers"][0]["score"]
        yield made


def fill_mask(root):
    for case, folder, made in cases(root, "fill-mask"):
        encoding = encode(folder, case["input"]["text"])
        made["sequences"] = [sequence(encoding)]
        made["mask"] = encoding.ids.index(mask_id(folder))
        made["words"] = [
            {"id": word["id"], "score": word["score"]} for word in case["expect"]["masks"][0]
        ]
        yield made


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for make in (embed, classify, tag, answer, fill_mask):
        lines = ",\n".join(json.dumps(case) for case in make(root))
        (out / f"{make.__name__}.json").write_text(f"[\n{lines}\n]\n")


main()
