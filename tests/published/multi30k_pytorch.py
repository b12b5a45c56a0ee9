#!/usr/bin/env python3
"""The transformer of heed's preset multi30k-small, trained by PyTorch with the classical recipe: validation perplexity after
each epoch, to lay beside heed's. Never needed to build, test or use heed.

    build/release/bin/published pieces --model small/model.safetensors --src train.de --tgt train.en > train.ids
    build/release/bin/published pieces --model small/model.safetensors --src val.de --tgt val.en > valid.ids
    python3 tests/published/multi30k_pytorch.py train.ids valid.ids --epochs 2

Sources end with </s> (3) as they come; targets get <s> (2) and </s> here; 0 is padding. `--order` says how batches of
2,500 padded tokens (rows times the longest source or target) are cut: `length`, sorted by it, as heed does; `source`,
sorted by the source alone. Noam's schedule with warm-up 800 and factor 0.9, Adam .9/.98, dropout and smoothing 0.1,
gradients clipped at 1, embeddings of size D^-0.5, one matrix for all words.
"""
import argparse
import math
import random
import time

import torch
from torch import nn

D, HEADS, LAYERS, INNER, DROPOUT = 256, 8, 3, 512, 0.1
PAD, START, STOP = 0, 2, 3


def read(path):
    pairs = []
    for line in open(path):
        source, target = ([int(x) for x in side.split()] for side in line.split("|"))
        pairs.append((source, [START] + target, target + [STOP]))
    return pairs


def batches(pairs, order, tokens):
    longest = lambda i: max(len(pairs[i][0]), len(pairs[i][1]))
    key = longest if order == "length" else lambda i: len(pairs[i][0])
    members = list(range(len(pairs)))
    random.shuffle(members)
    members.sort(key=key)
    cut, width = [[]], 0
    for i in members:
        width = max(width, longest(i))
        if cut[-1] and (len(cut[-1]) + 1) * width > tokens:
            cut.append([])
            width = longest(i)
        cut[-1].append(i)
    random.shuffle(cut)
    return cut


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


class Translator(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.words = nn.Embedding(vocabulary, D)
        nn.init.normal_(self.words.weight, 0, D**-0.5)
        self.body = nn.Transformer(D, HEADS, LAYERS, LAYERS, INNER, DROPOUT, norm_first=True, batch_first=True)
        self.output = nn.Linear(D, vocabulary)
        nn.init.zeros_(self.output.bias)
        self.output.weight = self.words.weight
        self.dropout = nn.Dropout(DROPOUT)
        angle = torch.arange(512).unsqueeze(1) * torch.exp(torch.arange(0, D, 2) * (-math.log(1e4) / D))
        self.positions = torch.stack([angle.sin(), angle.cos()], 2).reshape(512, D)

    def embedded(self, ids):
        return self.dropout(self.words(ids) * math.sqrt(D) + self.positions[: ids.shape[1]])

    def forward(self, source, target):
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.output(self.body(self.embedded(source), self.embedded(target), tgt_mask=causal,
                                     src_key_padding_mask=source == PAD, tgt_key_padding_mask=target == PAD,
                                     memory_key_padding_mask=source == PAD))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("train")
    options.add_argument("valid")
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--tokens", type=int, default=2500)
    options.add_argument("--order", choices=["length", "source"], default="length")
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    torch.manual_seed(o.seed)
    random.seed(o.seed)
    train, valid = read(o.train), read(o.valid)
    model = Translator(1 + max(max(source + target) for source, _, target in train + valid))
    adam = torch.optim.Adam(model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9)
    smoothed = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
    plain = nn.CrossEntropyLoss(ignore_index=PAD, reduction="sum")
    step = 0
    for epoch in range(1, o.epochs + 1):
        begin = time.time()
        model.train()
        for some in batches(train, o.order, o.tokens):
            step += 1
            adam.param_groups[0]["lr"] = 0.9 * D**-0.5 * min(step**-0.5, step * 800**-1.5)
            source, shifted, target = (padded([train[i][side] for i in some]) for side in range(3))
            adam.zero_grad()
            smoothed(model(source, shifted).flatten(0, 1), target.flatten()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
        model.eval()
        total, count = 0.0, 0
        with torch.no_grad():
            for some in batches(valid, "length", o.tokens):
                source, shifted, target = (padded([valid[i][side] for i in some]) for side in range(3))
                total += plain(model(source, shifted).flatten(0, 1), target.flatten()).item()
                count += (target != PAD).sum().item()
        print(f"epoch {epoch}  {step} steps  perplexity {math.exp(total / count):.2f}  {time.time() - begin:.0f} s",
              flush=True)


if __name__ == "__main__":
    main()
