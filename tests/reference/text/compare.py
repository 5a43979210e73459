#!/usr/bin/env python3
"""Compares the tokenizer with Hugging Face's tokenizers on random texts; run by hand.

    pip install tokenizers==0.23.3
    c++ -std=c++20 -O2 -Isrc -Itests -I<deps>/include tests/reference/text/probe.cc \
        <build>/libpb_text.a <build>/libpb_base.a -o probe
    python3 tests/reference/text/compare.py ./probe [texts per configuration] [seed]

Each configuration of normalizer, pre-tokenizer and added tokens gets its own texts. The vocabulary
holds single characters, so that ids and offsets are compared character by character.
"""

import itertools
import json
import random
import subprocess
import sys
import unicodedata

import tokenizers

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def bert(clean, chinese, strip, lower):
    return dict(type="BertNormalizer", clean_text=clean, handle_chinese_chars=chinese,
                strip_accents=strip, lowercase=lower)


def replace(a, b):
    return dict(type="Replace", pattern={"String": a}, content=b)


def sequence(*items):
    return dict(type="Sequence", normalizers=list(items))


def split(pattern, behavior, invert):
    return dict(type="Split", pattern={"String": pattern}, behavior=behavior, invert=invert)


def steps(*items):
    return dict(type="Sequence", pretokenizers=list(items))


BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
TYPES = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")
NORMALIZERS = (
    [bert(*x) for x in itertools.product([True, False], [True, False], [True, False, None], [True, False])]
    + [None]
    + [dict(type=t) for t in TYPES]
    + [dict(type="Strip", strip_left=l, strip_right=r) for l, r in ((True, True), (True, False), (False, True))]
    + [replace(" ", "\u2581"), replace("a", ""), replace("\u0301", "xyz"), replace("``", '"')]
    + [dict(type="Prepend", prepend="\u2581"), dict(type="Prepend", prepend="ab")]
    + [sequence(dict(type="NFD"), dict(type="Lowercase"), dict(type="StripAccents")),
       sequence(dict(type="NFKC"), dict(type="Strip", strip_left=True, strip_right=True), replace(" ", "--")),
       sequence(dict(type="NFKD"), bert(True, True, None, True), dict(type="NFC")),
       sequence(dict(type="Lowercase"), dict(type="Prepend", prepend="_"), dict(type="NFD")),
       sequence()]
)
PRE_TOKENIZERS = (
    [None] + [dict(type=t) for t in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit")]
    + [dict(type="Punctuation", behavior=b) for b in BEHAVIORS]
    + [dict(type="Digits", individual_digits=b) for b in (True, False)]
    + [split(p, b, i) for p in (" ", "aa", "\u0301") for b in BEHAVIORS for i in (True, False)]
    + [dict(type="CharDelimiterSplit", delimiter="e"),
       steps(dict(type="WhitespaceSplit"), dict(type="Digits", individual_digits=True), dict(type="Punctuation", behavior="Contiguous")),
       steps(dict(type="Whitespace"), split("a", "MergedWithNext", False)),
       steps(dict(type="Digits", individual_digits=False), dict(type="BertPreTokenizer")),
       steps()]
)


def added(content, **flags):
    base = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    return dict(base, content=content, **flags)


ADDED = [
    [],
    [added("new york", normalized=True), added("\u00c9t\u00e9", normalized=True),
     added("cat", single_word=True), added("<x>", lstrip=True), added("<y>", rstrip=True, special=True),
     added("<x><y>", lstrip=True, rstrip=True), added("aa"), added("aaa", single_word=True),
     added("\u4e2d", single_word=True, normalized=True), added(" <z>", lstrip=True), added("\U0001f600")],
]


class Texts:
    def __init__(self, rng):
        self.rng = rng
        everything = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
        named = [c for c in everything if unicodedata.category(chr(c)) not in ("Cn", "Co", "Lo", "Cs")]
        marks = [c for c in everything if unicodedata.category(chr(c)).startswith("M")]
        split_up = [c for c in everything if unicodedata.normalize("NFKD", chr(c)) != chr(c)]
        letters = [c for c in everything if unicodedata.category(chr(c)) == "Lo"]
        rng.shuffle(letters)
        self.groups = [
            ([ord(c) for c in "abcdeABCDE  .,'-12\t\n\r[]<>"], 6),
            ([ord(c) for c in "eeaooAE"] + [0x301, 0x323, 0x308, 0x344, 0x300, 0x327, 0xF73, 0xF71, 0x345], 3),
            (marks, 3), (split_up, 2), (named, 3), (letters[:8000], 1), (everything, 1),
            (list(range(0x1100, 0x1200)) + list(range(0xAC00, 0xAC80)), 1),
            ([0, 9, 0xB, 0xC, 0x85, 0xA0, 0xAD, 0x1680, 0x180E, 0x200B, 0x200D, 0x2028, 0x2029, 0x202F, 0x3000,
              0xFEFF, 0xFFFD, 0xFFFF, 0x10FFFF, 0xE000, 0xE0001, 0x130, 0x131, 0x1E9E, 0x3A3, 0x3C2, 0x37E], 1),
            (list(range(0x4E00, 0x4E40)) + [0xF900, 0x2F800, 0x20000, 0x2B820, 0x3400], 1),
            (list(range(0x1F300, 0x1F700)), 1),
        ]
        self.words = ["new york", "New York", "\u00c9t\u00e9", "e\u0301te\u0301", "cat", " cat ", "cats", "<x>", " <x> ",
                      "<y>", "<y>  ", "<x><y>", "aa", "aaa", "aaaa", "\u4e2d", " <z>", "\U0001f600", "[CLS]",
                      " [SEP]", "[MASK]", "[mask]", "``", "  "]
        self.alphabet = sorted(set(c for group, _ in self.groups[:-1] for c in group[:30000]) - {0})

    def text(self):
        rng = self.rng
        chosen = rng.choices([g for g, _ in self.groups], [w for _, w in self.groups], k=rng.randint(1, 4))
        parts = []
        for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 13, 21, 40])):
            if rng.random() < 0.06:
                parts.append(rng.choice(self.words))
            else:
                parts.append(chr(rng.choice(rng.choice(chosen))))
        return "".join(parts)


def vocabulary(texts):
    vocab = {s: i for i, s in enumerate(SPECIALS)}
    for c in texts.alphabet:
        for s in (chr(c), "##" + chr(c)):
            vocab.setdefault(s, len(vocab))
    return vocab


def tokenizer_json(vocab, normalizer, pre_tokenizer, extra):
    special = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
    tokens = [dict(special, id=i, content=s) for i, s in enumerate(SPECIALS)]
    for token in extra:
        tokens.append(dict(token, id=vocab.get(token["content"], len(vocab) + len(tokens))))
    piece = lambda name, t: {"SpecialToken": {"id": name, "type_id": t}}
    return json.dumps(dict(
        version="1.0", truncation=None, padding=None, added_tokens=tokens, normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        post_processor=dict(
            type="TemplateProcessing",
            single=[piece("[CLS]", 0), {"Sequence": {"id": "A", "type_id": 0}}, piece("[SEP]", 0)],
            pair=[piece("[CLS]", 0), {"Sequence": {"id": "A", "type_id": 0}}, piece("[SEP]", 0),
                  {"Sequence": {"id": "B", "type_id": 1}}, piece("[SEP]", 1)],
            special_tokens={s: dict(id=s, ids=[SPECIALS.index(s)], tokens=[s]) for s in ("[CLS]", "[SEP]")}),
        decoder=dict(type="WordPiece", prefix="##", cleanup=True),
        model=dict(type="WordPiece", unk_token="[UNK]", continuing_subword_prefix="##",
                   max_input_chars_per_word=100, vocab=vocab)))


def utf16(text, offsets):
    at = [0]
    for c in text:
        at.append(at[-1] + (2 if ord(c) > 0xFFFF else 1))
    return [at[x] for pair in offsets for x in pair]


class Probe:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8")

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def compare(probe, reference, texts, label):
    answer = probe.ask(dict(texts=texts))
    assert "error" not in answer, answer
    bad = 0
    for text, e, ids, offsets, words in zip(texts, reference.encode_batch(texts), answer["ids"],
                                            answer["offsets"], answer["words"]):
        want = (e.ids, utf16(text, e.offsets), [-1 if w is None else w for w in e.word_ids])
        if want != (ids, offsets, words):
            bad += 1
            if bad <= 2:
                print("DIFFERENT", label, ascii(text), "\n want", want, "\n have", (ids, offsets, words))
    return bad


def compare_decoding(probe, reference, size, rng):
    bad = 0
    for _ in range(200):
        ids = [rng.randrange(size + 20) for _ in range(rng.randrange(12))]
        for skip in (True, False):
            have = probe.ask(dict(decode=ids, skip=skip))["text"]
            if have != reference.decode(ids, skip_special_tokens=skip):
                bad += 1
                print("DECODE", ids, ascii(have), ascii(reference.decode(ids, skip_special_tokens=skip)))
    return bad


def main():
    assert tokenizers.__version__ == "0.23.3"
    probe = Probe(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    texts = Texts(rng)
    vocab = vocabulary(texts)
    pairs = [(n, PRE_TOKENIZERS[1], a) for n in NORMALIZERS for a in ADDED]
    pairs += [(n, p, a) for p in PRE_TOKENIZERS for n in (None, NORMALIZERS[0]) for a in ADDED]
    pairs += [(rng.choice(NORMALIZERS), rng.choice(PRE_TOKENIZERS), rng.choice(ADDED)) for _ in range(60)]
    total = bad = 0
    for normalizer, pre_tokenizer, extra in pairs:
        loaded = tokenizer_json(vocab, normalizer, pre_tokenizer, extra)
        label = json.dumps([normalizer, pre_tokenizer, len(extra)])
        try:
            reference = tokenizers.Tokenizer.from_str(loaded)
        except Exception as problem:  # two added tokens may normalize alike, which the library refuses
            print("reference refuses", label, problem)
            continue
        answer = probe.ask(dict(load=dict(tokenizer_json=loaded)))
        assert answer == {"ok": True}, (label, answer)
        for begin in range(0, count, 1000):
            batch = [texts.text() for _ in range(min(1000, count - begin))]
            bad += compare(probe, reference, batch, label)
            total += len(batch)
        bad += compare_decoding(probe, reference, len(vocab), rng)
    print(f"{len(pairs)} configurations, {total} texts, {bad} different")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
