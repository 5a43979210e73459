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


class Stream:
    """Bytes of the packed tables."""

    def __init__(self):
        self.bytes = bytearray()

    def number(self, value):
        """7 bits a byte, low first; the high bit: more follow."""
        while value > 0x7F:
            self.bytes.append(value & 0x7F | 0x80)
            value >>= 7
        self.bytes.append(value)

    def signed(self, value):
        self.number(value * 2 if value >= 0 else -value * 2 - 1)

    def choice(self, kind, kinds, number):
        """One of `kinds` kinds and a number in one byte, or a byte and the rest of the number."""
        most = 256 // kinds - 1
        self.bytes.append(min(number, most) * kinds + kind)
        if number >= most:
            self.number(number - most)


def pack_classes(stream, table):
    """The distinct classes, then runs: which class, length - 1."""
    palette = sorted(set(table))
    stream.number(len(palette))
    stream.bytes += bytes(palette)
    begin = 0
    while begin < len(table):
        end = begin
        while end < len(table) and table[end] == table[begin]:
            end += 1
        stream.choice(palette.index(table[begin]), len(palette), end - begin - 1)
        begin = end


def pack_combining(stream, ccc):
    """Runs: code points since the run before, class, length - 1."""
    runs = []
    for c, value in sorted(ccc.items()):
        if runs and runs[-1][0] + runs[-1][1] == c and runs[-1][2] == value:
            runs[-1][1] += 1
        else:
            runs.append([c, 1, value])
    stream.number(len(runs))
    after = 0
    for first, count, value in runs:
        stream.choice(int(count > 1), 2, first - after)
        stream.bytes.append(value)
        if count > 1:
            stream.number(count - 2)
        after = first + count
    return len(runs)


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


def pack_lower(stream, lower):
    """Runs: code points since the run before, stride, length - 1, how far they move."""
    assert [c for c, t in lower.items() if len(t) != 1] == [0x130] and lower[0x130] == "i\u0307"
    runs = lower_runs(lower)
    stream.number(len(runs))
    after = 0
    for first, count, stride, delta in runs:
        stream.choice(stride - 1, 2, first - after)
        stream.number(count - 1)
        stream.signed(delta)
        after = first + (count - 1) * stride + 1
    return len(runs)


def pack_canonical(stream, canonical, nfc):
    """One step of each decomposition: a pair that composes again, one that does not, or one character.

    The second character of a pair is a place in the list in front; the others are told by how far they
    are from the one of their kind before.
    """
    compose = normalizers.NFC().normalize_str
    steps = {}
    for c, text in canonical.items():
        if len(text) == 1:
            steps[c] = (2, ord(text), None)
            continue
        first = compose(text[:-1])
        if len(first) > 1:  # itself excluded from composition
            first = next(chr(other) for other, parts in canonical.items() if parts == text[:-1])
        composes = c not in nfc
        assert (compose(text[:-1] + text[-1]) == chr(c)) == composes
        steps[c] = (0 if composes else 1, ord(first), ord(text[-1]))
    seconds = sorted(set(step[2] for step in steps.values() if step[2] is not None))
    assert len(seconds) < 256
    stream.number(len(seconds))
    before = 0
    for second in seconds:
        stream.number(second - before)
        before = second
    stream.number(len(steps))
    after = 0
    firsts = {True: 0, False: 0}
    for c in sorted(steps):
        kind, first, second = steps[c]
        stream.choice(kind, 3, c - after)
        stream.signed(first - firsts[kind == 2])
        firsts[kind == 2] = first
        if kind != 2:
            stream.bytes.append(seconds.index(second))
        after = c + 1
    return len(steps), sum(step[0] == 0 for step in steps.values())


def pack_compatibility(stream, compatibility):
    """Full decompositions: kind 0 is one character, that after the one before; kind k up to 4 are k
    characters, kind 5 a number of them follows."""
    stream.number(len(compatibility))
    after = 0
    last = 0
    for c in sorted(compatibility):
        points = [ord(x) for x in compatibility[c]]
        kind = 0 if points == [last + 1] else min(len(points), 5)
        stream.choice(kind, 6, c - after)
        if kind == 5:
            stream.number(len(points) - 5)
        last += 1
        for point in points:
            if kind > 0:
                stream.signed(point - last)
            last = point
        last = points[0]
        after = c + 1
    return len(compatibility), sum(map(len, compatibility.values()))


def main():
    assert tokenizers.__version__ == PINNED, f"needs tokenizers {PINNED}"
    nfd, nfkd = changed(normalizers.NFD()), changed(normalizers.NFKD())
    nfc, lower = changed(normalizers.NFC()), changed(normalizers.Lowercase())
    ccc = combining_classes(nfd)
    table = classes(nfd, nfkd, lower, ccc)
    canonical = {c: t for c, t in nfd.items() if c not in HANGUL}
    compatibility = {c: t for c, t in nfkd.items() if c not in HANGUL and nfd.get(c) != t}
    assert all(c in nfkd for c in canonical)
    stream = Stream()
    sizes = []

    def packed(name):
        sizes.append(f"{name} {len(stream.bytes) - sum(int(s.split()[-1]) for s in sizes)}")

    pack_classes(stream, table)
    packed("classes")
    combining_runs = pack_combining(stream, ccc)
    packed("combining")
    lower_count = pack_lower(stream, lower)
    packed("lower")
    steps, compositions = pack_canonical(stream, canonical, nfc)
    packed("canonical")
    entries, points = pack_compatibility(stream, compatibility)
    packed("compatibility")
    high = 1 + sum(table[c] != table[c - 1] for c in range(0x10001, 0x110000))
    out = [
        "// GENERATED by tests/reference/unicode/generate_tables.py from the behaviour of Hugging Face's",
        f"// tokenizers {PINNED}. Do not edit. Bytes: {', '.join(sizes)}.",
        "",
        '#include "text/unicode_data.h"',
        "",
        "namespace pocketbert {",
        "",
        f"const uint8_t kUnicodeData[{len(stream.bytes)}] = {{",
    ]
    for i in range(0, len(stream.bytes), 24):
        out.append("    " + ", ".join(str(v) for v in stream.bytes[i:i + 24]) + ",")
    out += ["};", "", "}  // namespace pocketbert", ""]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out))
    print("unicode_data.h must say:", dict(
        kUnicodeDataBytes=len(stream.bytes), kHighRuns=high, kCombiningRuns=combining_runs,
        kLowerRuns=lower_count, kCanonicalSteps=steps, kCompositions=compositions,
        kCompatibilityEntries=entries, kCompatibilityChars=points))
    print(", ".join(sizes))


if __name__ == "__main__":
    main()
