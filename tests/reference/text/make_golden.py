#!/usr/bin/env python3
"""Makes tests/golden/text/*.jsonl from Hugging Face's tokenizers; run by hand.

    pip install tokenizers==0.23.3
    python3 tests/reference/text/make_golden.py tests/golden/text

encode.jsonl: a head with lists of normalizers, pre-tokenizers, added tokens and the vocabulary; then
one line a text: n, p, a (places in the lists), t (text), ids, off (UTF-16, flat), w (word ids).
options.jsonl: the same vocabulary; one line an encoding with options, overflow windows included.
unicode.jsonl: one line a table: for all code points, in lines of 256, the FNV-1a hash of what comes out.
"""

import json
import os
import random
import sys

import tokenizers
from tokenizers import normalizers

import compare

TEXTS_PER_CONFIGURATION = 5


class SmallTexts(compare.Texts):
    """Texts over an alphabet small enough for a committed vocabulary."""

    def __init__(self, rng):
        super().__init__(rng)
        keep = {}
        for index, (group, weight) in enumerate(self.groups):
            size = 48 if index in (2, 3, 4) else 16 if index > 4 else len(group)
            keep[index] = (group if len(group) <= size or index == 8 else rng.sample(group, size), weight)
        self.groups = list(keep.values())
        self.alphabet = sorted(set(c for group, _ in self.groups for c in group) - {0})


def dump(file, value):
    file.write(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def words(encoding):
    return [-1 if w is None else w for w in encoding.word_ids]


def write_encode(path, rng, texts, vocab):
    pairs = [(n, 1, rng.randrange(2)) for n in range(len(compare.NORMALIZERS))]
    pairs += [(n, p, rng.randrange(2)) for p in range(len(compare.PRE_TOKENIZERS)) for n in (0, 24)]
    with open(path, "w", encoding="ascii") as file:
        dump(file, dict(normalizers=compare.NORMALIZERS, pre_tokenizers=compare.PRE_TOKENIZERS,
                        added=compare.ADDED, vocab=vocab))
        for n, p, a in pairs:
            loaded = compare.tokenizer_json(vocab, compare.NORMALIZERS[n], compare.PRE_TOKENIZERS[p],
                                            compare.ADDED[a])
            try:
                reference = tokenizers.Tokenizer.from_str(loaded)
            except Exception:
                continue
            for _ in range(TEXTS_PER_CONFIGURATION):
                text = texts.text()
                e = reference.encode(text)
                dump(file, dict(n=n, p=p, a=a, t=text, ids=e.ids, off=compare.utf16(text, e.offsets),
                                w=words(e)))


def form(texts, e, with_overflow=True):
    off = []
    for pair, sequence in zip(e.offsets, e.sequence_ids):
        off += [0, 0] if sequence is None else compare.utf16(texts[sequence], [pair])
    result = dict(ids=e.ids, off=off, w=words(e), type=e.type_ids, attention=e.attention_mask,
                  special=e.special_tokens_mask,
                  sequence=[-1 if s is None else s for s in e.sequence_ids])
    if with_overflow:
        result["overflow"] = [form(texts, o, False) for o in e.overflowing]
    return result


def write_options(path, rng, vocab):
    with open(path, "w", encoding="ascii") as file:
        for _ in range(160):
            loaded = compare.tokenizer_json(vocab, compare.NORMALIZERS[0], compare.PRE_TOKENIZERS[1], [])
            reference = tokenizers.Tokenizer.from_str(loaded)
            text = " ".join(rng.choice("abcde") for _ in range(rng.randrange(14)))
            pair = " ".join(rng.choice("ABCDE") for _ in range(rng.randrange(14))) if rng.random() < 0.6 else None
            options = dict(max_length=rng.randrange(3, 16), stride=rng.choice([0, 0, 1, 2, 3]),
                           strategy=rng.choice(["longest_first", "only_first", "only_second"]),
                           direction=rng.choice(["right", "left"]))
            special = rng.random() < 0.7
            padding = rng.choice([None, None, dict(length=20), dict(pad_to_multiple_of=8),
                                  dict(length=6, direction="left", pad_id=4, pad_type_id=1)])
            room = options["max_length"] - (0 if not special else 2 if pair is None else 3)
            if room < 0 or (options["stride"] > 0 and options["stride"] >= room):
                continue  # the library panics or does not truncate
            line = dict(t=text, pair=pair, truncation=options, padding=padding, add_special_tokens=special)
            try:
                reference.enable_truncation(**options)
            except Exception:
                continue  # the stride is measured beside special tokens, wanted or not
            try:
                if padding:
                    reference.enable_padding(**padding)
                e = reference.encode(text, pair, add_special_tokens=special)
            except BaseException as problem:  # a panic of the library is no Exception
                line["error"] = str(problem)
            else:
                line.update(form([text, pair], e))
            dump(file, line)


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def write_unicode(path):
    bert = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    tables = {
        "NFC": dict(type="NFC"), "NFD": dict(type="NFD"), "NFKC": dict(type="NFKC"), "NFKD": dict(type="NFKD"),
        "Lowercase": dict(type="Lowercase"), "StripAccents": dict(type="StripAccents"),
        "clean": dict(bert, type="BertNormalizer", clean_text=True),
        "ideographs": dict(bert, type="BertNormalizer", handle_chinese_chars=True),
        "accents": dict(bert, type="BertNormalizer", strip_accents=True),
    }
    pre = {"white": dict(type="WhitespaceSplit"), "words": dict(type="Whitespace"),
           "punctuation": dict(type="Punctuation"),
           "numeric": dict(type="Digits", individual_digits=True)}
    lines = []
    everything = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for begin in range(0, len(everything), 256):
        # "a" keeps characters of neighbours apart.
        lines.append("".join("a" + chr(c) for c in everything[begin:begin + 256]) + "a")
    with open(path, "w", encoding="ascii") as file:
        for name, config in tables.items():
            kind = dict(config)
            reference = getattr(normalizers, kind.pop("type"))(**kind)
            out = "".join(reference.normalize_str(line) + "\n" for line in lines)
            dump(file, dict(name=name, normalizer=config, hash=format(fnv(out.encode()), "016x")))
        for name, config in pre.items():
            kind = dict(config)
            reference = getattr(tokenizers.pre_tokenizers, kind.pop("type"))(**kind)
            out = "".join("|".join(p for p, _ in reference.pre_tokenize_str(line)) + "\n" for line in lines)
            dump(file, dict(name=name, pre_tokenizer=config, hash=format(fnv(out.encode()), "016x")))


def main():
    assert tokenizers.__version__ == "0.23.3"
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(20)
    texts = SmallTexts(rng)
    vocab = compare.vocabulary(texts)
    write_encode(os.path.join(folder, "encode.jsonl"), rng, texts, vocab)
    write_options(os.path.join(folder, "options.jsonl"), rng, vocab)
    write_unicode(os.path.join(folder, "unicode.jsonl"))


if __name__ == "__main__":
    main()
