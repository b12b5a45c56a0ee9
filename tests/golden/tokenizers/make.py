"""Makes the small tokenizers of this folder and, with make.mjs, what the Rust library `tokenizers` answers.

    npm install @anush008/tokenizers && python3 make.py SHARED

SHARED is the folder that holds golden/: two of its vocabularies (400 tokens each) are the base of these.
"""
import json, subprocess, sys, copy

shared = sys.argv[1] + "/golden/tokenizers/"
gpt2 = json.load(open(shared + "gpt2-tiny/tokenizer.json"))
llama = json.load(open(shared + "llama-tiny/tokenizer.json"))
bert = json.load(open(shared + "bert-uncased-tiny/tokenizer.json"))
t5 = json.load(open(shared + "t5-tiny/tokenizer.json"))
texts = [c["text"] for c in json.load(open(shared + "gpt2-tiny/golden.json"))["cases"]]


def added(id, content, **flags):
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True} | flags


def split(regex, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}


def sequence(kind, *parts):
    return {"type": "Sequence", kind: list(parts)}


def template(single, pair, ids):
    piece = lambda w: ({"Sequence": {"id": w[1], "type_id": int(w[-1])}} if w[0] == "$" else
                       {"SpecialToken": {"id": w[:-2], "type_id": int(w[-1])}})
    return {"type": "TemplateProcessing", "single": [piece(w) for w in single.split()], "pair": [piece(w) for w in pair.split()],
            "special_tokens": {k: {"id": k, "ids": [v], "tokens": [k]} for k, v in ids.items()}}


byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
qwen = llama3.replace("{1,3}", "")


def made(base, **changes):
    result = copy.deepcopy(base)
    model = changes.pop("model", {})
    result.update(changes)
    result["model"].update(model)
    return result


words = {w: i for i, w in enumerate("[UNK] the a man dog hello , . ! ? cafe 1 12 123 is of x don ' t word i am".split())}
clip_vocab = {}
for c in "abcdefghijklmnopqrstuvwxyz.,!?":
    clip_vocab[c] = len(clip_vocab)
    clip_vocab[c + "</w>"] = len(clip_vocab)
clip_merges = [["t", "h"], ["th", "e</w>"], ["a", "n</w>"], ["m", "an</w>"], ["l", "l"], ["e", "ll"], ["h", "ell"]]
for l, r in clip_merges:
    clip_vocab[l + r] = len(clip_vocab)
clip_vocab["<unk>"] = len(clip_vocab)
prefix_vocab = {"[UNK]": 0}
for c in "abcdefghijklmnopqrstuvwxyz":
    prefix_vocab[c] = len(prefix_vocab)
    prefix_vocab["##" + c] = len(prefix_vocab)
prefix_merges = [["t", "##h"], ["th", "##e"], ["##a", "##n"], ["m", "##an"], ["##l", "##l"]]
for l, r in prefix_merges:
    prefix_vocab[l + r[2:]] = len(prefix_vocab)
pieces = [["<unk>", 0.0], ["</s>", 0.0]] + [[f"<0x{b:02X}>", 0.0] for b in range(256)] + [
    p for p in t5["model"]["vocab"][3:203] if all(ord(c) < 0x3000 for c in p[0])]

made_of = {
    "llama3": made(gpt2, pre_tokenizer=sequence("pretokenizers", split(llama3), byte_level), model={"ignore_merges": True},
                   post_processor=sequence("processors", byte_level, template("<|endoftext|>:0 $A:0", "<|endoftext|>:0 $A:0 <|endoftext|>:1 $B:1", {"<|endoftext|>": 399}))),
    "qwen": made(gpt2, normalizer={"type": "NFC"}, pre_tokenizer=sequence("pretokenizers", split(qwen), byte_level),
                 post_processor=byte_level, added_tokens=[added(399, "<|endoftext|>"), added(400, "<|im_start|>"), added(401, "<think>", special=False)]),
    "neox": made(gpt2, normalizer={"type": "NFC"}, pre_tokenizer=byte_level | {"add_prefix_space": True, "use_regex": True, "trim_offsets": True},
                 post_processor=byte_level | {"trim_offsets": True, "add_prefix_space": True},
                 added_tokens=gpt2["added_tokens"] + [added(400 + i, " " * (i + 2), special=False, normalized=True) for i in range(3)]),
    "deepseek": made(gpt2, pre_tokenizer=sequence("pretokenizers", split(r"\p{N}{1,3}"), split(r"[一-龥぀-ゟ゠-ヿ]+"), split(
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), byte_level)),
    "wordlevel": {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [
        added(0, "[UNK]"), added(len(words), "Yesterday", single_word=True, special=False, normalized=True), added(len(words) + 1, "[MASK]", lstrip=True, rstrip=True), added(words["am"], "am", special=False, single_word=True)],
        "normalizer": sequence("normalizers", {"type": "Nmt"}, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}, {"type": "Strip", "strip_left": True, "strip_right": True}),
        "pre_tokenizer": sequence("pretokenizers", {"type": "Whitespace"}, {"type": "Digits", "individual_digits": False}),
        "post_processor": {"type": "BertProcessing", "sep": [".", 7], "cls": ["the", 1]}, "decoder": None,
        "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": words}},
    "clip": {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [added(clip_vocab["<unk>"], "<unk>")],
             "normalizer": sequence("normalizers", {"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, {"type": "Lowercase"}),
             "pre_tokenizer": sequence("pretokenizers", split(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", "Removed", True)),
             "post_processor": None, "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
             "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": "</w>", "fuse_unk": False, "byte_fallback": False, "vocab": clip_vocab, "merges": clip_merges}},
    "prefixed": {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                 "normalizer": {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "strip_accents": True, "lowercase": False},
                 "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": "MergedWithPrevious"}),
                 "post_processor": None, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
                 "model": {"type": "BPE", "dropout": None, "unk_token": "[UNK]", "continuing_subword_prefix": "##", "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": False, "vocab": prefix_vocab, "merges": ["{} {}".format(*m) for m in prefix_merges]}},
    "gemma": made(llama, normalizer={"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, pre_tokenizer={"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
                  decoder=sequence("decoders", {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"})),
    "unigram": {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [added(0, "<unk>"), added(1, "</s>", rstrip=True)],
                "normalizer": sequence("normalizers", {"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Prepend", "prepend": "x"}),
                "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "add_prefix_space": True, "split": True},
                "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["</s>", 1], "trim_offsets": True, "add_prefix_space": True},
                "decoder": sequence("decoders", {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "add_prefix_space": False, "split": True}, {"type": "Strip", "content": "x", "start": 1, "stop": 1}),
                "model": {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": True}},
    "digits": made(bert, normalizer={"type": "NFD"}, pre_tokenizer=sequence("pretokenizers", {"type": "CharDelimiterSplit", "delimiter": "e"}, {"type": "Digits", "individual_digits": True}, {"type": "Punctuation", "behavior": "Contiguous"}, split(r"[aou]", "MergedWithNext")), decoder={"type": "CTC", "pad_token": "a", "word_delimiter_token": "i", "cleanup": True}, post_processor=None),
    "fixed": made(bert, normalizer=sequence("normalizers", {"type": "Lowercase"}, {"type": "ByteLevel"}), pre_tokenizer={"type": "Split", "pattern": {"String": "a"}, "behavior": "Contiguous", "invert": True}, decoder=byte_level),
}
more = ["Yesterday yesterday's yesterdays YESTERDAY", "x[MASK] , [MASK]  the [MASK]", "I am amazed, am I?", "<|im_start|>user\n<think>a</think>", "the  man   is    a     dog", "Hello 1234567 12345678 ½²", "I'LL'S don'T", "a</s>  b </s>", "\u1100\u1161\u11a8 \u0344\u0300e\u0323\u0301 q\u0307\u0323 \ufb03 \u1e9b\u0323"]
kept = [t for i, t in enumerate(texts) if i % 6 == 0 and len(t) < 100] if "--all" not in sys.argv else texts
for name, description in made_of.items():
    json.dump(description, open(name + ".json", "w"), ensure_ascii=False, separators=(",", ":"))
json.dump({"names": list(made_of), "texts": kept + more}, open("/tmp/tokenizer_texts.json", "w"))
subprocess.run(["node", "make.mjs"], check=True)
