#!/usr/bin/env python3
"""Makes src/text/category_data.cc from what Hugging Face's tokenizers does.

    pip install tokenizers==0.23.3
    python3 tests/reference/unicode/generate_categories.py src/text/category_data.cc

Two tables: the general categories that patterns of tokenizer.json see (\\p{L} and so on, which are of
a newer Unicode than the tables of generate_tables.py), and what a code point does in a grapheme
cluster where the normalizer Precompiled cuts its text. The latter cuts nothing that shows, so it is
asked through character maps whose outcome tells how a text was cut.
"""

import struct
import sys

import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

from generate_tables import ALL, PINNED, Stream

# In the order of enum Category in char_category.h; the first is all else.
CATEGORIES = ["C", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Nd", "No", "P", "S", "Z"]
ALTERNATING = len(CATEGORIES)  # Lu Ll Lu Ll …

# In the order of enum ClusterPart in clusters.h.
OTHER, JOINS, CONTROL, PREPEND, PICTOGRAPH, CONSONANT, LINKER = range(7)


def matches(pattern):
    """The code points that a pattern for one character takes."""
    text = "".join(map(chr, ALL))
    left = pre_tokenizers.Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(text)
    return {ord(c) for piece, _ in left for c in piece}


def categories():
    table = [0] * 0x110000
    number = matches(r"\p{N}")
    digits = matches(r"\p{Nd}")
    for index, name in enumerate(CATEGORIES[1:], 1):
        found = digits if name == "Nd" else number - digits if name == "No" else matches(rf"\p{{{name}}}")
        for c in found:
            assert table[c] == 0
            table[c] = index
    other = matches(r"\p{C}")
    assert all((table[c] == 0) == (c in other) for c in ALL)
    check_shorthands(table)
    return table


def check_shorthands(table):
    """What char_set.cc computes from categories and from the classes of generate_tables.py."""
    letters = {c for c in ALL if 1 <= table[c] <= 5}
    assert letters == matches(r"\p{L}")
    assert {c for c in ALL if table[c] == 7} == matches(r"\d")
    strip = normalizers.Strip()
    assert matches(r"\s") == {c for c in ALL if strip.normalize_str(chr(c)) == ""}
    words = pre_tokenizers.Whitespace()
    word = {c for c in ALL if len(words.pre_tokenize_str("a" + chr(c) + "a")) == 1}
    extra = {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}
    assert matches(r"\w") == word - {0x200C, 0x200D} | extra
    # ByteLevel's own pattern sees the same letters, numbers and white space.
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for c in ALL:
        joined = lambda before: len(split.pre_tokenize_str(before + chr(c))) == 1
        assert joined("a") == (c in letters), hex(c)
        assert joined("1") == (table[c] in (7, 8)), hex(c)


def charsmap(keys):
    """A map of single bytes to "x", as a precompiled charsmap (Darts double array)."""
    base = 256
    units = [0] * 1024
    units[0] = base << 10
    for i, key in enumerate(keys):
        leaf = 512 + 2 * i  # its end is at leaf ^ 0
        units[base ^ key] = key | 1 << 8 | ((base ^ key) ^ leaf) << 10
        units[leaf] = 1 << 31
    blob = struct.pack("<%dI" % len(units), *units)
    return normalizers.Precompiled(struct.pack("<I", len(blob)) + blob + b"x\0").normalize_str


def clusters():
    map_a = charsmap([ord("a")])
    map_all = charsmap(list(range(1, 0x80)) + list(range(0xC2, 0xF5)))
    acute, joiner, sign, ka, virama = "\u0301", "\u200d", "\u2122", "\u0915", "\u094d"
    table = [OTHER] * 0x110000
    for c in ALL:
        text = chr(c)
        if c == 0:
            table[c] = CONTROL
            continue
        size = len(text.encode())
        if map_a("a" + text) == "x":
            table[c] = LINKER if map_all(ka + text + ka + acute) == "xxxx" else JOINS
        elif size < 4 and map_all(text + acute) == "xx":
            table[c] = CONTROL
        elif map_all(text + "a") == "x":
            table[c] = PREPEND
        elif map_all(text + joiner + sign + acute) == "xxxx":
            table[c] = PICTOGRAPH
        elif size < 4 and map_all(ka + virama + text + acute) == "xxxx":
            table[c] = CONSONANT
    return table


def pack(stream, table, kinds, alternating=False):
    """Runs: kind, length - 1; kind ALTERNATING is Lu Ll Lu Ll …, length - 2."""
    begin = runs = 0
    while begin < len(table):
        end = begin + 1
        while end < len(table) and table[end] == table[begin]:
            end += 1
        kind, number = table[begin], end - begin - 1
        if alternating and table[begin] == 1:
            other = begin + 1
            while other < len(table) and table[other] == 1 + (other - begin) % 2:
                other += 1
            if other > end:
                end, kind, number = other, ALTERNATING, other - begin - 2
        stream.choice(kind, kinds, number)
        begin = end
        runs += 1
    return runs


def main():
    assert tokenizers.__version__ == PINNED, f"needs tokenizers {PINNED}"
    stream = Stream()
    table = categories()
    pack(stream, table, ALTERNATING + 1, True)
    size = len(stream.bytes)
    parts = clusters()
    runs = pack(stream, parts, LINKER + 1)
    out = [
        "// GENERATED by tests/reference/unicode/generate_categories.py from the behaviour of Hugging",
        f"// Face's tokenizers {PINNED}. Do not edit. Bytes: categories {size}, clusters {len(stream.bytes) - size}.",
        "",
        '#include "text/category_data.h"',
        "",
        "namespace pocketbert {",
        "",
        f"const uint8_t kCategoryData[{len(stream.bytes)}] = {{",
    ]
    for i in range(0, len(stream.bytes), 24):
        out.append("    " + ", ".join(str(v) for v in stream.bytes[i:i + 24]) + ",")
    out += ["};", "", "}  // namespace pocketbert", ""]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out))
    high = 1 + sum(table[c] != table[c - 1] for c in range(0x10001, 0x110000))
    print("category_data.h must say:", dict(kCategoryDataBytes=len(stream.bytes), kHighCategoryRuns=high,
                                            kClusterRuns=runs))
    print("categories", size, "clusters", len(stream.bytes) - size)
    print({k: sum(p == k for p in parts) for k in range(7)})


if __name__ == "__main__":
    main()
