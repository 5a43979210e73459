#!/usr/bin/env python3
"""Makes src/text/unicode_data.cc from what Hugging Face's tokenizers does.

    pip install tokenizers==0.23.3
    python3 tests/reference/unicode/generate_tables.py src/text/unicode_data.cc

The tables are pinned to the behaviour of that version, not to a version of Unicode: its parts carry
tables of different ages (normalization of Unicode 9, punctuation and marks older still, lower-casing
and word characters newer). So each code point is sent through the library and the outcome is kept.
The generated file is committed; neither the build nor the tests need Python.
"""

import sys
import unicodedata

import tokenizers
from tokenizers import normalizers, pre_tokenizers

PINNED = "0.23.3"
ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
BLOCK = 64

# Bits of a code point's class, as in unicode_tables.h.
WHITE_SPACE, CONTROL, NONSPACING, PUNCTUATION, WORD, NUMERIC, MARK, MAPPED = (1 << i for i in range(8))


def bert(**switches):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **switches})


def changed(normalizer):
    """{code point: text} for all that `normalizer` does not leave alone."""
    result = {}
    for c in ALL:
        text = normalizer.normalize_str(chr(c))
        if text != chr(c):
            result[c] = text
    return result


def pieces(pre_tokenizer, c):
    return len(pre_tokenizer.pre_tokenize_str("a" + chr(c) + "a"))


def combining_classes(nfd):
    """{code point: class} for classes above 0, found by how NFD orders pairs of marks.

    The classes of old marks never change, so Python's table gives one representative of each class.
    """
    order = normalizers.NFD().normalize_str

    def goes_before(a, b):
        return a != b and order("a" + chr(b) + chr(a)) == "a" + chr(a) + chr(b)

    highest = 0x345  # class 240, the only one
    marks = [c for c in ALL if c not in nfd and (c == highest or goes_before(c, highest))]
    representative = {}
    for c in marks:
        representative.setdefault(unicodedata.combining(chr(c)), c)
    assert 0 not in representative
    values = sorted(representative)
    for a, b in zip(values, values[1:]):
        assert goes_before(representative[a], representative[b])
    result = {}
    for c in marks:
        equal = [v for v, r in representative.items()
                 if not goes_before(c, r) and not goes_before(r, c)]
        assert len(equal) == 1, hex(c)
        result[c] = equal[0]
    return result


def classes(nfd, nfkd, lower, ccc):
    clean = bert(clean_text=True)
    accents = bert(strip_accents=True)
    strip_accents = normalizers.StripAccents()
    strip = normalizers.Strip()
    white_split, whitespace = pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Whitespace()
    punctuation, bert_split = pre_tokenizers.Punctuation(), pre_tokenizers.BertPreTokenizer()
    digits = pre_tokenizers.Digits(individual_digits=True)
    table = [0] * 0x110000
    for c in ALL:
        text = chr(c)
        bits = 0
        white = strip.normalize_str(text) == ""
        assert white == (pieces(white_split, c) == 2) == (pieces(whitespace, c) == 2)
        bits |= WHITE_SPACE if white else 0
        cleaned = clean.normalize_str("a" + text + "a")
        bits |= CONTROL if cleaned == "aa" else 0
        # What is not dropped becomes a space if it is white space, and stays otherwise.
        assert cleaned in ("aa", "a a" if white else "a" + text + "a"), hex(c)
        # Of a character that NFD takes apart only the parts are asked for their class.
        bits |= NONSPACING if c not in nfd and accents.normalize_str(text) == "" else 0
        punct = pieces(punctuation, c) == 3
        assert punct == (pieces(bert_split, c) == 3)
        bits |= PUNCTUATION if punct else 0
        bits |= WORD if pieces(whitespace, c) == 1 else 0
        bits |= NUMERIC if pieces(digits, c) == 3 else 0
        bits |= MARK if strip_accents.normalize_str(text) == "" else 0
        if c in nfd or c in nfkd or c in lower or c in ccc:
            bits |= MAPPED
        table[c] = bits
    return table


def contiguous(keys):
    """Sorted code points as [first, count] ranges."""
    ranges = []
    for c in sorted(keys):
        if ranges and ranges[-1][0] + ranges[-1][1] == c:
            ranges[-1][1] += 1
        else:
            ranges.append([c, 1])
    return ranges


class Pool:
    """Texts as UTF-8 one behind the other; a text that already stands somewhere is not repeated."""

    def __init__(self, texts, coded):
        self.bytes = b""
        self.at = {}
        for text in sorted(set(texts), key=lambda t: (-len(coded(t)), t)):
            data = coded(text)
            found = self.bytes.find(data)
            if found < 0:
                found = len(self.bytes)
                self.bytes += data
            self.at[text] = found


def array(out, kind, name, values, per_line=16, hexadecimal=False):
    out.append(f"const {kind} {name}[{len(values)}] = {{")
    for i in range(0, len(values), per_line):
        row = values[i:i + per_line]
        out.append("    " + ", ".join(hex(v) if hexadecimal else str(v) for v in row) + ",")
    out.append("};")


def decomposition_arrays(out, name, mapping, count_bits):
    """Ranges of code points, one entry each, and the pool they point into.

    An entry is offset << count_bits | code; code is the number of characters, or 0 if that number
    stands as a byte in front of the text.
    """
    longest = (1 << count_bits) - 1

    def coded(text):
        data = text.encode()
        return data if len(text) <= longest else bytes([len(text)]) + data

    pool = Pool(mapping.values(), coded)
    assert len(pool.bytes) < 1 << (16 - count_bits), (name, len(pool.bytes))
    ranges = contiguous(mapping)
    entries = []
    rows = []
    for first, count in ranges:
        rows.append(f"{{{hex(first)}, {count}, {len(entries)}}}")
        for c in range(first, first + count):
            text = mapping[c]
            code = len(text) if len(text) <= longest else 0
            entries.append(pool.at[text] << count_bits | code)
    out.append(f"const MappingRange k{name}Ranges[{len(rows)}] = {{")
    for i in range(0, len(rows), 5):
        out.append("    " + ", ".join(rows[i:i + 5]) + ",")
    out.append("};")
    array(out, "uint16_t", f"k{name}Entries", entries)
    array(out, "uint8_t", f"k{name}Pool", list(pool.bytes), 20)
    return len(rows) * 8 + len(entries) * 2 + len(pool.bytes), len(rows)


def lower_runs(lower):
    """[first, count, stride, delta]: first, first+stride, … all move by delta. Runs do not overlap."""
    left = {c: ord(t) - c for c, t in lower.items() if len(t) == 1}
    runs = []
    for c in sorted(left):
        if runs and c <= runs[-1][0] + (runs[-1][1] - 1) * runs[-1][2]:
            continue
        lengths = {}
        for stride in (1, 2):
            n = 1
            while left.get(c + n * stride) == left[c] and (stride == 1 or c + n * stride - 1 not in left):
                n += 1
            lengths[stride] = n
        stride = 1 if lengths[1] >= lengths[2] else 2
        runs.append((c, lengths[stride], stride, left[c]))
    assert sum(run[1] for run in runs) == len(left)
    return runs


def main():
    assert tokenizers.__version__ == PINNED, f"needs tokenizers {PINNED}"
    nfd, nfkd = changed(normalizers.NFD()), changed(normalizers.NFKD())
    nfc, lower = changed(normalizers.NFC()), changed(normalizers.Lowercase())
    ccc = combining_classes(nfd)
    table = classes(nfd, nfkd, lower, ccc)
    size = {}
    out = [
        "// GENERATED by tests/reference/unicode/generate_tables.py from the behaviour of Hugging Face's",
        f"// tokenizers {PINNED}. Do not edit.",
        "",
        '#include "text/unicode_data.h"',
        "",
        "namespace pocketbert::unicode_data {",
        "",
    ]

    blocks, stage = {}, []
    for begin in range(0, 0x10000, BLOCK):
        stage.append(blocks.setdefault(tuple(table[begin:begin + BLOCK]), len(blocks)))
    array(out, "uint8_t", "kBmpBlocks", stage, 24)
    array(out, "uint8_t", "kBmpClasses", [v for block in blocks for v in block], 24)
    runs = [(c, table[c]) for c in range(0x10000, 0x110000) if c == 0x10000 or table[c] != table[c - 1]]
    array(out, "uint32_t", "kHighClasses", [c << 8 | bits for c, bits in runs], 10, True)
    size["classes"] = len(stage) + len(blocks) * BLOCK + len(runs) * 4

    packed = []
    for first, last_class in sorted(ccc.items()):
        if packed:
            c, n, value = packed[-1]
            if c + n == first and value == last_class and n < 8:
                packed[-1] = (c, n + 1, value)
                continue
        packed.append((first, 1, last_class))
    array(out, "uint32_t", "kCombiningClasses", [c << 11 | n - 1 << 8 | v for c, n, v in packed], 10, True)
    size["combining"] = len(packed) * 4

    canonical = {c: t for c, t in nfd.items() if c not in HANGUL}
    compatibility = {c: t for c, t in nfkd.items() if c not in HANGUL and nfd.get(c) != t}
    assert all(c in nfkd for c in canonical)
    size["canonical"], canonical_ranges = decomposition_arrays(out, "Canonical", canonical, 3)
    size["compatibility"], compatibility_ranges = decomposition_arrays(out, "Compatibility", compatibility, 2)

    compose = normalizers.NFC().normalize_str
    pairs, high = [], []
    for c, text in canonical.items():
        if c in nfc:
            continue  # excluded from composition
        first, second = compose(text[:-1]), text[-1]
        assert len(first) == 1 and compose(first + second) == chr(c), hex(c)
        (pairs if c < 0x10000 else high).append((ord(first), ord(second), c))
    pairs.sort()
    high.sort()
    assert all(max(p) < 0x10000 for p in pairs)
    array(out, "uint16_t", "kCompositions", [v for p in pairs for v in p], 15, True)
    array(out, "uint32_t", "kHighCompositions", [v for p in high for v in p], 9, True)
    size["compositions"] = len(pairs) * 6 + len(high) * 12

    assert [c for c, t in lower.items() if len(t) != 1] == [0x130] and lower[0x130] == "i\u0307"
    rows = [f"{{{hex(c)}, {n}, {stride}, {delta}}}" for c, n, stride, delta in lower_runs(lower)]
    out.append(f"const LowerRun kLowerRuns[{len(rows)}] = {{")
    for i in range(0, len(rows), 4):
        out.append("    " + ", ".join(rows[i:i + 4]) + ",")
    out.append("};")
    size["lower"] = len(rows) * 12

    out += ["", "}  // namespace pocketbert::unicode_data", ""]
    counts = dict(kBmpBlocks=len(stage), kBmpClasses=len(blocks) * BLOCK, kHighClasses=len(runs),
                  kCombiningClasses=len(packed), kCanonicalRanges=canonical_ranges,
                  kCompatibilityRanges=compatibility_ranges, kCompositions=len(pairs) * 3,
                  kHighCompositions=len(high) * 3, kLowerRuns=len(rows))
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out))
    print("sizes in unicode_data.h must be:", counts)
    print("bytes:", size, "sum", sum(size.values()))


if __name__ == "__main__":
    main()
