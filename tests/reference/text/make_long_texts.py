"""Tokens of long texts, by Hugging Face tokenizers: python make_long_texts.py > tests/golden/text/long_texts.json

A text is read in parts of about 8,192 bytes; these are as long as a part, or two, give or take a byte, with
and without places where a part may end. Offsets are counted in UTF-16 units.
"""

import hashlib
import json
import struct
from pathlib import Path

import tokenizers

ROOT = Path(__file__).resolve().parents[3] / "tests"
FIXTURES = [
    "cases/hand/fixtures/enc",
    *("cases-families/hand/fixtures/" + name
      for name in "albert bert-unigram camembert deberta modernbert mpnet nomic roberta xlmr".split()),
]
UNITS = ["x", "!", "東", "中文", "word\n", "\t", " ", "é ", "a\u0301", "a\u3000", "b\u00a0", "👩 ", " \n",
         "The old boat was slow, and the child sat by the river. "]
BYTES = [8191, 8192, 8193, 8194, 8195, 8200, 16383, 16384, 16385, 16388, 20000]


def cut(unit, size):
    return (unit * (size // len(unit.encode()) + 1)).encode()[:size].decode("utf-8", "ignore")


def utf16_places(text):
    places = [0]
    for char in text:
        places.append(places[-1] + (2 if ord(char) > 0xFFFF else 1))
    return places


def main():
    entries = []
    for fixture in FIXTURES:
        tokenizer = tokenizers.Tokenizer.from_file(str(ROOT / fixture / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        for unit in UNITS:
            counts, digest = [], hashlib.sha256()
            for size in BYTES:
                text = cut(unit, size)
                places = utf16_places(text)
                encoding = tokenizer.encode(text, add_special_tokens=False)
                counts.append(len(encoding.ids))
                for token, (begin, end) in zip(encoding.ids, encoding.offsets):
                    digest.update(struct.pack("<3i", token, places[begin], places[end]))
            entries.append({"fixture": fixture, "unit": unit, "counts": counts, "sha256": digest.hexdigest()})
    print(json.dumps({"bytes": BYTES, "entries": entries}, ensure_ascii=True, indent=0))


main()
