"""Small folders of published families with what their papers and descriptions say they answer, in plain Python, one word
after the other in double precision. They are for families of which no library's answer is kept here; ELECTRA, OPT, GPT-NeoX,
Qwen 3, Llama 3.1, ModernBERT and T5 1.1 have conventions that a reader can get wrong without noticing:

    places that count masked words (OPT) · queries, keys and values side by side in each head, rotations of a part of a head,
    two parts of a layer that read one input (GPT-NeoX) · heads of another width, normalised before rotations (Qwen 3) · angles
    by wavelength (Llama 3.1) · windows, two rotations, a first layer without a norm (ModernBERT) · an output that is not
    scaled (T5 1.1)

    python3 tests/golden/published.py            # writes tests/golden/published/NAME; needs no library
"""
import json
import math
import os
import random
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "published")


# --- vectors are lists of numbers, matrices lists of rows [out][in] ---------------------------------------------------
def add(*vectors):
    return [sum(xs) for xs in zip(*vectors)]


def times(a, b):
    return [x * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def linear(x, weight, bias=None):
    y = [dot(row, x) for row in weight]
    return add(y, bias) if bias else y


def layer_norm(x, weight, bias=None, eps=1e-5):
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    y = [(v - mean) / math.sqrt(variance + eps) * w for v, w in zip(x, weight)]
    return add(y, bias) if bias else y


def rms_norm(x, weight, eps=1e-6):
    square = sum(v * v for v in x) / len(x)
    return [v / math.sqrt(square + eps) * w for v, w in zip(x, weight)]


def gelu(x):
    return [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x]


def gelu_new(x):
    return [0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x]


def silu(x):
    return [v / (1 + math.exp(-v)) for v in x]


def relu(x):
    return [max(v, 0.0) for v in x]


def rotate(x, place, thetas):
    """Halves: x_i with x_(i + n); entries after 2 n stay."""
    n, y = len(thetas), list(x)
    for i, theta in enumerate(thetas):
        c, s = math.cos(place * theta), math.sin(place * theta)
        y[i], y[i + n] = x[i] * c - x[i + n] * s, x[i + n] * c + x[i] * s
    return y


def angles(width, base):
    return [base ** (-2 * i / width) for i in range(width // 2)]


def attend(queries, keys, values, heads, allowed, scale, bias=None):
    """queries [T][H K], keys and values [S][G K] -> contexts [T][H K], weights [H][T][S]."""
    width, shared = len(queries[0]) // heads, heads * len(keys[0]) // len(queries[0])
    contexts, weights = [[] for _ in queries], []
    for h in range(heads):
        g = h // (heads // shared)
        rows = []
        for t, q in enumerate(queries):
            scores = []
            for s, k in enumerate(keys):
                e = dot(q[h * width : (h + 1) * width], k[g * width : (g + 1) * width]) * scale
                scores.append(e + (bias(h, t, s) if bias else 0) if allowed(t, s) else -math.inf)
            top = max(scores)
            powers = [math.exp(e - top) if top > -math.inf else 0.0 for e in scores]
            row = [p / (sum(powers) or 1) for p in powers]
            contexts[t] += [sum(w * v[g * width + j] for w, v in zip(row, values)) for j in range(width)]
            rows.append(row)
        weights.append(rows)
    return contexts, weights


# --- folders ----------------------------------------------------------------------------------------------------------
class Folder:
    def __init__(self, name, config, ids, mask=None, target_ids=None):
        self.name, self.config, self.ids, self.target_ids = name, config, ids, target_ids
        self.mask = mask or [[1] * len(row) for row in ids]
        self.random, self.tensors, self.answers = random.Random(name), {}, {}

    def weight(self, name, *shape, mean=0.0):
        """Random, and the same number in float32."""
        spread = shape[-1] ** -0.5 if len(shape) > 1 else 0.3
        number = lambda: struct.unpack("<f", struct.pack("<f", self.random.gauss(mean, spread)))[0]
        make = lambda s: [make(s[1:]) for _ in range(s[0])] if s else number()
        assert name not in self.tensors
        self.tensors[name] = make(shape)
        return self.tensors[name]

    def norm(self, name, width, bias=True):
        w = self.weight(name + ".weight", width, mean=1.0)
        return (w, self.weight(name + ".bias", width)) if bias else (w,)

    def layer(self, name, out, inner, bias=True):
        w = self.weight(name + ".weight", out, inner)
        return (w, self.weight(name + ".bias", out)) if bias else (w,)

    def answer(self, name, *values):
        """Of each row of the batch in turn."""
        self.answers.setdefault(name, []).append(values[0])

    def write(self):
        path = os.path.join(HERE, self.name)
        os.makedirs(path, exist_ok=True)
        inputs = {"input_ids": self.ids, "attention_mask": self.mask}
        if self.target_ids:
            inputs["decoder_input_ids"] = self.target_ids
        with open(os.path.join(path, "config.json"), "w") as f:
            json.dump(self.config, f, indent=1)
        with open(os.path.join(path, "inputs.json"), "w") as f:
            json.dump({"cases": [{"case": "few", "inputs": inputs}]}, f)
        save(os.path.join(path, "model.safetensors"), self.tensors, "F32", "f")
        save(os.path.join(path, "few.f64.safetensors"), self.answers, "F64", "d")


def save(path, tensors, dtype, code):
    def shape(x):
        return [len(x)] + shape(x[0]) if isinstance(x, list) else []

    def flat(x):
        return [n for y in x for n in flat(y)] if isinstance(x, list) else [x]

    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in sorted(tensors.items()):
        block = struct.pack(f"<{len(flat(x))}{code}", *flat(x))
        header[name] = {"dtype": dtype, "shape": shape(x), "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


IDS = [[3, 7, 1, 9, 4, 2], [5, 8, 2, 6, 0, 0]]
MASK = [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]]
LEFT = [[1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]]
V, D, H, F, L = 11, 8, 2, 12, 2
K = D // H


def causal(mask):
    return lambda t, s: s <= t and mask[s] == 1


def bert_like(name, family, architecture, E, pad, head, config):
    """BERT with words of width E. RoBERTa's places count the words that are not padding, and are rows after the padding's."""
    f = Folder(name, {"model_type": family, "architectures": [architecture], "vocab_size": V, "hidden_size": D, "num_attention_heads": H,
                      "intermediate_size": F, "num_hidden_layers": L, "max_position_embeddings": 9, "hidden_act": "gelu",
                      "layer_norm_eps": 1e-12, "pad_token_id": pad, "type_vocab_size": 2} | config, IDS, MASK)
    p = family + ".embeddings."
    words, places = f.weight(p + "word_embeddings.weight", V, E), f.weight(p + "position_embeddings.weight", 9, E)
    kinds, norm = f.weight(p + "token_type_embeddings.weight", 2, E), f.norm(p + "LayerNorm", E)
    wide, layers = f.layer(family + ".embeddings_project", D, E) if E != D else None, []
    for i in range(L):
        p = f"{family}.encoder.layer.{i}."
        layers.append({n: f.layer(p + n, D, D) for n in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")})
        layers[-1] |= {n: f.norm(p + n, D) for n in ("attention.output.LayerNorm", "output.LayerNorm")}
        layers[-1] |= {"up": f.layer(p + "intermediate.dense", F, D), "down": f.layer(p + "output.dense", D, F)}
    answer = head(f)
    for ids, mask in zip(IDS, MASK):
        x = []
        for t, w in enumerate(ids):
            place = t
            if family == "roberta":
                place = pad + (sum(v != pad for v in ids[: t + 1]) if w != pad else 0)
            y = layer_norm(add(words[w], places[place], kinds[0]), *norm, 1e-12)
            x.append(linear(y, *wide) if wide else y)
        f.answer("hidden_states.0", x)
        for i, m in enumerate(layers):
            q, k, v = ([linear(y, *m["attention.self." + n]) for y in x] for n in ("query", "key", "value"))
            c, w = attend(q, k, v, H, lambda t, s: mask[s] == 1, K**-0.5)
            x = [layer_norm(add(y, linear(z, *m["attention.output.dense"])), *m["attention.output.LayerNorm"], 1e-12) for y, z in zip(x, c)]
            x = [layer_norm(add(y, linear(gelu(linear(y, *m["up"])), *m["down"])), *m["output.LayerNorm"], 1e-12) for y in x]
            f.answer(f"attentions.{i}", w), f.answer(f"hidden_states.{i + 1}", x)
        f.answer("logits", answer(x))
    f.write()


def replaced(f):
    """The discriminator's score of each word."""
    dense, out = f.layer("discriminator_predictions.dense", D, D), f.layer("discriminator_predictions.dense_prediction", 1, D)
    return lambda x: [linear(gelu(linear(y, *dense)), *out) for y in x]


def classes(f):
    """Of the first word, with a layer before the classes."""
    dense, out = f.layer("classifier.dense", D, D), f.layer("classifier.out_proj", 3, D)
    return lambda x: linear([math.tanh(v) for v in linear(x[0], *dense)], *out)


def answers(f):
    """Where an answer begins and ends."""
    out = f.layer("qa_outputs", 2, D)
    return lambda x: [linear(y, *out) for y in x]


def word_classes(f):
    out = f.layer("classifier", 4, D)
    return lambda x: [linear(y, *out) for y in x]


def opt(name, first, E, mask_of):
    """GPT-2 with ReLU; places count masked words, and are rows from the third on; or norms last and narrow words."""
    f = Folder(name, {"model_type": "opt", "architectures": ["OPTForCausalLM"], "vocab_size": V, "hidden_size": D, "word_embed_proj_dim": E,
                      "num_attention_heads": H, "ffn_dim": F, "num_hidden_layers": L, "max_position_embeddings": 9, "activation_function": "relu",
                      "do_layer_norm_before": first, "_remove_final_layer_norm": False, "pad_token_id": 1}, IDS, mask_of)
    p = "model.decoder."
    words, places = f.weight(p + "embed_tokens.weight", V, E), f.weight(p + "embed_positions.weight", 11, D)
    into = f.layer(p + "project_in", D, E, False) if E != D else None
    outof = f.layer(p + "project_out", E, D, False) if E != D else None
    layers = []
    for i in range(L):
        q = f"{p}layers.{i}."
        layers.append({n: f.layer(q + "self_attn." + n, D, D) for n in ("q_proj", "k_proj", "v_proj", "out_proj")})
        layers[-1] |= {n: f.norm(q + n, D) for n in ("self_attn_layer_norm", "final_layer_norm")}
        layers[-1] |= {"fc1": f.layer(q + "fc1", F, D), "fc2": f.layer(q + "fc2", D, F)}
    last = f.norm(p + "final_layer_norm", D) if first else None
    for ids, mask in zip(IDS, mask_of):
        x = []
        for t, w in enumerate(ids):
            place = sum(mask[: t + 1]) - 1 if mask[t] else -1
            x.append(add(linear(words[w], *into) if into else words[w], places[place + 2]))
        f.answer("hidden_states.0", x)
        for i, m in enumerate(layers):
            norm = lambda y, n: layer_norm(y, *m[n])
            z = [norm(y, "self_attn_layer_norm") for y in x] if first else x
            q, k, v = ([linear(y, *m[n]) for y in z] for n in ("q_proj", "k_proj", "v_proj"))
            c, w = attend(q, k, v, H, causal(mask), K**-0.5)
            x = [add(y, linear(z, *m["out_proj"])) for y, z in zip(x, c)]
            if not first:
                x = [norm(y, "self_attn_layer_norm") for y in x]
            feed = lambda y: linear(relu(linear(y, *m["fc1"])), *m["fc2"])
            x = [add(y, feed(norm(y, "final_layer_norm"))) if first else norm(add(y, feed(y)), "final_layer_norm") for y in x]
            f.answer(f"attentions.{i}", w)
            if i + 1 < L:
                f.answer(f"hidden_states.{i + 1}", x)
        if last:
            x = [layer_norm(y, *last) for y in x]
        if outof:
            x = [linear(y, *outof) for y in x]
        f.answer(f"hidden_states.{L}", x), f.answer("logits", [linear(y, words) for y in x])
    f.write()


def gpt_neox():
    f = Folder("gpt_neox", {"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "vocab_size": V, "hidden_size": D,
                            "num_attention_heads": H, "intermediate_size": F, "num_hidden_layers": L, "max_position_embeddings": 16,
                            "hidden_act": "gelu", "rotary_pct": 0.5, "rotary_emb_base": 100, "use_parallel_residual": True,
                            "layer_norm_eps": 1e-5, "tie_word_embeddings": False}, IDS, MASK)
    words, layers = f.weight("gpt_neox.embed_in.weight", V, D), []
    for i in range(L):
        p = f"gpt_neox.layers.{i}."
        layers.append({n: f.norm(p + n, D) for n in ("input_layernorm", "post_attention_layernorm")})
        layers[-1] |= {"qkv": f.layer(p + "attention.query_key_value", 3 * D, D), "dense": f.layer(p + "attention.dense", D, D),
                       "up": f.layer(p + "mlp.dense_h_to_4h", F, D), "down": f.layer(p + "mlp.dense_4h_to_h", D, F)}
    last, out = f.norm("gpt_neox.final_layer_norm", D), f.layer("embed_out", V, D, False)
    thetas = angles(K // 2, 100)
    for ids, mask in zip(IDS, MASK):
        x = [words[w] for w in ids]
        f.answer("hidden_states.0", x)
        for i, m in enumerate(layers):
            q, k, v = [], [], []
            for t, y in enumerate(x):
                all = linear(layer_norm(y, *m["input_layernorm"]), *m["qkv"])
                head = lambda h, part: all[(3 * h + part) * K : (3 * h + part + 1) * K]
                q.append(sum((rotate(head(h, 0), t, thetas) for h in range(H)), []))
                k.append(sum((rotate(head(h, 1), t, thetas) for h in range(H)), []))
                v.append(sum((head(h, 2) for h in range(H)), []))
            c, w = attend(q, k, v, H, causal(mask), K**-0.5)
            feed = lambda y: linear(gelu(linear(layer_norm(y, *m["post_attention_layernorm"]), *m["up"])), *m["down"])
            x = [add(y, linear(z, *m["dense"]), feed(y)) for y, z in zip(x, c)]
            f.answer(f"attentions.{i}", w)
            if i + 1 < L:
                f.answer(f"hidden_states.{i + 1}", x)
        x = [layer_norm(y, *last) for y in x]
        f.answer(f"hidden_states.{L}", x), f.answer("logits", [linear(y, *out) for y in x])
    f.write()


def llama(name, config, width, bias, thetas, mask_of, equal_lengths=False, tied=False):
    """RMSNorm, rotations, gated feed-forward; G = 1 head of keys and values."""
    f = Folder(name, {"vocab_size": V, "hidden_size": D, "num_attention_heads": H, "num_key_value_heads": 1, "intermediate_size": F,
                      "num_hidden_layers": L, "rms_norm_eps": 1e-6, "hidden_act": "silu", "tie_word_embeddings": tied} | config, IDS, mask_of)
    words, layers = f.weight("model.embed_tokens.weight", V, D), []
    for i in range(L):
        p = f"model.layers.{i}."
        m = {n: f.norm(p + n, D, False) for n in ("input_layernorm", "post_attention_layernorm")}
        for n, out, inner in (("q_proj", H * width, D), ("k_proj", width, D), ("v_proj", width, D), ("o_proj", D, H * width)):
            m[n] = f.layer(p + "self_attn." + n, out, inner, bias)
        for n, out, inner in (("gate_proj", F, D), ("up_proj", F, D), ("down_proj", D, F)):
            m[n] = f.layer(p + "mlp." + n, out, inner, bias)
        if equal_lengths:
            m |= {n: f.norm(p + "self_attn." + n, width, False) for n in ("q_norm", "k_norm")}
        layers.append(m)
    last = f.norm("model.norm", D, False)
    out = (words,) if tied else f.layer("lm_head", V, D, False)
    for ids, mask in zip(IDS, mask_of):
        x = [words[w] for w in ids]
        f.answer("hidden_states.0", x)
        for i, m in enumerate(layers):
            z = [rms_norm(y, *m["input_layernorm"]) for y in x]

            def heads(n, norm):
                rows = []
                for t, y in enumerate(z):
                    all = linear(y, *m[n])
                    parts = [all[h : h + width] for h in range(0, len(all), width)]
                    if equal_lengths:
                        parts = [rms_norm(part, *m[norm]) for part in parts]
                    rows.append(sum((rotate(part, t, thetas) for part in parts), []))
                return rows

            c, w = attend(heads("q_proj", "q_norm"), heads("k_proj", "k_norm"), [linear(y, *m["v_proj"]) for y in z], H, causal(mask), width**-0.5)
            x = [add(y, linear(z, *m["o_proj"])) for y, z in zip(x, c)]
            for t, y in enumerate(x):
                z = rms_norm(y, *m["post_attention_layernorm"])
                x[t] = add(y, linear(times(silu(linear(z, *m["gate_proj"])), linear(z, *m["up_proj"])), *m["down_proj"]))
            f.answer(f"attentions.{i}", w)
            if i + 1 < L:
                f.answer(f"hidden_states.{i + 1}", [list(y) for y in x])
        x = [rms_norm(y, *last) for y in x]
        f.answer(f"hidden_states.{L}", x), f.answer("logits", [linear(y, *out) for y in x])
    f.write()


def llama3_angles(factor, low, high, trained, base):
    out = []
    for theta in angles(K, base):
        length = 2 * math.pi / theta  # of a wave, in words
        if length < trained / high:
            out.append(theta)
        elif length > trained / low:
            out.append(theta / factor)
        else:
            smooth = (trained / length - low) / (high - low)
            out.append((1 - smooth) * theta / factor + smooth * theta)
    return out


def modernbert():
    """Layers 1 and 2 read words at most 1 away, with another rotation than layers 0 and 3."""
    f = Folder("modernbert", {"model_type": "modernbert", "architectures": ["ModernBertForMaskedLM"], "vocab_size": V, "hidden_size": D,
                              "num_attention_heads": H, "intermediate_size": F, "num_hidden_layers": 4, "norm_eps": 1e-5, "norm_bias": False,
                              "global_attn_every_n_layers": 3, "local_attention": 2, "global_rope_theta": 160000.0, "local_rope_theta": 100.0,
                              "hidden_activation": "gelu", "classifier_activation": "gelu", "pad_token_id": 0}, IDS, MASK)
    words, norm, layers = f.weight("model.embeddings.tok_embeddings.weight", V, D), f.norm("model.embeddings.norm", D, False), []
    for i in range(4):
        p = f"model.layers.{i}."
        layers.append({"attn.Wqkv": f.layer(p + "attn.Wqkv", 3 * D, D, False), "attn.Wo": f.layer(p + "attn.Wo", D, D, False),
                       "mlp.Wi": f.layer(p + "mlp.Wi", 2 * F, D, False), "mlp.Wo": f.layer(p + "mlp.Wo", D, F, False),
                       "mlp_norm": f.norm(p + "mlp_norm", D, False)})
        if i > 0:
            layers[-1]["attn_norm"] = f.norm(p + "attn_norm", D, False)
    last, dense = f.norm("model.final_norm", D, False), f.layer("head.dense", D, D, False)
    head_norm, bias = f.norm("head.norm", D, False), f.weight("decoder.bias", V)
    for ids, mask in zip(IDS, MASK):
        x = [layer_norm(words[w], *norm) for w in ids]
        f.answer("hidden_states.0", x)
        for i, m in enumerate(layers):
            local = i % 3 != 0
            thetas = angles(K, 100.0 if local else 160000.0)
            q, k, v = [], [], []
            for t, y in enumerate(x):
                all = linear(layer_norm(y, *m["attn_norm"]) if i > 0 else y, *m["attn.Wqkv"])
                turn = lambda part: sum((rotate(part[h * K : (h + 1) * K], t, thetas) for h in range(H)), [])
                q.append(turn(all[:D])), k.append(turn(all[D : 2 * D])), v.append(all[2 * D :])
            c, w = attend(q, k, v, H, lambda t, s: mask[s] == 1 and (not local or abs(t - s) <= 1), K**-0.5)
            x = [add(y, linear(z, *m["attn.Wo"])) for y, z in zip(x, c)]
            for t, y in enumerate(x):
                both = linear(layer_norm(y, *m["mlp_norm"]), *m["mlp.Wi"])
                x[t] = add(y, linear(times(gelu(both[:F]), both[F:]), *m["mlp.Wo"]))
            f.answer(f"attentions.{i}", w)
            if i + 1 < 4:
                f.answer(f"hidden_states.{i + 1}", [list(y) for y in x])
        x = [layer_norm(y, *last) for y in x]
        f.answer("hidden_states.4", x)
        f.answer("logits", [linear(layer_norm(gelu(linear(y, *dense)), *head_norm), words, bias) for y in x])
    f.write()


def t5_gated():
    """T5 1.1: a gate, and an output matrix of its own, whose input is not scaled. Buckets: 2 near, the others by logarithm."""
    N, far, width = 8, 6, 3
    targets = [[0, 4, 9, 1], [0, 2, 2, 7]]
    f = Folder("t5_gated", {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": V, "d_model": D, "d_kv": width,
                            "num_heads": H, "d_ff": F, "num_layers": L, "relative_attention_num_buckets": N, "relative_attention_max_distance": far,
                            "feed_forward_proj": "gated-gelu", "layer_norm_epsilon": 1e-6, "tie_word_embeddings": False}, IDS, MASK, targets)
    shared, stacks = f.weight("shared.weight", V, D), {}

    def bucket(distance, both_ways):
        n, base = (N // 2, N // 2 if distance > 0 else 0) if both_ways else (N, 0)
        distance = abs(distance) if both_ways else max(-distance, 0)
        if distance < n // 2:
            return base + distance
        return base + min(n - 1, n // 2 + int(math.log(distance / (n // 2)) / math.log(far / (n // 2)) * (n - n // 2)))

    for side in ("encoder", "decoder"):
        table = f.weight(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", N, H)
        layers = []
        for i in range(L):
            parts = [("SelfAttention", 0)] + ([("EncDecAttention", 1)] if side == "decoder" else [])
            m, p = {}, f"{side}.block.{i}.layer."
            for part, n in parts:
                for letter in "qkv":
                    m[part + letter] = f.layer(f"{p}{n}.{part}.{letter}", H * width, D, False)
                m[part + "o"], m[part + "norm"] = f.layer(f"{p}{n}.{part}.o", D, H * width, False), f.norm(f"{p}{n}.layer_norm", D, False)
            n = len(parts)
            m |= {w: f.layer(f"{p}{n}.DenseReluDense.{w}", F, D, False) for w in ("wi_0", "wi_1")}
            m["wo"], m["norm"] = f.layer(f"{p}{n}.DenseReluDense.wo", D, F, False), f.norm(f"{p}{n}.layer_norm", D, False)
            layers.append(m)
        stacks[side] = (table, layers, f.norm(f"{side}.final_layer_norm", D, False))
    out = f.layer("lm_head", V, D, False)
    for ids, mask, target in zip(IDS, MASK, targets):
        source = None
        for side, tokens in (("encoder", ids), ("decoder", target)):
            table, layers, last = stacks[side]
            x = [shared[w] for w in tokens]
            f.answer(side + "_hidden_states.0", x)
            for i, m in enumerate(layers):
                def part(kind, y, z, allowed, bias):
                    q, k, v = [linear(a, *m[kind + "q"]) for a in y], [linear(a, *m[kind + "k"]) for a in z], [linear(a, *m[kind + "v"]) for a in z]
                    c, w = attend(q, k, v, H, allowed, 1.0, bias)
                    return [linear(a, *m[kind + "o"]) for a in c], w

                y = [rms_norm(a, *m["SelfAttentionnorm"]) for a in x]
                allowed = (lambda t, s: mask[s] == 1) if side == "encoder" else (lambda t, s: s <= t)
                c, w = part("SelfAttention", y, y, allowed, lambda h, t, s: table[bucket(s - t, side == "encoder")][h])
                f.answer(f"{side}_attentions.{i}", w)
                x = [add(a, b) for a, b in zip(x, c)]
                if side == "decoder":
                    c, w = part("EncDecAttention", [rms_norm(a, *m["EncDecAttentionnorm"]) for a in x], source, lambda t, s: mask[s] == 1, None)
                    f.answer(f"cross_attentions.{i}", w)
                    x = [add(a, b) for a, b in zip(x, c)]
                for t, a in enumerate(x):
                    y = rms_norm(a, *m["norm"])
                    x[t] = add(a, linear(times(gelu_new(linear(y, *m["wi_0"])), linear(y, *m["wi_1"])), *m["wo"]))
                if i + 1 < L:
                    f.answer(f"{side}_hidden_states.{i + 1}", [list(a) for a in x])
            x = [rms_norm(a, *last) for a in x]
            f.answer(f"{side}_hidden_states.{L}", x)
            source = source or x
        f.answer("logits", [linear(a, *out) for a in x])
    f.write()


if __name__ == "__main__":
    names = lambda n: {"id2label": {str(i): f"LABEL_{i}" for i in range(n)}}
    bert_like("electra", "electra", "ElectraForPreTraining", 4, 0, replaced, {"embedding_size": 4})
    bert_like("roberta_classes", "roberta", "RobertaForSequenceClassification", D, 1, classes, names(3))
    bert_like("bert_answers", "bert", "BertForQuestionAnswering", D, 0, answers, {})
    bert_like("bert_word_classes", "bert", "BertForTokenClassification", D, 0, word_classes, names(4))
    opt("opt", True, D, LEFT)
    opt("opt_narrow", False, 4, MASK)
    gpt_neox()
    llama("qwen3", {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 6, "rope_theta": 1000.0}, 6, False,
          angles(6, 1000.0), MASK, equal_lengths=True, tied=True)
    llama("llama3", {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "attention_bias": True, "mlp_bias": True, "rope_theta": 50.0,
                     "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                      "original_max_position_embeddings": 64}}, K, True, llama3_angles(8.0, 1.0, 4.0, 64, 50.0), MASK)
    modernbert()
    t5_gated()
