#!/usr/bin/env python3
"""Compares how a folder's tokenizer files are put together with transformers; run by hand.

    pip install transformers==4.46.3
    python3 tests/reference/text/compare_files.py ./probe        (see compare.py for the probe)

Expect a few differences about "<NEW>": where tokenizer_config.json changes an added token from
normalized to not, the tokenizers that comes with this version goes on looking for both forms;
tokenizers 0.23.3 and this tokenizer look for the new one only.
"""

import itertools
import json
import os
import random
import sys
import tempfile

import transformers
from compare import Probe, utf16

VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>", "<unk>", "hello", "Hello", "##s", "e", "\u00e9",
         "E", "\u00c9", "\u4e2d", "world", "##\u4e2d", "a", "b", ".", "<x>", "new"]
TEXTS = ["Hello hellos \u00c9 e \u00e9 E", "\u4e2d\u4e2d a [MASK] b", "a  <x>  b<x>c", "hello world [CLS] <s> </s> <unk>",
         "new NEW <new> <NEW>", "a [X] [x] b", "", "zzz . <more> x<more>x", "hello[SEP]hello"]


def token(content, **flags):
    base = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    return dict(base, content=content, **flags)


def tokenizer_json(lower, strip, chinese, added):
    tokens = [dict(token(t, special=True), id=i) for i, t in enumerate(VOCAB[:5])]
    tokens += [dict(t, id=VOCAB.index(t["content"]) if t["content"] in VOCAB else len(VOCAB) + i)
               for i, t in enumerate(added)]
    piece = lambda name, t: {"SpecialToken": {"id": name, "type_id": t}}
    return dict(
        version="1.0", truncation=None, padding=None, added_tokens=tokens,
        normalizer=dict(type="BertNormalizer", clean_text=True, handle_chinese_chars=chinese,
                        strip_accents=strip, lowercase=lower),
        pre_tokenizer=dict(type="BertPreTokenizer"),
        post_processor=dict(
            type="TemplateProcessing",
            single=[piece("[CLS]", 0), {"Sequence": {"id": "A", "type_id": 0}}, piece("[SEP]", 0)],
            pair=[piece("[CLS]", 0), {"Sequence": {"id": "A", "type_id": 0}}, piece("[SEP]", 0),
                  {"Sequence": {"id": "B", "type_id": 1}}, piece("[SEP]", 1)],
            special_tokens={t: dict(id=t, ids=[VOCAB.index(t)], tokens=[t]) for t in ("[CLS]", "[SEP]")}),
        decoder=dict(type="WordPiece", prefix="##", cleanup=True),
        model=dict(type="WordPiece", unk_token="[UNK]", continuing_subword_prefix="##",
                   max_input_chars_per_word=100, vocab={t: i for i, t in enumerate(VOCAB)}))


def folders(rng):
    """Dictionaries of file name → content."""
    some = lambda *values: rng.choice(values)
    for with_json, trial in itertools.product([False, True], range(150)):
        # The class fills in options that are absent; here they are told, or the file agrees.
        config = dict(do_lower_case=some(True, False), strip_accents=some(True, False, None),
                      tokenize_chinese_chars=some(True, False))
        for key, value in (("cls_token", "<s>"), ("sep_token", "</s>"), ("unk_token", "<unk>"), ("mask_token", "<x>"),
                           ("pad_token", "a")):
            if not with_json and rng.random() < 0.15:
                config[key] = some(value, dict(token(value, lstrip=some(True, False)), __type="AddedToken"))
        files = {}
        special = {}
        if rng.random() < 0.3:
            special["mask_token"] = some("<x>", token("<x>", lstrip=True), "[MASK]")
        if rng.random() < 0.2:
            special["additional_special_tokens"] = some(["<more>"], ["world", "<more>"])
        if special:
            files["special_tokens_map.json"] = special
        if rng.random() < 0.3:
            files["added_tokens.json"] = {"<more>": len(VOCAB), "<new>": len(VOCAB) + 1}
        if rng.random() < 0.3:
            # transformers' own files list the special ones there
            listed = {str(i): token(t, special=True) for i, t in enumerate(VOCAB[:5])}
            listed[str(len(VOCAB))] = token("<new>", normalized=some(True, False), lstrip=some(True, False))
            if rng.random() < 0.5:
                listed["4"] = token("[MASK]", special=True, lstrip=True)
            config["added_tokens_decoder"] = listed
        if with_json:
            extra = some([], [token("<new>", normalized=True)], [token("[X]", lstrip=True), token("new", single_word=True)])
            files["tokenizer.json"] = tokenizer_json(some(True, False), some(True, False, None), some(True, False), extra)
        files["tokenizer_config.json"] = config
        yield files


def load(folder, files):
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(VOCAB) + "\n")
    return transformers.BertTokenizerFast.from_pretrained(folder)


def main():
    transformers.logging.set_verbosity_error()
    probe = Probe(sys.argv[1])
    bad = count = 0
    for files in folders(random.Random(5)):
        with tempfile.TemporaryDirectory() as folder:
            reference = load(folder, files)
        question = {name.replace(".", "_"): json.dumps(content) for name, content in files.items()}
        if "tokenizer.json" not in files:
            question["vocab_txt"] = "\n".join(VOCAB) + "\n"
        answer = probe.ask(dict(load=question))
        if answer != {"ok": True}:
            print("REFUSED", answer, json.dumps({k: v for k, v in files.items() if k != "tokenizer.json"}))
            bad += 1
            continue
        for text in TEXTS:
            have = probe.ask(dict(text=text))
            want = reference(text, return_offsets_mapping=True)
            count += 1
            if (have["ids"], have["offsets"]) != (want["input_ids"], utf16(text, want["offset_mapping"])):
                bad += 1
                if bad < 6:
                    print("DIFFERENT", ascii(text), json.dumps({k: v for k, v in files.items() if k != "tokenizer.json"}),
                          json.dumps(files.get("tokenizer.json", {}).get("added_tokens")),
                          "\n want", reference.convert_ids_to_tokens(want["input_ids"]), want["offset_mapping"],
                          "\n have", have["ids"], have["offsets"])
    print(count, "texts,", bad, "different")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
